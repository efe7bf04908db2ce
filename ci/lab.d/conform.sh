# One conformance script over every channel: TCP, a terminal line, USB, Wi-Fi. The same lines, but for the differences
# that Tests/conformance names.
. /run/lab/repo/ci/lab.d/radios.bash
. /run/lab/repo/ci/lab.d/usb.bash
repo=/run/lab/repo
ip link set lo up

# --- a device for each: the emulated one, and the C agent
emulated_up
"$repo/.build/lab/agent-demo" --pty --guarded >/tmp/line 9>&- &
line=$!
usb_up
gadget_up one dummy_udc.0

# An access point that stays on the air, and a station that keeps its link: here the control link is what goes over it.
modprobe mac80211_hwsim radios=2
ip netns add device
ip netns add station
iw phy phy0 set netns name device
iw phy phy1 set netns name station
in_device ip link set lo up
access_point
in_device /tmp/hotspot up 9>&-
in_device "$streamrig" emulate --json --host 192.168.42.1 --serial lab --seed 1 >/tmp/announced-wifi 9>&- &
wireless=$!
printf '%s\n' 'ctrl_interface=/run/station' 'network={' "ssid=$(printf '%s' "$ssid" | od -An -tx1 -v | tr -d ' \n')" \
  "psk=\"$key\"" 'scan_freq=2412' '}' >/tmp/station.conf
station() { ip netns exec station "$@"; }
station wpa_supplicant -B -D nl80211 -i wlan1 -c /tmp/station.conf -P /run/station.pid >/tmp/station.log 9>&-
station ip addr add 192.168.42.20/24 dev wlan1
associated() { station wpa_cli -p /run/station -i wlan1 status | grep -q '^wpa_state=COMPLETED'; }
expect "the station is associated" until_true associated
until_true test -s /tmp/announced-wifi
until_true test -s /tmp/line
say "devices over TCP, a terminal line, USB and Wi-Fi are up"

# All at once: most of the time they wait.
declare -A pids
conform() { # CHANNEL [COMMAND…] TARGET
  local channel=$1
  shift
  "$@" >"$out/$channel.txt" 2>&1 &
  pids[$channel]=$!
}
conform tcp "$streamrig" conform 127.66.1.1:7066
conform serial "$streamrig" conform "serial:$(cat /tmp/line)"
conform usb "$streamrig" conform usb:1-1
conform wifi ip netns exec station "$streamrig" conform 192.168.42.1:7066
same() {
  wait "${pids[$1]}"
  "$repo/ci/conformance" "$1" <"$out/$1.txt"
}
for channel in tcp serial usb wifi; do
  expect "conformance over $channel" same "$channel"
  [ "$failures" -gt 0 ] || sed 's/^/  /' "/tmp/$$.log"
done

kill "$line" "$wireless" "$(cat /run/station.pid)"
gadget_down one
emulated_down
say "done"
[ "$failures" -eq 0 ]
