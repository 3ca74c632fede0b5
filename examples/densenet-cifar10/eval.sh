#!/usr/bin/env bash
# Evaluates the weights that run.sh saved on CIFAR-10's 10,000 test images.
#
#   DATA_PATH=CIFAR10_Data examples/densenet-cifar10/eval.sh [FLAG OF boost-run eval]...
#
# Reads densenet.so and densenet.safetensors in the current folder. DEVICE is cpu, cuda or sim,
# auto without it. SMALL=1: digits that boost-run draws itself, for what run.sh made with SMALL=1.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
device=${DEVICE:-auto}
small=()
if [[ -n ${SMALL:-} ]]; then
  small=(--data "digits:train=640,test=320")
  [[ $device != sim ]] || small=(--data "digits:train=32,test=32") # it computes slowly
elif [[ " $*" != *" --data"* ]] && ! compgen -G "${DATA_PATH:-CIFAR10_Data}/test_batch.bin*" >/dev/null; then
  echo "eval.sh: no CIFAR-10 in '${DATA_PATH:-CIFAR10_Data}': set DATA_PATH to the folder of its" \
       "binary version (www.cs.toronto.edu/~kriz/cifar.html), or try SMALL=1 without it" >&2
  exit 3
fi

"$bin/boost-run" eval densenet.so --device "$device" --ckpt densenet.safetensors "${small[@]}" "$@"
