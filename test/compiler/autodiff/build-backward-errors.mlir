// RUN: boost-opt %s --boostc-build-backward --split-input-file --verify-diagnostics

// A gradient may not be lost in an op that has none.
train.program @no_gradient batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x4xf32>, %label: tensor<3xi32>,
                             %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %sum, %count = nn.softmax_cross_entropy %x, %label, %valid
        : tensor<3x4xf32>, tensor<3xi32>
    // expected-error @+1 {{'nn.top_k' op has no gradient, but the loss depends on a parameter through it}}
    %top, %n = nn.top_k 1, %x, %label, %valid : tensor<3x4xf32>, tensor<3xi32>
    %loss = nn.add %sum, %top : tensor<f32>
    return %loss, %count : tensor<f32>, tensor<i64>
  }
  func.func @micro(%x: tensor<3x4xf32>, %label: tensor<3xi32>,
                   %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> tensor<3x4xf32> {
    // expected-note @+1 {{the gradient is asked for here}}
    %sum, %count, %dx = train.value_and_grad @forward(%x, %label, %valid) wrt [0]
        : (tensor<3x4xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x4xf32>)
    return %dx : tensor<3x4xf32>
  }
}

// -----

// Nor in a region that reads it from outside.
train.program @no_gradient_region batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<f32>, %f: tensor<f32>)
      -> (tensor<f32>, tensor<i64>) {
    %on = arith.constant true
    %count = arith.constant dense<1> : tensor<i64>
    // expected-error @+1 {{'scf.if' op has no gradient, but the loss depends on a parameter through it}}
    %loss = scf.if %on -> tensor<f32> {
      scf.yield %x : tensor<f32>
    } else {
      scf.yield %f : tensor<f32>
    }
    return %loss, %count : tensor<f32>, tensor<i64>
  }
  func.func @micro(%x: tensor<f32>) -> tensor<f32> {
    // expected-note @+1 {{the gradient is asked for here}}
    %sum, %count, %dx = train.value_and_grad @forward(%x, %x) wrt [0]
        : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i64>, tensor<f32>)
    return %dx : tensor<f32>
  }
}

// -----

train.program @valid_missing batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x4xf32>, %b: tensor<4xf32>,
                             %label: tensor<3xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    // expected-error @+1 {{'nn.bias_grad' op needs the number of real samples, but no argument of 'micro' is bound to #rt.binding<valid>}}
    %y = nn.bias %x, %b axis 1 : tensor<3x4xf32>, tensor<4xf32>
    // expected-error @+1 {{'nn.softmax_cross_entropy_grad' op needs the number of real samples, but no argument of 'micro' is bound to #rt.binding<valid>}}
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x4xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }
  // expected-note @+1 {{the function is here}}
  func.func @micro(%x: tensor<3x4xf32>, %b: tensor<4xf32>, %label: tensor<3xi32>,
                   %valid: tensor<i32>) -> tensor<4xf32> {
    %sum, %count, %db = train.value_and_grad @forward(%x, %b, %label, %valid) wrt [1]
        : (tensor<3x4xf32>, tensor<4xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<4xf32>)
    return %db : tensor<4xf32>
  }
}

// -----

// Without a gradient that needs it, its absence is fine.
train.program @valid_not_needed batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<f32>) -> (tensor<f32>, tensor<i64>) {
    %count = arith.constant dense<1> : tensor<i64>
    %loss = nn.add %x, %x : tensor<f32>
    return %loss, %count : tensor<f32>, tensor<i64>
  }
  func.func @micro(%x: tensor<f32>) -> tensor<f32> {
    %sum, %count, %dx = train.value_and_grad @forward(%x) wrt [0]
        : (tensor<f32>) -> (tensor<f32>, tensor<i64>, tensor<f32>)
    return %dx : tensor<f32>
  }
}

// -----

train.program @external batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-note @+1 {{the function is here}}
  func.func private @forward(tensor<f32>) -> (tensor<f32>, tensor<i64>)
  func.func @micro(%x: tensor<f32>) {
    // expected-error @+1 {{expected a straight-line function, found one without a body}}
    %sum, %count, %dx = train.value_and_grad @forward(%x) wrt [0]
        : (tensor<f32>) -> (tensor<f32>, tensor<i64>, tensor<f32>)
    return
  }
}

// -----

train.program @branches batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-note @+1 {{the function is here}}
  func.func private @forward(%x: tensor<f32>) -> (tensor<f32>, tensor<i64>) {
    %count = arith.constant dense<1> : tensor<i64>
    cf.br ^bb1
  ^bb1:
    return %x, %count : tensor<f32>, tensor<i64>
  }
  func.func @eval(%x: tensor<f32>) {
    // expected-error @+1 {{expected a straight-line function, found one with several blocks}}
    %loss:2 = train.evaluate @forward(%x) : (tensor<f32>) -> (tensor<f32>, tensor<i64>)
    return
  }
}

// -----

// Also what keeps a function from being cloned into itself.
train.program @recursive batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-note @+1 {{the function is here}}
  func.func @eval(%x: tensor<f32>) -> (tensor<f32>, tensor<i64>) {
    // expected-error @+1 {{expected a straight-line function, found one that evaluates another}}
    %loss:2 = train.evaluate @eval(%x) : (tensor<f32>) -> (tensor<f32>, tensor<i64>)
    return %loss#0, %loss#1 : tensor<f32>, tensor<i64>
  }
}
