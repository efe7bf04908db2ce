# A desk with one device, whose radio is NetworkManager's: what the scenarios with it share.
. /run/lab/repo/ci/lab.d/radios.bash
# Its packages are not installed here: they lie over what is.
modprobe overlay
for place in usr etc; do mount -t overlay overlay -o "lowerdir=/run/lab/repo/.build/lab/manager/$place:/$place" "/$place"; done
mount -t tmpfs none /var/lib
mkdir -p /var/lib/NetworkManager /var/lib/dbus /run/dbus

modprobe mac80211_hwsim radios=2
ip netns add device
iw phy phy0 set netns name device
in_device ip link set lo up
printf '%s\n' "$key" >/tmp/key
printf '%s\n' "not $key" >/tmp/wrong-key
warm_up
access_point
in_device ip addr add 192.168.42.1/24 dev wlan0
dhcp_up
# Without udevd NetworkManager waits for it, but where /sys cannot be written to, as in a container.
mount -o remount,ro /sys
printf '%s\n' '[main]' 'plugins=keyfile' 'auth-polkit=false' >/tmp/manager.conf
# A bus without users of its own, on which everybody here may do everything.
cat >/tmp/bus.conf <<'E'
<busconfig>
  <type>system</type>
  <listen>unix:path=/run/dbus/system_bus_socket</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
E
dbus-daemon --config-file=/tmp/bus.conf --nofork --nopidfile >/tmp/dbus.log 2>&1 9>&- &
until_true test -S /run/dbus/system_bus_socket
wpa_supplicant -u -s >/tmp/supplicant.log 2>&1 9>&- &
NetworkManager --no-daemon --config /tmp/manager.conf >"$out/manager.log" 2>&1 9>&- &
manages() { [ "$(nmcli -g GENERAL.STATE device show wlan1)" = "$1" ]; }
expect "NetworkManager has the radio" until_true manages '30 (disconnected)'
device_up --harness-joins
say "the device is up"

# The control link must not go over the hotspot, and the machine has one network only: a program passes it on.
target=(--device-host 192.168.42.1 --device 'stdio:ip netns exec device busybox nc 192.168.42.1 7066')
run_managed() { # FOLDER OPTION…
  local reports=$1
  shift
  "$streamrig" run --link networkmanager --radio wlan1 "${target[@]}" --reports "/tmp/reports/$reports" "$@"
  local status=$?
  cp -r "/tmp/reports/$reports" "$out/"
  return $status
}
failing() { # ID STAGE: a plan that expects the failure
  printf '%s\n' 'version: 1' "plan: $1" 'title: Fails' 'flow: rtsp-hotspot' "expect: {failed: $2}" 'transport: tcp' \
    'limits: {play: 30 s, clean-up: 40 s, quiet-wire: 15 s}' >"/tmp/plans/$1.yaml"
  echo "/tmp/plans/$1.yaml"
}
