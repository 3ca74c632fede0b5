#!/usr/bin/env bash
# The second of two servers; see run_node1.sh.
#
#   DATA_PATH=MNIST_Data examples/adasum-mnist/run_node2.sh [FLAG OF boost-run]...
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

SERVER_ID=1 "$here/run_server.sh" "$@"
