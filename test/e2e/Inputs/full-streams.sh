# full-streams.sh PROGRAM WEIGHTS: the exit code of each command whose results find no room.
program=$1 weights=$2
model=$(dirname "$0")/../faults/Inputs/model.json
report() {
  name=$1
  shift
  "$@" >/dev/full 2>/dev/null
  echo "$name $?"
}
report train boost-run "$program"
report eval boost-run eval "$program" --ckpt "$weights"
report info boost-run info "$program"
report bench boost-run bench "$program" --steps 2 --warmup 0
report doctor boost-run doctor
report ranks boost-run ranks --ranks 2
report rank-table boost-run rank-table create --hosts a --devices 2
report help boost-run --help
report version boost-run --version
report boostc-ops boostc --print-ops
report boostc-summary boostc summary "$model"
report boostc-explain boostc --explain "$model" --target=cpu
report boostc-emit boostc "$model" --target=cpu --emit=step
report boostc-help boostc --help
