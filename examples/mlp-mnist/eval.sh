#!/usr/bin/env bash
# Evaluates the weights that run.sh saved on MNIST's 10,000 test images.
#
#   DATA_PATH=MNIST_Data examples/mlp-mnist/eval.sh [FLAG OF boost-run eval]...
#
# Reads mlp.so and mlp.safetensors in the current folder. SMALL=1: digits that
# boost-run draws itself.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
small=()
[[ -z ${SMALL:-} ]] || small=(--data "digits:train=640,test=320")

"$bin/boost-run" eval mlp.so --ckpt mlp.safetensors "${small[@]}" "$@"
