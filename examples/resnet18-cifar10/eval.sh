#!/usr/bin/env bash
# Evaluates the weights that run.sh saved on CIFAR-10's 10,000 test images.
#
#   DATA_PATH=CIFAR10_Data examples/resnet18-cifar10/eval.sh [FLAG OF boost-run eval]...
#
# Reads resnet18.so and resnet18.safetensors in the current folder. ../cifar10.sh tells what
# DATA_PATH, DEVICE and SMALL=1 are.
source "$(dirname "$0")/../cifar10.sh" resnet18 "$@"
evaluate "$@"
