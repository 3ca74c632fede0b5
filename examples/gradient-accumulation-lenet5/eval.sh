#!/usr/bin/env bash
# Evaluates the weights that run.sh saved on MNIST's 10,000 test images.
#
#   DATA_PATH=MNIST_Data examples/gradient-accumulation-lenet5/eval.sh [FLAG OF boost-run eval]...
#
# Reads gradient_accumulation.so and gradient_accumulation.ckpt in the current folder.
# SMALL=1: digits that boost-run draws itself.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
small=()
[[ -z ${SMALL:-} ]] || small=(--data "digits:train=2560,test=320")

"$bin/boost-run" eval gradient_accumulation.so --ckpt gradient_accumulation.ckpt \
  "${small[@]}" "$@"
