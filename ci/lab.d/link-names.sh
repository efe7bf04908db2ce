# Names of hotspots: hidden, and not on the air.
. /run/lab/repo/ci/lab.d/link.bash

# --- a hidden hotspot
access_point ignore_broadcast_ssid=1
device_up --harness-joins --hidden --channel 1
hidden() {
  when_running hidden sh -c 'iw reg get >/tmp/rules'
  options=(--country DE)
  case_says hidden '' 'associated with'
}
expect "hidden SSID is joined" hidden
options=()
rules() { cat /tmp/rules; grep -q '^country DE:' /tmp/rules; }
expect "the radio kept the rules of the country" rules
device_down
device_up --harness-joins --channel 1
expect "SSID that is not announced is not found" case_says not-found connect-hotspot 'was not found'
device_down

link_end
