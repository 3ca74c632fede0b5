#!/usr/bin/env bash
# Compiles ResNet-20 and trains it on CIFAR-10 for 30 epochs.
#
#   DATA_PATH=CIFAR10_Data examples/resnet20-cifar10/run.sh [FLAG OF boost-run]...
#
# Writes resnet20.so and resnet20.safetensors into the current folder. ../cifar10.sh tells what
# DATA_PATH, DEVICE and SMALL=1 are.
source "$(dirname "$0")/../cifar10.sh" resnet20 "$@"
run "$@"
