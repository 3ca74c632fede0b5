// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

train.program @parameters batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // CHECK: train.parameter @fc1.weight weight <uniform, -5.000000e-01 : f64, 5.000000e-01 : f64> : tensor<512x784xf32>
  train.parameter @fc1.weight weight <uniform, -0.5, 0.5> : tensor<512x784xf32>
  // CHECK: train.parameter @fc1.bias bias <constant, 0.000000e+00 : f64, 0.000000e+00 : f64> : tensor<512xf32>
  train.parameter @fc1.bias bias <constant, 0.0, 0.0> : tensor<512xf32>
  // CHECK: train.parameter @bn.scale norm_scale
  train.parameter @bn.scale norm_scale <constant, 1.0, 0.0> : tensor<8xf32>
  // CHECK: train.parameter @bn.shift norm_shift
  train.parameter @bn.shift norm_shift <constant, 0.0, 0.0> : tensor<8xf32>
  // CHECK: train.parameter @words embedding <normal, 0.000000e+00 : f64, 1.000000e+00 : f64>
  train.parameter @words embedding <normal, 0.0, 1.0> : tensor<100x8xf32>
  // CHECK: train.parameter @gain multiplier
  train.parameter @gain multiplier <constant, 1.0, 0.0> : tensor<f32>
}

// -----

train.program @parameter_c1_dynamic batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected a static tensor of f32 that is not empty, found 'tensor<?xf32>'}}
  train.parameter @w weight <constant, 0.0, 0.0> : tensor<?xf32>
}

// -----

train.program @parameter_c1_type batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected a static tensor of f32 that is not empty, found 'tensor<4xf64>'}}
  train.parameter @w weight <constant, 0.0, 0.0> : tensor<4xf64>
}

// -----

train.program @parameter_c1_empty batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected a static tensor of f32 that is not empty, found 'tensor<0x4xf32>'}}
  train.parameter @w weight <constant, 0.0, 0.0> : tensor<0x4xf32>
}

// -----

// expected-error @+1 {{expects parent op 'train.program'}}
train.parameter @w weight <constant, 0.0, 0.0> : tensor<4xf32>
