# A device on the USB: the C agent behind a bulk pair, driven by libusb, with what can happen to a cable.
. /run/lab/repo/ci/lab.d/usb.bash
warm_up
usb_up 2
say "two USB controllers are up"

# plan NAME FAILED-STAGE [LINE…]: a plan of one case; without a stage it must succeed.
plan() {
  local name=$1 stage=$2
  shift 2
  {
    printf '%s\n' 'version: 1' "plan: $name" "title: $name" 'flow: rtsp-hotspot' 'transport: tcp' \
      'limits: {play: 20 s, receive-address: 20 s}'
    [ $# -eq 0 ] || printf '%s\n' "$@"
    [ -z "$stage" ] || echo "expect: {failed: $stage}"
  } >"/tmp/plans/$name.yaml"
}

# --- the C agent
gadget_up one dummy_udc.0 --pace 50
lists() {
  "$streamrig" devices | tee /tmp/devices
  grep -qx 'usb:1-1  1d6b:0104  Streamrig Lab camera  SN0042  480 Mbit/s  usable' /tmp/devices
}
expect "streamrig devices lists it" lists

session() {
  plan agent play
  run_usb agent 127.0.0.1 /tmp/plans/agent.yaml && says agent '"name":"sessionStartCompletion"'
}
expect "a session of the C agent, as far as it has media" session

# --- a client that is killed, and the next one
killed() {
  gadget_down one
  gadget_up one dummy_udc.0 --pace 700
  "$streamrig" run --device usb:1-1 --device-host 127.0.0.1 --reports /tmp/reports/killed /tmp/plans/agent.yaml \
    >/tmp/killed.log 2>&1 &
  local client=$!
  at_stage enter-live-mode killed kill -KILL "$client"
  wait "$client"
  # Heartbeats and events that nobody reads.
  sleep 2.5
  run_usb after-killed 127.0.0.1 /tmp/plans/agent.yaml && says after-killed control.stale-data
}
expect "a client is killed: the next one drops what it left" killed

# --- two devices with one serial number
gadget_up two dummy_udc.1 --pace 50
twins() {
  "$streamrig" devices
  "$streamrig" conform --no-sessions --no-reset usb:SN0042 >/tmp/twins && return 1
  cat /tmp/twins
  grep -q '2 USB devices match "SN0042": .*; name one by its port, such as usb:1-1' /tmp/twins || return 1
  "$streamrig" conform --no-sessions --no-reset usb:2-1 && "$streamrig" conform --no-sessions --no-reset usb:1-1
}
expect "two devices with one serial number: told apart by their ports" twins
gadget_down two
gadget_down one

# --- an emulated device with media, its control port behind the bulk pair
emulated_up
gadget_up one dummy_udc.0 --to 127.66.1.1:7066
success() {
  plan success '' 'play-for: 2 s'
  run_usb success 127.66.1.1 /tmp/plans/success.yaml
}
expect "a whole session over USB, with media" success

stalled() { # SIGNAL ENDPOINT
  plan "stall-$2" '' 'play-for: 7 s'
  when_running "stall-$2" gadget_signal one "$1"
  run_usb "stall-$2" 127.66.1.1 "/tmp/plans/stall-$2.yaml" && says "stall-$2" "bulk $2 stalled" || { cat /tmp/one.log; false; }
}
expect "bulk IN is halted in a session, and cleared" stalled USR1 IN
expect "bulk OUT is halted in a session, and cleared" stalled USR2 OUT

short() {
  plan short '' 'play-for: 5 s'
  pull() { unplug one; sleep 1; plug one; }
  when_running short pull
  run_usb short 127.66.1.1 /tmp/plans/short.yaml && says short control.unplugged
}
expect "unplugged for a second: the session goes on" short

# One run of two cases: the cable is pulled in the first, and put back for the second.
gone() {
  plan gone control-link 'play-for: 30 s'
  pull() { unplug one; at_case_end gone plug one; }
  when_running gone pull
  run_usb gone 127.66.1.1 /tmp/plans/gone.yaml /tmp/plans/success.yaml && says gone control.unplugged
}
at_case_end() {
  local folder=$1
  shift
  for _ in $(seq 600); do
    grep -qa '"case-ended"' "/tmp/reports/$folder/events.jsonl" && break
    sleep 0.1
  done
  "$@"
}
expect "unplugged for good: control-link; plugged in again, the next case passes" gone

gadget_down one
emulated_down
say "done"
[ "$failures" -eq 0 ]
