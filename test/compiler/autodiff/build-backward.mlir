// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'
// RUN: boost-interpret %s --function=eval --tolerance=0 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// A two-layer perceptron: the whole backward, with captured names.
train.program @mlp batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.input @image : tensor<2x1x2x3xf32>
  train.input @label classes(3) : tensor<2xi32>
  train.parameter @fc1.weight weight <uniform, -0.5, 0.5> : tensor<4x6xf32>
  train.parameter @fc1.bias bias <constant, 0.0, 0.0> : tensor<4xf32>
  train.parameter @fc2.weight weight <uniform, -0.5, 0.5> : tensor<3x4xf32>

  func.func private @forward(%image: tensor<2x1x2x3xf32>, %label: tensor<2xi32>,
                             %valid: tensor<i32>, %w1: tensor<4x6xf32>,
                             %b1: tensor<4xf32>, %w2: tensor<3x4xf32>)
      -> (tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>) {
    %x = nn.flatten %image : tensor<2x1x2x3xf32>
    %z = nn.dense %x, %w1, %b1 : tensor<2x6xf32>, tensor<4x6xf32>, tensor<4xf32>
    %h = nn.relu %z : tensor<2x4xf32>
    %y = nn.dense %h, %w2 : tensor<2x4xf32>, tensor<3x4xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<2x3xf32>, tensor<2xi32>
    %top, %top_count = nn.top_k 1, %y, %label, %valid : tensor<2x3xf32>, tensor<2xi32>
    return %sum, %count, %top, %top_count
        : tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>
  }

  // Nothing names @forward any more.
  // CHECK-NOT: @forward

  // CHECK-LABEL: func.func @micro
  // CHECK-SAME: %[[IMAGE:[a-z0-9]+]]: tensor<2x1x2x3xf32>
  // CHECK-SAME: %[[LABEL:[a-z0-9]+]]: tensor<2xi32>
  // CHECK-SAME: %[[VALID:[a-z0-9]+]]: tensor<i32>
  // CHECK-SAME: %[[W1:[a-z0-9]+]]: tensor<4x6xf32>
  // CHECK-SAME: %[[B1:[a-z0-9]+]]: tensor<4xf32>
  // CHECK-SAME: %[[W2:[a-z0-9]+]]: tensor<3x4xf32>
  func.func @micro(
      %image: tensor<2x1x2x3xf32> {rt.binding = #rt.binding<input, "image">},
      %label: tensor<2xi32> {rt.binding = #rt.binding<input, "label">},
      %valid: tensor<i32> {rt.binding = #rt.binding<valid>},
      %w1: tensor<4x6xf32> {rt.binding = #rt.binding<parameter, "fc1.weight">},
      %b1: tensor<4xf32> {rt.binding = #rt.binding<parameter, "fc1.bias">},
      %w2: tensor<3x4xf32> {rt.binding = #rt.binding<parameter, "fc2.weight">})
      -> (tensor<4x6xf32> {rt.binding = #rt.binding<gradient, "fc1.weight">},
          tensor<4xf32> {rt.binding = #rt.binding<gradient, "fc1.bias">},
          tensor<3x4xf32> {rt.binding = #rt.binding<gradient, "fc2.weight">},
          tensor<f32> {rt.binding = #rt.binding<loss_sum>},
          tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    // CHECK: %[[X:.+]] = nn.flatten %[[IMAGE]]
    // CHECK: %[[Z:.+]] = nn.dense %[[X]], %[[W1]], %[[B1]]
    // CHECK: %[[H:.+]] = nn.relu %[[Z]]
    // CHECK: %[[Y:.+]] = nn.dense %[[H]], %[[W2]]
    // CHECK: %[[SUM:.+]], %[[COUNT:.+]] = nn.softmax_cross_entropy %[[Y]], %[[LABEL]], %[[VALID]]
    // The metric is dead here, and the image needs no gradient.
    // CHECK-NOT: nn.top_k
    // CHECK-NOT: nn.reshape
    // CHECK: %[[ONE:.+]] = arith.constant dense<1.000000e+00> : tensor<f32>
    // CHECK: %[[DY:.+]] = nn.softmax_cross_entropy_grad %[[ONE]], %[[Y]], %[[LABEL]], %[[VALID]]
    // CHECK: %[[DH:.+]] = nn.dense_grad_input %[[DY]], %[[W2]]
    // CHECK: %[[DW2:.+]] = nn.dense_grad_weight %[[DY]], %[[H]]
    // CHECK: %[[DZ:.+]] = nn.elementwise_grad %[[DH]], %[[H]] of nn.relu
    // CHECK-NOT: nn.dense_grad_input
    // CHECK: %[[DW1:.+]] = nn.dense_grad_weight %[[DZ]], %[[X]]
    // CHECK: %[[DB1:.+]] = nn.bias_grad %[[DZ]], %[[VALID]]
    // CHECK: return %[[DW1]], %[[DB1]], %[[DW2]], %[[SUM]], %[[COUNT]]
    %sum, %count, %dw1, %db1, %dw2 =
        train.value_and_grad @forward(%image, %label, %valid, %w1, %b1, %w2)
        wrt [3, 4, 5]
        : (tensor<2x1x2x3xf32>, tensor<2xi32>, tensor<i32>, tensor<4x6xf32>,
           tensor<4xf32>, tensor<3x4xf32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x6xf32>, tensor<4xf32>, tensor<3x4xf32>)
    return %dw1, %db1, %dw2, %sum, %count : tensor<4x6xf32>, tensor<4xf32>,
        tensor<3x4xf32>, tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @eval
  func.func @eval(
      %image: tensor<2x1x2x3xf32> {rt.binding = #rt.binding<input, "image">},
      %label: tensor<2xi32> {rt.binding = #rt.binding<input, "label">},
      %valid: tensor<i32> {rt.binding = #rt.binding<valid>},
      %w1: tensor<4x6xf32> {rt.binding = #rt.binding<parameter, "fc1.weight">},
      %b1: tensor<4xf32> {rt.binding = #rt.binding<parameter, "fc1.bias">},
      %w2: tensor<3x4xf32> {rt.binding = #rt.binding<parameter, "fc2.weight">})
      -> (tensor<f32> {rt.binding = #rt.binding<metric_sum, "loss">},
          tensor<i64> {rt.binding = #rt.binding<metric_count, "loss">},
          tensor<f32> {rt.binding = #rt.binding<metric_sum, "top_1">},
          tensor<i64> {rt.binding = #rt.binding<metric_count, "top_1">}) {
    // CHECK: %[[SUM:.+]], %[[COUNT:.+]] = nn.softmax_cross_entropy
    // CHECK: %[[TOP:.+]], %[[TOPCOUNT:.+]] = nn.top_k 1
    // CHECK: return %[[SUM]], %[[COUNT]], %[[TOP]], %[[TOPCOUNT]]
    %sum, %count, %top, %top_count =
        train.evaluate @forward(%image, %label, %valid, %w1, %b1, %w2)
        : (tensor<2x1x2x3xf32>, tensor<2xi32>, tensor<i32>, tensor<4x6xf32>,
           tensor<4xf32>, tensor<3x4xf32>)
        -> (tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>)
    return %sum, %count, %top, %top_count
        : tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>
  }
}
