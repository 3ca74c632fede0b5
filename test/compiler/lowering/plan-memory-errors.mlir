// RUN: boost-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(train.program(boostc-plan-memory))"

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{argument 0: expected a static memref with a binding, found 'memref<8xf32>'}}
  func.func @micro(%x: memref<8xf32>) {
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{argument 0: expected a static memref with a binding, found 'memref<?xf32>'}}
  func.func @micro(%x: memref<?xf32> {rt.binding = #rt.binding<input, "x">}) {
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{argument 0: expected a static memref with a binding, found 'tensor<8xf32>'}}
  func.func @micro(%x: tensor<8xf32> {rt.binding = #rt.binding<input, "x">}) {
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro(%x: memref<8xf32> {rt.binding = #rt.binding<parameter, "w">}) {
    return
  }
  // expected-error @+1 {{binds #rt.binding<parameter, "w"> to 'memref<4xf32>', another function to 'memref<8xf32>'}}
  func.func @update(%x: memref<4xf32> {rt.binding = #rt.binding<parameter, "w">}) {
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{buffer 'memref<4294967296x4294967296xf32>' is larger than 2^63 bytes}}
  func.func @micro(%x: memref<4294967296x4294967296xf32> {rt.binding = #rt.binding<input, "x">}) {
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() {
    // expected-error @+1 {{buffer 'memref<4294967296x4294967296xf32>' is larger than 2^63 bytes}}
    %a = memref.alloc() : memref<4294967296x4294967296xf32>
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{binds #rt.binding<accumulator, "s">, which no train.accumulator declares}}
  func.func @micro(%s: memref<8xf32> {rt.binding = #rt.binding<accumulator, "s">}) {
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-note @+1 {{the declaration is here}}
  train.accumulator @s : tensor<4xf32>
  // expected-error @+1 {{binds #rt.binding<accumulator, "s"> to 'memref<8xf32>', declared as 'tensor<4xf32>'}}
  func.func @micro(%s: memref<8xf32> {rt.binding = #rt.binding<accumulator, "s">}) {
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.state @s "s" : tensor<4xf32>
  // expected-error @+1 {{reads #rt.binding<state, "s">, but an evaluation has no state other than what is saved with the weights (saved with_weights)}}
  func.func @eval(%s: memref<4xf32> {rt.binding = #rt.binding<state, "s">}) {
    return
  }
}
