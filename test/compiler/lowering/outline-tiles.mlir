// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-plan-memory, boostc-outline-kernels))" | FileCheck %s

// Where the CPU multiplies tiles of bf16, 16 pixels meet 32 terms of 16 filters in one step.
train.program @p batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx512f,avx512bf16,amx-tile,amx-bf16", 1>} {

// Weights are put together once. Pixels without borders are read where they lie: two tiles of them
// meet two of weights. The last of 20 pixels are in a tile with some of the first one's.
// CHECK-LABEL: func.func private @direct_kernel_0
// CHECK: %[[WEIGHTS:.+]] = memref.alloca() {alignment = 64 : i64} : memref<1024xbf16>
// CHECK: %[[SUMS:.+]] = memref.alloca() {alignment = 64 : i64} : memref<1152xf32>
// CHECK: vector.shuffle
// CHECK: vector.store {{.*}} %[[WEIGHTS]]
// CHECK: arith.minsi
// CHECK-COUNT-4: amx.tile_zero
// CHECK: %[[B:.+]] = amx.tile_load %[[WEIGHTS]]
// CHECK: %[[A:.+]] = amx.tile_load {{.*}} : memref<640xbf16> into !amx.tile<16x32xbf16>
// CHECK: amx.tile_mulf %[[A]], %[[B]]
// CHECK: %[[OTHER:.+]] = amx.tile_load %[[WEIGHTS]]
// CHECK: amx.tile_mulf %[[A]], %[[OTHER]]
// CHECK: amx.tile_load
// CHECK-COUNT-2: amx.tile_mulf
// CHECK-COUNT-4: amx.tile_store %[[SUMS]]
// CHECK: vector.load %[[SUMS]]
// CHECK: arith.truncf
// CHECK-LABEL: func.func @direct
func.func @direct() {
  %x = memref.alloc() : memref<1x32x1x20xbf16, strided<[640, 1, 640, 32]>>
  %w = memref.alloc() : memref<32x32x1x1xbf16, strided<[1, 32, 1024, 1024]>>
  %y = memref.alloc() : memref<1x32x1x20xbf16, strided<[640, 1, 640, 32]>>
  rt.convolution forward
      ins(%x, %w : memref<1x32x1x20xbf16, strided<[640, 1, 640, 32]>>,
                   memref<32x32x1x1xbf16, strided<[1, 32, 1024, 1024]>>)
      outs(%y : memref<1x32x1x20xbf16, strided<[640, 1, 640, 32]>>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// Eight rows of eight pixels with borders of zeros: a strip of ten rows of ten, whose tiles go on
// in the next row. The first and the last row do not exist. The taps of a row are 48 terms, and 16
// that count for nothing.
// CHECK-LABEL: func.func private @padded_kernel_0
// CHECK: %[[IMAGE:.+]] = memref.alloca() {alignment = 64 : i64} : memref<1920xbf16>
// CHECK: %[[WEIGHTS:.+]] = memref.alloca() {alignment = 64 : i64} : memref<3072xbf16>
// CHECK: scf.for {{.*}} to %c160
// CHECK: vector.store {{.*}} %[[IMAGE]]
// CHECK: scf.for {{.*}} = %c1{{[_0-9]*}} to %c9
// CHECK: vector.load {{.*}} vector<32xbf16>
// CHECK: vector.store {{.*}} %[[IMAGE]]
// CHECK: scf.for {{.*}} to %c192
// CHECK: vector.store {{.*}} %[[IMAGE]]
// CHECK: scf.for {{.*}} -> (!amx.tile<16x16xf32>, !amx.tile<16x16xf32>) {
// CHECK: scf.for {{.*}} -> (!amx.tile<16x16xf32>, !amx.tile<16x16xf32>) {
// CHECK: amx.tile_load %[[WEIGHTS]]
// CHECK: amx.tile_load %[[IMAGE]]
// CHECK: amx.tile_mulf
// CHECK-LABEL: func.func @padded
func.func @padded() {
  %x = memref.alloc() : memref<2x16x8x8xbf16, strided<[1024, 1, 128, 16]>>
  %w = memref.alloc() : memref<16x16x3x3xbf16, strided<[1, 16, 768, 256]>>
  %y = memref.alloc() : memref<2x16x8x8xbf16, strided<[1024, 1, 128, 16]>>
  rt.convolution forward
      ins(%x, %w : memref<2x16x8x8xbf16, strided<[1024, 1, 128, 16]>>,
                   memref<16x16x3x3xbf16, strided<[1, 16, 768, 256]>>)
      outs(%y : memref<2x16x8x8xbf16, strided<[1024, 1, 128, 16]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// In a gradient of weights a step has 32 pixels. Channels of the source become rows: pairs of
// pixels are transposed as numbers of 32 bits.
// CHECK-LABEL: func.func private @gradient_kernel_0
// CHECK: %[[ROWS:.+]] = memref.alloca() {alignment = 64 : i64}
// CHECK: %[[CHANNELS:.+]] = memref.alloca() {alignment = 64 : i64}
// CHECK: %[[PAIRS:.+]] = memref.alloca() {alignment = 64 : i64}
// CHECK: %[[SUMS:.+]] = memref.alloca() {alignment = 64 : i64} : memref<2304xf32>
// CHECK: vector.store {{.*}} %[[PAIRS]]{{.*}} vector<32xbf16>
// CHECK: vector.bitcast {{.*}} : vector<32xbf16> to vector<16xi32>
// CHECK: vector.store {{.*}} %[[CHANNELS]]{{.*}} vector<32xbf16>
// CHECK: amx.tile_load %[[SUMS]]
// CHECK: scf.for
// CHECK: amx.tile_load %[[PAIRS]]
// CHECK: amx.tile_load %[[CHANNELS]]
// CHECK: amx.tile_mulf
// CHECK: amx.tile_store %[[SUMS]]
// CHECK-LABEL: func.func @gradient
func.func @gradient() {
  %x = memref.alloc() : memref<2x16x8x8xbf16, strided<[1024, 1, 128, 16]>>
  %d = memref.alloc() : memref<2x16x8x8xbf16, strided<[1024, 1, 128, 16]>>
  %g = memref.alloc() : memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>
  rt.convolution backward_weight
      ins(%d, %x : memref<2x16x8x8xbf16, strided<[1024, 1, 128, 16]>>,
                   memref<2x16x8x8xbf16, strided<[1024, 1, 128, 16]>>)
      outs(%g : memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}
}
