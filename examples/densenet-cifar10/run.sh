#!/usr/bin/env bash
# Compiles DenseNet-BC and trains it on CIFAR-10 for 300 epochs.
#
#   DATA_PATH=CIFAR10_Data examples/densenet-cifar10/run.sh [FLAG OF boost-run]...
#
# Writes densenet.so and densenet.safetensors into the current folder. ../cifar10.sh tells what
# DATA_PATH, DEVICE and SMALL=1 are.
source "$(dirname "$0")/../cifar10.sh" densenet "$@"
run "$@"
