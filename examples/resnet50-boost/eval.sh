#!/usr/bin/env bash
# Evaluates the weights that run.sh saved on the images of val/: the network is the one that less_bn
# made, which is in the program.
#
#   examples/resnet50-boost/eval.sh IMAGENET [FLAG OF boost-run eval]...
#
# Reads boost.so and boost.safetensors in the current folder. DEVICE is cpu, cuda or sim, auto without
# it. SMALL=1: the images that run.sh made.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
data=${DATA_PATH:-}
if [[ $# != 0 && $1 != -* ]]; then
  data=$1
  shift
fi
[[ -z ${SMALL:-} ]] || data=small-images
if [[ ! -d $data/val && ! -d $data/validation_preprocess && ! -d $data/ilsvrc_eval ]]; then
  echo "eval.sh: no images in '$data': give a directory with val/, or run SMALL=1 run.sh first" >&2
  exit 3
fi

"$bin/boost-run" eval boost.so --device "${DEVICE:-auto}" --data "imagefolder:$data" \
  --ckpt boost.safetensors "$@"
