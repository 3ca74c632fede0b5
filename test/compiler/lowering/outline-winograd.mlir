// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-plan-memory, boostc-outline-kernels))" | FileCheck %s

// Convolutions by Winograd's algorithm, because the program asks for all of them.
train.program @p batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx512f", 1>, rt.winograd = #rt.winograd<always>} {

// Nine taps of a term and 16 filters are transformed into 16, once. Tiles of the source become 16 sums
// of 16 terms; each adds up to four pixels. Borders are known: of the first tile, nine pixels are read.
// CHECK-LABEL: func.func private @forward_kernel_0
// CHECK-DAG: %[[SOURCE:.+]] = memref.alloca() {alignment = 64 : i64} : memref<8448xf32>
// CHECK-DAG: %[[WEIGHTS:.+]] = memref.alloca() {alignment = 64 : i64} : memref<4352xf32>
// CHECK-COUNT-9: vector.load {{.*}} : memref<2304xf32>, vector<16xf32>
// CHECK: arith.mulf {{.*}} : vector<16xf32>
// CHECK-COUNT-16: vector.store {{.*}} : memref<4352xf32>, vector<16xf32>
// CHECK-COUNT-9: vector.load {{.*}} : memref<2048xf32>, vector<16xf32>
// CHECK-COUNT-16: vector.store {{.*}} : memref<8448xf32>, vector<16xf32>
// CHECK-COUNT-12: vector.load {{.*}} : memref<2048xf32>, vector<16xf32>
// CHECK: vector.fma
// CHECK-COUNT-16: vector.load {{.*}} : memref<8448xf32>, vector<16xf32>
// CHECK-COUNT-4: vector.store {{.*}} : memref<2048xf32>, vector<16xf32>
// CHECK-LABEL: func.func @forward
func.func @forward() {
  %x = memref.alloc() : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>
  %w = memref.alloc() : memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>
  %y = memref.alloc() : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>
  rt.convolution forward
      ins(%x, %w : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>,
                   memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>)
      outs(%y : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// In the gradient of weights, both images are transformed, and sums over all strips become nine taps.
// CHECK-LABEL: func.func private @gradient_kernel_0
// CHECK-COUNT-16: vector.store {{.*}} : memref<8448xf32>, vector<16xf32>
// CHECK: vector.fma
// CHECK-COUNT-16: vector.load {{.*}} : memref<4352xf32>, vector<16xf32>
// CHECK-COUNT-9: vector.store {{.*}} : memref<2304xf32>, vector<16xf32>
// CHECK-LABEL: func.func @gradient
func.func @gradient() {
  %x = memref.alloc() : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>
  %w = memref.alloc() : memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>
  %y = memref.alloc() : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>
  rt.convolution backward_weight
      ins(%y, %x : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>,
                   memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>)
      outs(%w : memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// Strides, groups and other taps are left to sums over taps.
// CHECK-LABEL: func.func private @strided_kernel_0
// CHECK-NOT: memref.alloca
// CHECK: vector.fma
// CHECK-LABEL: func.func @strided
func.func @strided() {
  %x = memref.alloc() : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>
  %w = memref.alloc() : memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>
  %y = memref.alloc() : memref<2x16x4x4xf32, strided<[256, 1, 64, 16]>>
  rt.convolution forward
      ins(%x, %w : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>,
                   memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>)
      outs(%y : memref<2x16x4x4xf32, strided<[256, 1, 64, 16]>>)
      strides [2, 2] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}
}
