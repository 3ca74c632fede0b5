// Every diagnostic of the verifier that closes a phase. What passes it is what the tests
// of phases compile.
// RUN: split-file %s %t

// RUN: not boost-opt %t/empty.mlir --boostc-verify-phase=phase=nothing 2>&1 | FileCheck %s --check-prefix=NO-PHASE
// RUN: not boost-opt %t/empty.mlir --boostc-verify-phase=phase=so 2>&1 | FileCheck %s --check-prefix=NO-IR
// NO-PHASE: error: 'nothing' is not a phase with IR
// NO-IR: error: 'so' is not a phase with IR

// RUN: boost-opt %t/input.mlir --split-input-file --verify-diagnostics --boostc-verify-phase=phase=input
// RUN: boost-opt %t/backward.mlir --split-input-file --verify-diagnostics --boostc-verify-phase=phase=backward
// RUN: boost-opt %t/step.mlir --split-input-file --verify-diagnostics --boostc-verify-phase=phase=step
// RUN: boost-opt %t/linalg.mlir --split-input-file --verify-diagnostics --boostc-verify-phase=phase=linalg
// RUN: boost-opt %t/buffers.mlir --split-input-file --verify-diagnostics --boostc-verify-phase=phase=buffers
// RUN: boost-opt %t/rt.mlir --split-input-file --verify-diagnostics --boostc-verify-phase=phase=rt
// RUN: boost-opt %t/llvm.mlir --split-input-file --verify-diagnostics --boostc-verify-phase=phase=llvm

//--- empty.mlir
module {
}

//--- input.mlir
// expected-error @+1 {{expected one train.program in phase 'input', found 0}}
module {
}

// -----

// expected-error @+1 {{expected one train.program in phase 'input', found 2}}
module {
  train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
    func.func @micro() { return }
    func.func @update() { return }
    func.func @eval() { return }
  }
  train.program @q batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  }
}

// -----

// expected-error @+1 {{has no function @eval, which phase 'input' needs}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() { return }
  func.func @update() { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() {
    // expected-error @+1 {{does not belong in phase 'input'}}
    %e = tensor.empty() : tensor<4xf32>
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected one block of code}}
  func.func private @micro()
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected tensors of static shape, found 'i32'}}
  func.func @micro(%x: i32) { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected tensors of static shape, found 'tensor<?xf32>'}}
  func.func @micro(%x: tensor<4xf32>, %y: tensor<?xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

// What is larger would overflow where passes count bytes.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{expected values of at most 2^40 elements, found 'tensor<4x9223372036854775807xf32>'}}
  func.func @micro(%x: tensor<4x9223372036854775807xf32>) { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() {
    // expected-error @+1 {{expected values of at most 2^40 elements, found 'tensor<2x549755813889xf32>'}}
    %x = arith.constant dense<0.0> : tensor<2x549755813889xf32>
    return
  }
}

//--- backward.mlir
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @forward(%x: tensor<4x3xf32>, %y: tensor<4xi32>,
                     %valid: tensor<i32> {rt.binding = #rt.binding<valid>}) -> (tensor<f32>, tensor<i64>) {
    %sum, %count = nn.softmax_cross_entropy %x, %y, %valid : tensor<4x3xf32>, tensor<4xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }
  func.func @eval(%x: tensor<4x3xf32>, %y: tensor<4xi32>, %valid: tensor<i32>) {
    // expected-error @+1 {{should be gone by phase 'backward'}}
    %r:2 = train.evaluate @forward(%x, %y, %valid)
        : (tensor<4x3xf32>, tensor<4xi32>, tensor<i32>) -> (tensor<f32>, tensor<i64>)
    return
  }
}

// -----

// Padding must not count: the number of real samples is the function's own argument.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro(%x: tensor<4x3xf32>, %y: tensor<4xi32>) -> (tensor<f32>, tensor<i64>) {
    %four = arith.constant dense<4> : tensor<i32>
    // expected-error @+1 {{reduces over the batch and must be given the function's own argument bound to #rt.binding<valid>}}
    %sum, %count = nn.softmax_cross_entropy %x, %y, %four : tensor<4x3xf32>, tensor<4xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro(%x: tensor<4x3xf32>, %y: tensor<4xi32>,
                   %epoch: tensor<i32> {rt.binding = #rt.binding<failed>}) -> (tensor<f32>, tensor<i64>) {
    // expected-error @+1 {{reduces over the batch and must be given the function's own argument bound to #rt.binding<valid>}}
    %sum, %count = nn.softmax_cross_entropy %x, %y, %epoch : tensor<4x3xf32>, tensor<4xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }
}

//--- step.mlir
// Sums over ranks are what boostc-reduce-gradients has made collectives of.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @update(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{should be gone by phase 'step'}}
    %m = train.rank_sum %x : tensor<4xf32>
    return %m : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{has no function @init, which phase 'step' needs}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro(%g: tensor<4xf32>) {
    // expected-error @+1 {{expected in a probe or the update of a variant alone}}
    %r = coll.all_reduce index(0) over all parameters [] (%g : tensor<4xf32>)
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @update(%g: tensor<4xf32>) {
    %r = coll.all_reduce index(0) over all parameters [] (%g : tensor<4xf32>)
    // expected-error @+1 {{has number 2 where the next one is 1}}
    %s = coll.all_reduce index(2) over all parameters [] (%r : tensor<4xf32>)
    return
  }
}

// -----

// Numbers go on from one update to the next.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @some micro(@micro) combine(@combine) update(@other) on [#train.steps<first = 2>]
  train.variant @rest micro(@micro) combine(@combine) update(@update)
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @other(%g: tensor<4xf32>) {
    %r = coll.all_reduce index(0) over all parameters [] (%g : tensor<4xf32>)
    return
  }
  func.func @update(%g: tensor<4xf32>) {
    // expected-error @+1 {{has number 0 where the next one is 1}}
    %r = coll.all_reduce index(0) over all parameters [] (%g : tensor<4xf32>)
    return
  }
  func.func @eval() { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @some micro(@micro) combine(@combine) update(@update) on [#train.steps<first = 2>]
  // expected-error @+1 {{has no function @combine, which phase 'step' needs}}
  train.variant @rest micro(@other) update(@update)
  func.func @init() { return }
  func.func @micro() { return }
  func.func @other() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
}

// -----

// A selector's function is one that the program is to have, and takes what the runtime gives it.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.selector @choose variants [@rest]
  train.variant @rest micro(@micro) combine(@combine) update(@update)
  train.state @count "count" : tensor<i64>
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  func.func @choose(%step: tensor<i64> {rt.binding = #rt.binding<step>},
                    %last: tensor<i64> {rt.binding = #rt.binding<run_length>},
                    %count: tensor<i64> {rt.binding = #rt.binding<state, "count">})
      -> (tensor<i32> {rt.binding = #rt.binding<choice>}) {
    %choice = arith.trunci %count : tensor<i64> to tensor<i32>
    return %choice : tensor<i32>
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.selector @choose variants [@rest]
  train.variant @rest micro(@micro) combine(@combine) update(@update)
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  // expected-error @+1 {{chooses variants and expected to take the step and the run's length once each, found 1 and 0 arguments}}
  func.func @choose(%step: tensor<i64> {rt.binding = #rt.binding<step>})
      -> (tensor<i32> {rt.binding = #rt.binding<choice>}) {
    %choice = arith.constant dense<0> : tensor<i32>
    return %choice : tensor<i32>
  }
}

// -----

// Ranks may have different states of a parameter.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.selector @choose variants [@rest]
  train.variant @rest micro(@micro) combine(@combine) update(@update)
  train.parameter @w weight <constant, 0.0, 0.0> : tensor<4xf32>
  train.state @w.m "m" of @w : tensor<4xf32>
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  // expected-error @+1 {{chooses variants and expected to take the step, the run's length and states without a parameter, found argument 0 of 'tensor<4xf32>' bound to #rt.binding<state, "w.m">}}
  func.func @choose(%m: tensor<4xf32> {rt.binding = #rt.binding<state, "w.m">})
      -> (tensor<i32> {rt.binding = #rt.binding<choice>}) {
    %choice = arith.constant dense<0> : tensor<i32>
    return %choice : tensor<i32>
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.selector @choose variants [@rest]
  train.variant @rest micro(@micro) combine(@combine) update(@update)
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  // expected-error @+1 {{chooses variants and expected to take the step, the run's length and states without a parameter, found argument 0 of 'tensor<i32>' bound to #rt.binding<step>}}
  func.func @choose(%step: tensor<i32> {rt.binding = #rt.binding<step>}) { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.selector @choose variants [@rest]
  train.variant @rest micro(@micro) combine(@combine) update(@update)
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  // expected-error @+1 {{chooses variants and expected to return 'tensor<i32>' bound to #rt.binding<choice> alone}}
  func.func @choose(%step: tensor<i64> {rt.binding = #rt.binding<step>},
                    %last: tensor<i64> {rt.binding = #rt.binding<run_length>})
      -> (tensor<i64> {rt.binding = #rt.binding<choice>}) {
    return %step : tensor<i64>
  }
}

// -----

// All ranks choose alone.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.selector @choose variants [@rest]
  train.variant @rest micro(@micro) combine(@combine) update(@update)
  func.func @update() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @choose(%g: tensor<4xf32>) {
    // expected-error @+1 {{expected in a probe or the update of a variant alone}}
    %r = coll.all_reduce index(0) over all parameters [] (%g : tensor<4xf32>)
    return
  }
}

// -----

// A probe takes what an update takes, and leaves states and whether to repeat. Collectives are numbered
// in the order of a step.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @step phases [#train.phase<micro = @micro, combine = @combine, probe = @probe, repeats = true>] update(@update)
  train.state @kept "kept" : tensor<f32>
  train.state @saved "saved" saved with_weights : tensor<f32>
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  func.func @probe(%count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                   %kept: tensor<f32> {rt.binding = #rt.binding<state, "kept">},
                   %w: tensor<f32> {rt.binding = #rt.binding<parameter, "w">},
                   %rate: tensor<f32> {rt.binding = #rt.binding<control, "rate">},
                   %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<f32> {rt.binding = #rt.binding<state, "kept">},
          tensor<i64> {rt.binding = #rt.binding<loss_count>},
          tensor<i32> {rt.binding = #rt.binding<repeat>}) {
    %sum = coll.all_reduce index(0) over all parameters [] (%count : tensor<i64>)
    return %kept, %sum, %before : tensor<f32>, tensor<i64>, tensor<i32>
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @step phases [#train.phase<micro = @micro, combine = @combine, probe = @probe>] update(@update)
  train.state @kept "kept" : tensor<f32>
  train.state @saved "saved" saved with_weights : tensor<f32>
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  // expected-error @+1 {{is a probe and expected to take accumulators, controls, parameters and states, found argument 0 bound to #rt.binding<valid>}}
  func.func @probe(%valid: tensor<i32> {rt.binding = #rt.binding<valid>}) { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @step phases [#train.phase<micro = @micro, combine = @combine, probe = @probe>] update(@update)
  train.state @kept "kept" : tensor<f32>
  train.state @saved "saved" saved with_weights : tensor<f32>
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  // expected-error @+1 {{is a probe and expected to return states that are not saved with the weights, found result 0 of 'tensor<f32>' bound to #rt.binding<state, "saved">}}
  func.func @probe(%saved: tensor<f32> {rt.binding = #rt.binding<state, "saved">})
      -> (tensor<f32> {rt.binding = #rt.binding<state, "saved">}) { return %saved : tensor<f32> }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.adasum = #train.adasum<delta, per_tensor, auto, cuts = []>} {
  train.variant @step phases [#train.phase<micro = @micro, combine = @combine, probe = @probe>] update(@update)
  train.parameter @w weight <constant, 0.0, 0.0> : tensor<4xf32>
  train.state @w.m "m" of @w : tensor<4xf32>
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  // expected-error @+1 {{is a probe and takes #rt.binding<state, "w.m">, of which each rank has its own in Adasum's delta mode; expected a state without a parameter}}
  func.func @probe(%m: tensor<4xf32> {rt.binding = #rt.binding<state, "w.m">}) { return }
}

// -----

// Parameters change in an update alone.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @step phases [#train.phase<micro = @micro, combine = @combine, probe = @probe>] update(@update)
  train.state @kept "kept" : tensor<f32>
  train.state @saved "saved" saved with_weights : tensor<f32>
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  // expected-error @+1 {{is a probe and expected to return states that are not saved with the weights, found result 0 of 'tensor<f32>' bound to #rt.binding<parameter, "w">}}
  func.func @probe(%w: tensor<f32> {rt.binding = #rt.binding<parameter, "w">})
      -> (tensor<f32> {rt.binding = #rt.binding<parameter, "w">}) { return %w : tensor<f32> }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @step phases [#train.phase<micro = @micro, combine = @combine, probe = @probe, repeats = true>] update(@update)
  train.state @kept "kept" : tensor<f32>
  train.state @saved "saved" saved with_weights : tensor<f32>
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  // expected-error @+1 {{is the probe of a phase that repeats and expected to return #rt.binding<repeat> once, found 0 results}}
  func.func @probe() { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @step phases [#train.phase<micro = @micro, combine = @combine, probe = @probe>] update(@update)
  train.state @kept "kept" : tensor<f32>
  train.state @saved "saved" saved with_weights : tensor<f32>
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
  // expected-error @+1 {{is the probe of a phase that does not repeat and expected to return #rt.binding<repeat> nowhere, found 1 results}}
  func.func @probe(%before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<i32> {rt.binding = #rt.binding<repeat>}) { return %before : tensor<i32> }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @step phases [#train.phase<micro = @micro, combine = @combine, probe = @probe>] update(@update)
  func.func @update(%g: tensor<4xf32>) {
    // expected-error @+1 {{has number 0 where the next one is 1}}
    %r = coll.all_reduce index(0) over all parameters [] (%g : tensor<4xf32>)
    return
  }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @probe(%g: tensor<4xf32>) {
    %r = coll.all_reduce index(0) over all parameters [] (%g : tensor<4xf32>)
    return
  }
}

//--- linalg.mlir
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @combine(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    // expected-error @+1 {{should be gone by phase 'linalg'}}
    %c = train.combine %a, %b : tensor<4xf32>
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro(%a: tensor<4xf32>) {
    // expected-error @+1 {{expected static shapes and memory without gaps, found 'tensor<?xf32>'}}
    %c = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
    return
  }
}

// -----

// expected-error @+1 {{has no rt.cpu_target attribute, which phase 'linalg' needs}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
}

// -----

// expected-error @+1 {{rt.cpu_target: unknown CPU 'pentium'; expected native, x86-64-v3 or x86-64-v4}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"pentium", "mmx", 1>} {
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
}

// -----

// No level multiplies bf16: only what this machine has besides may be named.
// expected-error @+1 {{rt.cpu_target: expected #rt.cpu_target<"x86-64-v3", "sse4.2,avx,avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,popcnt", 1>, found #rt.cpu_target<"x86-64-v3", "sse4.2,avx,avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,popcnt,avx512bf16", 1>}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "sse4.2,avx,avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,popcnt,avx512bf16", 1>} {
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
}

// -----

// expected-error @+1 {{rt.cpu_target: expected #rt.cpu_target<"x86-64-v3", "sse4.2,avx,avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,popcnt", 1>, found #rt.cpu_target<"x86-64-v3", "avx2", 1>}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>} {
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
}

// -----

// expected-error @+1 {{rt.cpu_target: expected at most 1024 threads, found 100000}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 100000>} {
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
}

//--- buffers.mlir
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @update() {
    %g = rt.buffer gradient[0] : memref<4xf32>
    // expected-error @+1 {{expected in the micro of a variant alone}}
    rt.gradients_ready index(0) (%g : memref<4xf32>)
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() {
    %g = rt.buffer gradient[0] : memref<4xf32>
    // expected-error @+1 {{has number 1 where the next one is 0}}
    rt.gradients_ready index(1) (%g : memref<4xf32>)
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() {
    // expected-error @+1 {{has a tensor result in phase 'buffers'}}
    %c = arith.constant dense<0.0> : tensor<4xf32>
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // expected-error @+1 {{takes or returns 'memref<4xf32>' in phase 'buffers'}}
  func.func @micro(%x: memref<4xf32>) { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() {
    // expected-error @+1 {{expected static shapes and memory without gaps, found 'memref<4xf32, strided<[2]>>'}}
    %a = memref.alloc() : memref<4xf32, strided<[2]>>
    return
  }
}

// -----

// One for each kind of device is all there can be.
// expected-error @+1 {{expected one train.program for each kind of device in phase 'buffers', found 3}}
module {
  train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") { }
  train.program @q batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
      attributes {rt.cuda_target = #rt.cuda_target<80>} { }
  train.program @r batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") { }
}

// -----

module {
  train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
      attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>} { }
  // expected-error @+1 {{expected the first train.program in phase 'buffers' to have rt.cpu_target and the second rt.cuda_target}}
  train.program @q batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
      attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>} { }
}

// -----

module {
  train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
      attributes {rt.cuda_target = #rt.cuda_target<80>} { }
  // expected-error @+1 {{expected the first train.program in phase 'buffers' to have rt.cpu_target and the second rt.cuda_target}}
  train.program @q batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
      attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>} { }
}

// -----

// A program for GPUs has to have every function too, and needs no CPU.
// expected-error @+1 {{has no function @eval, which phase 'buffers' needs}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
}

// -----

// expected-error @+1 {{has both rt.cpu_target and rt.cuda_target; from phase 'buffers' on a program is for one kind of device}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>,
                rt.cuda_target = #rt.cuda_target<80>} {
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>,
                rt.matmul_precision = #rt.matmul_precision<tf32>} {
  func.func @micro() {
    %a = rt.buffer transient[0] : memref<8x8xf32>
    %b = rt.buffer transient[256] : memref<8x8xf32>
    %c = rt.buffer transient[512] : memref<8x8xf32>
    %s = rt.buffer transient[768] : memref<64xi8>
    // expected-error @+1 {{has precision float32 in a program of tf32 (rt.matmul_precision)}}
    rt.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
        scratch(%s : memref<64xi8>)
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @micro() {
    %a = rt.buffer transient[0] : memref<8x8xf32>
    %b = rt.buffer transient[256] : memref<8x8xf32>
    %c = rt.buffer transient[512] : memref<8x8xf32>
    %s = rt.buffer transient[768] : memref<64xi8>
    // expected-error @+1 {{has precision tf32 in a program of float32 (rt.matmul_precision)}}
    rt.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
        scratch(%s : memref<64xi8>) precision tf32
    return
  }
}

//--- rt.mlir
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() {
    %zero = arith.constant 0.0 : f32
    %a = rt.buffer batch[0] : memref<8xf32>
    // expected-error @+1 {{does not belong in phase 'rt'}}
    linalg.fill ins(%zero : f32) outs(%a : memref<8xf32>)
    return
  }
}

//--- llvm.mlir
// expected-error @+1 {{does not belong in phase 'llvm'}}
func.func @f() { return }

// -----

// expected-error @+1 {{has no function @boost_program_query, which phase 'llvm' needs}}
module {
}

// -----

// expected-error @+1 {{has no rt.cpu_target attribute, which phase 'llvm' needs}}
module {
  llvm.func @boost_program_query(%version: i32) -> !llvm.ptr
}
