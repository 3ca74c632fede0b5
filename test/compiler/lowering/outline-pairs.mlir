// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-plan-memory, boostc-outline-kernels))" | FileCheck %s

// Two terms are one step where the CPU multiplies pairs of bf16; a last one is multiplied in f32.
train.program @p batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx512f,avx512bf16", 2>} {

// Two pixels of a row fill registers: a pair of channels in every lane meets rows of weights of
// both.
// CHECK-LABEL: func.func private @forward_kernel_0
// CHECK: scf.for {{.*}} step %c2
// CHECK: %[[ROW:.+]] = vector.load {{.*}} vector<16xbf16>
// CHECK: %[[NEXT:.+]] = vector.load {{.*}} vector<16xbf16>
// CHECK: %[[PAIRS:.+]] = vector.shuffle %[[ROW]], %[[NEXT]] [0, 16, 1, 17, 2, 18,
// CHECK: vector.load {{.*}} vector<2xbf16>
// CHECK: vector.bitcast {{.*}} : vector<2xbf16> to vector<1xi32>
// CHECK: vector.broadcast
// CHECK: x86vector.avx512.dot %{{.+}}, %{{.+}}, %[[PAIRS]] : vector<32xbf16> -> vector<16xf32>
// CHECK: scf.for
// CHECK: arith.extf
// CHECK: vector.fma
// CHECK-LABEL: func.func @forward
func.func @forward() {
  %x = memref.alloc() : memref<2x5x1x2xbf16, strided<[10, 1, 10, 5]>>
  %w = memref.alloc() : memref<16x5x1x1xbf16, strided<[1, 16, 80, 80]>>
  %y = memref.alloc() : memref<2x16x1x2xbf16, strided<[32, 1, 32, 16]>>
  rt.convolution forward
      ins(%x, %w : memref<2x5x1x2xbf16, strided<[10, 1, 10, 5]>>,
                   memref<16x5x1x1xbf16, strided<[1, 16, 80, 80]>>)
      outs(%y : memref<2x16x1x2xbf16, strided<[32, 1, 32, 16]>>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// Several tiles read the same weights: those of a block are put together once, and lie as they
// are read.
// CHECK-LABEL: func.func private @packed_kernel_0
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<576xbf16>
// CHECK: scf.for {{.*}} step %c2
// CHECK: vector.shuffle
// CHECK: vector.store {{.*}} memref<576xbf16>, vector<32xbf16>
// CHECK-NOT: vector.shuffle
// CHECK: vector.load {{.*}} memref<576xbf16>, vector<32xbf16>
// CHECK: x86vector.avx512.dot
// CHECK-LABEL: func.func @packed
func.func @packed() {
  %x = memref.alloc() : memref<2x4x8x8xbf16, strided<[256, 1, 32, 4]>>
  %w = memref.alloc() : memref<16x4x3x3xbf16, strided<[1, 16, 192, 64]>>
  %y = memref.alloc() : memref<2x16x8x8xbf16, strided<[1024, 1, 128, 16]>>
  rt.convolution forward
      ins(%x, %w : memref<2x4x8x8xbf16, strided<[256, 1, 32, 4]>>,
                   memref<16x4x3x3xbf16, strided<[1, 16, 192, 64]>>)
      outs(%y : memref<2x16x8x8xbf16, strided<[1024, 1, 128, 16]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// In a gradient of weights pixels are pairs. Both images of a strip are put together for a column
// of taps: vectors, and what is broadcast, 5 channels of a vector of which the rest is not read. A
// row of 3 pixels has a rest.
// CHECK-LABEL: func.func private @gradient_kernel_0
// CHECK: %[[SOURCE:.+]] = memref.alloca() {alignment = 64 : i64} : memref<320xbf16>
// CHECK: %[[IMAGE:.+]] = memref.alloca() {alignment = 64 : i64} : memref<192xbf16>
// CHECK: scf.for
// CHECK: vector.shuffle
// CHECK: vector.store {{.*}} memref<192xbf16>, vector<32xbf16>
// CHECK: scf.for
// CHECK: vector.maskedload {{.*}} vector<16xbf16>
// CHECK: vector.maskedload {{.*}} vector<16xbf16>
// CHECK: vector.shuffle
// CHECK: vector.store {{.*}} memref<320xbf16>, vector<32xbf16>
// CHECK-NOT: vector.shuffle
// CHECK: vector.load {{.*}} memref<320xbf16>, vector<2xbf16>
// CHECK: vector.load {{.*}} memref<192xbf16>, vector<32xbf16>
// CHECK: x86vector.avx512.dot
// CHECK: scf.for
// CHECK: vector.fma
// CHECK-LABEL: func.func @gradient
func.func @gradient() {
  %x = memref.alloc() : memref<2x5x3x3xbf16, strided<[45, 1, 15, 5]>>
  %d = memref.alloc() : memref<2x16x3x3xbf16, strided<[144, 1, 48, 16]>>
  %g = memref.alloc() : memref<16x5x3x3xf32, strided<[1, 16, 240, 80]>>
  rt.convolution backward_weight
      ins(%d, %x : memref<2x16x3x3xbf16, strided<[144, 1, 48, 16]>>,
                   memref<2x5x3x3xbf16, strided<[45, 1, 15, 5]>>)
      outs(%g : memref<16x5x3x3xf32, strided<[1, 16, 240, 80]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// One pixel has no other.
// CHECK-LABEL: func.func private @pixel_kernel_0
// CHECK-NOT: x86vector
// CHECK-LABEL: func.func @pixel
func.func @pixel() {
  %x = memref.alloc() : memref<2x5x1x1xbf16, strided<[5, 1, 5, 5]>>
  %d = memref.alloc() : memref<2x16x1x1xbf16, strided<[16, 1, 16, 16]>>
  %g = memref.alloc() : memref<16x5x3x3xf32, strided<[1, 16, 240, 80]>>
  rt.convolution backward_weight
      ins(%d, %x : memref<2x16x1x1xbf16, strided<[16, 1, 16, 16]>>,
                   memref<2x5x1x1xbf16, strided<[5, 1, 5, 5]>>)
      outs(%g : memref<16x5x3x3xf32, strided<[1, 16, 240, 80]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}
}
