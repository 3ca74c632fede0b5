#!/usr/bin/env bash
# Compiles MobileNetV2 and trains it on CIFAR-10 for 200 epochs.
#
#   DATA_PATH=CIFAR10_Data examples/mobilenetv2-cifar10/run.sh [FLAG OF boost-run]...
#
# Writes mobilenetv2.so and mobilenetv2.safetensors into the current folder. ../cifar10.sh tells what
# DATA_PATH, DEVICE and SMALL=1 are.
source "$(dirname "$0")/../cifar10.sh" mobilenetv2 "$@"
run "$@"
