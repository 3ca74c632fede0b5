// What would be test/compiler/autodiff/square.mlir: the backward equals central
// differences of the forward, and the lowering equals the reference.
// RUN: boost-interpret %s --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'
// RUN: boost-interpret %s --tolerance=1e-6 --compare-after='builtin.module( \
// RUN:   train.program(boostc-build-backward,boostc-lower-to-linalg))'

train.program @square batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x4xf32>, %w: tensor<5x4xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %h = nn.square %x : tensor<3x4xf32>
    %z = nn.dense %h, %w : tensor<3x4xf32>, tensor<5x4xf32>
    %logits = nn.square %z : tensor<3x5xf32>
    %sum, %count = nn.softmax_cross_entropy %logits, %label, %valid
        : tensor<3x5xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  func.func @micro(%x: tensor<3x4xf32>, %w: tensor<5x4xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<5x4xf32>) {
    %sum, %count, %dx, %dw =
        train.value_and_grad @forward(%x, %w, %label, %valid) wrt [0, 1]
        : (tensor<3x4xf32>, tensor<5x4xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<5x4xf32>)
    return %sum, %count, %dx, %dw
        : tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<5x4xf32>
  }

  func.func @main() -> (tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<5x4xf32>) {
    %seed = arith.constant dense<1> : tensor<i64>
    %x = train.initialize "x" <uniform, -1.0, 1.0> seed(%seed) : tensor<3x4xf32>
    %w = train.initialize "w" <uniform, -1.0, 1.0> seed(%seed) : tensor<5x4xf32>
    %label = arith.constant dense<[4, 0, 2]> : tensor<3xi32>
    %valid = arith.constant dense<2> : tensor<i32>
    %r:4 = call @micro(%x, %w, %label, %valid)
        : (tensor<3x4xf32>, tensor<5x4xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<5x4xf32>)
    return %r#0, %r#1, %r#2, %r#3
        : tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<5x4xf32>
  }
}
