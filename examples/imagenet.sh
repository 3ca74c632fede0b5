# shellcheck shell=bash disable=SC2034 # device and flags are for those who source it
# What run.sh and eval.sh of the examples on ImageNet have in common; they source it.
#
#   source ../imagenet.sh "$@"
#
# `data` is the folder of images: the first argument unless it is a flag, DATA_PATH without it.
# It has a directory of JPEG files for each class in train/ and val/, train/ and
# validation_preprocess/, or ilsvrc/ and ilsvrc_eval/. DEVICE is cpu, cuda or sim, auto without it.
set -euo pipefail
here=$(dirname "$0")
bin=${BOOSTC_BIN:-$here/../../build/bin}
device=${DEVICE:-auto}
data=${DATA_PATH:-ImageNet}
if [[ $# != 0 && $1 != -* ]]; then
  data=$1
  shift
fi
flags=("$@")

# require_images FOLDER...: ends where `data` has none of the folders.
require_images() {
  local folder
  for folder in "$@"; do
    [[ ! -d $data/$folder ]] || return 0
  done
  echo "$(basename "$0"): no images in '$data': give a directory with $1/, or try SMALL=1 without" \
       "one" >&2
  exit 3
}

# make_images FOLDER COUNT: makes COUNT images a class to train on. `data` becomes FOLDER.
make_images() {
  data=$1
  [[ -d $data ]] || "$bin/boost-run" make-data imagefolder "$data" --train "$2" --val 2 --size 48
}
