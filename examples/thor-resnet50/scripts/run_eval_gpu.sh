#!/usr/bin/env bash
# Evaluates a checkpoint of run_distribute_train_gpu.sh on one GPU.
#
#   scripts/run_eval_gpu.sh DATASET CHECKPOINT [CONFIG] [FLAG OF boost-run eval]...
#
# CHECKPOINT is one such as train_parallel/ckpt_0/resnet-36_5004.ckpt, or a folder, of which the newest
# is taken. DATASET, CONFIG and DEVICE are those of the training. SMALL=1: what the training with
# SMALL=1 has made in the current folder, and no arguments.
[[ -n ${SMALL:-} ]] || DEVICE=${DEVICE:-cuda}
# shellcheck source=examples/thor-resnet50/scripts/common.sh
source "$(dirname "$0")/common.sh" thor_gpu "DATASET CHECKPOINT" "small-images train_parallel" "$@"

evaluate train_parallel/ckpt_0
