# The station does not get in: another key, no lease, another network with the same addresses.
. /run/lab/repo/ci/lab.d/hotspot.bash
hotspot_plans wrong-key no-lease subnet-clash
