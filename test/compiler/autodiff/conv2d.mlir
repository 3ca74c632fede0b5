// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// The gradients of a convolution with everything: steps, padding, dilation, groups, bias.
train.program @p batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<2x4x7x9xf32>, %w: tensor<6x2x3x2xf32>,
    %b: tensor<6xf32>, %label: tensor<2xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    %h = nn.conv2d %x, %w, %b strides [2, 1] padding [1, 0, 0, 2] dilations [1, 2] groups 2
        : tensor<2x4x7x9xf32>, tensor<6x2x3x2xf32>, tensor<6xf32>
    %f = nn.flatten %h : tensor<2x6x3x9xf32>
    %sum, %count = nn.softmax_cross_entropy %f, %label, %valid
        : tensor<2x162xf32>, tensor<2xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: %[[DY:.+]] = nn.reshape
  // CHECK: nn.conv2d_grad_input %[[DY]], %{{.+}} strides [2, 1] padding [1, 0, 0, 2] dilations [1, 2] groups 2
  // CHECK: nn.conv2d_grad_weight %[[DY]]
  // CHECK: nn.bias_grad %[[DY]]
  func.func @micro(%x: tensor<2x4x7x9xf32>, %w: tensor<6x2x3x2xf32>,
    %b: tensor<6xf32>, %label: tensor<2xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<2x4x7x9xf32>, tensor<6x2x3x2xf32>, tensor<6xf32>) {
    %sum, %count, %dx, %dw, %db =
        train.value_and_grad @forward(%x, %w, %b, %label, %valid)
        wrt [0, 1, 2]
        : (tensor<2x4x7x9xf32>, tensor<6x2x3x2xf32>, tensor<6xf32>, tensor<2xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<2x4x7x9xf32>, tensor<6x2x3x2xf32>, tensor<6xf32>)
    return %sum, %count, %dx, %dw, %db
        : tensor<f32>, tensor<i64>, tensor<2x4x7x9xf32>, tensor<6x2x3x2xf32>, tensor<6xf32>
  }
}
