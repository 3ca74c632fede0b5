#!/usr/bin/env bash
# Evaluates the weights that run.sh saved on the images of val/.
#
#   DATA_PATH=ImageNet examples/resnet50-imagenet/eval.sh [FLAG OF boost-run eval]...
#
# Reads resnet50.so and resnet50.safetensors in the current folder. DEVICE is cpu, cuda or sim, auto
# without it. SMALL=1: the images that run.sh made.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
data=${DATA_PATH:-ImageNet}
[[ -z ${SMALL:-} ]] || data=small-images
if [[ " $*" != *" --data"* && ! -d $data/val && ! -d $data/validation_preprocess && ! -d $data/ilsvrc_eval ]]; then
  echo "eval.sh: no images in '$data': set DATA_PATH to a directory with val/, or run SMALL=1" \
       "run.sh first" >&2
  exit 3
fi

"$bin/boost-run" eval resnet50.so --device "${DEVICE:-auto}" --data "imagefolder:$data" \
  --ckpt resnet50.safetensors "$@"
