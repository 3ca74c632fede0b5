#!/usr/bin/env bash
# Compiles a small convolutional net and trains it on CIFAR-10 for 10 epochs.
#
#   DATA_PATH=CIFAR10_Data examples/convnet-cifar10/run.sh [FLAG OF boost-run]...
#
# DATA_PATH is the folder of the binary version: data_batch_1.bin to data_batch_5.bin and
# test_batch.bin, plain, .gz or .xz. Writes convnet.so and convnet.safetensors into the
# current folder. SMALL=1: 20 steps of the same layers on digits that boost-run draws itself.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
model=() small=()
if [[ -n ${SMALL:-} ]]; then
  model=(--overlay "$here/small.json")
  small=(--data "digits:train=640,test=320" --steps 20)
elif [[ " $*" != *" --data"* ]] && ! compgen -G "${DATA_PATH:-CIFAR10_Data}/test_batch.bin*" >/dev/null; then
  echo "run.sh: no CIFAR-10 in '${DATA_PATH:-CIFAR10_Data}': set DATA_PATH to the folder of its" \
       "binary version (www.cs.toronto.edu/~kriz/cifar.html), or try SMALL=1 without it" >&2
  exit 3
fi

"$bin/boostc" "$here/model.json" "${model[@]}" -o convnet.so
"$bin/boost-run" convnet.so --save convnet.safetensors "${small[@]}" "$@"
