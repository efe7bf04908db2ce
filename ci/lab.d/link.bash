# What can go wrong between a station and a hotspot, each told apart, on a real handshake with a real access point: what
# the scenarios link-* share.
. /run/lab/repo/ci/lab.d/radios.bash
radios_up
dhcp_up

options=()
case_says() { # NAME STAGE TEXT [PLAY-FOR]
  plan "$1" "$2" "play-for: ${4:-2 s}"
  run_plans "$1" "${options[@]}" "/tmp/plans/$1.yaml" && says "$1" "$3"
}
keeps_the_key() {
  ! grep -raFl -e "$key" -e 'c\\d $e `f`' /tmp/reports
}
link_end() {
  expect "no report holds the key" keeps_the_key
  say "done"
  [ "$failures" -eq 0 ]
}
