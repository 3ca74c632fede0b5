// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-assign-layouts))" | FileCheck %s

train.program @p batch_size(8) micro_batches(1) epochs(1) seed(1) recipe("{}") {

// Images between convolutions lie with the batch innermost; one from outside is copied
// once, however many read it. The view that a product reads is a transposed matrix.
// CHECK-LABEL: func.func @images
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8x1x6x6xf32>
// CHECK: %[[Y:.+]] = memref.alloc() : memref<8x2x4x4xf32, strided<[1, 128, 32, 8]>>
// CHECK: %[[COPY:.+]] = memref.alloc() : memref<8x1x6x6xf32, strided<[1, 288, 48, 8]>>
// CHECK: memref.copy %[[X]], %[[COPY]]
// CHECK: rt.convolution forward ins(%[[COPY]], %{{.+}} outs(%[[Y]]
// CHECK: %[[VIEW:.+]] = memref.collapse_shape %[[Y]] {{.*}} into memref<8x32xf32, strided<[1, 8]>>
// CHECK: rt.matmul ins(%[[VIEW]],
// CHECK-NOT: memref.copy
// CHECK: rt.convolution backward_weight ins(%[[Y]], %[[COPY]]
func.func @images(%x: memref<8x1x6x6xf32>, %w: memref<2x1x3x3xf32>, %m: memref<32x5xf32>,
                  %z: memref<8x5xf32>) {
  %y = memref.alloc() : memref<8x2x4x4xf32>
  rt.convolution forward ins(%x, %w : memref<8x1x6x6xf32>, memref<2x1x3x3xf32>)
      outs(%y : memref<8x2x4x4xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  %view = memref.collapse_shape %y [[0], [1, 2, 3]]
      : memref<8x2x4x4xf32> into memref<8x32xf32>
  rt.matmul ins(%view, %m : memref<8x32xf32>, memref<32x5xf32>) outs(%z : memref<8x5xf32>)
  rt.convolution backward_weight ins(%y, %x : memref<8x2x4x4xf32>, memref<8x1x6x6xf32>)
      outs(%w : memref<2x1x3x3xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// The parts of a concatenation are slices of it, and follow it.
// CHECK-LABEL: func.func @concatenation
// CHECK: %[[WHOLE:.+]] = memref.alloc() : memref<8x3x4x4xf32, strided<[1, 128, 32, 8]>>
// CHECK: memref.subview %[[WHOLE]]{{.*}} to memref<8x2x4x4xf32, strided<[1, 128, 32, 8], offset: 128>>
func.func @concatenation(%x: memref<8x1x6x6xf32>, %w: memref<2x1x3x3xf32>, %z: memref<8x3x4x4xf32>) {
  %whole = memref.alloc() : memref<8x3x4x4xf32>
  %y = memref.alloc() : memref<8x2x4x4xf32>
  rt.convolution forward ins(%x, %w : memref<8x1x6x6xf32>, memref<2x1x3x3xf32>)
      outs(%y : memref<8x2x4x4xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  %second = memref.subview %whole[0, 1, 0, 0] [8, 2, 4, 4] [1, 1, 1, 1]
      : memref<8x3x4x4xf32> to memref<8x2x4x4xf32, strided<[48, 16, 4, 1], offset: 16>>
  memref.copy %y, %second : memref<8x2x4x4xf32> to memref<8x2x4x4xf32, strided<[48, 16, 4, 1], offset: 16>>
  linalg.exp ins(%whole : memref<8x3x4x4xf32>) outs(%z : memref<8x3x4x4xf32>)
  return
}

// What a product writes stays row-major, and its image is copied for the convolution.
// CHECK-LABEL: func.func @written_as_matrix
// CHECK: %[[Y:.+]] = memref.alloc() : memref<8x2x4x4xf32>
// CHECK: %[[COPY:.+]] = memref.alloc() : memref<8x2x4x4xf32, strided<[1, 128, 32, 8]>>
// CHECK: memref.copy %[[Y]], %[[COPY]]
// CHECK: rt.convolution backward_data ins(%[[COPY]]
func.func @written_as_matrix(%a: memref<8x3xf32>, %m: memref<3x32xf32>,
                             %w: memref<2x1x3x3xf32>, %x: memref<8x1x6x6xf32>) {
  %y = memref.alloc() : memref<8x2x4x4xf32>
  %view = memref.collapse_shape %y [[0], [1, 2, 3]]
      : memref<8x2x4x4xf32> into memref<8x32xf32>
  rt.matmul ins(%a, %m : memref<8x3xf32>, memref<3x32xf32>) outs(%view : memref<8x32xf32>)
  rt.convolution backward_data ins(%y, %w : memref<8x2x4x4xf32>, memref<2x1x3x3xf32>)
      outs(%x : memref<8x1x6x6xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// No part of a vector fits a batch of three.
// CHECK-LABEL: func.func @odd_batch
// CHECK: memref.alloc() : memref<3x2x4x4xf32>
// CHECK-NOT: memref.copy
func.func @odd_batch(%x: memref<3x1x6x6xf32>, %w: memref<2x1x3x3xf32>) {
  %y = memref.alloc() : memref<3x2x4x4xf32>
  rt.convolution forward ins(%x, %w : memref<3x1x6x6xf32>, memref<2x1x3x3xf32>)
      outs(%y : memref<3x2x4x4xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}
// A library reads images as they are: nothing moves where one computes a convolution.
// CHECK-LABEL: func.func @library
// CHECK: memref.alloc() : memref<8x2x4x4xf32>
// CHECK-NOT: strided
// CHECK-NOT: memref.copy
// CHECK: return
func.func @library(%x: memref<8x1x6x6xf32>, %w: memref<2x1x3x3xf32>, %s: memref<64xi8>) {
  %y = memref.alloc() : memref<8x2x4x4xf32>
  rt.convolution forward ins(%x, %w : memref<8x1x6x6xf32>, memref<2x1x3x3xf32>)
      outs(%y : memref<8x2x4x4xf32>) scratch(%s : memref<64xi8>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  rt.convolution backward_weight ins(%y, %x : memref<8x2x4x4xf32>, memref<8x1x6x6xf32>)
      outs(%w : memref<2x1x3x3xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}
}
