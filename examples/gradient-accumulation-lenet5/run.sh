#!/usr/bin/env bash
# Trains LeNet-5 on MNIST with four mini-batches of 32 for each update, 10 epochs.
#
#   DATA_PATH=MNIST_Data examples/gradient-accumulation-lenet5/run.sh [FLAG OF boost-run]...
#
# Writes gradient_accumulation.so and gradient_accumulation.ckpt, the weights, into the
# current folder. MINI_STEPS=K and BATCH=B: other numbers; REDUCTION=sum: the sum of the
# mini-batches' mean gradients instead of their mean; REPRODUCIBLE=off: one gradient set
# however many mini-batches there are. SMALL=1: 20 updates on digits that
# boost-run draws itself.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
small=()
[[ -z ${SMALL:-} ]] || small=(--data "digits:train=2560,test=320" --steps 20)

"$bin/boostc" "$here/model.json" -o gradient_accumulation.so \
  --boost "grad_accumulation_step=${MINI_STEPS:-4}" \
  --set "batch_size=${BATCH:-32}" --set "train.reduction=${REDUCTION:-mean}" \
  --reproducible="${REPRODUCIBLE:-on}"
"$bin/boost-run" gradient_accumulation.so --save gradient_accumulation.ckpt \
  "${small[@]}" "$@"
