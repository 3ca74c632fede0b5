// RUN: boost-opt %s --boostc-average-weights --boostc-complete-step --split-input-file --verify-diagnostics | FileCheck %s

// Parameters and running statistics, of every update; what an update leaves alone, too.
// CHECK-LABEL: train.program @averaged
// CHECK-NOT: train.ema
// CHECK: train.parameter @w
// CHECK-NEXT: train.state @w.ema "ema" average @w evaluated saved with_weights : tensor<4xf32>
// CHECK-NEXT: train.state @w.momentum
// CHECK-NEXT: train.state @bn.mean "mean" init {{.*}} saved with_weights
// CHECK-NEXT: train.state @bn.mean.ema "ema" average @bn.mean evaluated saved with_weights : tensor<4xf32>
// CHECK-NEXT: train.state @bn.count "count" saved with_weights
// CHECK-NOT: train.state
train.program @averaged batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.ema = #train.ema<decay = 0.75 : f64, evaluate = true>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4xf32>
  train.state @w.momentum "momentum" of @w : tensor<4xf32>
  train.state @bn.mean "mean" init <constant, 2.0, 0.0> saved with_weights : tensor<4xf32>
  train.state @bn.count "count" saved with_weights : tensor<i64>
  func.func private @micro() -> (tensor<f32> {rt.binding = #rt.binding<loss_sum>})

  // CHECK-LABEL: func.func @update
  // CHECK-SAME: %[[W_EMA:[a-z0-9]+]]: tensor<4xf32> {rt.binding = #rt.binding<state, "w.ema">}
  // CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<4xf32> {rt.binding = #rt.binding<state, "bn.mean">}
  // CHECK-SAME: %[[M_EMA:[a-z0-9]+]]: tensor<4xf32> {rt.binding = #rt.binding<state, "bn.mean.ema">}
  // CHECK-SAME: -> (tensor<4xf32> {rt.binding = #rt.binding<parameter, "w">}, tensor<i32> {rt.binding = #rt.binding<failed>}, tensor<4xf32> {rt.binding = #rt.binding<state, "w.ema">}, tensor<4xf32> {rt.binding = #rt.binding<state, "bn.mean.ema">})
  // CHECK: %[[W1:.+]] = train.sgd
  // CHECK: %[[A:.+]] = train.moving_average %[[W_EMA]] of %[[W1]] decay 7.500000e-01 if %applied
  // CHECK: %[[B:.+]] = train.moving_average %[[M_EMA]] of %[[M]] decay 7.500000e-01 if %applied
  // CHECK: return %[[W1]], %failed, %[[A]], %[[B]]
  func.func @update(%g: tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %sum: tensor<f32> {rt.binding = #rt.binding<loss_sum>},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %w: tensor<4xf32> {rt.binding = #rt.binding<parameter, "w">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">})
      -> (tensor<4xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<i32> {rt.binding = #rt.binding<failed>}) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%sum, %g : tensor<f32>, tensor<4xf32>) on_nonfinite fail
    %0 = train.sgd %w, %g, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    return %0, %failed : tensor<4xf32>, tensor<i32>
  }

  // CHECK-LABEL: func.func private @eval
  // CHECK-SAME: tensor<4xf32> {rt.binding = #rt.binding<state, "w.ema">}
  // CHECK-SAME: tensor<4xf32> {rt.binding = #rt.binding<state, "bn.mean.ema">}
  // CHECK-SAME: tensor<i64> {rt.binding = #rt.binding<state, "bn.count">}
  func.func private @eval(tensor<4xf32> {rt.binding = #rt.binding<parameter, "w">},
                          tensor<4xf32> {rt.binding = #rt.binding<state, "bn.mean">},
                          tensor<i64> {rt.binding = #rt.binding<state, "bn.count">})

  // They start as what they average starts.
  // CHECK-LABEL: func.func @init
  // CHECK: %[[W0:.+]] = train.initialize "w" <uniform, -5.000000e-01 : f64, 5.000000e-01 : f64>
  // CHECK: %[[W_EMA0:.+]] = train.initialize "w" <uniform, -5.000000e-01 : f64, 5.000000e-01 : f64>
  // CHECK: %[[V0:.+]] = train.initialize "w.momentum" <constant, 0.000000e+00 : f64, 0.000000e+00 : f64>
  // CHECK: %[[M0:.+]] = train.initialize "bn.mean" <constant, 2.000000e+00 : f64, 0.000000e+00 : f64>
  // CHECK: %[[M_EMA0:.+]] = train.initialize "bn.mean" <constant, 2.000000e+00 : f64, 0.000000e+00 : f64>
  // CHECK: return %[[W0]], %[[W_EMA0]], %[[V0]], %[[M0]], %[[M_EMA0]]
}

// -----

// Averages that evaluations leave alone.
// CHECK-LABEL: train.program @kept
// CHECK: train.state @w.ema "ema" average @w saved with_weights : tensor<4xf32>
// CHECK: func.func private @eval(tensor<4xf32> {rt.binding = #rt.binding<parameter, "w">})
train.program @kept batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.ema = #train.ema<decay = 0.75 : f64, evaluate = false>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4xf32>
  func.func private @micro() -> (tensor<f32> {rt.binding = #rt.binding<loss_sum>})
  func.func private @eval(tensor<4xf32> {rt.binding = #rt.binding<parameter, "w">})
}

// -----

train.program @uncommitted batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.ema = #train.ema<decay = 0.75 : f64, evaluate = true>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4xf32>
  func.func private @micro() -> (tensor<f32> {rt.binding = #rt.binding<loss_sum>})
  // expected-error @+1 {{expected one train.commit, which says whether averages move, found 0}}
  func.func @update(%w: tensor<4xf32> {rt.binding = #rt.binding<parameter, "w">})
      -> (tensor<4xf32> {rt.binding = #rt.binding<parameter, "w">}) {
    return %w : tensor<4xf32>
  }
}
