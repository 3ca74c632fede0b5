// RUN: boost-opt %s --boostc-lower-to-llvm | FileCheck %s --implicit-check-not=func.func --implicit-check-not=memref

// The program itself is gone, the target is the module's.
// CHECK: module attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>}
// CHECK-NOT: train.

// A host function: arenas from its second argument, then calls through the table of
// BoostEnv (parallel_for at 16, library_call at 24, fill at 32).
// CHECK-LABEL: llvm.func internal @boost.init(%arg0: !llvm.ptr, %arg1: !llvm.ptr) -> i32
// CHECK: %[[SLOT:.+]] = llvm.getelementptr %arg0[32] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[FILL:.+]] = llvm.load %[[SLOT]]
// CHECK: llvm.call %[[FILL]](%arg0, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i64, i32, f64, f64, !llvm.ptr, !llvm.ptr) -> ()
// CHECK: llvm.return

// A failed library call ends the function with its status, before the kernel after it.
// CHECK-LABEL: llvm.func internal @boost.micro(
// CHECK: llvm.getelementptr %arg0[24]
// CHECK: %[[STATUS:.+]] = llvm.call %{{.*}}(%arg0, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr) -> i32
// CHECK: %[[FAILED:.+]] = llvm.icmp "ne" %[[STATUS]], %{{.*}} : i32
// CHECK: llvm.cond_br %[[FAILED]], ^[[FAIL:bb[0-9]+]], ^[[NEXT:bb[0-9]+]]
// CHECK: ^[[NEXT]]:
// What collective 0 exchanges is ready (ready at 56).
// CHECK: llvm.getelementptr %arg0[56]
// CHECK: llvm.call %{{.*}}(%arg0, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr) -> ()
// CHECK: llvm.mlir.addressof @micro_kernel_0.entry
// The launch's index in the table, for profiles.
// CHECK: %[[INDEX:.+]] = llvm.mlir.constant(0 : i32) : i32
// CHECK: llvm.getelementptr %arg0[16]
// CHECK: llvm.call %{{.*}}(%arg0, %[[INDEX]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, i64, i64) -> ()
// CHECK: %[[OK:.+]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.return %[[OK]]
// CHECK: ^[[FAIL]]:
// CHECK: llvm.return %[[STATUS]]

// CHECK-LABEL: llvm.func internal @boost.combine(

// Collectives by number (collective at 48); one that fails ends the function.
// CHECK-LABEL: llvm.func internal @boost.update(
// CHECK: %[[FIRST:.+]] = llvm.mlir.constant(0 : i32) : i32
// CHECK: llvm.getelementptr %arg0[48]
// CHECK: %[[STATUS:.+]] = llvm.call %{{.*}}(%arg0, %[[FIRST]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr) -> i32
// CHECK: llvm.icmp "ne" %[[STATUS]]
// CHECK: %[[SECOND:.+]] = llvm.mlir.constant(1 : i32) : i32
// CHECK: llvm.getelementptr %arg0[48]
// CHECK: llvm.call %{{.*}}(%arg0, %[[SECOND]], %{{.*}})
// CHECK-LABEL: llvm.func internal @boost.eval(

// The descriptor: constant, with the magic number first, pointing at the functions.
// CHECK-LABEL: llvm.mlir.global internal constant @boost.descriptor()
// CHECK-SAME: alignment = 64
// CHECK: llvm.mlir.constant("100BOOST
// CHECK-DAG: llvm.mlir.addressof @boost.init
// CHECK-DAG: llvm.mlir.addressof @boost.micro
// CHECK-DAG: llvm.mlir.addressof @boost.combine
// CHECK-DAG: llvm.mlir.addressof @boost.update
// CHECK-DAG: llvm.mlir.addressof @boost.eval

// The only symbol that is not internal; null for a runtime that is too old.
// CHECK-LABEL: llvm.func @boost_program_query(%arg0: i32) -> !llvm.ptr
// CHECK: llvm.icmp "uge" %arg0
// CHECK: llvm.select

// A kernel on bare pointers, its arguments still promised not to alias, and an entry of the
// one type that the runtime calls.
// CHECK-LABEL: llvm.func internal @micro_kernel_0(%arg0: i64, %arg1: i64, %arg2: !llvm.ptr {llvm.noalias}, %arg3: !llvm.ptr {llvm.noalias})
// CHECK-LABEL: llvm.func internal @micro_kernel_0.entry(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64)
// CHECK: llvm.call @micro_kernel_0(%arg1, %arg2, %{{.*}}, %{{.*}})

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
  func.func private @micro_kernel_0(%begin: index, %end: index, %a: memref<4x5xf32> {llvm.noalias},
                                    %b: memref<4x5xf32> {llvm.noalias}) attributes {rt.kernel} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %five = arith.constant 5 : index
    scf.for %i = %begin to %end step %one {
      scf.for %j = %zero to %five step %one {
        %v = memref.load %a[%i, %j] : memref<4x5xf32>
        %e = math.exp %v : f32
        memref.store %e, %b[%i, %j] : memref<4x5xf32>
      }
    }
    return
  }
  func.func @init() {
    %w = rt.buffer parameter[0] : memref<5x3xf32>
    %seed = rt.buffer control[64] : memref<i64>
    rt.fill "w" <uniform, -0.5, 0.5> seed(%seed : memref<i64>) outs(%w : memref<5x3xf32>)
    return
  }
  func.func @micro() {
    %x = rt.buffer batch[0] : memref<4x3xf32>
    %w = rt.buffer parameter[0] : memref<5x3xf32>
    %z = rt.buffer transient[0] : memref<4x5xf32>
    %y = rt.buffer transient[128] : memref<4x5xf32>
    rt.matmul ins(%x, transposed %w : memref<4x3xf32>, memref<5x3xf32>) outs(%z : memref<4x5xf32>)
    %g = rt.buffer gradient[0] : memref<5x3xf32>
    %n = rt.buffer gradient[128] : memref<i64>
    rt.gradients_ready index(0) (%g, %n : memref<5x3xf32>, memref<i64>)
    rt.launch @micro_kernel_0(%z, %y) extent(4) grain(1) : memref<4x5xf32>, memref<4x5xf32>
    return
  }
  func.func @combine() {
    return
  }
  func.func @update() {
    %g = rt.buffer gradient[0] : memref<5x3xf32>
    %n = rt.buffer gradient[128] : memref<i64>
    rt.collective all_reduce index(0) over all parameters [@w] groups [0, 1]
        outs(%g, %n : memref<5x3xf32>, memref<i64>)
    rt.collective adasum index(1) over inter_group parameters [@w] groups [0]
        outs(%g : memref<5x3xf32>)
    return
  }
  func.func @eval() {
    return
  }
}
