#!/usr/bin/env bash
# Trains ResNet-50 by THOR, a process for each device of a rank table.
#
#   scripts/run_distribute_train.sh RANK_TABLE DATASET [CONFIG] [FLAG OF boost-run]...
#
# RANK_TABLE is what `boost-run rank-table create --hosts HOST --devices 8` writes. DATASET has ilsvrc/
# and ilsvrc_eval/, with a folder of JPEG files for each class. CONFIG is an overlay,
# config/thor_atlas.json without it. Writes thor_atlas.so, checkpoints, train_parallelN/ckpt_0 for
# rank N, and the output of every rank, log_output/1/rank.N/stdout, into the current folder, and
# shows rank 0's in the end. DEVICE is cpu, cuda or sim, auto without it. SMALL=1: a narrow ResNet-50
# on images that boost-run makes, on the CPU without DEVICE, and no arguments; DEVICE=sim: five steps.
# shellcheck source=examples/thor-resnet50/scripts/common.sh
source "$(dirname "$0")/common.sh" thor_atlas "RANK_TABLE DATASET" "rank_table.json small-images" "$@"

table=${argument[RANK_TABLE]}
if [[ -n ${SMALL:-} && ! -f $table ]]; then
  "$bin/boost-run" rank-table create --hosts 127.0.0.1 --devices 8 -o "$table"
fi
[[ -f $table ]] ||
  fail 1 "no rank table '$table', expected a JSON file: make one by boost-run rank-table create" \
    "--hosts HOST --devices 8 -o rank_table.json"
export RANK_TABLE_FILE=$table
train log_output "$bin/boost-run" "$program" --log-dir log_output \
  --rank-checkpoints=per-rank --checkpoint-every 2epochs
