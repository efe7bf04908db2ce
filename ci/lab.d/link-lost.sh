# The access point goes while media runs.
. /run/lab/repo/ci/lab.d/link.bash

access_point
device_up --harness-joins --channel 1
# --- the access point goes while media runs: thrown out, and silent
deauthenticate() { in_device hostapd_cli -p /run/hostapd deauthenticate 02:00:00:00:01:00; }
when_running deauth deauthenticate
expect "deauthentication" case_says deauth running 'threw the station out: reason' '20 s'
silence() { kill -KILL "$(cat /run/hostapd.pid)"; in_device ip link set wlan0 down; }
when_running silent silence
expect "access point falls silent" case_says silent running 'fell silent' '20 s'
in_device ip addr replace 192.168.42.1/24 dev wlan0
# --- the harness's own radio is switched off: that is the rig's fault, and no failure of the device
number=$(basename /sys/class/ieee80211/phy1/rfkill*) number=${number#rfkill}
# 1: off, 0: on. A struct rfkill_event: number, type (Wi-Fi), operation (change), soft, hard.
switch_off() { printf "\\x0$number\\0\\0\\0\\1\\2\\$1\\0" >/dev/rfkill; }
off_says() { # NAME TEXT: the run ends as an error, and its events hold the text
  local status=0
  plan "$1" "" 'play-for: 20 s'
  run_plans "$1" "/tmp/plans/$1.yaml" || status=$?
  [ $status -eq 3 ] && says "$1" "$2"
}
off_refuses() {
  local said
  said=$(run_plans refused /tmp/plans/off.yaml 2>&1) && return 1
  grep -F 'is blocked by rfkill; to lift it: rfkill unblock wifi' <<<"$said"
}
when_running off switch_off 1
expect "the radio is switched off: an error" off_says off 'the radio is blocked (rfkill)'
expect "a run refuses it while it is off" off_refuses
switch_off 0
expect "and the next case joins again" case_says back '' 'associated with'
device_down

link_end
