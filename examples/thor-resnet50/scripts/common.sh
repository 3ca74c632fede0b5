# shellcheck shell=bash disable=SC2034 # most variables are for the scripts that source this
# What the four scripts have in common; they source it.
#
#   source common.sh CONFIG "NAME..." "DEFAULT..." "$@"
#
# Arguments have these names: `argument[NAME]`. With SMALL=1 and no argument they have the defaults.
# Another overlay than ../config/CONFIG.json may follow, and then flags. ../../imagenet.sh says what
# DEVICE is, cpu if SMALL=1, and which two folders of images DATASET has; it may also be one of these.
set -euo pipefail
scripts=$(dirname "$0")

fail() { # fail EXIT_CODE TEXT...
  echo "$(basename "$0"): error: ${*:2}" >&2
  exit "$1"
}

config=$scripts/../config/$1.json expected="$2 [CONFIG]"
read -ra names <<<"$2"
read -ra values <<<"$3"
shift 3
given=()
while [[ $# != 0 && $1 != -* ]]; do
  given+=("$1")
  shift
done
if [[ -z ${SMALL:-} || ${#given[@]} != 0 ]]; then
  values=("${given[@]}")
fi
((${#values[@]} >= ${#names[@]})) ||
  fail 2 "found ${#given[@]} of the arguments $expected: give ${names[${#given[@]}]}, or try SMALL=1" \
    "without arguments"
((${#values[@]} <= ${#names[@]} + 1)) ||
  fail 2 "found ${#given[@]} arguments, expected $expected: remove '${given[-1]}'"
declare -A argument
for index in "${!names[@]}"; do
  argument[${names[index]}]=${values[index]}
done
config=${values[${#names[@]}]:-$config}
[[ -f $config ]] ||
  fail 1 "no configuration '$config', expected a JSON file: give an overlay such as" \
    "$scripts/../config/thor_gpu.json"
program=$(basename "$config" .json).so

BOOSTC_BIN=${BOOSTC_BIN:-$scripts/../../../build/bin}
[[ -z ${SMALL:-} ]] || DEVICE=${DEVICE:-cpu}
# shellcheck source=examples/imagenet.sh
source "$scripts/../../imagenet.sh" "${argument[DATASET]}" "$@"
case $(basename "$data") in
  train | val | validation_preprocess | ilsvrc | ilsvrc_eval) data=$(dirname "$data") ;;
esac

compile() { # writes `program`, for `device`
  local imagenet=$scripts/../../resnet50-imagenet target=cpu,cuda
  local model=("$imagenet/model.json" --overlay "$config")
  [[ -z ${SMALL:-} ]] ||
    model+=(--overlay "$imagenet/narrow.json" --overlay "$scripts/../config/small.json")
  case $device in
    cpu) target=cpu ;;
    cuda | sim) target=cuda ;;
  esac
  "$bin/boostc" "${model[@]}" --target "$target" -o "$program"
}

# train LOG COMMAND...: compiles, runs COMMAND with what all trainings have in common, and shows what
# rank 0 has written below LOG, or the errors of all ranks.
train() {
  local code=0
  if [[ -n ${SMALL:-} ]]; then
    make_images "$data" 32
    flags=(--threads 1 "${flags[@]}")
  fi
  require_images train ilsvrc
  [[ $device != sim ]] || flags=(--steps 5 "${flags[@]}")
  compile
  "${@:2}" --device "$device" --data "imagefolder:$data" --workdir . --checkpoint-prefix resnet \
    --keep-max 15 "${flags[@]}" || code=$?
  if ((code == 0)); then
    cat "$1/1/rank.0/stdout"
  else
    sort -u "$1"/1/rank.*/* | grep 'error: ' >&2 || true
  fi
  exit "$code"
}

# evaluate FOLDER: evaluates a checkpoint on one device; training has written them into FOLDER.
evaluate() {
  require_images val validation_preprocess ilsvrc_eval
  local ckpt=${argument[CHECKPOINT]}
  [[ -e $ckpt ]] ||
    fail 6 "no checkpoint '$ckpt', expected one such as $1/resnet-1_5004.ckpt, or a folder of them:" \
      "train first, in this folder"
  [[ $program -nt $config ]] || compile
  "$bin/boost-run" eval "$program" --device "$device" --data "imagefolder:$data" --ckpt "$ckpt" \
    "${flags[@]}"
}
