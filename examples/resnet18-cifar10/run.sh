#!/usr/bin/env bash
# Compiles ResNet-18 and trains it on CIFAR-10 for 200 epochs.
#
#   DATA_PATH=CIFAR10_Data examples/resnet18-cifar10/run.sh [FLAG OF boost-run]...
#
# Writes resnet18.so and resnet18.safetensors into the current folder. ../cifar10.sh tells what
# DATA_PATH, DEVICE and SMALL=1 are.
source "$(dirname "$0")/../cifar10.sh" resnet18 "$@"
run "$@"
