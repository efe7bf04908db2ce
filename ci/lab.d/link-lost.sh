# The access point goes while media runs.
. /run/lab/repo/ci/lab.d/link.bash

access_point
device_up --harness-joins --channel 1
# --- the access point goes while media runs: thrown out, and silent. The station comes back at once; of what the air
# lost meanwhile nothing is asked. (Over TCP it would read as a gap of the capture.)
deauthenticate() { in_device hostapd_cli -p /run/hostapd deauthenticate 02:00:00:00:01:00; }
when_running deauth deauthenticate
expect "deauthentication" case_says deauth running 'threw the station out: reason' \
  $'20 s\ntransport: udp\nchecks: {rtp.seq: off, h264.fu: off}'
silence() { kill -KILL "$(cat /run/hostapd.pid)"; in_device ip link set wlan0 down; }
when_running silent silence
expect "access point falls silent" case_says silent running 'fell silent' '20 s'
in_device ip addr replace 192.168.42.1/24 dev wlan0
expect "and the next case joins again" case_says back '' 'associated with'
device_down

link_end
