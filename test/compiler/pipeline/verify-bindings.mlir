// RUN: boost-opt %s --split-input-file --verify-diagnostics --boostc-verify-phase=phase=input

// A step hands values from function to function by their bindings.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{argument 1 has no rt.binding attribute, which says what it is to the step}}
  func.func @micro(%valid: tensor<i32> {rt.binding = #rt.binding<valid>}, %w: tensor<4xf32>) { return }
  func.func @update() { return }
  func.func @eval() { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() { return }
  // expected-error @+1 {{result 0 has no rt.binding}}
  func.func @update(%failed: tensor<i32> {rt.binding = #rt.binding<failed>}) -> tensor<i32> {
    return %failed : tensor<i32>
  }
  func.func @eval() { return }
}
