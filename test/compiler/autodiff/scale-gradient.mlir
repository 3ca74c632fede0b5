// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-opt %s --boostc-build-backward | boost-interpret --function=micro --tolerance=1e-6
// RUN: boost-opt %s --boostc-build-backward | boost-interpret --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg,boostc-fuse-elementwise))'

// The loss is that without marks. Before a mark gradients are 3 / 6 of those after it. The input
// reaches the loss over two marked edges and one without: all have the scale of the input. Central
// differences know nothing of marks, so the gradients of a function without are the measure.
train.program @scale_gradient batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @plain(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %v: tensor<4x4xf32>,
    %label: tensor<2xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %a = nn.dense %x, %w : tensor<2x3xf32>, tensor<4x3xf32>
    %b = nn.tanh %a : tensor<2x4xf32>
    %c = nn.dense %b, %v : tensor<2x4xf32>, tensor<4x4xf32>
    %d = nn.add %b, %c : tensor<2x4xf32>
    %sum, %count = nn.softmax_cross_entropy %d, %label, %valid : tensor<2x4xf32>, tensor<2xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }
  func.func private @marked(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %v: tensor<4x4xf32>,
    %label: tensor<2xi32>, %valid: tensor<i32>, %s0: tensor<f32>, %s1: tensor<f32>)
      -> (tensor<f32>, tensor<i64>) {
    %a = nn.dense %x, %w : tensor<2x3xf32>, tensor<4x3xf32>
    %b = nn.tanh %a : tensor<2x4xf32>
    %m = nn.scale_gradient %b by %s0 over %s1 : tensor<2x4xf32>
    %c = nn.dense %m, %v : tensor<2x4xf32>, tensor<4x4xf32>
    %d = nn.add %m, %c : tensor<2x4xf32>
    %sum, %count = nn.softmax_cross_entropy %d, %label, %valid : tensor<2x4xf32>, tensor<2xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: %[[DY:.+]] = nn.elementwise_grad
  // CHECK: %[[M:.+]] = nn.scale_gradient %[[B:.+]] by %[[S0:.+]] over %[[S1:.+]] : tensor<2x4xf32>
  // CHECK: %[[DM:.+]] = nn.scale_gradient_grad %{{.+}} by %[[S0]] over %[[S1]] : tensor<2x4xf32>
  // CHECK: nn.elementwise_grad %[[DM]], %[[B]]
  // CHECK-NOT: nn.scale_gradient_grad
  func.func @micro(%valid: tensor<i32> {rt.binding = #rt.binding<valid>}) {
    %x = arith.constant dense<[[0.5, -1.0, 0.25], [-0.75, 0.5, 1.0]]> : tensor<2x3xf32>
    %w = arith.constant dense<[[0.5, 0.25, -1.0], [1.0, -0.5, 0.5], [-0.25, 0.75, 0.5], [0.5, 1.0, 0.25]]>
        : tensor<4x3xf32>
    %v = arith.constant dense<[[1.0, 0.5, -0.5, 0.25], [0.5, -1.0, 0.5, 0.75], [0.25, 0.5, 1.0, -0.5],
                               [-0.5, 0.25, 0.5, 1.0]]> : tensor<4x4xf32>
    %label = arith.constant dense<[2, 0]> : tensor<2xi32>
    %s0 = arith.constant dense<3.0> : tensor<f32>
    %s1 = arith.constant dense<6.0> : tensor<f32>
    %sum, %count, %dw, %dv = train.value_and_grad @plain(%x, %w, %v, %label, %valid) wrt [1, 2]
        : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<2xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x3xf32>, tensor<4x4xf32>)
    %sum2, %count2, %dw2, %dv2 = train.value_and_grad @marked(%x, %w, %v, %label, %valid, %s0, %s1)
        scale(%s1) wrt [1, 2]
        : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<2xi32>, tensor<i32>,
           tensor<f32>, tensor<f32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x3xf32>, tensor<4x4xf32>)
    check.expect_eq %sum2, %sum : tensor<f32>
    %u = train.unscale_gradient %dw2 by %s0 : tensor<4x3xf32>
    check.expect_close %u, %dw atol 1.0e-7 rtol 1.0e-6 : tensor<4x3xf32>
    %t = train.unscale_gradient %dv2 by %s1 : tensor<4x4xf32>
    check.expect_close %t, %dv atol 1.0e-7 rtol 1.0e-6 : tensor<4x4xf32>
    return
  }
}
