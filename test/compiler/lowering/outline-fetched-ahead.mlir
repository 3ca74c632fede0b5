// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-plan-memory, boostc-outline-kernels))" | FileCheck %s

// Images that the second cache does not keep are fetched while what comes before them is
// multiplied, where each pixel is met once: with a single tap.

train.program @p batch_size(16) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx2,fma,avx512f", 1>} {

// The step of a term fetches twelve elements of the twelve pixels that come next.
// CHECK-LABEL: func.func private @forward_kernel_0
// CHECK: %[[NEXT:.+]] = arith.addi %{{.+}}, %{{c1536.*}} : index
// CHECK: scf.for %[[TERM:[a-z0-9]+]] =
// CHECK: %[[TWELVE:.+]] = arith.constant 12 : index
// CHECK: %[[WAY:.+]] = arith.muli %[[TERM]], %[[TWELVE]] : index
// CHECK: %[[AT:.+]] = arith.addi %[[NEXT]], %[[WAY]] : index
// CHECK: memref.prefetch %{{.+}}[%[[AT]]], read, locality<2>, data : memref<524288xf32>
// CHECK-COUNT-24: vector.fma
func.func @forward() {
  %x = memref.alloc() : memref<16x128x16x16xf32, strided<[32768, 1, 2048, 128]>>
  %w = memref.alloc() : memref<64x128x1x1xf32, strided<[1, 64, 64, 64]>>
  %y = memref.alloc() : memref<16x64x16x16xf32, strided<[16384, 1, 1024, 64]>>
  rt.convolution forward
      ins(%x, %w : memref<16x128x16x16xf32, strided<[32768, 1, 2048, 128]>>,
                   memref<64x128x1x1xf32, strided<[1, 64, 64, 64]>>)
      outs(%y : memref<16x64x16x16xf32, strided<[16384, 1, 1024, 64]>>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// Each tile of terms fetches what it reads of the next strip's pixels, and one of the vectors. The
// last strip fetches itself.
// CHECK-LABEL: func.func private @weights_kernel_0
// CHECK: %[[HAS_ROWS:.+]] = arith.cmpi slt
// CHECK: arith.select %[[HAS_ROWS]]
// CHECK: %[[IS_THERE:.+]] = arith.cmpi slt
// CHECK: arith.select %[[IS_THERE]]
// CHECK: memref.prefetch %{{.+}}[%{{.+}}], read, locality<2>, data : memref<524288xf32>
// CHECK-NEXT: %{{.+}} = arith.addi
// CHECK-NEXT: memref.prefetch %{{.+}}[%{{.+}}], read, locality<2>, data : memref<262144xf32>
// CHECK: vector.fma
func.func @weights() {
  %x = memref.alloc() : memref<16x128x16x16xf32, strided<[32768, 1, 2048, 128]>>
  %d = memref.alloc() : memref<64x128x1x1xf32, strided<[1, 64, 64, 64]>>
  %y = memref.alloc() : memref<16x64x16x16xf32, strided<[16384, 1, 1024, 64]>>
  rt.convolution backward_weight
      ins(%y, %x : memref<16x64x16x16xf32, strided<[16384, 1, 1024, 64]>>,
                   memref<16x128x16x16xf32, strided<[32768, 1, 2048, 128]>>)
      outs(%d : memref<64x128x1x1xf32, strided<[1, 64, 64, 64]>>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// Small images stay in the cache.
// CHECK-LABEL: func.func private @small_kernel_0
// CHECK-NOT: memref.prefetch
// CHECK-LABEL: func.func @small()
func.func @small() {
  %x = memref.alloc() : memref<2x128x8x8xf32, strided<[8192, 1, 1024, 128]>>
  %w = memref.alloc() : memref<64x128x1x1xf32, strided<[1, 64, 64, 64]>>
  %y = memref.alloc() : memref<2x64x8x8xf32, strided<[4096, 1, 512, 64]>>
  rt.convolution forward
      ins(%x, %w : memref<2x128x8x8xf32, strided<[8192, 1, 1024, 128]>>,
                   memref<64x128x1x1xf32, strided<[1, 64, 64, 64]>>)
      outs(%y : memref<2x64x8x8xf32, strided<[4096, 1, 512, 64]>>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}
}
