// RUN: boost-opt %s --boostc-build-backward | boost-interpret

// At the kink, where a central difference would give one half, the gradient is zero; for
// the smallest number above it passes.
train.program @relu_tie batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<1x4xf32>, %label: tensor<1xi32>,
                             %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %y = nn.relu %x : tensor<1x4xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<1x4xf32>, tensor<1xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }
  func.func @micro(%x: tensor<1x4xf32>, %label: tensor<1xi32>,
                   %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> tensor<1x4xf32> {
    %sum, %count, %dx = train.value_and_grad @forward(%x, %label, %valid) wrt [0]
        : (tensor<1x4xf32>, tensor<1xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<1x4xf32>)
    return %dx : tensor<1x4xf32>
  }
  func.func @main() {
    %x = arith.constant dense<[[0.0, -0.0, 1.0e-45, -1.0e-45]]> : tensor<1x4xf32>
    %label = arith.constant dense<3> : tensor<1xi32>
    %one = arith.constant dense<1> : tensor<i32>
    %dx = call @micro(%x, %label, %one)
        : (tensor<1x4xf32>, tensor<1xi32>, tensor<i32>) -> tensor<1x4xf32>
    %expected = arith.constant dense<[[0.0, 0.0, 0.25, 0.0]]> : tensor<1x4xf32>
    check.expect_close %dx, %expected atol 1.0e-12 rtol 0.0 : tensor<1x4xf32>
    return
  }
}
