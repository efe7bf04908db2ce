# Clients and devices that get in each other's way: a client that is killed, two devices with one serial number.
. /run/lab/repo/ci/lab.d/usb.bash
usb_up 2
gadget_up one dummy_udc.0 --pace 300
gadget_up two dummy_udc.1 --pace 50

twins() {
  "$streamrig" devices
  "$streamrig" conform --no-sessions --no-reset usb:SN0042 >/tmp/twins && return 1
  cat /tmp/twins
  grep -q '2 USB devices match "SN0042": .*; name one by its port, such as usb:1-1' /tmp/twins || return 1
  "$streamrig" conform --no-sessions --no-reset usb:2-1
}
expect "two devices with one serial number: told apart by their ports" twins

killed() {
  plan agent connect-hotspot
  "$streamrig" run --device usb:1-1 --device-host 127.0.0.1 --reports /tmp/reports/killed /tmp/plans/agent.yaml \
    >/tmp/killed.log 2>&1 &
  local client=$!
  at_stage enter-live-mode killed kill -KILL "$client"
  wait "$client"
  [ $? -eq 137 ]
}
expect "a client is killed in a session" killed
# The device says more, and nobody reads it. It holds the run for 10 s: the next client drops what was left, waits for
# the end, and has its session.
sleep 2
after() { agent_session after-killed && says after-killed 'of another harness ended'; }
expect "the next client waits for the orphan to end, and has its session" after
gadget_down two
gadget_down one
say "done"
[ "$failures" -eq 0 ]
