#!/usr/bin/env bash
# Compiles the model and starts the ranks of server SERVER_ID, for run_node1.sh and run_node2.sh.
# boostc writes the same bytes on both, which the ranks compare.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
data=${DATA_PATH:-}
if [[ $# != 0 && $1 != -* ]]; then
  data=$1
  shift
fi
overlays=(--overlay "$here/recipe.json")
table=${RANK_TABLE_FILE:-$here/rank_table_16pcs.json}
flags=()
if [[ -n ${SMALL:-} ]]; then
  # Both servers are this machine, and each makes the same images.
  data=small-images-$SERVER_ID
  [[ -d $data ]] || "$bin/boost-run" make-data imagefolder "$data" --train 16 --val 2 --size 48
  overlays+=(--overlay "$here/small.json")
  table=$here/../adasum-mnist/rank_table_16pcs.json
  flags=(--threads 1)
elif [[ ! -d $data/train ]]; then
  echo "run_node$((SERVER_ID + 1)).sh: no images in '$data': give a directory with train/ and" \
       "validation_preprocess/, or try SMALL=1 without one" >&2
  exit 3
fi
[[ ${DEVICE:-} != sim ]] || flags+=(--steps 5)

"$bin/boostc" "$here/../resnet50-imagenet/model.json" "${overlays[@]}" -O2 \
  -o "adasum-server$SERVER_ID.so"
RANK_TABLE_FILE=$table "$bin/boost-run" "adasum-server$SERVER_ID.so" \
  --device "${DEVICE:-auto}" --data "imagefolder:$data" --log-dir log_output "${flags[@]}" "$@"
