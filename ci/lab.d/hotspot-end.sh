# The hotspot goes too early, and too late.
. /run/lab/repo/ci/lab.d/hotspot.bash
hotspot_plans hotspot-lost hotspot-left-on
