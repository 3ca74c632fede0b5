// RUN: boost-opt %s --boostc-complete-step --split-input-file | FileCheck %s

// CHECK-LABEL: train.program @mlp
train.program @mlp batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.state @w.momentum "momentum" of @w : tensor<4x3xf32>
  train.parameter @b bias <normal, 0.0, 0.1> : tensor<4xf32>
  func.func private @micro()
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
          tensor<f32> {rt.binding = #rt.binding<loss_sum>},
          tensor<i64> {rt.binding = #rt.binding<loss_count>})

  // CHECK-LABEL: func.func @combine
  // CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}
  // CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">}
  // CHECK-SAME: %[[SUM:[a-z0-9]+]]: tensor<f32> {rt.binding = #rt.binding<loss_sum>}
  // CHECK-SAME: %[[COUNT:[a-z0-9]+]]: tensor<i64> {rt.binding = #rt.binding<loss_count>}
  // CHECK-SAME: %[[W2:[a-z0-9]+]]: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w", other>}
  // CHECK-SAME: %[[B2:[a-z0-9]+]]: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b", other>}
  // CHECK-SAME: %[[SUM2:[a-z0-9]+]]: tensor<f32> {rt.binding = #rt.binding<loss_sum, other>}
  // CHECK-SAME: %[[COUNT2:[a-z0-9]+]]: tensor<i64> {rt.binding = #rt.binding<loss_count, other>}
  // CHECK-SAME: -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>})
  // CHECK: %[[RW:.+]] = train.combine %[[W]], %[[W2]]
  // CHECK: %[[RB:.+]] = train.combine %[[B]], %[[B2]]
  // CHECK: %[[RSUM:.+]] = train.combine %[[SUM]], %[[SUM2]]
  // CHECK: %[[RCOUNT:.+]] = train.combine %[[COUNT]], %[[COUNT2]]
  // CHECK: return %[[RW]], %[[RB]], %[[RSUM]], %[[RCOUNT]]

  // Parameters first, then state.
  // CHECK-LABEL: func.func @init
  // CHECK-SAME: %[[SEED:[a-z0-9]+]]: tensor<i64> {rt.binding = #rt.binding<seed>}
  // CHECK-SAME: -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">}, tensor<4x3xf32> {rt.binding = #rt.binding<state, "w.momentum">})
  // CHECK: %[[W:.+]] = train.initialize "w" <uniform, -5.000000e-01 : f64, 5.000000e-01 : f64> seed(%[[SEED]])
  // CHECK: %[[B:.+]] = train.initialize "b" <normal, 0.000000e+00 : f64, 1.000000e-01 : f64> seed(%[[SEED]])
  // CHECK: %[[V:.+]] = train.initialize "w.momentum" <constant, 0.000000e+00 : f64, 0.000000e+00 : f64> seed(%[[SEED]])
  // CHECK: return %[[W]], %[[B]], %[[V]]
}

// -----

// Functions that are there stay as they are, and are not built twice.
// CHECK-LABEL: train.program @complete
train.program @complete batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  func.func private @micro() -> (tensor<f32> {rt.binding = #rt.binding<loss_sum>})
  // CHECK: func.func private @combine()
  func.func private @combine()
  // CHECK: func.func private @init()
  func.func private @init()
  // CHECK-NOT: func.func
}

// -----

// What the first update reads of the step before.
// CHECK-LABEL: train.program @flag
train.program @flag batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  func.func private @update(tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<i32> {rt.binding = #rt.binding<failed>})
  // CHECK-LABEL: func.func @init
  // CHECK-SAME: -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, tensor<i32> {rt.binding = #rt.binding<failed>})
  // CHECK: %[[W:.+]] = train.initialize "w"
  // CHECK: %[[NO:.+]] = arith.constant dense<0> : tensor<i32>
  // CHECK: return %[[W]], %[[NO]]
}

// -----

// A program that only evaluates has nothing to combine.
// CHECK-LABEL: train.program @no_micro
train.program @no_micro batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // CHECK-NOT: @combine
  // CHECK: func.func @init(%{{.*}}: tensor<i64> {rt.binding = #rt.binding<seed>})
}

// -----

// Micro-batches that add to one set leave nothing to combine.
// CHECK-LABEL: train.program @in_place
train.program @in_place batch_size(2) micro_batches(3) epochs(1) seed(1) recipe("{}")
    attributes {rt.reproducible = #rt.reproducible<off>} {
  // CHECK: func.func private @micro
  func.func private @micro() -> (tensor<f32> {rt.binding = #rt.binding<loss_sum>})
  // CHECK-NOT: @combine
  // CHECK: func.func @init
}

// -----

// Each phase adds what its own micro returns; one that another phase has is used again.
// CHECK-LABEL: train.program @phases
// CHECK: train.variant @step phases [#train.phase<micro = @micro, combine = @combine, probe = @probe>, #train.phase<micro = @trial, combine = @combine_trial, probe = @judge, repeats = true>] micro(@micro) combine(@combine) update(@update)
// CHECK: func.func @combine(%{{.*}}: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %{{.*}}: tensor<f32> {rt.binding = #rt.binding<loss_sum, other>})
// CHECK: func.func @combine_trial(%{{.*}}: tensor<i64> {rt.binding = #rt.binding<loss_count>}, %{{.*}}: tensor<i64> {rt.binding = #rt.binding<loss_count, other>})
// The flag of the step before is there for a probe, too.
// CHECK: func.func @init
// CHECK-SAME: -> (tensor<i32> {rt.binding = #rt.binding<failed>})
train.program @phases batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @step
      phases [#train.phase<micro = @micro, probe = @probe>,
              #train.phase<micro = @trial, probe = @judge, repeats = true>]
      micro(@micro) update(@update)
  func.func private @micro() -> (tensor<f32> {rt.binding = #rt.binding<loss_sum>})
  func.func private @trial() -> (tensor<i64> {rt.binding = #rt.binding<loss_count>})
  func.func private @probe(tensor<i32> {rt.binding = #rt.binding<failed>})
  func.func private @judge()
  func.func private @update()
}
