// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-reserve-scratch))" | FileCheck %s
// oneDNN's matmuls for AVX2 need no scratch.
// REQUIRES: avx512

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx2,avx512f", 2>} {

// How much the library asks for depends on its version; that it is asked, and that the
// memory is at hand at the call, does not.
// CHECK-LABEL: func.func @asks
// CHECK: %[[S:.+]] = memref.alloc() : memref<[[BYTES:[1-9][0-9]*]]xi8>
// CHECK-NEXT: rt.matmul {{.*}} scratch(%[[S]] : memref<[[BYTES]]xi8>)
func.func @asks(%a: memref<64x48xf32>, %b: memref<32x48xf32>, %c: memref<64x32xf32>) {
  rt.matmul ins(%a, transposed %b : memref<64x48xf32>, memref<32x48xf32>) outs(%c : memref<64x32xf32>)
  return
}

// A call that has its scratch is left alone.
// CHECK-LABEL: func.func @has
// CHECK-NOT: memref.alloc
// CHECK: scratch(%{{.+}} : memref<192xi8>)
// CHECK: return
func.func @has(%a: memref<4x3xf32>, %b: memref<3x5xf32>, %c: memref<4x5xf32>, %s: memref<192xi8>) {
  rt.matmul ins(%a, %b : memref<4x3xf32>, memref<3x5xf32>) outs(%c : memref<4x5xf32>)
      scratch(%s : memref<192xi8>)
  return
}

// A value has no memory, so no scratch either.
// CHECK-LABEL: func.func @value
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @value(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %c = rt.matmul ins(%a, %b : tensor<64x48xf32>, tensor<48x32xf32>) outs(%e : tensor<64x32xf32>)
      -> tensor<64x32xf32>
  return %c : tensor<64x32xf32>
}

}
