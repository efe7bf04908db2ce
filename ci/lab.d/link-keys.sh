# A wrong key, with WPA2 and with WPA3.
. /run/lab/repo/ci/lab.d/link.bash

# --- the device tells another key than the access point has
access_point
printf 'another key 1\n' >/tmp/key
device_up --harness-joins --channel 1
expect "wrong key" case_says wrong-key connect-hotspot 'wrong key: the access point'
device_down
printf '%s\n' "$key" >/tmp/key

# --- WPA3, and a channel that is not the hotspot's
access_point wpa_key_mgmt=SAE ieee80211w=2
printf 'another key 1\n' >/tmp/key
device_up --harness-joins --channel 6
expect "WPA3 with a wrong key" case_says wpa3-wrong connect-hotspot 'wrong key: the access point'
device_down
printf '%s\n' "$key" >/tmp/key

link_end
