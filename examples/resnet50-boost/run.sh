#!/usr/bin/env bash
# Compiles ResNet-50 with the boosts of -O1 and trains it on a directory of images.
#
#   examples/resnet50-boost/run.sh IMAGENET [FLAG OF boost-run]...
#
# IMAGENET has train/ and val/, with a directory of JPEG files for each class. DEVICE is cpu, cuda or
# sim, auto without it. Flags such as --ranks 8 are handed on. Writes boost.so, boost.safetensors and
# best.safetensors into the current folder. SMALL=1: a narrow ResNet-50 on images that boost-run
# makes; DEVICE=sim: five steps of it.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
bin=${BOOSTC_BIN:-$here/../../build/bin}
data=${DATA_PATH:-}
if [[ $# != 0 && $1 != -* ]]; then
  data=$1
  shift
fi
overlays=(--overlay "$here/recipe.json")
flags=(--save-best-from 30)
if [[ -n ${SMALL:-} ]]; then
  data=small-images
  [[ -d $data ]] || "$bin/boost-run" make-data imagefolder "$data" --train 16 --val 2 --size 48
  overlays+=(--overlay "$here/small.json")
  flags=()
elif [[ ! -d $data/train && ! -d $data/ilsvrc ]]; then
  echo "run.sh: no images in '$data': give a directory with train/ and val/, or try SMALL=1" \
       "without one" >&2
  exit 3
fi
[[ ${DEVICE:-} != sim ]] || flags+=(--steps 5)

"$bin/boostc" "$here/../resnet50-imagenet/model.json" "${overlays[@]}" -O1 -o boost.so
"$bin/boost-run" boost.so --device "${DEVICE:-auto}" --data "imagefolder:$data" \
  --save boost.safetensors --save-best best.safetensors "${flags[@]}" "$@"
