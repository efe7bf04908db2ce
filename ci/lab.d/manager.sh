# NetworkManager joins the hotspot by itself (--link networkmanager), or is told to let go of the radio (--link wifi), and
# has it back afterwards.
. /run/lab/repo/ci/lab.d/manager.bash
expect "plans over Wi-Fi, NetworkManager joins" run_managed plans --case '*refused' --case '*=udp?' \
  "$(patient rtsp-hotspot/success rtsp-hotspot/hotspot-refused)"
[ "$failures" -gt 0 ] || sed 's/^/  /' /tmp/$$.log | tail -25
expect "the lease is NetworkManager's" says plans '; address 192.168.42.'
nothing_left() { ! ls /run/NetworkManager/system-connections/streamrig* 2>/dev/null; }
expect "no profile is left" nothing_left
taken() {
  "$streamrig" run --link wifi --radio wlan1 "${target[@]}" --reports /tmp/reports/taken --case '*=tcp?' \
    /tmp/plans/patient
}
expect "it lets go of the radio for --link wifi" taken
expect "and has it back" until_true manages '30 (disconnected)'
device_down
say "done"
[ "$failures" -eq 0 ]
