// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-set-cuda-target))" | FileCheck %s

// CHECK: train.program @gpus
// CHECK-SAME: attributes {rt.cuda_target = #rt.cuda_target<80>}
train.program @gpus batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
}

// The CPU's target stays, too.
// CHECK: train.program @both
// CHECK-SAME: attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>, rt.cuda_target = #rt.cuda_target<80>}
train.program @both batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>} {
}
