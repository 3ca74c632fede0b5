#!/usr/bin/env bash
# Compiles the model and starts the ranks of server SERVER_ID, for run_node1.sh and
# run_node2.sh. boostc writes the same bytes on both, which the ranks compare.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
small=()
[[ -z ${SMALL:-} ]] || small=(--data "digits:train=10240,test=320" --steps 20)

"$bin/boostc" "$here/model.json" -o "adasum-server$SERVER_ID.so"
RANK_TABLE_FILE=$here/rank_table_16pcs.json "$bin/boost-run" \
  "adasum-server$SERVER_ID.so" --threads 1 --log-dir log_output --log-every 50 \
  "${small[@]}" "$@"
