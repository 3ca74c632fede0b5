// Programs for both kinds of devices become one library.
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(gpu.module(boostc-lower-device-kernels)),boostc-lower-to-llvm)" \
// RUN:   | FileCheck %s --implicit-check-not=train. --implicit-check-not=memref --implicit-check-not=func.func

// CHECK: module attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>}

// CHECK-LABEL: llvm.func internal @boost.init(
// CHECK-SAME: target_cpu = "x86-64-v3"
// CHECK-LABEL: llvm.func internal @boost.micro(
// CHECK: llvm.mlir.addressof @micro_kernel_0.entry
// CHECK: llvm.getelementptr %arg0[16]
// CHECK-LABEL: llvm.func internal @boost.combine(
// CHECK-LABEL: llvm.func internal @boost.update(
// CHECK-LABEL: llvm.func internal @boost.eval(

// The descriptor: one table of targets, with the functions of both and the images, which
// code generation defines. Launches of both by the names that kernels have.
// CHECK-LABEL: llvm.mlir.global external hidden constant @boost.modules()
// CHECK-LABEL: llvm.mlir.global internal constant @boost.descriptor()
// CHECK: llvm.mlir.addressof @boost.modules
// CHECK: micro_kernel_0\00
// CHECK: llvm.mlir.addressof @boost.micro
// CHECK: sm_80
// CHECK: micro_kernel_1\00
// CHECK: llvm.mlir.addressof @boost.cuda.micro
// CHECK-LABEL: llvm.func @boost_program_query(

// A host function of a GPU launches through BoostEnv (launch at 40) by number, on any CPU,
// and a launch that fails ends it with its status.
// CHECK-LABEL: llvm.func internal @boost.cuda.init(
// CHECK-NOT: target_cpu
// CHECK-LABEL: llvm.func internal @boost.cuda.micro(%arg0: !llvm.ptr, %arg1: !llvm.ptr) -> i32
// CHECK: %[[FIRST:.+]] = llvm.mlir.constant(0 : i32) : i32
// CHECK: llvm.getelementptr %arg0[40]
// CHECK: %[[STATUS:.+]] = llvm.call %{{.*}}(%arg0, %[[FIRST]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr) -> i32
// CHECK: %[[FAILED:.+]] = llvm.icmp "ne" %[[STATUS]]
// CHECK: llvm.cond_br %[[FAILED]], ^[[FAIL:bb[0-9]+]], ^[[NEXT:bb[0-9]+]]
// CHECK: ^[[NEXT]]:
// CHECK: %[[SECOND:.+]] = llvm.mlir.constant(1 : i32) : i32
// CHECK: llvm.getelementptr %arg0[40]
// CHECK: llvm.call %{{.*}}(%arg0, %[[SECOND]], %{{.*}})
// CHECK: ^[[FAIL]]:
// CHECK: llvm.return %[[STATUS]]
// CHECK-LABEL: llvm.func internal @boost.cuda.eval(

// Kernels of both keep their names: those of a GPU are in a module of their own.
// CHECK-LABEL: gpu.module @kernels
// CHECK: llvm.func @micro_kernel_0(
// CHECK: llvm.func @micro_kernel_1(

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>} {
  train.input @x : tensor<4x3xf32>
  train.input @y classes(2) : tensor<4xi32>
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<5x3xf32>
  train.schedule @learning_rate <constant, 0.1>
  rt.slot <input, "x"> batch[0] : memref<4x3xf32>
  rt.slot <input, "y"> batch[64] : memref<4xi32>
  rt.slot <valid> batch[128] : memref<i32>
  rt.slot <parameter, "w"> parameter[0] : memref<5x3xf32>
  rt.slot <gradient, "w"> gradient[0] : memref<5x3xf32>
  rt.slot <loss_sum> gradient[64] : memref<f32>
  rt.slot <loss_count> gradient[128] : memref<i64>
  rt.slot <control, "learning_rate"> control[0] : memref<f32>
  rt.slot <seed> control[64] : memref<i64>
  rt.slot <failed> result[0] : memref<i32>
  rt.slot <applied> result[192] : memref<i32>
  rt.slot <metric_sum, "loss"> result[64] : memref<f32>
  rt.slot <metric_count, "loss"> result[128] : memref<i64>
  func.func @init() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  func.func private @micro_kernel_0(%begin: index, %end: index,
                                    %a: memref<4x5xf32> {llvm.noalias}) attributes {rt.kernel} {
    return
  }
  func.func @micro() {
    %z = rt.buffer transient[0] : memref<4x5xf32>
    rt.launch @micro_kernel_0(%z) extent(4) grain(1) : memref<4x5xf32>
    return
  }
}
train.program @p.cuda batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  train.input @x : tensor<4x3xf32>
  train.input @y classes(2) : tensor<4xi32>
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<5x3xf32>
  train.schedule @learning_rate <constant, 0.1>
  rt.slot <input, "x"> batch[0] : memref<4x3xf32>
  rt.slot <input, "y"> batch[64] : memref<4xi32>
  rt.slot <valid> batch[128] : memref<i32>
  rt.slot <parameter, "w"> parameter[0] : memref<5x3xf32>
  rt.slot <gradient, "w"> gradient[0] : memref<5x3xf32>
  rt.slot <loss_sum> gradient[64] : memref<f32>
  rt.slot <loss_count> gradient[128] : memref<i64>
  rt.slot <control, "learning_rate"> control[0] : memref<f32>
  rt.slot <seed> control[64] : memref<i64>
  rt.slot <failed> result[0] : memref<i32>
  rt.slot <applied> result[192] : memref<i32>
  rt.slot <metric_sum, "loss"> result[64] : memref<f32>
  rt.slot <metric_count, "loss"> result[128] : memref<i64>
  func.func @init() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  func.func @micro() {
    %z = rt.buffer transient[0] : memref<4x5xf32>
    %x = rt.buffer batch[0] : memref<4x3xf32>
    rt.launch_grid @kernels::@micro_kernel_0(%z) blocks(1) threads(128) writes [true] : memref<4x5xf32>
    rt.launch_grid @kernels::@micro_kernel_1(%x, %z) blocks(2) threads(128) writes [false, true]
        : memref<4x3xf32>, memref<4x5xf32>
    return
  }
  gpu.module @kernels {
    gpu.func @micro_kernel_0(%z: memref<4x5xf32> {llvm.noalias}) kernel {
      gpu.return
    }
    gpu.func @micro_kernel_1(%x: memref<4x3xf32> {llvm.noalias}, %z: memref<4x5xf32> {llvm.noalias}) kernel {
      gpu.return
    }
  }
}
