#!/usr/bin/env bash
# The first of two servers with 8 ranks each; its rank 0 is where all ranks meet. Start
# run_node2.sh, too: the second server is this machine too, under its second loopback
# address.
#
#   DATA_PATH=MNIST_Data examples/adasum-mnist/run_node1.sh [FLAG OF boost-run]...
#
# Writes adasum-server0.so, adasum.safetensors and the output of every rank,
# log_output/1/rank.N/stdout, into the current folder, and shows rank 0's in the end. Both
# scripts take the same flags. SMALL=1: 20 steps on digits that boost-run draws itself.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

SERVER_ID=0 "$here/run_server.sh" --save adasum.safetensors "$@"
cat log_output/1/rank.0/stdout
