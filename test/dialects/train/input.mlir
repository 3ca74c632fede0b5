// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

train.program @inputs batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // CHECK: train.input @image : tensor<32x1x28x28xf32>
  train.input @image : tensor<32x1x28x28xf32>
  // CHECK: train.input @label classes(10) : tensor<32xi32>
  train.input @label classes(10) : tensor<32xi32>
}

// -----

train.program @input_c1_rank batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected features as a static f32 tensor of rank 2 or more, found 'tensor<32xf32>'}}
  train.input @image : tensor<32xf32>
}

// -----

train.program @input_c1_dynamic batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected features as a static f32 tensor of rank 2 or more, found 'tensor<?x4xf32>'}}
  train.input @image : tensor<?x4xf32>
}

// -----

train.program @input_c1_type batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected features as a static f32 tensor of rank 2 or more, found 'tensor<32x4xi32>'}}
  train.input @image : tensor<32x4xi32>
}

// -----

train.program @input_c2_type batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected labels as a static vector of i32, found 'tensor<32xi64>'}}
  train.input @label classes(10) : tensor<32xi64>
}

// -----

train.program @input_c2_rank batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected labels as a static vector of i32, found 'tensor<32x1xi32>'}}
  train.input @label classes(10) : tensor<32x1xi32>
}

// -----

train.program @input_c2_classes batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected 2 or more classes, found 1}}
  train.input @label classes(1) : tensor<32xi32>
}

// -----

// expected-error @+1 {{expects parent op 'train.program'}}
train.input @image : tensor<32x4xf32>
