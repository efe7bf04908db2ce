# Devices on the USB: the C agent behind a bulk pair, and an emulated device with media, driven by libusb over a real
# kernel.
. /run/lab/repo/ci/lab.d/usb.bash
usb_up

# --- the C agent, which has no media and no hotspot that could be proven
gadget_up one dummy_udc.0
expect "streamrig devices lists it" lists
expect "a session of the C agent" agent_session agent
gadget_down one

# --- an emulated device, its control port behind the bulk pair
emulated_up
gadget_up one dummy_udc.0 --to 127.66.1.1:7066
success() {
  plan success '' 'play-for: 2 s'
  run_usb success 127.66.1.1 /tmp/plans/success.yaml
}
expect "a whole session over USB, with media" success

# The harness meets the halted OUT endpoint with its next ping, or with the stop at the end.
stalls() {
  plan stalls '' 'play-for: 4 s'
  halt() { gadget_signal one USR1; sleep 0.5; gadget_signal one USR2; }
  when_running stalls halt
  run_usb stalls 127.66.1.1 /tmp/plans/stalls.yaml && says stalls 'bulk IN stalled' && says stalls 'bulk OUT stalled' \
    && [ "$(grep -c 'halt .*: done' /tmp/one.log)" = 2 ] || { cat /tmp/one.log; false; }
}
expect "both endpoints are halted in a session, and cleared" stalls
gadget_down one
emulated_down
say "done"
[ "$failures" -eq 0 ]
