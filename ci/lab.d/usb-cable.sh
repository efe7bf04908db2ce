# The cable of a device on the USB is pulled in a session, and put back: soon, and late.
. /run/lab/repo/ci/lab.d/usb.bash
usb_up
emulated_up
gadget_up one dummy_udc.0 --to 127.66.1.1:7066

soon() {
  plan soon '' 'play-for: 4 s'
  pull() { unplug one; sleep 1; plug one; }
  when_running soon pull
  run_usb soon 127.66.1.1 /tmp/plans/soon.yaml && says soon control.unplugged && says soon control.back
}
expect "unplugged for a second: the session goes on" soon

# One run of two cases. The second is on the same device, found again at its port.
gone() {
  plan gone control-link 'play-for: 30 s'
  plan next '' 'play-for: 2 s'
  pull() { unplug one; at_stage clean-up gone plug one; }
  when_running gone pull
  run_usb gone 127.66.1.1 /tmp/plans/gone.yaml /tmp/plans/next.yaml && says gone control.unplugged
}
expect "unplugged for good: control-link; plugged in again, the next case passes" gone

gadget_down one
emulated_down
say "done"
[ "$failures" -eq 0 ]
