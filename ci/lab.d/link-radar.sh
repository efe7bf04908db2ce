# A hotspot on a channel with radar check (DFS): the access point listens for a minute before it beacons (IEEE 802.11
# section 11.8, ETSI EN 301 893), and the station waits for it there.
. /run/lab/repo/ci/lab.d/link.bash
options=(--country DE)
iw reg set DE
# The driver of the device goes as the law goes: it must have the rules before the radio moves.
access_point hw_mode=a channel=52 country_code=DE ieee80211d=1 ieee80211h=1
device_up --harness-joins --channel 52
printf '%s\n' 'version: 1' 'plan: radar' 'title: radar' 'flow: rtsp-hotspot' 'play-for: 2 s' 'transport: tcp' \
  'limits: {wait-for-hotspot: 100 s, connect-hotspot: 100 s, play: 20 s, receive-address: 20 s}' >/tmp/plans/radar.yaml
joined() {
  run_plans radar "${options[@]}" /tmp/plans/radar.yaml && says radar 'on 5260 MHz'
}
expect "on a DFS channel: the hotspot comes after its radar check, and is joined" joined
sed 's/^/  /' /tmp/hostapd.log
expect "the access point did listen for radar" grep -F DFS-CAC /tmp/hostapd.log
device_down

link_end
