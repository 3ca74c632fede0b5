// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-lower-to-linalg))" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,LIBRARY
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-lower-to-linalg{use-library=false}))" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,LOOPS

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {

// A contraction is the library's, its bias inside the call; without the library it is
// three loops, the last of them a reduction.
// CHECK-LABEL: func.func @dense
// CHECK-SAME: (%[[X:.+]]: tensor<4x3xf32>, %[[W:.+]]: tensor<5x3xf32>, %[[B:.+]]: tensor<5xf32>)
// LIBRARY: %[[E:.+]] = tensor.empty() : tensor<4x5xf32>
// LIBRARY: rt.matmul ins({{ ?}}%[[X]], transposed %[[W]] : {{.*}}) bias(%[[B]] : {{.*}}) outs(%[[E]] : {{.*}})
// LIBRARY-NOT: linalg
// LOOPS-NOT: rt.matmul
// LOOPS: linalg.fill
// LOOPS: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[W]]
// LOOPS: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %[[B]]
// CHECK: return
func.func @dense(%x: tensor<4x3xf32>, %w: tensor<5x3xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> {
  %y = nn.dense %x, %w, %b : tensor<4x3xf32>, tensor<5x3xf32>, tensor<5xf32>
  return %y : tensor<4x5xf32>
}

// A kernel over a whole image is a dense layer, whatever its strides.
// CHECK-LABEL: func.func @whole
// CHECK-SAME: (%[[X:.+]]: tensor<4x2x3x5xf32>, %[[W:.+]]: tensor<6x2x3x5xf32>, %[[B:.+]]: tensor<6xf32>)
// CHECK-DAG: %[[XR:.+]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1, 2, 3]] : {{.*}} into tensor<4x30xf32>
// CHECK-DAG: %[[WR:.+]] = tensor.collapse_shape %[[W]] {{\[\[}}0], [1, 2, 3]] : {{.*}} into tensor<6x30xf32>
// LIBRARY: %[[Y:.+]] = rt.matmul ins(%[[XR]], transposed %[[WR]] : {{.*}}) bias(%[[B]] : {{.*}}) outs({{.*}}) -> tensor<4x6xf32>
// LIBRARY: tensor.expand_shape %[[Y]] {{.*}} into tensor<4x6x1x1xf32>
// LOOPS: linalg.generic {{.*}}"reduction"]} ins(%[[XR]], %[[WR]]
// CHECK-NOT: rt.convolution
// CHECK: return
func.func @whole(%x: tensor<4x2x3x5xf32>, %w: tensor<6x2x3x5xf32>, %b: tensor<6xf32>)
    -> tensor<4x6x1x1xf32> {
  %y = nn.conv2d %x, %w, %b strides [2, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
      : tensor<4x2x3x5xf32>, tensor<6x2x3x5xf32>, tensor<6xf32>
  return %y : tensor<4x6x1x1xf32>
}

// One over all rows: they are more channels, of the weights, too.
// CHECK-LABEL: func.func @rows
// CHECK: tensor.collapse_shape %{{.+}} {{\[\[}}0], [1, 2], [3]] : tensor<4x2x3x5xf32> into tensor<4x6x5xf32>
// CHECK: tensor.collapse_shape %{{.+}} {{\[\[}}0], [1, 2], [3]] : tensor<8x2x3x2xf32> into tensor<8x6x2xf32>
// CHECK: rt.convolution forward ins({{.*}} : tensor<4x6x1x5xf32>, tensor<8x6x1x2xf32>)
// CHECK-SAME: strides [1, 3] padding [0, 1, 0, 0] dilations [1, 2] groups 1 -> tensor<4x8x1x2xf32>
// CHECK: return
func.func @rows(%x: tensor<4x2x3x5xf32>, %w: tensor<8x2x3x2xf32>) -> tensor<4x8x1x2xf32> {
  %y = nn.conv2d %x, %w strides [1, 3] padding [0, 1, 0, 0] dilations [1, 2] groups 1
      : tensor<4x2x3x5xf32>, tensor<8x2x3x2xf32>
  return %y : tensor<4x8x1x2xf32>
}

// One over all columns, after rows and columns are exchanged; in a gradient, before they are.
// CHECK-LABEL: func.func @columns
// CHECK: rt.convolution backward_data ins({{.*}} : tensor<4x8x1x2xf32>, tensor<8x10x1x2xf32>)
// CHECK-SAME: strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 -> tensor<4x10x1x3xf32>
// CHECK: tensor.expand_shape {{.*}} {{\[\[}}0], [1, 2], [3]] {{.*}} into tensor<4x2x5x3xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x2x3x5xf32>)
// CHECK: return
func.func @columns(%dy: tensor<4x8x2x1xf32>, %w: tensor<8x2x2x5xf32>) -> tensor<4x2x3x5xf32> {
  %dx = nn.conv2d_grad_input %dy, %w strides [1, 2] padding [0, 0, 0, 0] dilations [1, 1] groups 1
      : tensor<4x8x2x1xf32>, tensor<8x2x2x5xf32> -> tensor<4x2x3x5xf32>
  return %dx : tensor<4x2x3x5xf32>
}

// Neither shape refines the other: what both have in common stays, the batch above all.
// CHECK-LABEL: func.func @reshape
// CHECK: %[[C:.+]] = tensor.collapse_shape %{{.+}} {{\[\[}}0], [1, 2], [3, 4]] : tensor<4x6x10x1x7xf32> into tensor<4x60x7xf32>
// CHECK: tensor.expand_shape %[[C]] {{\[\[}}0], [1, 2], [3, 4]] output_shape [4, 5, 12, 7, 1]
// CHECK: return
func.func @reshape(%x: tensor<4x6x10x1x7xf32>) -> tensor<4x5x12x7x1xf32> {
  %y = nn.reshape %x : tensor<4x6x10x1x7xf32> to tensor<4x5x12x7x1xf32>
  return %y : tensor<4x5x12x7x1xf32>
}

// The library has no such op, so that the option changes nothing.
// CHECK-LABEL: func.func @relu
// CHECK-NOT: nn.
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]}
// CHECK-NOT: nn.
// CHECK: return
func.func @relu(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %y = nn.relu %x : tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// An op with a library call only is not asked for loops.
// CHECK-LABEL: func.func @init
// CHECK: rt.fill "w" <uniform, -5.000000e-01 : f64, 5.000000e-01 : f64> seed(%{{.*}}) outs(%{{.*}}) -> tensor<5x3xf32>
func.func @init(%seed: tensor<i64>) -> tensor<5x3xf32> {
  %w = train.initialize "w" <uniform, -0.5, 0.5> seed(%seed) : tensor<5x3xf32>
  return %w : tensor<5x3xf32>
}

// A splat needs no global; what is not a tensor stays.
// CHECK-LABEL: func.func @constants
// CHECK-NOT: dense<
// CHECK-DAG: %[[C:.+]] = arith.constant 2.500000e+00 : f32
// CHECK-DAG: %[[I:.+]] = arith.constant 7 : i64
// CHECK-DAG: %[[F:.+]] = linalg.fill ins(%[[C]] : f32) outs(%{{.+}} : tensor<4xf32>) -> tensor<4xf32>
// CHECK: return %[[F]], %[[I]]
func.func @constants() -> (tensor<4xf32>, i64) {
  %c = arith.constant dense<2.5> : tensor<4xf32>
  %i = arith.constant 7 : i64
  return %c, %i : tensor<4xf32>, i64
}

}
