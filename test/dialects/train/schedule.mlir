// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

train.program @schedules batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // CHECK: train.schedule @learning_rate <constant, 1.000000e-02>
  // CHECK: train.schedule @other <cosine, 1.000000e-01, end = 1.000000e-03, warmup = 5.000000e+02, steps>
  train.schedule @learning_rate <constant, 0.01>
  train.schedule @other <cosine, 0.1, end = 0.001, warmup = 500.0, steps>
}

// -----

train.program @schedule_kind batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{unknown schedule 'linear'}}
  train.schedule @learning_rate <linear, 0.01>
}

// -----

// expected-error @+1 {{expects parent op 'train.program'}}
train.schedule @learning_rate <constant, 0.01>

// -----

train.program @schedule_number batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{unknown number 'ende' of a schedule}}
  train.schedule @learning_rate <cosine, 0.1, ende = 0.1>
}

// -----

train.program @schedule_length batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected lengths of 0 or more, found -1.000000e+00}}
  train.schedule @learning_rate <cosine, 0.1, warmup = -1.0>
}
