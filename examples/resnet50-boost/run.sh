#!/usr/bin/env bash
# Compiles ResNet-50 with the boosts of -O1 and trains it on a directory of images.
#
#   examples/resnet50-boost/run.sh IMAGENET [FLAG OF boost-run]...
#
# IMAGENET has train/ and val/, with a directory of JPEG files for each class. DEVICE is cpu, cuda or
# sim, auto without it. Flags such as --ranks 8 are handed on. Writes boost.so, boost.safetensors and
# best.safetensors into the current folder. SMALL=1: a narrow ResNet-50 on images that boost-run
# makes; DEVICE=sim: five steps of it.
# shellcheck source=examples/imagenet.sh
source "$(dirname "$0")/../imagenet.sh" "$@"

model=("$here/../resnet50-imagenet/model.json" --overlay "$here/recipe.json")
if [[ -n ${SMALL:-} ]]; then
  make_images small-images 16
  model+=(--overlay "$here/../resnet50-imagenet/narrow.json" --overlay "$here/small.json")
else
  require_images train ilsvrc
  flags=(--save-best-from 30 "${flags[@]}")
fi
[[ $device != sim ]] || flags=(--steps 5 "${flags[@]}")

"$bin/boostc" "${model[@]}" -O1 -o boost.so
"$bin/boost-run" boost.so --device "$device" --data "imagefolder:$data" \
  --save boost.safetensors --save-best best.safetensors "${flags[@]}"
