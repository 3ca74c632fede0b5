#!/usr/bin/env bash
# Compiles ResNet-50 and trains it on a directory of images.
#
#   examples/resnet50-imagenet/run.sh IMAGENET [FLAG OF boost-run]...
#
# IMAGENET has train/ and val/, with a directory of JPEG files for each class; DATA_PATH names it,
# too. DEVICE is cpu, cuda or sim, auto without it. Flags such as --ranks 8 are handed on. Writes
# resnet50.so and resnet50.safetensors into the current folder. SMALL=1: the same layers at 32
# pixels, for 2 epochs of images that boost-run makes.
# shellcheck source=examples/imagenet.sh
source "$(dirname "$0")/../imagenet.sh" "$@"

model=("$here/model.json")
if [[ -n ${SMALL:-} ]]; then
  make_images small-images 8
  model+=(--overlay "$here/photos.json" --overlay "$here/small.json")
else
  require_images train ilsvrc
fi

"$bin/boostc" "${model[@]}" -o resnet50.so
"$bin/boost-run" resnet50.so --device "$device" --data "imagefolder:$data" \
  --save resnet50.safetensors "${flags[@]}"
