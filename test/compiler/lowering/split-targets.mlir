// RUN: boost-opt %s --boostc-split-targets | FileCheck %s

// One program for both kinds of devices becomes two, CPU first. They are symbols, so the
// second has a name of its own.
// CHECK-LABEL: train.program @both batch_size
// CHECK-SAME: attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>, rt.winograd = #rt.winograd<auto>} {
// CHECK: train.parameter @w
// CHECK: func.func @micro
// CHECK-LABEL: train.program @both.cuda batch_size
// CHECK-SAME: attributes {rt.cuda_target = #rt.cuda_target<80>} {
// CHECK: train.parameter @w
// CHECK: func.func @micro
// CHECK-NOT: train.program @both
train.program @both batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>,
                rt.cuda_target = #rt.cuda_target<80>, rt.winograd = #rt.winograd<auto>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<5x3xf32>
  func.func @micro() { return }
}

// What is for one kind stays one.
// CHECK-LABEL: train.program @gpus batch_size
// CHECK-SAME: attributes {rt.cuda_target = #rt.cuda_target<80>} {
// CHECK-NOT: train.program @gpus
train.program @gpus batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
}

// CHECK-LABEL: train.program @cpus batch_size
// CHECK-SAME: attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>} {
// CHECK-NOT: train.program
train.program @cpus batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>} {
}
