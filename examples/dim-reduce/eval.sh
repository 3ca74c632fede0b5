#!/usr/bin/env bash
# Evaluates the weights that run.sh saved last on CIFAR-10's 10,000 test images.
#
#   DATA_PATH=CIFAR10_Data examples/dim-reduce/eval.sh [FLAG OF boost-run eval]...
#
# Reads stage2.so and stage2.safetensors in the current folder. ../cifar10.sh tells what DATA_PATH,
# DEVICE and SMALL=1 are.
# shellcheck source=examples/cifar10.sh
source "$(dirname "$0")/../cifar10.sh" stage2 "$@"
evaluate "$@"
