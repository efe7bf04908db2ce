# Two radios and a device: what the scenarios over Wi-Fi share.
#
#   network of the device ("device")                     home
#   hostapd, dnsmasq, streamrig emulate                  streamrig run
#   wlan0 192.168.42.1 . . . . . . . on the air . . . .  wlan1, which the run moves into a network of its own
#   cable1 ------------------------------------------- cable0
#
# The control link is the cable: 192.168.42.1 is reached over it from home, and over the air from the station's network.
. /run/lab/repo/ci/lab.d/guest.bash
ssid='Cam "Ü" $(x) 1'
key='a b"c\d $e `f`'
in_device() { ip netns exec device "$@"; }

radios_up() {
  modprobe mac80211_hwsim radios=2
  ip link set lo up
  ip netns add device
  iw phy phy0 set netns name device
  in_device ip link set lo up
  ip link add cable0 type veth peer name cable1 netns device
  ip addr add 10.66.0.1/30 dev cable0
  ip link set cable0 up
  in_device ip addr add 10.66.0.2/30 dev cable1
  in_device ip link set cable1 up
  ip route add 192.168.42.1/32 via 10.66.0.2
  in_device ip addr add 192.168.42.1/24 dev wlan0
  printf '%s\n' "$key" >/tmp/key
  warm_up
}

# access_point [LINE…]: a configuration with further lines, and the program that puts it on the air.
access_point() {
  {
    echo interface=wlan0
    echo driver=nl80211
    # As octets: whatever stands in the name is no syntax.
    echo "ssid2=$(printf '%s' "$ssid" | od -An -tx1 -v | tr -d ' \n')"
    printf '%s\n' hw_mode=g channel=1 wpa=2 wpa_key_mgmt=WPA-PSK rsn_pairwise=CCMP "wpa_passphrase=$key" \
      ctrl_interface=/run/hostapd "$@"
  } >/tmp/hostapd.conf
  cat >/tmp/hotspot <<'E'
#!/bin/bash
# Puts the access point on the air, or off it.
case $1 in
up)
  hostapd -B -P /run/hostapd.pid /tmp/hostapd.conf >/tmp/hostapd.log 2>&1 || { cat /tmp/hostapd.log >&2; exit 1; }
  ip addr replace 192.168.42.1/24 dev wlan0
  ;;
down)
  pid=$(cat /run/hostapd.pid) || exit 0
  kill "$pid" 2>/dev/null
  for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
  kill -KILL "$pid" 2>/dev/null
  rm -f /run/hostapd.pid
  ;;
esac
E
  chmod +x /tmp/hotspot
}

dhcp_up() {
  in_device dnsmasq --conf-file=/dev/null --port=0 --interface=wlan0 --bind-interfaces --user=root --no-ping \
    --dhcp-authoritative --dhcp-range=192.168.42.10,192.168.42.50,1h --dhcp-leasefile=/tmp/leases \
    --pid-file=/run/dnsmasq.pid --log-dhcp --log-facility="$out/dnsmasq.log"
}
dhcp_down() { kill "$(cat /run/dnsmasq.pid)"; }

# Whether the device tells the key.
key_told=yes
# device_up [OPTION…]: the emulated device, with options of `streamrig emulate`.
device_up() {
  rm -f /tmp/announced
  mkfifo /tmp/leash 2>/dev/null
  in_device "$streamrig" emulate --json --until-eof --host 192.168.42.1 --ssid "$ssid" ${key_told:+--key-file /tmp/key} \
    --hotspot /tmp/hotspot --serial lab --seed 1 "$@" </tmp/leash >/tmp/announced 2>/tmp/emulate.log &
  device=$!
  exec 9>/tmp/leash
  for _ in $(seq 300); do
    [ -s /tmp/announced ] && return 0
    kill -0 "$device" 2>/dev/null || break
    sleep 0.1
  done
  echo "lab: the device did not come up: $(cat /tmp/emulate.log)"
  return 1
}
device_down() {
  exec 9>&-
  for _ in $(seq 300); do
    kill -0 "$device" 2>/dev/null || break
    sleep 0.1
  done
  if kill -0 "$device" 2>/dev/null; then
    echo "FAIL  the device does not end"
    failures=$((failures + 1))
    for process in $(pgrep -f 'streamrig emulat[e]') $(pgrep -f '/tmp/hotspo[t]'); do
      echo "  | $(tr '\0' ' ' <"/proc/$process/cmdline"): $(grep State "/proc/$process/status") $(cat "/proc/$process/wchan")"
      kill -KILL "$process"
    done
  fi
  wait "$device"
}

# run_plans FOLDER [OPTION…]: a run over the radio.
run_plans() {
  local reports=$1
  shift
  "$streamrig" run --link wifi --radio wlan1 --device 192.168.42.1:7066 --reports "/tmp/reports/$reports" "$@"
  local status=$?
  # Not written there at once: a file share is slow.
  cp -r "/tmp/reports/$reports" "$out/"
  return $status
}
