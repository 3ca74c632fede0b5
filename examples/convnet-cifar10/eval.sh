#!/usr/bin/env bash
# Evaluates the weights that run.sh saved on CIFAR-10's 10,000 test images.
#
#   DATA_PATH=CIFAR10_Data examples/convnet-cifar10/eval.sh [FLAG OF boost-run eval]...
#
# Reads convnet.so and convnet.safetensors in the current folder. SMALL=1: digits that
# boost-run draws itself, for a convnet.so that run.sh made with SMALL=1.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
small=()
if [[ -n ${SMALL:-} ]]; then
  small=(--data "digits:train=640,test=320")
elif [[ " $*" != *" --data"* ]] && ! compgen -G "${DATA_PATH:-CIFAR10_Data}/test_batch.bin*" >/dev/null; then
  echo "eval.sh: no CIFAR-10 in '${DATA_PATH:-CIFAR10_Data}': set DATA_PATH to the folder of its" \
       "binary version (www.cs.toronto.edu/~kriz/cifar.html), or try SMALL=1 without it" >&2
  exit 3
fi

"$bin/boost-run" eval convnet.so --ckpt convnet.safetensors "${small[@]}" "$@"
