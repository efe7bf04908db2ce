# Devices on the USB: the C agent behind a bulk pair, driven by libusb over a real kernel.
. /run/lab/repo/ci/lab.d/usb.bash
usb_up 2

# --- the C agent, which has no media and no hotspot that could be proven
gadget_up one dummy_udc.0 --pace 300
expect "streamrig devices lists it" lists
session() {
  plan agent connect-hotspot
  run_usb agent 127.0.0.1 /tmp/plans/agent.yaml && says agent '"name":"deviceHotspotConnectCompletion"'
}
expect "a session of the C agent" session

# --- a client is killed; the device holds the run for 10 s more, and what it says meanwhile is read by nobody
killed() {
  "$streamrig" run --device usb:1-1 --device-host 127.0.0.1 --reports /tmp/reports/killed /tmp/plans/agent.yaml \
    >/tmp/killed.log 2>&1 &
  local client=$!
  at_stage enter-live-mode killed kill -KILL "$client"
  wait "$client"
  [ $? -eq 137 ]
}
[ -n "$LAB_SHORT" ] || expect "a client is killed in a session" killed
died=$SECONDS

# --- an emulated device with media, its control port behind the bulk pair; and its serial number is the other's
emulated_up
gadget_up two dummy_udc.1 --to 127.66.1.1:7066
twins() {
  "$streamrig" devices
  "$streamrig" conform --no-sessions --no-reset usb:SN0042 >/tmp/twins && return 1
  cat /tmp/twins
  grep -q '2 USB devices match "SN0042": .*; name one by its port, such as usb:1-1' /tmp/twins
}
expect "two devices with one serial number: told apart by their ports alone" twins
target=usb:2-1
success() {
  plan success '' 'play-for: 2 s'
  run_usb success 127.66.1.1 /tmp/plans/success.yaml
}
expect "a whole session over USB, with media" success

# The harness meets the halted OUT endpoint with its next ping, or with the stop at the end.
stalls() {
  plan stalls '' 'play-for: 4 s'
  halt() { gadget_signal two USR1; sleep 0.5; gadget_signal two USR2; }
  when_running stalls halt
  run_usb stalls 127.66.1.1 /tmp/plans/stalls.yaml && says stalls 'bulk IN stalled' && says stalls 'bulk OUT stalled' \
    && [ "$(grep -c 'halt .*: done' /tmp/two.log)" = 2 ] || { cat /tmp/two.log; false; }
}
expect "both endpoints are halted in a session, and cleared" stalls
gadget_down two
emulated_down

if [ -n "$LAB_SHORT" ]; then
  gadget_down one
  say "done"
  [ "$failures" -eq 0 ]
  exit
fi
target=usb:1-1
until [ $((SECONDS - died)) -gt 10 ]; do sleep 0.2; done
after() {
  run_usb after-killed 127.0.0.1 /tmp/plans/agent.yaml && says after-killed control.stale-data
}
expect "the client after the killed one drops what was left, and has its session" after
gadget_down one
say "done"
[ "$failures" -eq 0 ]
