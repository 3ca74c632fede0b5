// RUN: boost-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(train.program(boostc-lower-to-linalg))"

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @update(%loss: tensor<f32>, %count: tensor<i64>, %before: tensor<i32>,
                    %g: tensor<4xf32>, %w: tensor<4xf32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<i32>) {
    // expected-error @+1 {{has no lowering for these operands}}
    %w1, %finite = train.update loss(%loss) count(%count) after(%before)
        gradients(%g : tensor<4xf32>) current(%w : tensor<4xf32>) {
    ^bb0(%mean: tensor<4xf32>):
      %half = train.sgd %w, %mean, %lr weight_decay 0.0 : tensor<4xf32>
      // expected-error @+1 {{reads the result of another rule}}
      %new = train.sgd %half, %mean, %lr weight_decay 0.0 : tensor<4xf32>
      train.yield %new : tensor<4xf32>
    }
    return %w1, %finite : tensor<4xf32>, tensor<i32>
  }
}
