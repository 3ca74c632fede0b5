#!/usr/bin/env bash
# Starts the ranks of server SERVER_ID; run_node1.sh and run_node2.sh call it.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOST_BIN:-$here/../../build/bin}
small=()
[[ -z ${SMALL:-} ]] || small=(--data "digits:train=10240,test=320" --steps 20)

# Node 1 compiles; on servers with folders of their own, copy adasum.so instead.
for ((wait = 0; wait < 600; ++wait)); do
  [[ ! -e adasum.so ]] || break
  sleep 0.1
done
RANK_TABLE_FILE=$here/rank_table_16pcs.json exec "$bin/boost-run" adasum.so \
  --threads 1 --log-dir log_output --log-every 50 "${small[@]}" "$@"
