// RUN: boost-opt %s --boostc-lower-to-llvm | FileCheck %s

// Calls that are equal, of one place in the model, are made by a function that all share: variants
// of a step make many. The launches have one row in the descriptor.
// CHECK-LABEL: llvm.func internal @boost.micro.call_0(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr) -> i32
// CHECK-SAME: no_inline
// CHECK: llvm.getelementptr %arg0[24]
// CHECK: %[[STATUS:.+]] = llvm.call
// CHECK: llvm.icmp "ne" %[[STATUS]]
// CHECK-LABEL: llvm.func internal @boost.micro.call_1(
// CHECK: llvm.getelementptr %arg2[0]
// CHECK: llvm.store
// CHECK: llvm.mlir.addressof @micro_kernel_0.entry
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.getelementptr %arg0[16]
// CHECK: llvm.return

// The status of a library call is looked at, a launch on a CPU has none.
// CHECK-LABEL: llvm.func internal @boost.micro(
// CHECK: %[[OPERANDS:.+]] = llvm.alloca
// CHECK: %[[STATUS:.+]] = llvm.call @boost.micro.call_0(%arg0, %arg1, %[[OPERANDS]])
// CHECK: llvm.icmp "ne" %[[STATUS]]
// CHECK: llvm.call @boost.micro.call_1(%arg0, %arg1, %[[OPERANDS]])
// CHECK-NOT: llvm.icmp
// CHECK: llvm.return

// Another buffer, another place or another extent is another call; what the launch of another
// place computes has a row of its own.
// CHECK-LABEL: llvm.func internal @boost.eval(
// CHECK: llvm.call @boost.micro.call_0(%arg0, %arg1,
// CHECK: llvm.call @boost.micro.call_1(%arg0, %arg1,
// CHECK-NOT: @boost.micro.call
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.getelementptr %arg0[16]
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.getelementptr %arg0[16]
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.getelementptr %arg0[16]
// CHECK: llvm.return

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
    return
  }
  func.func @micro() {
    %x = rt.buffer batch[0] : memref<4x3xf32>
    %w = rt.buffer parameter[0] : memref<5x3xf32>
    %z = rt.buffer transient[0] : memref<4x5xf32>
    %y = rt.buffer transient[128] : memref<4x5xf32>
    rt.matmul ins(%x, transposed %w : memref<4x3xf32>, memref<5x3xf32>) outs(%z : memref<4x5xf32>) loc("net":1:1)
    rt.launch @micro_kernel_0(%z, %y) extent(4) grain(1) : memref<4x5xf32>, memref<4x5xf32> loc("net":2:1)
    return
  }
  func.func @combine() {
    return
  }
  func.func @update() {
    return
  }
  func.func @eval() {
    %x = rt.buffer batch[0] : memref<4x3xf32>
    %w = rt.buffer parameter[0] : memref<5x3xf32>
    %z = rt.buffer transient[0] : memref<4x5xf32>
    %y = rt.buffer transient[128] : memref<4x5xf32>
    %other = rt.buffer transient[256] : memref<4x5xf32>
    rt.matmul ins(%x, transposed %w : memref<4x3xf32>, memref<5x3xf32>) outs(%z : memref<4x5xf32>) loc("net":1:1)
    rt.launch @micro_kernel_0(%z, %y) extent(4) grain(1) : memref<4x5xf32>, memref<4x5xf32> loc("net":2:1)
    rt.launch @micro_kernel_0(%z, %other) extent(4) grain(1) : memref<4x5xf32>, memref<4x5xf32> loc("net":2:1)
    rt.launch @micro_kernel_0(%z, %y) extent(2) grain(1) : memref<4x5xf32>, memref<4x5xf32> loc("net":2:1)
    rt.launch @micro_kernel_0(%z, %y) extent(4) grain(1) : memref<4x5xf32>, memref<4x5xf32> loc("net":3:1)
    return
  }
}
