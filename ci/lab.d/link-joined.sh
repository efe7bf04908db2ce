# Joined with WPA3, and beside a device that joins by itself.
. /run/lab/repo/ci/lab.d/link.bash

# --- the access point takes SAE alone, and protects its management frames
access_point wpa_key_mgmt=SAE ieee80211w=2
device_up --harness-joins --channel 1
expect "WPA3" case_says wpa3 '' 'associated with'
device_down

# --- the phone joins by itself: the radio is a witness
access_point
device_up
expect "the device joins, the radio is a witness" case_says witness '' 'TCP connect to'
device_down

link_end
