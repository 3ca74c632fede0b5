#!/usr/bin/env bash
# The first of two servers with 8 ranks each. It compiles the model, and its rank 0 is where
# all ranks meet; start run_node2.sh beside it, here on the same machine, whose second
# loopback address plays the second server.
#
#   DATA_PATH=MNIST_Data examples/adasum-mnist/run_node1.sh [FLAG OF boost-run]...
#
# Writes adasum.so, adasum.safetensors and the output of every rank,
# log_output/1/rank.N/stdout, into the current folder. SMALL=1: 20 steps on digits that
# boost-run draws itself; then and otherwise both scripts get the same flags.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOST_BIN:-$here/../../build/bin}

rm -f adasum.so
"$bin/boostc" "$here/model.json" -o adasum.so.part
mv adasum.so.part adasum.so
SERVER_ID=0 exec "$here/run_server.sh" --save adasum.safetensors "$@"
