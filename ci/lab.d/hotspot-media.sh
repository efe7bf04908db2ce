# The media goes wrong on the air.
. /run/lab/repo/ci/lab.d/hotspot.bash
hotspot_plans stream-stalls sequence-jump
