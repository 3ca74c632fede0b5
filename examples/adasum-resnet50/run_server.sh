#!/usr/bin/env bash
# Compiles the model and starts the ranks of server SERVER_ID, for run_node1.sh and run_node2.sh.
# boostc writes the same bytes on both, which the ranks compare.
# shellcheck source=examples/imagenet.sh
source "$(dirname "$0")/../imagenet.sh" "$@"

model=("$here/../resnet50-imagenet/model.json" --overlay "$here/recipe.json")
table=${RANK_TABLE_FILE:-$here/rank_table_16pcs.json}
if [[ -n ${SMALL:-} ]]; then
  # Both servers are this machine, and each makes the same images.
  make_images "small-images-$SERVER_ID" 16
  model+=(--overlay "$here/../resnet50-imagenet/narrow.json" --overlay "$here/small.json")
  table=$here/../adasum-mnist/rank_table_16pcs.json
  flags=(--threads 1 "${flags[@]}")
else
  require_images train ilsvrc
fi
[[ $device != sim ]] || flags=(--steps 5 "${flags[@]}")

"$bin/boostc" "${model[@]}" -O2 -o "adasum-server$SERVER_ID.so"
RANK_TABLE_FILE=$table "$bin/boost-run" "adasum-server$SERVER_ID.so" \
  --device "$device" --data "imagefolder:$data" --log-dir log_output "${flags[@]}"
