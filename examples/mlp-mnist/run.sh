#!/usr/bin/env bash
# Compiles the perceptron and trains it on MNIST for 10 epochs.
#
#   DATA_PATH=MNIST_Data examples/mlp-mnist/run.sh [FLAG OF boost-run]...
#
# Writes mlp.so and mlp.safetensors into the current folder. SMALL=1: 20 steps on
# digits that boost-run draws itself.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
small=()
[[ -z ${SMALL:-} ]] || small=(--data "digits:train=640,test=320" --steps 20)

"$bin/boostc" "$here/model.json" -o mlp.so
"$bin/boost-run" mlp.so --save mlp.safetensors "${small[@]}" "$@"
