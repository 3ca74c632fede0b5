#!/usr/bin/env bash
# Compiles LeNet-5 and trains it on MNIST for 10 epochs.
#
#   DATA_PATH=MNIST_Data examples/lenet5-mnist/run.sh [FLAG OF boost-run]...
#
# Writes lenet5.so and lenet5.safetensors into the current folder. SMALL=1: 20 steps on
# digits that boost-run draws itself.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
small=()
[[ -z ${SMALL:-} ]] || small=(--data "digits:train=640,test=320" --steps 20)

"$bin/boostc" "$here/model.json" -o lenet5.so
"$bin/boost-run" lenet5.so --save lenet5.safetensors "${small[@]}" "$@"
