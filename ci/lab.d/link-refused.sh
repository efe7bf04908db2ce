# The station is rejected, or gets no address.
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

link_end
