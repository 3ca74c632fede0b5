#!/usr/bin/env bash
# Trains a perceptron on MNIST on 8 ranks, each a process with a share of the data.
#
#   DATA_PATH=MNIST_Data examples/data-parallel-mnist/run.sh [FLAG OF boost-run]...
#
# Writes data-parallel.so, data-parallel.safetensors and the output of every rank,
# log_output/1/rank.N/stdout, into the current folder. RANKS=N: another number of ranks.
# SMALL=1: 20 steps on digits that boost-run draws itself.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
small=()
[[ -z ${SMALL:-} ]] || small=(--data "digits:train=5120,test=320" --steps 20)

"$bin/boostc" "$here/model.json" -o data-parallel.so
"$bin/boost-run" data-parallel.so --ranks "${RANKS:-8}" --threads 1 \
  --log-dir log_output --log-every 50 --save data-parallel.safetensors \
  "${small[@]}" "$@"
cat log_output/1/rank.0/stdout
