# What can go wrong between a station and a hotspot, each told apart: on a real handshake, with a real access point.
. /run/lab/repo/ci/lab.d/radios.bash
plans=/run/lab/repo/Scenarios
radios_up

# plan NAME FAILED-STAGE [PLAY-FOR]: a plan of one case; without a stage it must succeed.
plan() {
  {
    printf '%s\n' 'version: 1' "plan: $1" "title: $1" 'flow: rtsp-hotspot' 'transport: tcp' "play-for: ${3:-2 s}" \
      'limits: {play: 20 s, receive-address: 20 s}'
    [ -z "$2" ] || echo "expect: {failed: $2}"
  } >"/tmp/plans/$1.yaml"
}
keeps_the_key() {
  ! grep -raFl -e "$key" -e 'c\\d $e `f`' /tmp/reports
}
case_says() { # NAME STAGE TEXT PLAY-FOR
  plan "$1" "$2" "$4"
  run_plans "$1" "/tmp/plans/$1.yaml" && says "$1" "$3"
}
# --- a hidden hotspot
access_point ignore_broadcast_ssid=1
dhcp_up
device_up --harness-joins --hidden --channel 1
expect "hidden SSID is joined" case_says hidden '' 'associated with'
device_down
device_up --harness-joins --channel 1
expect "SSID that is not announced is not found" case_says not-found connect-hotspot 'was not found'
device_down

# --- the device tells another key than the access point has
access_point
printf 'another key 1\n' >/tmp/key
device_up --harness-joins --channel 1
expect "wrong key" case_says wrong-key connect-hotspot 'wrong key: the access point'
device_down
printf '%s\n' "$key" >/tmp/key

# --- WPA3: the access point takes SAE alone, and protects its management frames
access_point wpa_key_mgmt=SAE ieee80211w=2
device_up --harness-joins --channel 1
expect "WPA3" case_says wpa3 '' 'associated with'
device_down
printf 'another key 1\n' >/tmp/key
device_up --harness-joins --channel 6
expect "WPA3 with a wrong key, and a channel that is not the hotspot's" case_says wpa3-wrong connect-hotspot 'wrong key: the access point'
device_down
printf '%s\n' "$key" >/tmp/key

# --- no room: the access point rejects the association
access_point max_num_sta=0
device_up --harness-joins --channel 1
expect "association rejected" case_says rejected connect-hotspot 'rejected the'
device_down
access_point

# --- no DHCP server
dhcp_down
device_up --harness-joins --channel 1
expect "no lease" case_says no-lease connect-hotspot 'no DHCP server answered'
dhcp_up

# --- the access point goes while media runs: thrown out, and silent
deauthenticate() { in_device hostapd_cli -p /run/hostapd deauthenticate 02:00:00:00:01:00; }
when_running deauth deauthenticate
expect "deauthentication" case_says deauth running 'threw the station out: reason' '20 s'
silence() { kill -KILL "$(cat /run/hostapd.pid)"; in_device ip link set wlan0 down; }
when_running silent silence
expect "access point falls silent" case_says silent running 'fell silent' '20 s'
in_device ip addr replace 192.168.42.1/24 dev wlan0
expect "and the next case joins again" case_says back '' 'associated with'
device_down

# --- the phone joins by itself: the radio is a witness
device_up
expect "the device joins, the radio is a witness" case_says witness '' 'TCP connect to'
device_down

expect "no report holds the key" keeps_the_key
say "radios of this machine:"
iw dev | sed 's/^/  /'
[ "$failures" -eq 0 ]
