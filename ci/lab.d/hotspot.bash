# Plans over a real hotspot, with the harness as the station: what the scenarios hotspot* share.
. /run/lab/repo/ci/lab.d/radios.bash

# evidence: every case of the run left its packets and its place in JUnit.
evidence() {
  local cases captures
  cases=$(grep -c '<testsuite ' /tmp/reports/plans/junit.xml)
  captures=$(find /tmp/reports/plans -name '*.pcapng' -size +0 | wc -l)
  echo "$cases cases in junit.xml, $captures captures"
  [ "$cases" -gt 0 ] && [ "$captures" -ge "$1" ]
}

# hotspot_plans CASE…
hotspot_plans() {
  radios_up
  access_point
  dhcp_up
  device_up --harness-joins --channel 1
  say "radios, DHCP server, cable and device are up"
  local name cases=()
  for name in "$@"; do cases+=(--case "$name"); done
  local plans=/run/lab/repo/Scenarios
  # In the gate the guest shares the machine with whatever else goes on.
  [ -z "$LAB_SHORT" ] || plans=$(patient rtsp-hotspot/success)
  expect "plans over Wi-Fi, the harness joins" run_plans plans "${cases[@]}" "$plans"
  [ "$failures" -gt 0 ] || sed 's/^/  /' /tmp/$$.log | tail -25
  expect "JUnit, and packets of every case" evidence $#
  device_down
  say "done"
  [ "$failures" -eq 0 ]
}
