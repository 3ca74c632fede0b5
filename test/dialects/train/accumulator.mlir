// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

train.program @accumulators batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <constant, 0.0, 0.0> : tensor<4x3xf32>
  // CHECK: train.accumulator @bn1.count : tensor<i64>
  train.accumulator @bn1.count : tensor<i64>
  // CHECK: train.accumulator @w.factor of @w : tensor<3x3xf32>
  train.accumulator @w.factor of @w : tensor<3x3xf32>
}

// -----

train.program @accumulator_c1 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{parameter 'w' is not declared here}}
  train.accumulator @w.factor of @w : tensor<3x3xf32>
}

// -----

train.program @accumulator_type batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{attribute 'type' failed to satisfy constraint}}
  train.accumulator @flags : tensor<4xi32>
}
