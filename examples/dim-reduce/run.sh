#!/usr/bin/env bash
# Trains a small convolutional net on CIFAR-10 for 10 epochs, makes a basis of its last 40 checkpoints,
# and trains for 2 more epochs by steps in the subspace of that basis.
#
#   DATA_PATH=CIFAR10_Data examples/dim-reduce/run.sh [FLAG OF boost-run]...
#
# Flags go to both trainings. Writes stage1.so, stage1.safetensors, a folder of checkpoints, basis.npy,
# basis.json, stage2.so and stage2.safetensors into the current folder; a first training that was
# stopped goes on from its checkpoints. ../cifar10.sh tells what DATA_PATH, DEVICE and SMALL=1 are.
# DEVICE=sim: five steps of each training.
# shellcheck source=examples/cifar10.sh
source "$(dirname "$0")/../cifar10.sh" stage1 "$@"

model=("$here/../convnet-cifar10/model.json" "${model[@]}")
every=312 components=32 kept=${SMALL:+small-}checkpoints flags=("$@")
[[ -z ${SMALL:-} ]] || every=3
[[ $device != sim ]] || every=1 components=4 flags=(--steps 5 --eval-every 0 "$@")

"$bin/boostc" "${model[@]}" -o stage1.so
"$bin/boostc" "${model[@]}" --overlay "$here/stage2.json" --boost "n_components=$components" -o stage2.so

"$bin/boost-run" stage1.so --device "$device" --checkpoint-dir "$kept" --checkpoint-every "$every" \
  --keep-max 40 --save stage1.safetensors "${data[@]}" "${flags[@]}"
"$bin/boost-run" pca stage2.so --ckpt-dir "$kept" --components "$components" -o basis.npy
"$bin/boost-run" stage2.so --device "$device" --init stage1.safetensors --basis basis.npy \
  --save stage2.safetensors "${data[@]}" "${flags[@]}"
