// RUN: split-file %s %t
// RUN: boost-opt %t/step.mlir --boostc-search-subspace 2>&1 | FileCheck %t/step.mlir
// RUN: boost-opt %t/errors.mlir --split-input-file --verify-diagnostics --boostc-search-subspace

//--- step.mlir
// CHECK: remark: dim_reduce searches for each step between 2 vectors of 16 numbers, with up to 2 more forwards; the optimizer's rule and learning rate are not used
// CHECK-LABEL: train.program @searched
// Adam's states, its count and the learning rate are gone.
// CHECK-NOT: {{@w.m|@t |@lr}}
// CHECK: train.state @dim_reduce.correction "correction" : tensor<2x2xf32>
// CHECK: train.accumulator @dim_reduce.trial_loss : tensor<f32>
// CHECK: train.parameter @w
// CHECK-NEXT: train.state @w.basis "basis" of @w saved in_basis : tensor<2x4x3xf32>
// CHECK-NEXT: train.state @w.velocity "velocity" of @w : tensor<4x3xf32>
// CHECK: train.variant @searched phases [#train.phase<micro = @micro, probe = @direction>, #train.phase<micro = @micro_trial, probe = @judge, repeats = true>] update(@update)

// The update has no gradient but those that the commit tests.
// CHECK: func.func @update(
// CHECK: train.commit {{.*}} : tensor<f32>, tensor<4x3xf32>, tensor<4xf32>, tensor<2xf32>)
// CHECK-NOT: {{train.divide_gradient|train.adam}}
// CHECK: train.subspace_step {{.*}} alpha 1.250000e-01 gamma 7.500000e-01 if %{{.*}} : tensor<4x3xf32>
// CHECK: train.subspace_step {{.*}} : tensor<4xf32>
// CHECK: train.replace {{.*}} : tensor<2x2xf32>

// A trial reads the trial point and leaves the loss alone.
// CHECK: func.func @micro_trial({{.*}}#rt.binding<state, "w.trial">{{.*}}#rt.binding<state, "b.trial">{{.*}}) -> (tensor<f32> {rt.binding = #rt.binding<accumulator, "dim_reduce.trial_loss">}, tensor<i64> {rt.binding = #rt.binding<loss_count>})
// CHECK-NOT: nn.dense_grad_weight

// The gradient is the one that the rules read: clipped.
// CHECK: func.func @direction(
// CHECK: %[[G:.+]] = train.scale_gradient
// CHECK: %[[C:.+]] = train.project %[[G]] onto
// CHECK: train.bfgs_update
// CHECK: %[[D:.+]] = train.lift {{.*}} : (tensor<2xf32>), tensor<2x2xf32>
// CHECK: train.dot
// CHECK: %[[X:.+]]:2 = train.lift {{.*}} : (tensor<2xf32>, tensor<2xf32>), tensor<2x4x3xf32>
// CHECK: arith.subf %[[G]], %[[X]]#1
// CHECK: train.sgd %{{.+}}, %[[X]]#0

// CHECK: func.func @judge({{.*}}) -> ({{.*}}tensor<i32> {rt.binding = #rt.binding<repeat>})
train.program @searched batch_size(4) micro_batches(1) epochs(1) seed(9) recipe("{}")
    attributes {train.subspace = #train.subspace<components = 2, rho = 0.5 : f64, sigma = 0.25 : f64, alpha = 0.125 : f64, gamma = 0.75 : f64>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @b bias <uniform, -0.5, 0.5> : tensor<4xf32>
  train.state @w.m "m" of @w : tensor<4x3xf32>
  train.state @w.v "v" of @w : tensor<4x3xf32>
  train.state @t "steps" : tensor<i64>
  train.schedule @lr <constant, 1.0>
  func.func @micro(%x: tensor<4x3xf32> {rt.binding = #rt.binding<input, "x">}, %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, %b: tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">}, %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %y = nn.dense %x, %w, %b : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4xf32>
    %loss = train.squared_norm %y : tensor<4x4xf32>
    %gw = nn.dense_grad_weight %y, %x : tensor<4x4xf32>, tensor<4x3xf32>
    %gb = nn.bias_grad %y, %valid axis 1 : tensor<4x4xf32>
    %count = arith.constant dense<4> : tensor<i64>
    return %gw, %gb, %loss, %count : tensor<4x3xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>
  }
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, %gb: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">}, %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
      %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, %b: tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
      %m: tensor<4x3xf32> {rt.binding = #rt.binding<state, "w.m">}, %v: tensor<4x3xf32> {rt.binding = #rt.binding<state, "w.v">}, %t: tensor<i64> {rt.binding = #rt.binding<state, "t">},
      %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">}, %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">}, tensor<4x3xf32> {rt.binding = #rt.binding<state, "w.m">}, tensor<4x3xf32> {rt.binding = #rt.binding<state, "w.v">}, tensor<i64> {rt.binding = #rt.binding<state, "t">},
          tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
    %applied, %failed = train.commit count(%count) after(%before) finite(%loss, %gw, %gb : tensor<f32>, tensor<4x3xf32>, tensor<4xf32>) on_nonfinite fail
    %t1 = train.count_applied %t if %applied
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %mb = train.divide_gradient %gb by %count : tensor<4xf32>
    %nw = train.squared_norm %mw : tensor<4x3xf32>
    %n = train.global_norm %nw
    %limit = train.clip_factor %n limit 1.0
    %cw = train.scale_gradient %mw by %limit : tensor<4x3xf32>
    %c1 = train.one_minus_power %t1 base 0.9
    %c2 = train.one_minus_power %t1 base 0.999
    %w1, %m1, %v1 = train.adam %w, %cw, %lr, %m, %v corrections(%c1, %c2) betas 0.9, 0.999 epsilon 1.0e-8 weight_decay 0.0 if %applied : tensor<4x3xf32>
    %b1 = train.sgd %b, %mb, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    return %w1, %b1, %m1, %v1, %t1, %applied, %failed : tensor<4x3xf32>, tensor<4xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<i64>, tensor<i32>, tensor<i32>
  }
}

//--- errors.mlir
// expected-error @+1 {{expected @micro and @update for dim_reduce}}
train.program @alone batch_size(4) micro_batches(1) epochs(1) seed(9) recipe("{}")
    attributes {train.subspace = #train.subspace<components = 2, rho = 0.5 : f64, sigma = 0.25 : f64, alpha = 0.125 : f64, gamma = 0.75 : f64>} {
}

// -----

train.program @without_rule batch_size(4) micro_batches(1) epochs(1) seed(9) recipe("{}")
    attributes {train.subspace = #train.subspace<components = 2, rho = 0.5 : f64, sigma = 0.25 : f64, alpha = 0.125 : f64, gamma = 0.75 : f64>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  func.func @micro() -> (tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %count = arith.constant dense<4> : tensor<i64>
    return %count : tensor<i64>
  }
  // expected-error @+1 {{has no rule for parameter 'w', which dim_reduce replaces}}
  func.func @update(%count: tensor<i64> {rt.binding = #rt.binding<loss_count>}, %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
    %applied, %failed = train.commit count(%count) after(%before) on_nonfinite fail
    return %applied, %failed : tensor<i32>, tensor<i32>
  }
}
