# What every scenario shares: lines of the result, and the programs.
streamrig=$LAB_BIN/streamrig
out=/run/lab/out
failures=0

export STREAMRIG_CACHE=/tmp/clips
mkdir -p /tmp/clips
cp /run/lab/repo/.build/lab/clips/*.clip /tmp/clips/ 2>/dev/null || true

uptime_s() { read -r up _ </proc/uptime && echo "$up"; }
say() { echo "lab: [$(uptime_s)] $*"; }
expect() { # NAME COMMAND…: one line of the result
  local name=$1 began=${EPOCHREALTIME/./}
  shift
  if "$@" >"/tmp/$$.log" 2>&1; then
    echo "PASS  $name  $(((${EPOCHREALTIME/./} - began) / 1000)) ms"
  else
    echo "FAIL  $name  $(((${EPOCHREALTIME/./} - began) / 1000)) ms"
    sed 's/^/  | /' "/tmp/$$.log" | tail -40
    failures=$((failures + 1))
  fi
}

mkdir -p /tmp/plans
# Programs and libraries come over the share: their first use must not count against a limit.
warm_up() {
  "$LAB_BIN/streamrig-media" </dev/null >/dev/null 2>&1
  true
}

# plan NAME FAILED-STAGE [LINE…]: a plan of one case; without a stage it must succeed. The limits allow for programs that
# come over the share at their first use.
plan() {
  local name=$1 stage=$2
  shift 2
  {
    printf '%s\n' 'version: 1' "plan: $name" "title: $name" 'flow: rtsp-hotspot' 'transport: tcp' \
      'limits: {play: 20 s, receive-address: 20 s, media-gap: 5 s}'
    [ $# -eq 0 ] || printf '%s\n' "$@"
    [ -z "$stage" ] || echo "expect: {failed: $stage}"
  } >"/tmp/plans/$name.yaml"
}

# says FOLDER TEXT: the events of a run hold the text.
says() {
  grep -qaF "$2" "/tmp/reports/$1/events.jsonl" || { echo "the reports do not say: $2"; return 1; }
}
# at_stage STAGE FOLDER COMMAND…: as soon as a case of that run comes to the stage.
at_stage() {
  local stage=$1 folder=$2
  shift 2
  (for _ in $(seq 600); do
    grep -qa "\"stage-began\".*\"$stage\"" "/tmp/reports/$folder/events.jsonl" 2>/dev/null && break
    sleep 0.1
  done
    "$@") 9>&- &
}
when_running() { at_stage running "$@"; }

until_true() {
  for _ in $(seq 200); do
    "$@" 2>/dev/null && return 0
    sleep 0.05
  done
  echo "never came true: $*"
  return 1
}

# patient PLAN…: copies under /tmp/plans/patient, with limits for a processor whose every instruction is translated while
# other work goes on beside it. The plans are the same for the rest.
patient() {
  local plan
  mkdir -p /tmp/plans/patient
  for plan in "$@"; do
    { cat "/run/lab/repo/Scenarios/$plan.yaml" && echo 'limits: {play: 30 s, receive-address: 30 s, clean-up: 40 s, quiet-wire: 15 s}'; } \
      >"/tmp/plans/patient/${plan##*/}.yaml"
  done
  echo /tmp/plans/patient
}
