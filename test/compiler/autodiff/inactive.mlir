// RUN: boost-opt %s --boostc-build-backward --verify-diagnostics | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// What the loss does not depend on gets a zero gradient and no backward: a parameter that
// nothing reads (%unused) and one that only a metric reads (%probe), also through an op
// that has no gradient. A gradient that is not asked for (%frozen, %x) is not built.
train.program @inactive batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <uniform, -1.0, 1.0> : tensor<4x2xf32>
  // expected-warning @+1 {{the loss does not depend on parameter 'unused'; its gradient is zero}}
  train.parameter @unused bias <uniform, -1.0, 1.0> : tensor<4xf32>
  // expected-warning @+1 {{the loss does not depend on parameter 'probe'; its gradient is zero}}
  train.parameter @probe weight <uniform, -1.0, 1.0> : tensor<4x4xf32>

  func.func private @forward(%x: tensor<3x2xf32>, %w: tensor<4x2xf32>,
                             %frozen: tensor<4xf32>, %unused: tensor<4xf32>,
                             %probe: tensor<4x4xf32>, %label: tensor<3xi32>,
                             %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>) {
    %z = nn.dense %x, %w : tensor<3x2xf32>, tensor<4x2xf32>
    %y = nn.bias %z, %frozen axis 1 : tensor<3x4xf32>, tensor<4xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x4xf32>, tensor<3xi32>
    %p = nn.dense %y, %probe : tensor<3x4xf32>, tensor<4x4xf32>
    %top, %n = nn.top_k 1, %p, %label, %valid : tensor<3x4xf32>, tensor<3xi32>
    return %sum, %count, %top, %n : tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK-NOT: nn.top_k
  // CHECK: %[[DY:.+]] = nn.softmax_cross_entropy_grad
  // CHECK-NOT: nn.bias_grad
  // CHECK-NOT: nn.dense_grad_input
  // CHECK: %[[DW:.+]] = nn.dense_grad_weight %[[DY]]
  // CHECK: %[[ZERO1:.+]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: %[[ZERO2:.+]] = arith.constant dense<0.000000e+00> : tensor<4x4xf32>
  // CHECK: return %[[DW]], %[[ZERO1]], %[[ZERO2]]
  func.func @micro(
      %x: tensor<3x2xf32> {rt.binding = #rt.binding<input, "x">},
      %w: tensor<4x2xf32> {rt.binding = #rt.binding<parameter, "w">},
      %frozen: tensor<4xf32> {rt.binding = #rt.binding<parameter, "frozen">},
      %unused: tensor<4xf32> {rt.binding = #rt.binding<parameter, "unused">},
      %probe: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "probe">},
      %label: tensor<3xi32> {rt.binding = #rt.binding<input, "label">},
      %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<4x2xf32>, tensor<4xf32>, tensor<4x4xf32>) {
    %sum, %count, %dw, %du, %dp =
        train.value_and_grad @forward(%x, %w, %frozen, %unused, %probe, %label, %valid)
        wrt [1, 3, 4]
        : (tensor<3x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4xf32>,
           tensor<4x4xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x2xf32>, tensor<4xf32>, tensor<4x4xf32>)
    return %dw, %du, %dp : tensor<4x2xf32>, tensor<4xf32>, tensor<4x4xf32>
  }

  // An argument that is not a parameter has no better location for the warning.
  // CHECK-LABEL: func.func @input_gradient
  // CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: return %[[ZERO]]
  func.func @input_gradient(%x: tensor<3x2xf32>, %w: tensor<4x2xf32>, %b: tensor<4xf32>,
                            %p: tensor<4x4xf32>, %label: tensor<3xi32>,
                            %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> tensor<4xf32> {
    // expected-warning @+2 {{the loss does not depend on argument 3; its gradient is zero}}
    %sum, %count, %db =
        train.value_and_grad @forward(%x, %w, %b, %b, %p, %label, %valid) wrt [3]
        : (tensor<3x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4xf32>,
           tensor<4x4xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<4xf32>)
    return %db : tensor<4xf32>
  }
}
