// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-plan-memory, boostc-outline-kernels))" | FileCheck %s

train.program @p batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx2,fma,avx512f", 2>} {

// Weights go through squares of 16 x 16 elements in registers.
// CHECK-LABEL: func.func private @forward_kernel_0
// CHECK-COUNT-16: vector.load
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store
// CHECK-NOT: vector.store

// The sums of eight pixels, a row, start from the bias. Which pixels see a tap of the border's
// columns is known; which rows of taps there are is computed, and nothing inside of loops
// is conditional or masked.
// CHECK-LABEL: func.func private @forward_kernel_1
// CHECK-NOT: scf.if
// CHECK-NOT: mask
// CHECK: scf.for
// CHECK: arith.minsi
// CHECK: vector.load {{.*}} memref<32xf32>, vector<16xf32>
// The left column of taps is not seen by the first pixel, the middle one by all.
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-14: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.for
// CHECK-COUNT-16: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.for
// CHECK-COUNT-14: vector.fma
// CHECK-NOT: vector.fma
// CHECK-COUNT-16: vector.store
// CHECK-LABEL: func.func @forward
// CHECK: rt.launch @forward_kernel_0({{.*}}) extent(2){{.*}} work <flops = 0, read = 18432, written = 18432>
// CHECK: rt.launch @forward_kernel_1
func.func @forward() {
  %x = memref.alloc() : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>
  %w = memref.alloc() : memref<32x16x3x3xf32>
  %v = memref.alloc() : memref<32x16x3x3xf32, strided<[1, 32, 1536, 512]>>
  %b = memref.alloc() : memref<32xf32>
  %y = memref.alloc() : memref<2x32x8x8xf32, strided<[2048, 1, 256, 32]>>
  memref.copy %w, %v : memref<32x16x3x3xf32>
      to memref<32x16x3x3xf32, strided<[1, 32, 1536, 512]>>
  rt.convolution forward
      ins(%x, %v : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>,
                   memref<32x16x3x3xf32, strided<[1, 32, 1536, 512]>>)
      bias(%b : memref<32xf32>)
      outs(%y : memref<2x32x8x8xf32, strided<[2048, 1, 256, 32]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// 24 channels are a vector and a half: the second one is masked.
// CHECK-LABEL: func.func private @tail_kernel_0
// CHECK: vector.maskedload
// CHECK: vector.fma
// CHECK: vector.maskedstore
func.func @tail() {
  %x = memref.alloc() : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>
  %v = memref.alloc() : memref<24x16x1x1xf32, strided<[1, 24, 384, 384]>>
  %y = memref.alloc() : memref<2x24x8x8xf32, strided<[1536, 1, 192, 24]>>
  rt.convolution forward
      ins(%x, %v : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>,
                   memref<24x16x1x1xf32, strided<[1, 24, 384, 384]>>)
      outs(%y : memref<2x24x8x8xf32, strided<[1536, 1, 192, 24]>>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// With stride 2 each pixel of the input sees the taps of its phase: no index is divided.
// CHECK-LABEL: func.func private @strided_kernel_0
// CHECK-NOT: divsi
// CHECK: vector.fma
// CHECK-LABEL: func.func @strided
func.func @strided() {
  %y = memref.alloc() : memref<2x32x4x4xf32, strided<[512, 1, 128, 32]>>
  %v = memref.alloc() : memref<32x16x3x3xf32, strided<[16, 1, 1536, 512]>>
  %x = memref.alloc() : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>
  rt.convolution backward_data
      ins(%y, %v : memref<2x32x4x4xf32, strided<[512, 1, 128, 32]>>,
                   memref<32x16x3x3xf32, strided<[16, 1, 1536, 512]>>)
      outs(%x : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>)
      strides [2, 2] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// The gradient of weights: sums between strips of pixels are kept in the result, which starts
// from zero.
// CHECK-LABEL: func.func private @weights_kernel_0
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: vector.store %[[ZERO]]
// CHECK: vector.load
// CHECK: vector.fma
// CHECK: vector.store
// CHECK-LABEL: func.func @weights
func.func @weights() {
  %y = memref.alloc() : memref<2x32x8x8xf32, strided<[2048, 1, 256, 32]>>
  %x = memref.alloc() : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>
  %v = memref.alloc() : memref<32x16x3x3xf32, strided<[1, 32, 1536, 512]>>
  rt.convolution backward_weight
      ins(%y, %x : memref<2x32x8x8xf32, strided<[2048, 1, 256, 32]>>,
                   memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>)
      outs(%v : memref<32x16x3x3xf32, strided<[1, 32, 1536, 512]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// Images that no cache holds, and few sums: a strip of pixels meets all pieces of the thread
// before the next one, so that images are read once.
// CHECK-LABEL: func.func private @large_images_kernel_0
// CHECK-SAME: (%[[BEGIN:[^:]+]]: index, %[[END:[^:]+]]: index
// CHECK: scf.for %{{.+}} = %[[BEGIN]] to %[[END]]
// CHECK: vector.store
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for %{{.+}} = %[[BEGIN]] to %[[END]]
// CHECK: vector.fma
// CHECK-LABEL: func.func @large_images
func.func @large_images() {
  %y = memref.alloc() : memref<8x64x56x56xf32, strided<[200704, 1, 3584, 64]>>
  %x = memref.alloc() : memref<8x128x56x56xf32, strided<[401408, 1, 7168, 128]>>
  %v = memref.alloc() : memref<64x128x1x1xf32>
  rt.convolution backward_weight
      ins(%y, %x : memref<8x64x56x56xf32, strided<[200704, 1, 3584, 64]>>,
                   memref<8x128x56x56xf32, strided<[401408, 1, 7168, 128]>>)
      outs(%v : memref<64x128x1x1xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// A filter for each channel: vectors of channels, one weight vector for each tap. What a column
// of the source is multiplied with comes before the next column is loaded. The first pixel does
// not see the first tap.
// CHECK-LABEL: func.func private @depthwise_kernel_0
// CHECK-NOT: vector.broadcast
// CHECK: %[[TAP1:.+]] = vector.load
// CHECK: %[[FIRST:.+]] = vector.load
// CHECK: vector.fma %[[FIRST]], %[[TAP1]]
// CHECK: %[[TAP0:.+]] = vector.load
// CHECK: vector.fma %[[FIRST]], %[[TAP0]]
// CHECK: %[[TAP2:.+]] = vector.load
// CHECK: %[[SECOND:.+]] = vector.load
// CHECK: vector.fma %[[SECOND]], %[[TAP2]]
// CHECK: vector.fma %[[SECOND]], %[[TAP1]]
// CHECK: vector.fma %[[SECOND]], %[[TAP0]]
// CHECK: %[[THIRD:.+]] = vector.load
// CHECK-NEXT: vector.fma %[[THIRD]], %[[TAP2]]
// CHECK-LABEL: func.func @depthwise
func.func @depthwise() {
  %x = memref.alloc() : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>
  %v = memref.alloc() : memref<16x1x3x3xf32, strided<[1, 16, 48, 16]>>
  %y = memref.alloc() : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>
  rt.convolution forward
      ins(%x, %v : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>,
                   memref<16x1x3x3xf32, strided<[1, 16, 48, 16]>>)
      outs(%y : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 16
  return
}

// One channel and 31 taps, all of which see something: taps are terms, in one loop for all sums of
// a tile, 15 pixels of both samples.
// CHECK-LABEL: func.func private @folded_kernel_0
// CHECK: %[[TAPS:.+]] = arith.constant 31 : index
// CHECK: %{{.+}}:30 = scf.for %{{.+}} = %{{.+}} to %[[TAPS]]
// CHECK-COUNT-30: vector.fma
// CHECK-NOT: vector.fma
// CHECK-LABEL: func.func @folded
func.func @folded() {
  %x = memref.alloc() : memref<2x1x3x75xf32, strided<[225, 1, 75, 1]>>
  %v = memref.alloc() : memref<8x1x1x31xf32, strided<[1, 8, 248, 8]>>
  %y = memref.alloc() : memref<2x8x3x45xf32, strided<[1080, 1, 360, 8]>>
  rt.convolution forward
      ins(%x, %v : memref<2x1x3x75xf32, strided<[225, 1, 75, 1]>>,
                   memref<8x1x1x31xf32, strided<[1, 8, 248, 8]>>)
      outs(%y : memref<2x8x3x45xf32, strided<[1080, 1, 360, 8]>>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// In the gradient of the weights, 16 and 15 of them are summed over the pixels of a row.
// CHECK-LABEL: func.func private @folded_weights_kernel_0
// CHECK: %[[PIXELS:.+]] = arith.constant 45 : index
// CHECK: %{{.+}}:16 = scf.for %{{.+}} = %{{.+}} to %[[PIXELS]]
// CHECK-COUNT-16: vector.fma
// CHECK: :15 = scf.for
// CHECK-COUNT-15: vector.fma
// CHECK-NOT: vector.fma
// CHECK-LABEL: func.func @folded_weights
func.func @folded_weights() {
  %x = memref.alloc() : memref<2x1x3x75xf32, strided<[225, 1, 75, 1]>>
  %v = memref.alloc() : memref<8x1x1x31xf32, strided<[1, 8, 248, 8]>>
  %y = memref.alloc() : memref<2x8x3x45xf32, strided<[1080, 1, 360, 8]>>
  rt.convolution backward_weight
      ins(%y, %x : memref<2x8x3x45xf32, strided<[1080, 1, 360, 8]>>,
                   memref<2x1x3x75xf32, strided<[225, 1, 75, 1]>>)
      outs(%v : memref<8x1x1x31xf32, strided<[1, 8, 248, 8]>>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// Two partial sums: each piece adds up one of the samples, and a second kernel the two.
// CHECK-LABEL: func.func private @partial_sums_kernel_0
// CHECK: scf.for %[[PART:.+]] = %arg0 to
// CHECK: %[[SIZE:.+]] = arith.constant 2304 : index
// CHECK: arith.muli %[[PART]], %[[SIZE]]
// CHECK: vector.store %{{.+}} : memref<4608xf32>
// CHECK: %[[FIRST:.+]] = arith.divui
// CHECK: %[[LAST:.+]] = arith.divui
// CHECK: scf.for %{{.+}} = %[[FIRST]] to %[[LAST]]
// CHECK: vector.fma
// CHECK-LABEL: func.func private @partial_sums_kernel_1
// CHECK: arith.addf
// CHECK-LABEL: func.func @partial_sums()
// CHECK: rt.launch @partial_sums_kernel_0(%{{.+}}, %{{.+}}, %{{.+}}, %[[PARTS:.+]]) extent(2) grain(1)
// CHECK-NEXT: %[[ROW:.+]] = rt.buffer transient[{{[0-9]+}}] : memref<2304xf32>
// CHECK-NEXT: rt.launch @partial_sums_kernel_1(%[[PARTS]], %[[ROW]])
// CHECK-NEXT: return
func.func @partial_sums() {
  %x = memref.alloc() : memref<2x16x32x32xf32, strided<[16384, 1, 512, 16]>>
  %v = memref.alloc() : memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>
  %y = memref.alloc() : memref<2x16x32x32xf32, strided<[16384, 1, 512, 16]>>
  %p = memref.alloc() : memref<2x2304xf32>
  rt.convolution backward_weight
      ins(%y, %x : memref<2x16x32x32xf32, strided<[16384, 1, 512, 16]>>,
                   memref<2x16x32x32xf32, strided<[16384, 1, 512, 16]>>)
      outs(%v : memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>)
      partials(%p : memref<2x2304xf32>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}
}
