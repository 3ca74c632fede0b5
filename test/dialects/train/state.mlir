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

// -----

train.program @free_states batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // CHECK: train.state @optimizer.steps "steps" : tensor<i64>
  train.state @optimizer.steps "steps" : tensor<i64>
  // CHECK: train.state @bn1.running_var "running_var" init <constant, 1.000000e+00 : f64, 0.000000e+00 : f64> saved with_weights : tensor<8xf32>
  train.state @bn1.running_var "running_var" init <constant, 1.0, 0.0> saved with_weights
      : tensor<8xf32>
}

// -----

train.program @state_c2 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{of integers starts as an integer constant, found #rt.initializer<constant, 5.000000e-01 : f64, 0.000000e+00 : f64>}}
  train.state @counter "counter" init <constant, 0.5, 0.0> : tensor<i64>
}

// -----

train.program @state_c2_kind batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{of integers starts as an integer constant, found #rt.initializer<uniform, 0.000000e+00 : f64, 1.000000e+00 : f64>}}
  train.state @counter "counter" init <uniform, 0.0, 1.0> : tensor<i64>
}

// -----

train.program @averages batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <constant, 0.0, 0.0> : tensor<4x3xf32>
  // CHECK: train.state @w.ema "ema" average @w evaluated saved with_weights : tensor<4x3xf32>
  train.state @w.ema "ema" average @w evaluated saved with_weights : tensor<4x3xf32>
  train.state @bn.running_var "running_var" saved with_weights : tensor<8xf32>
  // CHECK: train.state @bn.running_var.ema "ema" average @bn.running_var : tensor<8xf32>
  train.state @bn.running_var.ema "ema" average @bn.running_var : tensor<8xf32>
}

// -----

train.program @state_c3_missing batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{averages 'w', expected a parameter or a state that is saved with the weights and averages nothing}}
  train.state @w.ema "ema" average @w : tensor<4x3xf32>
}

// -----

train.program @state_c3_kept batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.state @count "count" : tensor<f32>
  // expected-error @+1 {{averages 'count', expected a parameter or a state that is saved with the weights and averages nothing}}
  train.state @count.ema "ema" average @count : tensor<f32>
}

// -----

train.program @state_c3_type batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-note @+1 {{the state is here}}
  train.state @bn.running_var "running_var" saved with_weights : tensor<8xf32>
  // expected-error @+1 {{expected the state's type 'tensor<8xf32>', found 'tensor<4xf32>'}}
  train.state @bn.running_var.ema "ema" average @bn.running_var : tensor<4xf32>
}

// -----

train.program @state_c3_evaluated batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <constant, 0.0, 0.0> : tensor<4x3xf32>
  // expected-error @+1 {{that is evaluated is expected to average something and to be saved with the weights}}
  train.state @w.ema "ema" average @w evaluated : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: train.program @files
train.program @files batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <constant, 0.0, 0.0> : tensor<4x3xf32>
  // CHECK: train.state @w.basis "basis" of @w saved in_basis : tensor<8x4x3xf32>
  train.state @w.basis "basis" of @w saved in_basis : tensor<8x4x3xf32>
  // CHECK: train.state @w.trial "trial" of @w saved nowhere : tensor<4x3xf32>
  train.state @w.trial "trial" of @w saved nowhere : tensor<4x3xf32>
}

// -----

train.program @state_c1_basis batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <constant, 0.0, 0.0> : tensor<4x3xf32>
  // expected-error @+1 {{expected a dimension before those of the parameter's type 'tensor<4x3xf32>', found 'tensor<4x3xf32>'}}
  train.state @w.basis "basis" of @w saved in_basis : tensor<4x3xf32>
}

// -----

train.program @state_c4_basis batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{in a basis is expected to belong to a parameter}}
  train.state @basis "basis" saved in_basis : tensor<8xf32>
}
