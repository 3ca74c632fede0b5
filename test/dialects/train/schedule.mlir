// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

train.program @schedules batch_size(32) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // CHECK: train.schedule @learning_rate <constant, 1.000000e-02 : f64>
  train.schedule @learning_rate <constant, 0.01>
}

// -----

train.program @schedule_kind batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+2 {{expected ::boostc::train::ScheduleKind to be one of: constant}}
  // expected-error @+1 {{failed to parse Train_ScheduleAttr parameter 'kind'}}
  train.schedule @learning_rate <linear, 0.01>
}

// -----

// expected-error @+1 {{expects parent op 'train.program'}}
train.schedule @learning_rate <constant, 0.01>
