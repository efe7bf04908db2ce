# What the doctor says of a machine with radios and USB, held against iw, sysfs and what the scenario itself has made.
. /run/lab/repo/ci/lab.d/radios.bash
. /run/lab/repo/ci/lab.d/usb.bash
ip link set lo up

doctor() { "$streamrig" doctor --json --reports /tmp "$@" >/tmp/doctor; }
# line NAME TEXT…: the doctor's line of this name holds each text.
line() {
  local name=$1 text
  shift
  grep -F "{\"name\":\"$name\"" /tmp/doctor >/tmp/line || { echo "no line $name"; cat /tmp/doctor; return 1; }
  for text in "$@"; do
    grep -qF -e "$text" /tmp/line || { echo "not there: $text"; cat /tmp/line; return 1; }
  done
}

# --- nothing is plugged in
bare() {
  doctor
  line kernel '"ok"' "Linux $(uname -r)" \
    && line clock '"warning"' "source $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" \
      'not synchronized' \
    && line user 'uid 0' cap_net_admin cap_net_raw cap_sys_admin \
    && line 'open files' "$(ulimit -n) open files" \
    && line reports "/tmp has $(($(stat -f -c '%a * %S' /tmp) >> 20)) MiB free" \
    && line capture '"ok"' 'packet sockets are allowed' \
    && line 'link loopback' 'free on 250 of' \
    && line 'link namespace' '"ok"' \
    && line 'link wifi' '"warning"' 'no radio' \
    && line 'link networkmanager' '"warning"' \
    && line usb '"warning"' 'no USB: there is no /sys/bus/usb'
}
[ ! -e /sys/bus/usb ] || bare() { doctor && line usb 'no stage-link device is plugged in'; }
expect "a machine without radio and USB" bare

# --- radios: a free one, one with an access point, one that is blocked
modprobe mac80211_hwsim radios=3
printf '%s\n' interface=wlan1 driver=nl80211 ssid=other channel=1 ctrl_interface=/run/hostapd >/tmp/other.conf
hostapd -B /tmp/other.conf >/tmp/hostapd.log
echo 1 >"$(echo /sys/class/ieee80211/phy2/rfkill*)/soft"
usb_up
gadget_up one dummy_udc.0
emulated_up

# As iw has it: bands by their numbers, and whether the namespace can be set.
bands() {
  iw phy "$1" info | awk '/^\tBand 1:/ {b = b " and 2.4 GHz"} /^\tBand 2:/ {b = b " and 5 GHz"} /^\tBand 4:/ {b = b " and 6 GHz"} END {print substr(b, 6)}'
}
radios() {
  line 'link wifi' '"ok"' "wlan0 (phy0, mac80211_hwsim), $(bands phy0);" \
    "wlan1 (phy1, mac80211_hwsim), $(bands phy1), used by hostapd;" \
    "wlan2 (phy2, mac80211_hwsim), $(bands phy2), blocked by rfkill (soft)" || return 1
  for phy in phy0 phy1 phy2; do iw phy "$phy" info | grep -q 'set_wiphy_netns' || return 1; done
  ! grep -q 'cannot change network namespace' /tmp/line
}
node="/dev/bus/usb/$(printf '%03d/%03d' "$(cat /sys/bus/usb/devices/1-1/busnum)" "$(cat /sys/bus/usb/devices/1-1/devnum)")"
awake() {
  [ "$(cat /sys/bus/usb/devices/1-1/power/control)" = on ] && line 'usb 1-1' never
}
on_usb() {
  line usb '"ok"' '1 stage-link device is plugged in' 'no udevd runs here' && line 'usb access' 'root opens every device' \
    && line 'usb 1-1' '"ok"' '\"Lab camera\", serial \"SN0042\"' "$node may be opened" && awake
}
full() { doctor; cp /tmp/doctor "$out/doctor.jsonl"; radios && on_usb && line 'link loopback' 'free on 249 of'; }
expect "radios as iw has them, USB as sysfs has it, a device's ports taken" full

# --- what it says is what happens: who is blocked or in use is refused, who is free is taken
refuses() {
  plan any ''
  for radio in wlan1 wlan2; do
    "$streamrig" run --link wifi --radio "$radio" --device 127.66.1.1:7066 --reports "/tmp/reports/$radio" /tmp/plans/any.yaml
  done >/tmp/refused 2>&1
  cat /tmp/refused
  grep -q 'wlan1.*used by hostapd' /tmp/refused && grep -q 'wlan2.*blocked by rfkill' /tmp/refused
}
expect "a run refuses the radios that the doctor names" refuses

suspended() {
  echo auto >/sys/bus/usb/devices/1-1/power/control
  doctor
  line 'usb 1-1' "has it open for $(($(cat /sys/bus/usb/devices/1-1/power/autosuspend_delay_ms) / 1000)) s"
}
expect "autosuspend" suspended

rig() {
  printf '%s\n' 'version: 1' 'rig: lab' 'devices:' \
    '  - {name: cam, model: M, control: usb SN0042, host: 192.168.42.1, link: wifi wlan0, key-file: /tmp/no-key}' \
    '  - {name: gone, model: M, control: usb 9-9, host: 192.168.42.1, link: wifi wlan9}' >/tmp/rig.yaml
  doctor --rig /tmp/rig.yaml
  [ $? -eq 3 ] || return 1
  line 'cam control' '"ok"' 'usb SN0042 at 1-1 can be opened' \
    && line 'cam link' '"ok"' 'can be taken' && line 'cam key-file' '"problem"' '/tmp/no-key' \
    && line 'gone control' '"problem"' '9-9' && line 'gone link' '"problem"' 'no radio is called wlan9'
}
expect "a rig file's devices" rig

# --- an ordinary user
ordinary() {
  setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp "$streamrig" doctor --json --reports /tmp >/tmp/doctor
  line user 'uid 65534' 'none of the network' && line capture 'refused here' 'runs use one' && line 'link namespace' '"ok"' \
    && line 'usb access' '"warning"' 'ff5301' && line 'usb 1-1' '"warning"' "$node may not be opened by this user" 'ff5301'
}
expect "an ordinary user" ordinary

sed 's/^/  /' "$out/doctor.jsonl"
gadget_down one
emulated_down
say "done"
[ "$failures" -eq 0 ]
