// RUN: boost-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(train.program(boostc-bufferize))"

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{argument 1 has no rt.binding attribute}}
  func.func @micro(%x: tensor<8xf32> {rt.binding = #rt.binding<input, "x">},
                   %w: tensor<8xf32>) {
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{result 0 has no rt.binding attribute}}
  func.func @micro(%x: tensor<8xf32> {rt.binding = #rt.binding<input, "x">}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{binds two results to #rt.binding<gradient, "w">}}
  func.func @micro(%x: tensor<8xf32> {rt.binding = #rt.binding<input, "x">})
      -> (tensor<8xf32> {rt.binding = #rt.binding<gradient, "w">},
          tensor<8xf32> {rt.binding = #rt.binding<gradient, "w">}) {
    return %x, %x : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro(%x: tensor<8xf32> {rt.binding = #rt.binding<input, "x">})
      -> (tensor<8xf32> {rt.binding = #rt.binding<gradient, "w">}) {
    // expected-error @+1 {{op was not bufferized}}
    %y = nn.relu %x : tensor<8xf32>
    return %y : tensor<8xf32>
  }
}
