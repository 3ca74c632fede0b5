// RUN: boost-opt %s --boostc-complete-step --verify-diagnostics

train.program @mlp batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{result 1 has no rt.binding attribute, which says what it is to the step}}
  func.func private @micro()
      -> (tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64>)
}
