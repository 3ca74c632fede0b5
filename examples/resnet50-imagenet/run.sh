#!/usr/bin/env bash
# Compiles ResNet-50 and trains it on a directory of images.
#
#   DATA_PATH=ImageNet examples/resnet50-imagenet/run.sh [FLAG OF boost-run]...
#
# DATA_PATH has train/ and val/, with a directory of JPEG files for each class. DEVICE is cpu, cuda
# or sim, auto without it. Flags such as --ranks 8 are handed on. Writes resnet50.so and
# resnet50.safetensors into the current folder. SMALL=1: the same layers at 32 pixels, for 2 epochs
# of images that boost-run makes.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
data=${DATA_PATH:-ImageNet}
model=()
if [[ -n ${SMALL:-} ]]; then
  data=small-images
  [[ -d $data ]] || "$bin/boost-run" make-data imagefolder "$data" --train 8 --val 2 --size 48
  model=(--overlay "$here/photos.json" --overlay "$here/small.json")
elif [[ " $*" != *" --data"* && ! -d $data/train && ! -d $data/ilsvrc ]]; then
  echo "run.sh: no images in '$data': set DATA_PATH to a directory with train/ and val/, or try" \
       "SMALL=1 without one" >&2
  exit 3
fi

"$bin/boostc" "$here/model.json" "${model[@]}" -o resnet50.so
"$bin/boost-run" resnet50.so --device "${DEVICE:-auto}" --data "imagefolder:$data" \
  --save resnet50.safetensors "$@"
