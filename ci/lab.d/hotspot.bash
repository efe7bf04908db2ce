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

# A guest whose host is busy is late, and limits pass: what did not pass is run once more, and the result says FLAKY.
plans_or_again() {
  local again
  run_plans plans "$@" && return 0
  echo "again:"
  again=$(run_plans plans --rerun-failed "$@")
  echo "$again"
  grep -qE '^[0-9]+ cases?: ([0-9]+ passed, )?[0-9]+ flaky in ' <<<"$again"
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
  if [ -n "$LAB_SHORT" ]; then
    # In the gate whatever else goes on shares the processors, and one attempt must do.
    expect "plans over Wi-Fi, the harness joins" run_plans plans "${cases[@]}" "$(patient rtsp-hotspot/success)"
  else
    expect "plans over Wi-Fi, the harness joins" plans_or_again "${cases[@]}" /run/lab/repo/Scenarios
  fi
  [ "$failures" -gt 0 ] || sed 's/^/  /' /tmp/$$.log | tail -25
  expect "JUnit, and packets of every case" evidence $#
  device_down
  say "done"
  [ "$failures" -eq 0 ]
}
