// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

train.program @states batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <constant, 0.0, 0.0> : tensor<4x3xf32>
  // CHECK: train.state @w.momentum "momentum" of @w : tensor<4x3xf32>
  train.state @w.momentum "momentum" of @w : tensor<4x3xf32>
}

// -----

train.program @state_c1_missing batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{parameter 'w' is not declared here}}
  train.state @w.momentum "momentum" of @w : tensor<4x3xf32>
}

// -----

train.program @state_c1_type batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-note @+1 {{the parameter is here}}
  train.parameter @w weight <constant, 0.0, 0.0> : tensor<4x3xf32>
  // expected-error @+1 {{expected the parameter's type 'tensor<4x3xf32>', found 'tensor<3x4xf32>'}}
  train.state @w.momentum "momentum" of @w : tensor<3x4xf32>
}
