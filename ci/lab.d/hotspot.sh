# A session over a real hotspot: the whole success plan.
. /run/lab/repo/ci/lab.d/hotspot.bash
hotspot_plans 'success*'
