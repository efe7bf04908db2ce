# A session over a real hotspot: the whole success plan and plans with faults, with the harness as the station.
. /run/lab/repo/ci/lab.d/radios.bash
plans=/run/lab/repo/Scenarios
radios_up
access_point
dhcp_up
say "radios, DHCP server and cable are up"
device_up --harness-joins --channel 1
say "the device is up"
cases=(--case 'success*')
[ -n "$LAB_SHORT" ] || cases+=(--case hotspot-refused --case mode-entry-timeout --case join-fails --case stream-stalls
  --case address-bad-scheme --case address-control-bytes --case session-start-refused --case sequence-jump --case wrong-key
  --case no-lease --case subnet-clash --case hotspot-lost --case hotspot-left-on)
expect "plans over Wi-Fi, the harness joins" run_plans plans "${cases[@]}" "$plans"
[ "$failures" -gt 0 ] || sed 's/^/  /' /tmp/$$.log | tail -25
device_down
say "done"
[ "$failures" -eq 0 ]
