// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-merge-kernels))" | FileCheck %s

// Kernels that differ in names and locations are one; the launches keep their own operands. A
// constant, a type, an attribute and the order of operands tell kernels apart.
// CHECK-LABEL: train.program @p
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // CHECK: func.func private @first
  func.func private @first(%b: index, %e: index, %m: memref<8xf32> {llvm.noalias}, %n: memref<8xf32>) attributes {rt.kernel} {
    %x = memref.load %m[%b] : memref<8xf32>
    %two = arith.constant 2.0 : f32
    %y = arith.mulf %x, %two : f32
    memref.store %y, %n[%b] : memref<8xf32>
    return
  }
  // CHECK-NOT: @equal(
  func.func private @equal(%b: index, %e: index, %m: memref<8xf32> {llvm.noalias}, %n: memref<8xf32>) attributes {rt.kernel} {
    %x = memref.load %m[%b] : memref<8xf32>
    %two = arith.constant 2.0 : f32
    %y = arith.mulf %x, %two : f32
    memref.store %y, %n[%b] : memref<8xf32>
    return
  }
  // CHECK: func.func private @constant
  func.func private @constant(%b: index, %e: index, %m: memref<8xf32> {llvm.noalias}, %n: memref<8xf32>) attributes {rt.kernel} {
    %x = memref.load %m[%b] : memref<8xf32>
    %three = arith.constant 3.0 : f32
    %y = arith.mulf %x, %three : f32
    memref.store %y, %n[%b] : memref<8xf32>
    return
  }
  // CHECK: func.func private @operands
  func.func private @operands(%b: index, %e: index, %m: memref<8xf32> {llvm.noalias}, %n: memref<8xf32>) attributes {rt.kernel} {
    %x = memref.load %m[%e] : memref<8xf32>
    %two = arith.constant 2.0 : f32
    %y = arith.mulf %x, %two : f32
    memref.store %y, %n[%b] : memref<8xf32>
    return
  }
  // CHECK: func.func private @type
  func.func private @type(%b: index, %e: index, %m: memref<9xf32> {llvm.noalias}, %n: memref<8xf32>) attributes {rt.kernel} {
    %x = memref.load %m[%b] : memref<9xf32>
    %two = arith.constant 2.0 : f32
    %y = arith.mulf %x, %two : f32
    memref.store %y, %n[%b] : memref<8xf32>
    return
  }
  // CHECK: func.func private @aliases
  func.func private @aliases(%b: index, %e: index, %m: memref<8xf32>, %n: memref<8xf32>) attributes {rt.kernel} {
    %x = memref.load %m[%b] : memref<8xf32>
    %two = arith.constant 2.0 : f32
    %y = arith.mulf %x, %two : f32
    memref.store %y, %n[%b] : memref<8xf32>
    return
  }
  // CHECK-LABEL: func.func @micro
  // CHECK: %[[A:.+]] = rt.buffer transient[0]
  // CHECK: %[[B:.+]] = rt.buffer transient[64]
  // CHECK: rt.launch @first(%[[A]], %[[B]]) extent(8)
  // CHECK: rt.launch @first(%[[B]], %[[A]]) extent(4)
  // CHECK: rt.launch @constant
  // CHECK: rt.launch @operands
  // CHECK: rt.launch @type
  // CHECK: rt.launch @aliases
  func.func @micro() {
    %a = rt.buffer transient[0] : memref<8xf32>
    %b = rt.buffer transient[64] : memref<8xf32>
    %c = rt.buffer transient[128] : memref<9xf32>
    rt.launch @first(%a, %b) extent(8) grain(1) : memref<8xf32>, memref<8xf32>
    rt.launch @equal(%b, %a) extent(4) grain(1) : memref<8xf32>, memref<8xf32>
    rt.launch @constant(%a, %b) extent(8) grain(1) : memref<8xf32>, memref<8xf32>
    rt.launch @operands(%a, %b) extent(8) grain(1) : memref<8xf32>, memref<8xf32>
    rt.launch @type(%c, %b) extent(8) grain(1) : memref<9xf32>, memref<8xf32>
    rt.launch @aliases(%a, %b) extent(8) grain(1) : memref<8xf32>, memref<8xf32>
    return
  }
}

// The same of kernels for GPUs.
// CHECK-LABEL: train.program @gpu
// CHECK: gpu.module @kernels
// CHECK: gpu.func @first
// CHECK-NOT: gpu.func @equal
// CHECK: gpu.func @other
// CHECK: rt.launch_grid @kernels::@first
// CHECK: rt.launch_grid @kernels::@first
// CHECK: rt.launch_grid @kernels::@other
train.program @gpu batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  gpu.module @kernels {
    gpu.func @first(%m: memref<8xf32>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %m[%i] : memref<8xf32>
      %y = arith.negf %x : f32
      memref.store %y, %m[%i] : memref<8xf32>
      gpu.return
    }
    gpu.func @equal(%m: memref<8xf32>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %m[%i] : memref<8xf32>
      %y = arith.negf %x : f32
      memref.store %y, %m[%i] : memref<8xf32>
      gpu.return
    }
    gpu.func @other(%m: memref<8xf32>) kernel {
      %i = gpu.thread_id y
      %x = memref.load %m[%i] : memref<8xf32>
      %y = arith.negf %x : f32
      memref.store %y, %m[%i] : memref<8xf32>
      gpu.return
    }
  }
  func.func @micro() {
    %a = rt.buffer transient[0] : memref<8xf32>
    rt.launch_grid @kernels::@first(%a) blocks(1) threads(8) writes [true] : memref<8xf32>
    rt.launch_grid @kernels::@equal(%a) blocks(1) threads(8) writes [true] : memref<8xf32>
    rt.launch_grid @kernels::@other(%a) blocks(1) threads(8) writes [true] : memref<8xf32>
    return
  }
}

// In LLVM's dialect arguments are pointers, and shapes are gone where code does not depend on them.
// What kernels call stays as it is.
// CHECK-LABEL: train.program @lowered
// CHECK: llvm.func @first
// CHECK-NOT: llvm.func @wider
// CHECK: llvm.func @aligned
// CHECK: llvm.func @sine
// CHECK: llvm.func @cosine
// CHECK: rt.launch_grid @kernels::@first(%{{.*}}) blocks(1) threads(8) writes [true] : memref<8xf32>
// CHECK: rt.launch_grid @kernels::@first(%{{.*}}) blocks(2) threads(8) writes [true] : memref<16xf32>
// CHECK: rt.launch_grid @kernels::@aligned
train.program @lowered batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  gpu.module @kernels {
    llvm.func @first(%m: !llvm.ptr {llvm.align = 4 : i64}) attributes {gpu.kernel, nvvm.kernel} {
      %x = llvm.load %m : !llvm.ptr -> f32
      %y = llvm.fneg %x : f32
      llvm.store %y, %m : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @wider(%m: !llvm.ptr {llvm.align = 4 : i64}) attributes {gpu.kernel, nvvm.kernel} {
      %x = llvm.load %m : !llvm.ptr -> f32
      %y = llvm.fneg %x : f32
      llvm.store %y, %m : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @aligned(%m: !llvm.ptr {llvm.align = 16 : i64}) attributes {gpu.kernel, nvvm.kernel} {
      %x = llvm.load %m : !llvm.ptr -> f32
      %y = llvm.fneg %x : f32
      llvm.store %y, %m : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @sine(f32) -> f32
    llvm.func @cosine(f32) -> f32
  }
  func.func @micro() {
    %a = rt.buffer transient[0] : memref<8xf32>
    %b = rt.buffer transient[64] : memref<16xf32>
    rt.launch_grid @kernels::@first(%a) blocks(1) threads(8) writes [true] : memref<8xf32>
    rt.launch_grid @kernels::@wider(%b) blocks(2) threads(8) writes [true] : memref<16xf32>
    rt.launch_grid @kernels::@aligned(%b) blocks(2) threads(8) writes [true] : memref<16xf32>
    return
  }
}
