#!/usr/bin/env bash
# Evaluates the weights that run.sh saved on the images of val/.
#
#   examples/resnet50-imagenet/eval.sh IMAGENET [FLAG OF boost-run eval]...
#
# Reads resnet50.so and resnet50.safetensors in the current folder. DATA_PATH names IMAGENET, too.
# DEVICE is cpu, cuda or sim, auto without it. SMALL=1: the images that run.sh made.
# shellcheck source=examples/imagenet.sh
source "$(dirname "$0")/../imagenet.sh" "$@"

[[ -z ${SMALL:-} ]] || data=small-images
require_images val validation_preprocess ilsvrc_eval

"$bin/boost-run" eval resnet50.so --device "$device" --data "imagefolder:$data" \
  --ckpt resnet50.safetensors "${flags[@]}"
