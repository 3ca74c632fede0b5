// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-reserve-scratch))" | FileCheck %s
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-reserve-scratch{use-library=false}))" | FileCheck %s --check-prefix=KERNELS

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 2>} {

// A library inverts large matrices, and keeps their factors.
// CHECK-LABEL: func.func @large
// CHECK: %[[S:.+]] = memref.alloc() : memref<4587520xi8>
// CHECK-NEXT: rt.damped_inverse {{.*}} scratch(%[[S]] : memref<4587520xi8>)
// KERNELS-NOT: memref.alloc
func.func @large(%m: memref<2x640x640xf32>, %x: memref<2x640x640xf32>, %w: memref<2xf32>, %s: memref<f32>,
                 %failed: memref<2xi32>) {
  rt.damped_inverse ins(%m weight %w damping %s : memref<2x640x640xf32>, memref<2xf32>, memref<f32>)
      outs(%x, %failed : memref<2x640x640xf32>, memref<2xi32>)
  return
}

// A kernel inverts what lies in a core's cache.
// CHECK-LABEL: func.func @small
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @small(%m: memref<9x128x128xf32>, %x: memref<9x128x128xf32>, %w: memref<9xf32>, %s: memref<f32>,
                 %failed: memref<9xi32>) {
  rt.damped_inverse ins(%m weight %w damping %s : memref<9x128x128xf32>, memref<9xf32>, memref<f32>)
      outs(%x, %failed : memref<9x128x128xf32>, memref<9xi32>)
  return
}

}
