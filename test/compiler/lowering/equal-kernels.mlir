// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-outline-kernels{serial-work=100}, boostc-outline-device-kernels{tiling=never}))" | FileCheck %s

// Ops that are equal but for their buffers and places are one kernel, of whatever function: code is
// emitted for the first. An op reads one buffer twice or two: those are different kernels.
// CHECK-LABEL: train.program @cpu
// CHECK: func.func private @first_kernel_0
// CHECK-LABEL: func.func @first()
// CHECK: rt.launch @first_kernel_0(%0, %1)
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @second()
// CHECK: rt.launch @first_kernel_0(%1, %0)
// CHECK: func.func private @third_kernel_0
// CHECK-LABEL: func.func @third()
// CHECK: rt.launch @third_kernel_0(%0, %1)
train.program @cpu batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2,fma", 2>} {
  func.func @first() {
    %a = rt.buffer transient[0] : memref<16x30xf32>
    %b = rt.buffer transient[2048] : memref<16x30xf32>
    linalg.add ins(%a, %a : memref<16x30xf32>, memref<16x30xf32>) outs(%b : memref<16x30xf32>)
    return
  }
  func.func @second() {
    %a = rt.buffer transient[0] : memref<16x30xf32>
    %b = rt.buffer transient[2048] : memref<16x30xf32>
    linalg.add ins(%b, %b : memref<16x30xf32>, memref<16x30xf32>) outs(%a : memref<16x30xf32>)
    return
  }
  func.func @third() {
    %a = rt.buffer transient[0] : memref<16x30xf32>
    %b = rt.buffer transient[2048] : memref<16x30xf32>
    linalg.add ins(%a, %b : memref<16x30xf32>, memref<16x30xf32>) outs(%b : memref<16x30xf32>)
    return
  }
}

// On a GPU two chains of equal ops are put together in another way where they lie: in one nest, or
// side by side.
// CHECK-LABEL: train.program @gpu
// CHECK-LABEL: func.func @first()
// CHECK-NEXT: rt.buffer
// CHECK-NEXT: rt.buffer
// CHECK-NEXT: rt.buffer
// CHECK-NEXT: rt.launch_grid @kernels::@first_kernel_0(%0, %1, %2)
// CHECK-NEXT: return
// CHECK-LABEL: func.func @second()
// CHECK: rt.launch_grid @kernels::@first_kernel_0(%2, %1, %0)
// CHECK-NEXT: return
// CHECK-LABEL: func.func @apart()
// CHECK: rt.launch_grid @kernels::@apart_kernel_0(%0, %1, %2, %3)
// CHECK-NEXT: return
// CHECK: gpu.func @first_kernel_0
// CHECK-NOT: gpu.func @second
// CHECK: gpu.func @apart_kernel_0
train.program @gpu batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @first() {
    %a = rt.buffer transient[0] : memref<16x30xf32>
    %b = rt.buffer transient[2048] : memref<16x30xf32>
    %c = rt.buffer transient[4096] : memref<16x30xf32>
    linalg.exp ins(%a : memref<16x30xf32>) outs(%b : memref<16x30xf32>)
    linalg.exp ins(%b : memref<16x30xf32>) outs(%c : memref<16x30xf32>)
    return
  }
  func.func @second() {
    %a = rt.buffer transient[0] : memref<16x30xf32>
    %b = rt.buffer transient[2048] : memref<16x30xf32>
    %c = rt.buffer transient[4096] : memref<16x30xf32>
    linalg.exp ins(%c : memref<16x30xf32>) outs(%b : memref<16x30xf32>)
    linalg.exp ins(%b : memref<16x30xf32>) outs(%a : memref<16x30xf32>)
    return
  }
  func.func @apart() {
    %a = rt.buffer transient[0] : memref<16x30xf32>
    %b = rt.buffer transient[2048] : memref<16x30xf32>
    %c = rt.buffer transient[4096] : memref<16x30xf32>
    %d = rt.buffer transient[6144] : memref<16x30xf32>
    linalg.exp ins(%a : memref<16x30xf32>) outs(%b : memref<16x30xf32>)
    linalg.exp ins(%c : memref<16x30xf32>) outs(%d : memref<16x30xf32>)
    return
  }
}
