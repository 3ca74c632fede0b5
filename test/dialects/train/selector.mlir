// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// A variant that the selector names needs no list of steps.
train.program @selected batch_size(1) micro_batches(2) epochs(1) seed(1) recipe("{}") {
  // CHECK: train.selector @choose variants [@usual, @other] lag 1
  train.selector @choose variants [@usual, @other] lag 1
  train.variant @listed micro(@micro) update(@update) on [#train.steps<every = 3>]
  train.variant @other micro(@micro) update(@update)
  train.variant @usual micro(@micro) update(@update)
  func.func @micro() { return }
  func.func @update() { return }
  func.func @choose() { return }
}

// -----

train.program @two_ahead batch_size(1) micro_batches(2) epochs(1) seed(1) recipe("{}") {
  // CHECK: train.selector @choose variants [@usual]{{$}}
  train.selector @choose variants [@usual] lag 2
  train.variant @usual micro(@micro) update(@update)
  func.func @micro() { return }
  func.func @update() { return }
  func.func @choose() { return }
}

// -----

train.program @selector_c1 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @usual micro(@micro) update(@update)
  train.selector @choose variants [@usual]
  // expected-error @+1 {{is the second one of the program, which has one at most}}
  train.selector @choose variants [@usual]
  func.func @micro() { return }
  func.func @update() { return }
  func.func @choose() { return }
}

// -----

train.program @selector_c2 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @usual micro(@micro) update(@update)
  // expected-error @+1 {{function @choose is not defined here}}
  train.selector @choose variants [@usual]
  func.func @micro() { return }
  func.func @update() { return }
}

// -----

train.program @selector_c2 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @usual micro(@micro) update(@update)
  // expected-error @+1 {{has @update, which is also the update of a variant}}
  train.selector @update variants [@usual]
  func.func @micro() { return }
  func.func @update() { return }
}

// -----

train.program @selector_c3 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @usual micro(@micro) update(@update)
  // expected-error @+1 {{variant @micro is not defined here}}
  train.selector @choose variants [@usual, @micro]
  func.func @micro() { return }
  func.func @update() { return }
  func.func @choose() { return }
}

// -----

train.program @selector_c3 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @usual micro(@micro) update(@update)
  // expected-error @+1 {{expected one variant or more, found none}}
  train.selector @choose variants []
  func.func @micro() { return }
  func.func @update() { return }
  func.func @choose() { return }
}

// -----

train.program @selector_c4 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @usual micro(@micro) update(@update)
  // expected-error @+1 {{expected a lag of 1 or 2, found 3}}
  train.selector @choose variants [@usual] lag 3
  func.func @micro() { return }
  func.func @update() { return }
  func.func @choose() { return }
}
