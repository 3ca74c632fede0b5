#!/usr/bin/env bash
# Trains ResNet-50 by THOR on 8 GPUs, with the processes that mpirun starts; without mpirun, boost-run
# starts them.
#
#   scripts/run_distribute_train_gpu.sh DATASET [CONFIG] [FLAG OF boost-run]...
#
# Arguments, DEVICE and SMALL=1 are those of run_distribute_train.sh, but CONFIG is
# config/thor_gpu.json and DEVICE cuda unless they are given. Writes thor_gpu.so, checkpoints,
# train_parallel/ckpt_N for rank N, and the output of every rank,
# train_parallel/log_output/1/rank.N/stdout, and shows rank 0's in the end.
[[ -n ${SMALL:-} ]] || DEVICE=${DEVICE:-cuda}
# shellcheck source=examples/thor-resnet50/scripts/common.sh
source "$(dirname "$0")/common.sh" thor_gpu DATASET small-images "$@"

log=train_parallel/log_output
if command -v mpirun >/dev/null; then
  start=(mpirun --allow-run-as-root --oversubscribe -n 8 --output-filename "$log:nocopy"
    --merge-stderr-to-stdout "$bin/boost-run" "$program")
else
  start=("$bin/boost-run" "$program" --ranks 8 --log-dir "$log")
fi
train "$log" "${start[@]}" --rank-checkpoints=shared --checkpoint-every epoch
