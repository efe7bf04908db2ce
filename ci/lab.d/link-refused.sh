# The station is rejected, gets no address, or only watches.
. /run/lab/repo/ci/lab.d/link.bash

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
device_down

# --- the phone joins by itself: the radio is a witness
device_up
expect "the device joins, the radio is a witness" case_says witness '' 'TCP connect to'
device_down

link_end
