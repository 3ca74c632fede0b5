#!/usr/bin/env bash
# The first of two servers with 8 ranks each; its rank 0 is where all ranks meet.
#
#   examples/adasum-resnet50/run_node1.sh IMAGENET [FLAG OF boost-run]...
#
# IMAGENET has train/ and validation_preprocess/, with a directory of JPEG files for each class.
# Ranks are those of RANK_TABLE_FILE, without it of rank_table_16pcs.json. DEVICE is cpu, cuda or
# sim, auto without it. Writes adasum-server0.so, adasum.safetensors and the output of every rank,
# log_output/1/rank.N/stdout, into the current folder, and shows rank 0's in the end. SMALL=1: a
# narrow ResNet-50 on images that boost-run makes, both servers on this machine; DEVICE=sim: five
# steps of it.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

SERVER_ID=0 "$here/run_server.sh" "$@" --save adasum.safetensors
cat log_output/1/rank.0/stdout
