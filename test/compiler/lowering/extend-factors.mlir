// RUN: boost-opt %s --boostc-extend-factors | FileCheck %s

// Factors become f32, each by an op of its own; so does the result of a matmul, which is rounded
// after it. A convolution rounds what it writes. What is f32 stays.
train.program @p batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // CHECK-LABEL: func.func @matmul
  // CHECK-SAME: (%[[X:.+]]: tensor<2x4xbf16>, %[[W:.+]]: tensor<4x3xbf16>)
  // CHECK: %[[C:.+]] = tensor.empty() : tensor<2x3xf32>
  // CHECK: %[[A:.+]] = linalg.generic {{.*}} ins(%[[X]] : tensor<2x4xbf16>)
  // CHECK: arith.extf
  // CHECK: %[[B:.+]] = linalg.generic {{.*}} ins(%[[W]] : tensor<4x3xbf16>)
  // CHECK: %[[Y:.+]] = rt.matmul ins(%[[A]], %[[B]] : tensor<2x4xf32>, tensor<4x3xf32>) outs(%[[C]] : tensor<2x3xf32>)
  // CHECK: %[[R:.+]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<2x3xf32>)
  // CHECK: arith.truncf
  // CHECK: return %[[R]] : tensor<2x3xbf16>
  func.func @matmul(%x: tensor<2x4xbf16>, %w: tensor<4x3xbf16>) -> tensor<2x3xbf16> {
    %o = tensor.empty() : tensor<2x3xbf16>
    %y = rt.matmul ins(%x, %w : tensor<2x4xbf16>, tensor<4x3xbf16>) outs(%o : tensor<2x3xbf16>)
        -> tensor<2x3xbf16>
    return %y : tensor<2x3xbf16>
  }

  // CHECK-LABEL: func.func @convolution
  // CHECK-COUNT-2: arith.extf
  // CHECK: rt.convolution forward {{.*}}ins(%{{.*}}, %{{.*}} : tensor<1x1x3x3xf32>, tensor<2x1x2x2xf32>) outs(%{{.*}} : tensor<1x2x2x2xf16>)
  // CHECK-NOT: arith.truncf
  func.func @convolution(%x: tensor<1x1x3x3xf16>, %w: tensor<2x1x2x2xf16>) -> tensor<1x2x2x2xf16> {
    %o = tensor.empty() : tensor<1x2x2x2xf16>
    %y = rt.convolution forward ins(%x, %w : tensor<1x1x3x3xf16>, tensor<2x1x2x2xf16>)
        outs(%o : tensor<1x2x2x2xf16>) strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        -> tensor<1x2x2x2xf16>
    return %y : tensor<1x2x2x2xf16>
  }

  // CHECK-LABEL: func.func @plain
  // CHECK-NOT: linalg.generic
  // CHECK: return
  func.func @plain(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>) -> tensor<2x3xf32> {
    %o = tensor.empty() : tensor<2x3xf32>
    %y = rt.matmul ins(%x, %w : tensor<2x4xf32>, tensor<4x3xf32>) outs(%o : tensor<2x3xf32>)
        -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
