// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

train.program @variants batch_size(1) micro_batches(2) epochs(1) seed(1) recipe("{}") {
  // CHECK: train.variant @often micro(@micro) combine(@combine) update(@other) on [#train.steps<every = 3>, #train.steps<first = 5, last = 9>]
  // CHECK: train.variant @rest micro(@micro) combine(@combine) update(@update){{$}}
  train.variant @often micro(@micro) combine(@combine) update(@other)
      on [#train.steps<every = 3>, #train.steps<first = 5, last = 9>]
  train.variant @rest micro(@micro) combine(@combine) update(@update)
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @other() { return }
}

// -----

train.program @variant_c1 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() { return }
  // expected-error @+1 {{function @update is not defined here}}
  train.variant @step micro(@micro) update(@update)
}

// -----

train.program @variant_c2 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() { return }
  func.func @update() { return }
  train.variant @first micro(@micro) update(@update) on [#train.steps<every = 2>]
  // expected-error @+1 {{has @micro for its update, which is also the micro of a variant}}
  train.variant @rest micro(@micro) update(@micro)
}

// -----

train.program @variant_c3 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() { return }
  func.func @update() { return }
  // expected-error @+1 {{is the last one and expected to be of every step that is left, found a list of steps}}
  train.variant @only micro(@micro) update(@update) on [#train.steps<every = 2>]
}

// -----

train.program @variant_c3 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() { return }
  func.func @update() { return }
  // expected-error @+1 {{expected a list of steps, which only the last variant and those of a selector do not have}}
  train.variant @first micro(@micro) update(@update)
  train.variant @second micro(@micro) update(@update)
}

// -----

train.program @variant_c4 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() { return }
  func.func @update() { return }
  // expected-error @+1 {{expected steps from 1, to none or to one that is not before the first, every 1 or more, found first 4, last 2, every 1}}
  train.variant @first micro(@micro) update(@update) on [#train.steps<first = 4, last = 2>]
  train.variant @rest micro(@micro) update(@update)
}

// -----

train.program @phases batch_size(1) micro_batches(2) epochs(1) seed(1) recipe("{}") {
  // CHECK: train.variant @again phases [#train.phase<micro = @micro, combine = @combine, probe = @probe>] micro(@micro) combine(@combine) update(@update) on [#train.steps<every = 3>]
  // CHECK: train.variant @search phases [#train.phase<micro = @micro, probe = @probe>, #train.phase<micro = @trial, probe = @judge, repeats = true>] update(@update){{$}}
  train.variant @again phases [#train.phase<micro = @micro, combine = @combine, probe = @probe>]
      micro(@micro) combine(@combine) update(@update) on [#train.steps<every = 3>]
  train.variant @search
      phases [#train.phase<micro = @micro, probe = @probe>,
              #train.phase<micro = @trial, probe = @judge, repeats = true>]
      update(@update)
  func.func @micro() { return }
  func.func @trial() { return }
  func.func @combine() { return }
  func.func @probe() { return }
  func.func @judge() { return }
  func.func @update() { return }
}

// -----

train.program @variant_c1 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() { return }
  func.func @update() { return }
  // expected-error @+1 {{function @judge is not defined here}}
  train.variant @step phases [#train.phase<micro = @micro, probe = @judge>] update(@update)
}

// -----

train.program @variant_c2 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() { return }
  func.func @update() { return }
  // expected-error @+1 {{has @update for its update, which is also the probe of a variant}}
  train.variant @step phases [#train.phase<micro = @micro, probe = @update>] update(@update)
}

// -----

train.program @variant_c5 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @update() { return }
  // expected-error @+1 {{has no micro, which only a variant with phases before its update goes without}}
  train.variant @step update(@update)
}

// -----

train.program @variant_c5 batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @probe() { return }
  func.func @update() { return }
  // expected-error @+1 {{has a combine and no micro whose results it adds}}
  train.variant @step phases [#train.phase<micro = @micro, probe = @probe>] combine(@combine) update(@update)
}
