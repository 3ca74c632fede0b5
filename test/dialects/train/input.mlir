// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

train.program @inputs batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // CHECK: train.input @image : tensor<32x1x28x28xf32>
  train.input @image : tensor<32x1x28x28xf32>
  // CHECK: train.input @photo : tensor<32x3x8x8xi8>
  train.input @photo : tensor<32x3x8x8xi8>
  // CHECK: train.input @label classes(10) : tensor<32xi32>
  train.input @label classes(10) : tensor<32xi32>
  // CHECK: train.input @token classes(1000) : tensor<32x16xi32>
  train.input @token classes(1000) : tensor<32x16xi32>
  // CHECK: train.input @tag classes(9) target : tensor<32x16xi32>
  train.input @tag classes(9) target : tensor<32x16xi32>
  // CHECK: train.input @density target : tensor<32x4xf32>
  train.input @density target : tensor<32x4xf32>
  // CHECK: train.input @importance weight : tensor<32xf32>
  train.input @importance weight : tensor<32xf32>
  // CHECK: train.input @sample_key sample_keys : tensor<32xi32>
  train.input @sample_key sample_keys : tensor<32xi32>
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
  // expected-error @+1 {{expected labels or indices as a static tensor of i32, found 'tensor<32xi64>'}}
  train.input @label classes(10) : tensor<32xi64>
}

// -----

train.program @input_c2_rank batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected labels or indices as a static tensor of i32, found 'tensor<i32>'}}
  train.input @label classes(10) : tensor<i32>
}

// -----

train.program @input_c2_classes batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected 2 or more classes, found 1}}
  train.input @label classes(1) : tensor<32xi32>
}

// -----

train.program @input_c1_target batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected targets as a static f32 tensor of rank 2 or more, found 'tensor<32xf32>'}}
  train.input @density target : tensor<32xf32>
}

// -----

train.program @input_c3 batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected sample keys as a static vector of i32, found 'tensor<32x2xi32>'}}
  train.input @key sample_keys : tensor<32x2xi32>
}

// -----

train.program @input_c4 batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected 'sample_keys' alone, found 'classes', 'target' or 'weight' with it}}
  train.input @key classes(10) sample_keys : tensor<32xi32>
}

// -----

train.program @input_c4_weight batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected 'weight' alone, found 'classes', 'target' or 'weight' with it}}
  train.input @w target weight : tensor<32xf32>
}

// -----

train.program @input_c5 batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected weights as a static f32 tensor of rank 1 or more, found 'tensor<32xi32>'}}
  train.input @w weight : tensor<32xi32>
}

// -----

train.program @input_c5_two batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-note @+1 {{the first one is here}}
  train.input @w weight : tensor<32xf32>
  // expected-error @+1 {{expected one input of weights at most}}
  train.input @v weight : tensor<32xf32>
}

// -----

// expected-error @+1 {{expects parent op 'train.program'}}
train.input @image : tensor<32x4xf32>

// -----

train.program @input_c1_pixels batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected pixels as a static i8 tensor of rank 4, found 'tensor<32x64xi8>'}}
  train.input @photo : tensor<32x64xi8>
}
