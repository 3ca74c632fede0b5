#!/usr/bin/env bash
# Evaluates the weights that run.sh saved on the images of val/: the network is the one that less_bn
# made, which is in the program.
#
#   examples/resnet50-boost/eval.sh IMAGENET [FLAG OF boost-run eval]...
#
# Reads boost.so and boost.safetensors in the current folder. DEVICE is cpu, cuda or sim, auto without
# it. SMALL=1: the images that run.sh made.
# shellcheck source=examples/imagenet.sh
source "$(dirname "$0")/../imagenet.sh" "$@"

[[ -z ${SMALL:-} ]] || data=small-images
require_images val validation_preprocess ilsvrc_eval

"$bin/boost-run" eval boost.so --device "$device" --data "imagefolder:$data" \
  --ckpt boost.safetensors "${flags[@]}"
