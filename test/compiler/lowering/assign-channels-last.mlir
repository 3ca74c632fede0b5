// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-assign-channels-last))" | FileCheck %s
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-assign-channels-last, boostc-assign-layouts))" | FileCheck %s --check-prefix=THEN

train.program @p batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx2,fma,avx512f", 2>} {

// Two samples fill no vector, 32 channels fill two. Weights are copied into the order in which
// forward reads them, the gradient of weights from the order in which it is computed.
// CHECK-LABEL: func.func @images
// CHECK: %[[Y:.+]] = memref.alloc() : memref<2x32x8x8xf32, strided<[2048, 1, 256, 32]>>
// CHECK: %[[X:.+]] = memref.alloc() : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>
// CHECK: memref.copy %{{.+}}, %[[X]]
// CHECK: %[[W:.+]] = memref.alloc() : memref<32x16x3x3xf32, strided<[1, 32, 1536, 512]>>
// CHECK: memref.copy %{{.+}}, %[[W]]
// CHECK: rt.convolution forward ins(%[[X]], %[[W]] {{.*}} outs(%[[Y]]
// An argument that is only read is copied once.
// CHECK-NOT: memref.copy
// CHECK: %[[DW:.+]] = memref.alloc() : memref<32x16x3x3xf32, strided<[1, 32, 1536, 512]>>
// CHECK: rt.convolution backward_weight ins(%[[Y]], %[[X]] {{.*}} outs(%[[DW]]
// CHECK: memref.copy %[[DW]], %{{.+}}
// CHECK: %[[DX:.+]] = memref.alloc() : memref<2x16x8x8xf32, strided<[1024, 1, 128, 16]>>
// The gradient of the input reads weights with their channels innermost.
// CHECK: %[[V:.+]] = memref.alloc() : memref<32x16x3x3xf32, strided<[16, 1, 1536, 512]>>
// CHECK: memref.copy %{{.+}}, %[[V]]
// CHECK: rt.convolution backward_data ins(%[[Y]], %[[V]] {{.*}} outs(%[[DX]]
// CHECK: memref.copy %[[DX]], %{{.+}}
// The pass after this one has nothing left to do here.
// THEN-LABEL: func.func @images
// THEN: memref<2x32x8x8xf32, strided<[2048, 1, 256, 32]>>
func.func @images(%x: memref<2x16x8x8xf32>, %w: memref<32x16x3x3xf32>,
                  %dw: memref<32x16x3x3xf32>, %dx: memref<2x16x8x8xf32>) {
  %y = memref.alloc() : memref<2x32x8x8xf32>
  rt.convolution forward ins(%x, %w : memref<2x16x8x8xf32>, memref<32x16x3x3xf32>)
      outs(%y : memref<2x32x8x8xf32>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  rt.convolution backward_weight ins(%y, %x : memref<2x32x8x8xf32>, memref<2x16x8x8xf32>)
      outs(%dw : memref<32x16x3x3xf32>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  rt.convolution backward_data ins(%y, %w : memref<2x32x8x8xf32>, memref<32x16x3x3xf32>)
      outs(%dx : memref<2x16x8x8xf32>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// The parts of a concatenation are slices of it, and follow it.
// CHECK-LABEL: func.func @concatenation
// CHECK: %[[WHOLE:.+]] = memref.alloc() : memref<2x48x8x8xf32, strided<[3072, 1, 384, 48]>>
// CHECK: memref.subview %[[WHOLE]]{{.*}} to memref<2x16x8x8xf32, strided<[3072, 1, 384, 48]>>
// CHECK: memref.subview %[[WHOLE]]{{.*}} to memref<2x32x8x8xf32, strided<[3072, 1, 384, 48], offset: 16>>
func.func @concatenation(%x: memref<2x16x8x8xf32>, %w: memref<32x16x3x3xf32>,
                         %z: memref<2x48x8x8xf32>) {
  %whole = memref.alloc() : memref<2x48x8x8xf32>
  %first = memref.subview %whole[0, 0, 0, 0] [2, 16, 8, 8] [1, 1, 1, 1]
      : memref<2x48x8x8xf32> to memref<2x16x8x8xf32, strided<[3072, 64, 8, 1]>>
  memref.copy %x, %first : memref<2x16x8x8xf32> to memref<2x16x8x8xf32, strided<[3072, 64, 8, 1]>>
  %y = memref.alloc() : memref<2x32x8x8xf32>
  rt.convolution forward ins(%x, %w : memref<2x16x8x8xf32>, memref<32x16x3x3xf32>)
      outs(%y : memref<2x32x8x8xf32>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  %second = memref.subview %whole[0, 16, 0, 0] [2, 32, 8, 8] [1, 1, 1, 1]
      : memref<2x48x8x8xf32> to memref<2x32x8x8xf32, strided<[3072, 64, 8, 1], offset: 1024>>
  memref.copy %y, %second : memref<2x32x8x8xf32> to memref<2x32x8x8xf32, strided<[3072, 64, 8, 1], offset: 1024>>
  linalg.exp ins(%whole : memref<2x48x8x8xf32>) outs(%z : memref<2x48x8x8xf32>)
  return
}

// A slice of fewer dimensions keeps its image as it is.
// CHECK-LABEL: func.func @sample
// CHECK: memref.alloc() : memref<2x32x8x8xf32>
// CHECK: memref.subview {{.*}} to memref<32x8x8xf32, strided<[64, 8, 1]>>
func.func @sample(%x: memref<2x16x8x8xf32>, %w: memref<32x16x3x3xf32>, %z: memref<32x8x8xf32>) {
  %y = memref.alloc() : memref<2x32x8x8xf32>
  rt.convolution forward ins(%x, %w : memref<2x16x8x8xf32>, memref<32x16x3x3xf32>)
      outs(%y : memref<2x32x8x8xf32>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  %sample = memref.subview %y[0, 0, 0, 0] [1, 32, 8, 8] [1, 1, 1, 1]
      : memref<2x32x8x8xf32> to memref<32x8x8xf32, strided<[64, 8, 1]>>
  memref.copy %sample, %z : memref<32x8x8xf32, strided<[64, 8, 1]>> to memref<32x8x8xf32>
  return
}

// One filter: the dimension that vectors of its gradient would run along has one element, of any
// stride, and the others keep their order.
// CHECK-LABEL: func.func @one_filter
// CHECK: memref.alloc() : memref<2x32x8x8xf32, strided<[2048, 1, 256, 32]>>
// CHECK: rt.convolution backward_weight
func.func @one_filter(%x: memref<2x32x8x8xf32>, %w: memref<1x32x1x1xf32>,
                      %dw: memref<1x32x1x1xf32>) {
  %t = memref.alloc() : memref<2x32x8x8xf32>
  %y = memref.alloc() : memref<2x1x8x8xf32>
  linalg.exp ins(%x : memref<2x32x8x8xf32>) outs(%t : memref<2x32x8x8xf32>)
  rt.convolution forward ins(%t, %w : memref<2x32x8x8xf32>, memref<1x32x1x1xf32>)
      outs(%y : memref<2x1x8x8xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  rt.convolution backward_weight ins(%y, %t : memref<2x1x8x8xf32>, memref<2x32x8x8xf32>)
      outs(%dw : memref<1x32x1x1xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// Not all that has four dimensions is an image: the heads of an attention are none. What has an
// image's channels and pixels, in a window or one by one, is.
// CHECK-LABEL: func.func @heads
// CHECK: memref.alloc() : memref<2x32x8x8xf32, strided<[2048, 1, 256, 32]>>
// CHECK: memref.alloc() : memref<2x32x4x4xf32, strided<[512, 1, 128, 32]>>
// CHECK: memref.alloc() : memref<2x32x4x4xf32, strided<[512, 1, 128, 32]>>
// CHECK: memref.alloc() : memref<2x4x16x8xf32>
// CHECK: memref.alloc() : memref<2x4x16x16xf32>
// CHECK: memref.alloc() : memref<2x4x16x16xf32>
func.func @heads(%x: memref<2x16x8x8xf32>, %w: memref<32x16x3x3xf32>, %h: memref<2x4x16x8xf32>,
                 %window: memref<2x2xf32>, %z: memref<2x32x4x4xf32>, %r: memref<2x4x16x16xf32>) {
  %y = memref.alloc() : memref<2x32x8x8xf32>
  %pooled = memref.alloc() : memref<2x32x4x4xf32>
  %exp = memref.alloc() : memref<2x32x4x4xf32>
  %head = memref.alloc() : memref<2x4x16x8xf32>
  %scores = memref.alloc() : memref<2x4x16x16xf32>
  %row = memref.alloc() : memref<2x4x16x16xf32>
  rt.convolution forward ins(%x, %w : memref<2x16x8x8xf32>, memref<32x16x3x3xf32>)
      outs(%y : memref<2x32x8x8xf32>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  linalg.pooling_nchw_max {strides = dense<2> : vector<2xi64>}
      ins(%y, %window : memref<2x32x8x8xf32>, memref<2x2xf32>) outs(%pooled : memref<2x32x4x4xf32>)
  linalg.exp ins(%pooled : memref<2x32x4x4xf32>) outs(%exp : memref<2x32x4x4xf32>)
  linalg.exp ins(%exp : memref<2x32x4x4xf32>) outs(%z : memref<2x32x4x4xf32>)
  linalg.exp ins(%h : memref<2x4x16x8xf32>) outs(%head : memref<2x4x16x8xf32>)
  linalg.generic {indexing_maps = [affine_map<(n, h, i, j, k) -> (n, h, i, k)>,
                                   affine_map<(n, h, i, j, k) -> (n, h, j, k)>,
                                   affine_map<(n, h, i, j, k) -> (n, h, i, j)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%head, %head : memref<2x4x16x8xf32>, memref<2x4x16x8xf32>)
      outs(%scores : memref<2x4x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  linalg.exp ins(%scores : memref<2x4x16x16xf32>) outs(%row : memref<2x4x16x16xf32>)
  linalg.exp ins(%row : memref<2x4x16x16xf32>) outs(%r : memref<2x4x16x16xf32>)
  return
}

// Borders are nearly the whole image, and each tile of them would be code of its own: the image is
// copied between zeros.
// CHECK-LABEL: func.func @wide_borders
// CHECK: rt.convolution forward ins(%{{.+}} : memref<2x32x1x7800xf32, {{.*}} padding [0, 0, 0, 0]
func.func @wide_borders(%x: memref<2x32x1x4000xf32>, %w: memref<32x32x1x3xf32>) {
  %y = memref.alloc() : memref<2x32x1x4000xf32>
  rt.convolution forward ins(%x, %w : memref<2x32x1x4000xf32>, memref<32x32x1x3xf32>)
      outs(%y : memref<2x32x1x4000xf32>)
      strides [1, 1] padding [0, 1900, 0, 1900] dilations [1, 1900] groups 1
  return
}

// With strides, the pixels of the gradient that see the same taps are several images: only where
// the input has one column is it one, and a border is wider padding in steps of the stride.
// CHECK-LABEL: func.func @wide_borders_in_steps
// CHECK-NOT: strided
// CHECK: return
func.func @wide_borders_in_steps(%y: memref<2x32x1x2000xf32>, %w: memref<32x32x1x3xf32>) {
  %x = memref.alloc() : memref<2x32x1x4000xf32>
  rt.convolution backward_data ins(%y, %w : memref<2x32x1x2000xf32>, memref<32x32x1x3xf32>)
      outs(%x : memref<2x32x1x4000xf32>)
      strides [1, 2] padding [0, 1900, 0, 1900] dilations [1, 1900] groups 1
  return
}

// One tap lies in the file as the gradient of the input reads it.
// CHECK-LABEL: func.func @one_tap
// CHECK-NOT: memref<32x16x1x1xf32, strided
// CHECK: rt.convolution backward_data ins(%{{.+}}, %arg1 :
func.func @one_tap(%y: memref<2x32x8x8xf32>, %w: memref<32x16x1x1xf32>,
                   %dx: memref<2x16x8x8xf32>) {
  rt.convolution backward_data ins(%y, %w : memref<2x32x8x8xf32>, memref<32x16x1x1xf32>)
      outs(%dx : memref<2x16x8x8xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// The matrix that a flatten makes of an image is in the order of the model: the convolution's
// result is copied there.
// CHECK-LABEL: func.func @flattened
// CHECK-DAG: %[[Y:.+]] = memref.alloc() : memref<2x32x8x8xf32>
// CHECK-DAG: %[[TEMPORARY:.+]] = memref.alloc() : memref<2x32x8x8xf32, strided<[2048, 1, 256, 32]>>
// CHECK: rt.convolution forward {{.*}} outs(%[[TEMPORARY]]
// CHECK: memref.copy %[[TEMPORARY]], %[[Y]]
// CHECK: memref.collapse_shape %[[Y]]
func.func @flattened(%x: memref<2x16x8x8xf32>, %w: memref<32x16x3x3xf32>,
                     %m: memref<2048x10xf32>, %z: memref<2x10xf32>) {
  %y = memref.alloc() : memref<2x32x8x8xf32>
  rt.convolution forward ins(%x, %w : memref<2x16x8x8xf32>, memref<32x16x3x3xf32>)
      outs(%y : memref<2x32x8x8xf32>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  %view = memref.collapse_shape %y [[0], [1, 2, 3]]
      : memref<2x32x8x8xf32> into memref<2x2048xf32>
  rt.matmul ins(%view, %m : memref<2x2048xf32>, memref<2048x10xf32>) outs(%z : memref<2x10xf32>)
  return
}

// A pooled image has a twin in the order of the model, for the matrix, and so has its gradient;
// everything else keeps its channels innermost.
// CHECK-LABEL: func.func @pooled
// CHECK: rt.convolution forward
// CHECK: linalg.exp {{.*}} outs(%[[TWIN:.+]] : memref<2x32x8x8xf32, strided<[2048, 1, 256, 32]>>)
// CHECK: linalg.exp ins(%[[TWIN]] {{.*}} outs(%[[TWIN]] :
// CHECK: memref.copy %[[TWIN]], %[[MATRIX:.+]] : {{.*}} to memref<2x32x8x8xf32>
// CHECK: memref.collapse_shape %[[MATRIX]]
// CHECK: %[[VIEW:.+]] = memref.expand_shape
// CHECK: %[[GRADIENT:.+]] = memref.alloc() : memref<2x32x8x8xf32, strided<[2048, 1, 256, 32]>>
// CHECK: memref.copy %[[VIEW]], %[[GRADIENT]]
// CHECK: linalg.mul ins(%[[GRADIENT]], %[[TWIN]]
func.func @pooled(%x: memref<2x16x8x8xf32>, %w: memref<32x16x3x3xf32>, %m: memref<2048x10xf32>,
                  %z: memref<2x10xf32>, %g: memref<2x2048xf32>) {
  %y = memref.alloc() : memref<2x32x8x8xf32>
  rt.convolution forward ins(%x, %w : memref<2x16x8x8xf32>, memref<32x16x3x3xf32>)
      outs(%y : memref<2x32x8x8xf32>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  %p = memref.alloc() : memref<2x32x8x8xf32>
  linalg.exp ins(%y : memref<2x32x8x8xf32>) outs(%p : memref<2x32x8x8xf32>)
  linalg.exp ins(%p : memref<2x32x8x8xf32>) outs(%p : memref<2x32x8x8xf32>)
  %view = memref.collapse_shape %p [[0], [1, 2, 3]]
      : memref<2x32x8x8xf32> into memref<2x2048xf32>
  rt.matmul ins(%view, %m : memref<2x2048xf32>, memref<2048x10xf32>) outs(%z : memref<2x10xf32>)
  %gradient = memref.expand_shape %g [[0], [1, 2, 3]] output_shape [2, 32, 8, 8]
      : memref<2x2048xf32> into memref<2x32x8x8xf32>
  linalg.mul ins(%gradient, %p : memref<2x32x8x8xf32>, memref<2x32x8x8xf32>) outs(%y : memref<2x32x8x8xf32>)
  return
}

// What is written after the matrix is read, and an image of one pixel, have no twin.
// CHECK-LABEL: func.func @no_twins
// CHECK-NOT: memref.copy %{{.+}}, %{{.+}} : memref<2x32x{{.*}}> to memref<2x32
// CHECK: return
func.func @no_twins(%x: memref<2x16x8x8xf32>, %w: memref<32x16x3x3xf32>, %m: memref<2048x10xf32>,
                    %n: memref<32x10xf32>, %z: memref<2x10xf32>) {
  %y = memref.alloc() : memref<2x32x8x8xf32>
  rt.convolution forward ins(%x, %w : memref<2x16x8x8xf32>, memref<32x16x3x3xf32>)
      outs(%y : memref<2x32x8x8xf32>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  %p = memref.alloc() : memref<2x32x8x8xf32>
  linalg.exp ins(%y : memref<2x32x8x8xf32>) outs(%p : memref<2x32x8x8xf32>)
  %view = memref.collapse_shape %p [[0], [1, 2, 3]]
      : memref<2x32x8x8xf32> into memref<2x2048xf32>
  rt.matmul ins(%view, %m : memref<2x2048xf32>, memref<2048x10xf32>) outs(%z : memref<2x10xf32>)
  linalg.exp ins(%y : memref<2x32x8x8xf32>) outs(%p : memref<2x32x8x8xf32>)
  %q = memref.alloc() : memref<2x32x1x1xf32>
  %corner = memref.subview %p[0, 0, 0, 0] [2, 32, 1, 1] [1, 1, 1, 1]
      : memref<2x32x8x8xf32> to memref<2x32x1x1xf32, strided<[2048, 64, 8, 1]>>
  linalg.exp ins(%corner : memref<2x32x1x1xf32, strided<[2048, 64, 8, 1]>>) outs(%q : memref<2x32x1x1xf32>)
  %pixel = memref.collapse_shape %q [[0], [1, 2, 3]] : memref<2x32x1x1xf32> into memref<2x32xf32>
  rt.matmul ins(%pixel, %n : memref<2x32xf32>, memref<32x10xf32>) outs(%z : memref<2x10xf32>)
  return
}

// 64 samples fill vectors, one channel and two filters do not: left to the pass that puts
// samples innermost.
// CHECK-LABEL: func.func @few_channels
// CHECK: memref.alloc() : memref<64x2x8x8xf32>
// CHECK-NOT: memref.copy
// THEN-LABEL: func.func @few_channels
// THEN: memref.alloc() : memref<64x2x8x8xf32, strided<[1, 4096, 512, 64]>>
func.func @few_channels(%x: memref<64x1x8x8xf32>, %w: memref<2x1x3x3xf32>) {
  %y = memref.alloc() : memref<64x2x8x8xf32>
  rt.convolution forward ins(%x, %w : memref<64x1x8x8xf32>, memref<2x1x3x3xf32>)
      outs(%y : memref<64x2x8x8xf32>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// One channel next to 31 taps: taps are terms where no pixel sees beyond its row, so rows are copied
// between zeros, and the convolution has no padding.
// CHECK-LABEL: func.func @wide
// CHECK: %[[X:.+]] = memref.alloc() : memref<2x1x3x75xf32, strided<[225, 1, 75, 1]>>
// CHECK: %[[BEFORE:.+]] = memref.subview %[[X]][0, 0, 0, 0] [2, 1, 3, 14] [1, 1, 1, 1]
// CHECK: linalg.fill ins(%{{.+}}) outs(%[[BEFORE]]
// CHECK: %[[AFTER:.+]] = memref.subview %[[X]][0, 0, 0, 59] [2, 1, 3, 16] [1, 1, 1, 1]
// CHECK: linalg.fill ins(%{{.+}}) outs(%[[AFTER]]
// CHECK: %[[ROWS:.+]] = memref.subview %[[X]][0, 0, 0, 14] [2, 1, 3, 45] [1, 1, 1, 1]
// CHECK: memref.copy %{{.+}}, %[[ROWS]]
// CHECK: rt.convolution forward ins(%[[X]], {{.*}} padding [0, 0, 0, 0]
// What is written keeps its shape, and the image is copied once.
// CHECK-NOT: memref<2x1x3x75xf32
// CHECK: rt.convolution backward_weight ins(%{{.+}}, %[[X]] : memref<2x8x3x45xf32{{.*}} padding [0, 0, 0, 0]
func.func @wide(%x: memref<2x1x3x45xf32>, %w: memref<8x1x1x31xf32>, %dw: memref<8x1x1x31xf32>) {
  %y = memref.alloc() : memref<2x8x3x45xf32>
  rt.convolution forward ins(%x, %w : memref<2x1x3x45xf32>, memref<8x1x1x31xf32>)
      outs(%y : memref<2x8x3x45xf32>)
      strides [1, 1] padding [0, 14, 0, 16] dilations [1, 1] groups 1
  rt.convolution backward_weight ins(%y, %x : memref<2x8x3x45xf32>, memref<2x1x3x45xf32>)
      outs(%dw : memref<8x1x1x31xf32>)
      strides [1, 1] padding [0, 14, 0, 16] dilations [1, 1] groups 1
  return
}

// The same for a depthwise convolution. In the gradient of the input the image is that of the output,
// whose zeros are those of a wider padding.
// CHECK-LABEL: func.func @wide_depthwise
// CHECK: memref.alloc() : memref<2x16x3x75xf32, strided<[3600, 1, 1200, 16]>>
// CHECK: rt.convolution backward_data ins(%{{.+}} : memref<2x16x3x75xf32{{.*}} padding [0, 30, 0, 30]
func.func @wide_depthwise(%y: memref<2x16x3x45xf32>, %w: memref<16x1x1x31xf32>,
                          %dx: memref<2x16x3x45xf32>) {
  rt.convolution backward_data ins(%y, %w : memref<2x16x3x45xf32>, memref<16x1x1x31xf32>)
      outs(%dx : memref<2x16x3x45xf32>)
      strides [1, 1] padding [0, 15, 0, 15] dilations [1, 1] groups 16
  return
}

// One column is one image, whatever the stride is. Here it does without a border.
// CHECK-LABEL: func.func @one_column
// CHECK: rt.convolution backward_data ins(%arg0, {{.*}} padding [3, 3, 3, 3]
func.func @one_column(%y: memref<2x8x1x1xf32>, %w: memref<8x64x7x7xf32>,
                      %dx: memref<2x64x1x1xf32>) {
  rt.convolution backward_data ins(%y, %w : memref<2x8x1x1xf32>, memref<8x64x7x7xf32>)
      outs(%dx : memref<2x64x1x1xf32>)
      strides [2, 2] padding [3, 3, 3, 3] dilations [1, 1] groups 1
  return
}

// An image that is both factors is copied for each.
// CHECK-LABEL: func.func @both_factors
// CHECK: rt.convolution backward_weight ins(%{{.+}} : memref<2x16x3x45xf32{{.*}}, memref<2x16x3x75xf32
func.func @both_factors(%x: memref<2x16x3x45xf32>, %dw: memref<16x1x1x31xf32>) {
  rt.convolution backward_weight ins(%x, %x : memref<2x16x3x45xf32>, memref<2x16x3x45xf32>)
      outs(%dw : memref<16x1x1x31xf32>)
      strides [1, 1] padding [0, 15, 0, 15] dilations [1, 1] groups 16
  return
}
}
