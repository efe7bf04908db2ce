# A hotspot that is lost, where NetworkManager joined it.
. /run/lab/repo/ci/lab.d/manager.bash
expect "the station leaves: running fails" run_managed left "$(patient link/hotspot-lost)"
when_running lost sh -c 'kill -KILL $(cat /run/hostapd.pid)'
expect "the access point dies: running fails" run_managed lost "$(failing lost running)"
expect "it is the carrier that went" says lost 'lost its carrier'
device_down
say "done"
[ "$failures" -eq 0 ]
