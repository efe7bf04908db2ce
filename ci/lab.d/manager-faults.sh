# What goes wrong where NetworkManager joins, told apart.
. /run/lab/repo/ci/lab.d/manager.bash
dhcp_down
expect "no DHCP server: no lease" run_managed lease "$(failing lease connect-hotspot)"
expect "it says so" says lease 'no DHCP server answered'
dhcp_up
ip link add other type dummy
ip addr add 192.168.42.77/24 dev other
ip link set other up
is_error() { # NAME PLAN: the rig's fault, not the device's
  local status=0
  run_managed "$@" || status=$?
  [ $status -eq 3 ]
}
expect "another network has the addresses: subnet clash, an error" is_error clash "$(failing clash connect-hotspot)"
expect "it says so" says clash 'subnet clash'
ip link del other
device_down
key_told=
device_up --harness-joins
expect "another key: wrong key" run_managed key --key-file /tmp/wrong-key "$(failing key connect-hotspot)"
expect "it says so" says key 'wrong key'
device_down
say "done"
[ "$failures" -eq 0 ]
