#!/usr/bin/env bash
# The second of two servers; see run_node1.sh.
#
#   examples/adasum-resnet50/run_node2.sh IMAGENET [FLAG OF boost-run]...
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

SERVER_ID=1 "$here/run_server.sh" "$@"
