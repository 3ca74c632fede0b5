// RUN: boost-interpret %s
// RUN: boost-opt %s --boostc-build-backward | boost-interpret

// A loss whose gradient is known in closed form, before the backward is built (central
// differences) and after: log(1 + exp(x)) with x = [x0, 0] and label 1 has the gradient
// sigmoid(x0) with respect to x0; x0 = log 3 makes it 3/4.
train.program @value_and_grad batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<1x2xf32>, %label: tensor<1xi32>,
                             %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %sum, %count = nn.softmax_cross_entropy %x, %label, %valid
        : tensor<1x2xf32>, tensor<1xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }
  func.func @micro(%x: tensor<1x2xf32>, %label: tensor<1xi32>,
                   %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<1x2xf32>) {
    %sum, %count, %dx = train.value_and_grad @forward(%x, %label, %valid) wrt [0]
        : (tensor<1x2xf32>, tensor<1xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<1x2xf32>)
    return %sum, %count, %dx : tensor<f32>, tensor<i64>, tensor<1x2xf32>
  }
  func.func @main() {
    %x = arith.constant dense<[[1.0986122886681098, 0.0]]> : tensor<1x2xf32>
    %label = arith.constant dense<1> : tensor<1xi32>
    %one = arith.constant dense<1> : tensor<i32>
    %r:3 = call @micro(%x, %label, %one)
        : (tensor<1x2xf32>, tensor<1xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<1x2xf32>)
    // log 4; constants in f32, hence 1e-7.
    %sum = arith.constant dense<1.3862943611198906> : tensor<f32>
    check.expect_close %r#0, %sum atol 0.0 rtol 1.0e-7 : tensor<f32>
    %count = arith.constant dense<1> : tensor<i64>
    check.expect_eq %r#1, %count : tensor<i64>
    %dx = arith.constant dense<[[0.75, -0.75]]> : tensor<1x2xf32>
    check.expect_close %r#2, %dx atol 0.0 rtol 1.0e-7 : tensor<1x2xf32>
    return
  }
}
