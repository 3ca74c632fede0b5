#!/usr/bin/env bash
# Evaluates a checkpoint of run_distribute_train.sh on one device.
#
#   scripts/run_eval.sh DATASET CHECKPOINT [CONFIG] [FLAG OF boost-run eval]...
#
# CHECKPOINT is one such as train_parallel0/ckpt_0/resnet-42_5004.ckpt, or a folder, of which the newest
# is taken. DATASET, CONFIG and DEVICE are those of the training. SMALL=1: what the training with
# SMALL=1 has made in the current folder, and no arguments.
# shellcheck source=examples/thor-resnet50/scripts/common.sh
source "$(dirname "$0")/common.sh" thor_atlas "DATASET CHECKPOINT" "small-images train_parallel0" "$@"

evaluate train_parallel0/ckpt_0
