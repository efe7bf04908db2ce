# Sourced by ci/bench and ci/bench-capture: measures commands and compares with ci/budgets. Needs $work, a folder.
#
# gate=1 (option --gate): few runs and small inputs, and the limits of the column `gate`, which hold on a loaded machine.
gate=
bad=0

# cpu COMMAND…: CPU seconds, user and system
cpu() {
  local TIMEFORMAT='%U %S'
  { time "$@" >/dev/null 2>&1; } 2>"$work/cpu" || true
  awk '{print $1 + $2}' "$work/cpu"
}
# measure NAME COMMAND…: CPU seconds and peak memory (KiB) are appended to $work/NAME
measure() {
  local name=$1
  shift
  /usr/bin/time -f '%U %S %M' -o "$work/time" "$@" >/dev/null 2>&1 || true
  tail -1 "$work/time" | awk '{print $1 + $2, $3}' >>"$work/$name"
}
median() { sort -n "$work/$1" | awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}'; }
peak() { awk '$2 > m {m = $2} END {printf "%.1f", m / 1024}' "$work/$1"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / (b > 0 ? b : 0.001)}'; }
# judge NAME VALUE
judge() {
  local kind budget limit unit verdict
  read -r _ kind budget limit unit < <(grep "^$1 " ci/budgets)
  [ -n "$gate" ] || limit=$budget
  verdict=$(awk -v v="$2" -v b="$limit" -v k="$kind" 'BEGIN {print (k == "max" ? v <= b : v >= b) ? "ok" : "MISSED"}')
  printf '%-24s %10s %-8s (%s %s)  %s\n' "$1" "$2" "$unit" "$kind" "$limit" "$verdict"
  [ "$verdict" = ok ] || bad=1
}
