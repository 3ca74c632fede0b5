#!/usr/bin/env bash
# Compiles DenseNet-BC and trains it on CIFAR-10 for 300 epochs.
#
#   DATA_PATH=CIFAR10_Data examples/densenet-cifar10/run.sh [FLAG OF boost-run]...
#
# DATA_PATH is the folder of the binary version: data_batch_1.bin to data_batch_5.bin and
# test_batch.bin, plain, .gz or .xz. DEVICE is cpu, cuda or sim, auto without it. Writes
# densenet.so and densenet.safetensors into the current folder. SMALL=1: three epochs of a smaller
# net on digits that boost-run draws itself.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
device=${DEVICE:-auto}
model=() small=()
[[ $device == auto ]] || model=(--target "${device/sim/cuda}")
if [[ -n ${SMALL:-} ]]; then
  model+=(--overlay "$here/small.json")
  small=(--data "digits:train=640,test=320")
  [[ $device != sim ]] || small=(--data "digits:train=32,test=32" --epochs 1) # it computes slowly
elif [[ " $*" != *" --data"* ]] && ! compgen -G "${DATA_PATH:-CIFAR10_Data}/test_batch.bin*" >/dev/null; then
  echo "run.sh: no CIFAR-10 in '${DATA_PATH:-CIFAR10_Data}': set DATA_PATH to the folder of its" \
       "binary version (www.cs.toronto.edu/~kriz/cifar.html), or try SMALL=1 without it" >&2
  exit 3
fi

"$bin/boostc" "$here/model.json" "${model[@]}" -o densenet.so
"$bin/boost-run" densenet.so --device "$device" --save densenet.safetensors "${small[@]}" "$@"
