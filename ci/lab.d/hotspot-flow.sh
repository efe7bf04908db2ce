# The start flow goes wrong in front of a real hotspot: refusals, time-outs, addresses.
. /run/lab/repo/ci/lab.d/hotspot.bash
hotspot_plans hotspot-refused mode-entry-timeout join-fails address-bad-scheme address-control-bytes session-start-refused
