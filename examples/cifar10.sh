# shellcheck shell=bash
# What run.sh and eval.sh of the networks on CIFAR-10 have in common; they source it.
#
#   source ../cifar10.sh NAME "$@"
#
# NAME is that of the files that run.sh writes: NAME.so and NAME.safetensors. DATA_PATH is the folder
# of the binary version: data_batch_1.bin to data_batch_5.bin and test_batch.bin, plain, .gz or .xz.
# DEVICE is cpu, cuda or sim, auto without it. RECIPE=muon: with the overlay muon.json, where there is
# one. SMALL=1: a smaller net on digits that boost-run draws itself.
set -euo pipefail
here=$(dirname "$0")
bin=${BOOSTC_BIN:-$here/../../build/bin}
device=${DEVICE:-auto}
name=$1
shift
model=() data=()
[[ $device == auto ]] || model=(--target "${device/sim/cuda}")
[[ -z ${RECIPE:-} ]] || model+=(--overlay "$here/$RECIPE.json")
if [[ -n ${SMALL:-} ]]; then
  model+=(--overlay "$here/small.json")
  data=(--data "digits:train=640,test=320")
  [[ $device != sim ]] || data=(--data "digits:train=32,test=32") # it computes slowly
elif [[ " $*" != *" --data"* ]] && ! compgen -G "${DATA_PATH:-CIFAR10_Data}/test_batch.bin*" >/dev/null; then
  echo "$(basename "$0"): no CIFAR-10 in '${DATA_PATH:-CIFAR10_Data}': set DATA_PATH to the folder of its" \
       "binary version (www.cs.toronto.edu/~kriz/cifar.html), or try SMALL=1 without it" >&2
  exit 3
fi

# Compiles the model and trains it.
run() {
  "$bin/boostc" "$here/model.json" "${model[@]}" -o "$name.so"
  [[ -z ${SMALL:-} || $device != sim ]] || data+=(--epochs 1)
  "$bin/boost-run" "$name.so" --device "$device" --save "$name.safetensors" "${data[@]}" "$@"
}

# Evaluates the weights that run() saved on the test images.
evaluate() {
  "$bin/boost-run" eval "$name.so" --device "$device" --ckpt "$name.safetensors" "${data[@]}" "$@"
}
