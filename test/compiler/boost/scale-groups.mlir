// RUN: split-file %s %t
// RUN: boost-opt %t/groups.mlir --boostc-scale-groups 2>&1 | FileCheck %t/groups.mlir
// RUN: boost-opt %t/unused.mlir --boostc-scale-groups 2>&1 | FileCheck %t/unused.mlir
// RUN: boost-opt %t/groups.mlir --boostc-scale-groups --boostc-build-backward | FileCheck %t/groups.mlir --check-prefix=BACKWARD
// RUN: boost-opt %t/errors.mlir --split-input-file --verify-diagnostics --boostc-scale-groups

//--- groups.mlir
// Three groups: a; b with its bias c; d. The value of group 1 is read in group 2 twice, over one
// mark, and in group 3 over another one. What was before group 1 has no gradient and no mark.
// CHECK: remark: loss_scale_group has 3 loss scales; edges between their groups: 3
// CHECK-LABEL: train.program @groups
// CHECK-NOT: loss_scale_groups
// CHECK: train.state @loss_scale.1 "loss_scale.1" init <constant, 4.096000e+03 : f64, 0.000000e+00 : f64> : tensor<f32>
// CHECK: train.state @loss_scale.1.overflows "loss_scale.1.overflows" : tensor<i64>
// CHECK: train.state @loss_scale.3 "loss_scale.3" init <constant, 1.024000e+03

// CHECK: func.func private @forward_scaled(%[[X:[a-z0-9]+]]: tensor<2x4xf32> {{.*}}, %[[S1:[a-z0-9]+]]: tensor<f32> {rt.binding = #rt.binding<state, "loss_scale.1">}, %[[S2:[a-z0-9]+]]: tensor<f32> {rt.binding = #rt.binding<state, "loss_scale.2">}, %[[S3:[a-z0-9]+]]: tensor<f32> {rt.binding = #rt.binding<state, "loss_scale.3">})
// CHECK-NEXT: %[[R:.+]] = nn.relu %[[X]]
// CHECK-NEXT: %[[A:.+]] = nn.dense %[[R]], %{{.+}} :
// CHECK-NEXT: %[[T:.+]] = nn.tanh %[[A]]
// CHECK-NEXT: %[[M:.+]] = nn.scale_gradient %[[T]] by %[[S1]] over %[[S2]] : tensor<2x4xf32>
// CHECK-NEXT: %[[B:.+]] = nn.dense %[[M]], %{{.+}}, %{{.+}} :
// CHECK-NEXT: %[[C:.+]] = nn.add %[[B]], %[[M]]
// CHECK-NEXT: %[[N:.+]] = nn.scale_gradient %[[C]] by %[[S2]] over %[[S3]]
// CHECK-NEXT: %[[D:.+]] = nn.dense %[[N]],
// CHECK-NEXT: %[[O:.+]] = nn.scale_gradient %[[T]] by %[[S1]] over %[[S3]]
// CHECK-NEXT: %[[E:.+]] = nn.add %[[D]], %[[O]]
// CHECK-NEXT: nn.softmax_cross_entropy %[[E]],

// Evaluation reads no scale.
// CHECK: func.func private @forward(
// CHECK-NOT: nn.scale_gradient
// CHECK: func.func @micro({{.*}}, %[[S1:[a-z0-9]+]]: tensor<f32> {rt.binding = #rt.binding<state, "loss_scale.1">}, %[[S2:[a-z0-9]+]]: tensor<f32> {rt.binding = #rt.binding<state, "loss_scale.2">}, %[[S3:[a-z0-9]+]]: tensor<f32> {rt.binding = #rt.binding<state, "loss_scale.3">})
// CHECK: train.value_and_grad @forward_scaled({{.*}}, %[[S1]], %[[S2]], %[[S3]]) scale(%[[S3]]) wrt [1, 2, 3, 4]

// CHECK: func.func @update(%[[GA:[a-z0-9]+]]: {{.*}}, %[[GB:[a-z0-9]+]]: {{.*}}, %[[GC:[a-z0-9]+]]: {{.*}}, %[[GD:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: tensor<i64> {rt.binding = #rt.binding<loss_count>}
// CHECK: train.commit {{.*}} finite(%[[GA]], %[[GB]], %[[GC]], %[[GD]]
// CHECK: %[[MA:.+]] = train.divide_gradient %[[GA]]
// CHECK-NEXT: %[[UA:.+]] = train.unscale_gradient %[[MA]] by %[[S1:.+]] :
// CHECK-NEXT: %[[MB:.+]] = train.divide_gradient %[[GB]]
// CHECK-NEXT: train.unscale_gradient %[[MB]] by %[[S2:.+]] :
// CHECK-NEXT: %[[MC:.+]] = train.divide_gradient %[[GC]]
// CHECK-NEXT: train.unscale_gradient %[[MC]] by %[[S2]] :
// CHECK-NEXT: %[[MD:.+]] = train.divide_gradient %[[GD]]
// CHECK-NEXT: train.unscale_gradient %[[MD]] by %[[S3:.+]] :
// CHECK: train.sgd %{{.+}}, %[[UA]],
// CHECK: %[[USED:.+]] = train.stack %[[S1]], %[[S2]], %[[S3]] :
// CHECK-NEXT: %[[N1:.+]] = train.not_finite(%[[GA]] :
// CHECK-NEXT: %[[A1:.+]], %[[O1:.+]] = train.adjust_group_scale %[[S1]], %{{.+}} of %[[COUNT]] nonfinite %[[N1]]
// CHECK-NEXT: %[[N2:.+]] = train.not_finite(%[[GB]], %[[GC]] :
// CHECK-NEXT: %[[A2:.+]], %[[O2:.+]] = train.adjust_group_scale %[[S2]], %{{.+}} of %[[COUNT]] nonfinite %[[N2]]
// CHECK-NEXT: %[[N3:.+]] = train.not_finite(%[[GD]] :
// CHECK-NEXT: %[[A3:.+]], %[[O3:.+]] = train.adjust_group_scale %[[S3]], %{{.+}} of %[[COUNT]] nonfinite %[[N3]]
// CHECK-NEXT: %[[ALL:.+]] = train.stack %[[O1]], %[[O2]], %[[O3]] :
// CHECK-NEXT: return {{.*}}, %[[A1]], %[[O1]], %[[A2]], %[[O2]], %[[A3]], %[[O3]], %[[USED]], %[[ALL]]

// Each edge multiplies once; the gradients that meet at the first group are of its scale.
// BACKWARD-LABEL: func.func @micro
// BACKWARD: %[[G13:.+]] = nn.scale_gradient_grad %{{.+}} by %[[S1:.+]] over %[[S3:.+]] :
// BACKWARD: %[[G23:.+]] = nn.scale_gradient_grad %{{.+}} by %[[S2:.+]] over %[[S3]] :
// BACKWARD: %[[G12:.+]] = nn.scale_gradient_grad %{{.+}} by %[[S1]] over %[[S2]] :
// BACKWARD: %[[SUM:.+]] = nn.add %[[G13]], %[[G12]]
// BACKWARD: nn.elementwise_grad %[[SUM]]
// BACKWARD-NOT: nn.scale_gradient_grad
// BACKWARD-LABEL: func.func @eval
train.program @groups batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.loss_scale_groups = #train.loss_scale_groups<initial = [4096.0, 2.0, 1024.0], cuts = [1, 3]>} {
  train.input @x : tensor<2x4xf32>
  train.input @label classes(4) : tensor<2xi32>
  train.parameter @a weight <uniform, -0.5, 0.5> : tensor<4x4xf32>
  train.parameter @b weight <uniform, -0.5, 0.5> : tensor<4x4xf32>
  train.parameter @c bias <uniform, -0.5, 0.5> : tensor<4xf32>
  train.parameter @d weight <uniform, -0.5, 0.5> : tensor<4x4xf32>
  train.schedule @lr <constant, 0.5>
  func.func private @forward(%x: tensor<2x4xf32> {rt.binding = #rt.binding<input, "x">},
      %a: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "a">},
      %b: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "b">},
      %c: tensor<4xf32> {rt.binding = #rt.binding<parameter, "c">},
      %d: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "d">},
      %label: tensor<2xi32> {rt.binding = #rt.binding<input, "label">},
      %valid: tensor<i32> {rt.binding = #rt.binding<valid>}) -> (tensor<f32>, tensor<i64>) {
    %0 = nn.relu %x : tensor<2x4xf32>
    %1 = nn.dense %0, %a : tensor<2x4xf32>, tensor<4x4xf32>
    %2 = nn.tanh %1 : tensor<2x4xf32>
    %3 = nn.dense %2, %b, %c : tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>
    %4 = nn.add %3, %2 : tensor<2x4xf32>
    %5 = nn.dense %4, %d : tensor<2x4xf32>, tensor<4x4xf32>
    %6 = nn.add %5, %2 : tensor<2x4xf32>
    %sum, %count = nn.softmax_cross_entropy %6, %label, %valid : tensor<2x4xf32>, tensor<2xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }
  func.func @micro(%x: tensor<2x4xf32> {rt.binding = #rt.binding<input, "x">},
      %a: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "a">},
      %b: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "b">},
      %c: tensor<4xf32> {rt.binding = #rt.binding<parameter, "c">},
      %d: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "d">},
      %label: tensor<2xi32> {rt.binding = #rt.binding<input, "label">},
      %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<4x4xf32> {rt.binding = #rt.binding<gradient, "a">},
          tensor<4x4xf32> {rt.binding = #rt.binding<gradient, "b">},
          tensor<4xf32> {rt.binding = #rt.binding<gradient, "c">},
          tensor<4x4xf32> {rt.binding = #rt.binding<gradient, "d">},
          tensor<f32> {rt.binding = #rt.binding<loss_sum>},
          tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %sum, %count, %ga, %gb, %gc, %gd = train.value_and_grad @forward(%x, %a, %b, %c, %d, %label, %valid)
        wrt [1, 2, 3, 4]
        : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<2xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>)
    return %ga, %gb, %gc, %gd, %sum, %count
        : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<i64>
  }
  func.func @update(%ga: tensor<4x4xf32> {rt.binding = #rt.binding<gradient, "a">},
      %gb: tensor<4x4xf32> {rt.binding = #rt.binding<gradient, "b">},
      %gc: tensor<4xf32> {rt.binding = #rt.binding<gradient, "c">},
      %gd: tensor<4x4xf32> {rt.binding = #rt.binding<gradient, "d">},
      %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
      %a: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "a">},
      %b: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "b">},
      %c: tensor<4xf32> {rt.binding = #rt.binding<parameter, "c">},
      %d: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "d">},
      %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">},
      %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "a">},
          tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "b">},
          tensor<4xf32> {rt.binding = #rt.binding<parameter, "c">},
          tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "d">},
          tensor<i32> {rt.binding = #rt.binding<applied>},
          tensor<i32> {rt.binding = #rt.binding<failed>}) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%ga, %gb, %gc, %gd : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>) on_nonfinite skip
    %ma = train.divide_gradient %ga by %count : tensor<4x4xf32>
    %mb = train.divide_gradient %gb by %count : tensor<4x4xf32>
    %mc = train.divide_gradient %gc by %count : tensor<4xf32>
    %md = train.divide_gradient %gd by %count : tensor<4x4xf32>
    %a1 = train.sgd %a, %ma, %lr weight_decay 0.0 if %applied : tensor<4x4xf32>
    %b1 = train.sgd %b, %mb, %lr weight_decay 0.0 if %applied : tensor<4x4xf32>
    %c1 = train.sgd %c, %mc, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    %d1 = train.sgd %d, %md, %lr weight_decay 0.0 if %applied : tensor<4x4xf32>
    return %a1, %b1, %c1, %d1, %applied, %failed
        : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<i32>
  }
  func.func @eval(%x: tensor<2x4xf32> {rt.binding = #rt.binding<input, "x">},
      %a: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "a">},
      %b: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "b">},
      %c: tensor<4xf32> {rt.binding = #rt.binding<parameter, "c">},
      %d: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "d">},
      %label: tensor<2xi32> {rt.binding = #rt.binding<input, "label">},
      %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32> {rt.binding = #rt.binding<metric_sum, "loss">},
          tensor<i64> {rt.binding = #rt.binding<metric_count, "loss">}) {
    %sum, %count = train.evaluate @forward(%x, %a, %b, %c, %d, %label, %valid)
        : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<2xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>)
    return %sum, %count : tensor<f32>, tensor<i64>
  }
}

//--- unused.mlir
// The loss is of the last group whatever it reads, and an input may have the copy's name. A forward
// that evaluation does not read is gone.
// CHECK: remark: loss_scale_group has 2 loss scales; edges between their groups: 1
// CHECK-NOT: @forward(
// CHECK: func.func private @forward_scaled_0({{.*}}, %[[S1:[a-z0-9]+]]: tensor<f32> {rt.binding = #rt.binding<state, "loss_scale.1">}, %[[S2:[a-z0-9]+]]: tensor<f32> {rt.binding = #rt.binding<state, "loss_scale.2">})
// CHECK: %[[SUM:.+]], %{{.+}} = nn.softmax_cross_entropy
// CHECK: %[[M:.+]] = nn.scale_gradient %[[SUM]] by %[[S1]] over %[[S2]] : tensor<f32>
// CHECK: return %[[M]],
train.program @unused batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.loss_scale_groups = #train.loss_scale_groups<initial = [4.0, 2.0], cuts = [1]>} {
  train.input @forward_scaled : tensor<2x4xf32>
  train.parameter @a weight <uniform, -0.5, 0.5> : tensor<4x4xf32>
  train.parameter @b weight <uniform, -0.5, 0.5> : tensor<4x4xf32>
  func.func private @forward(%x: tensor<2x4xf32>,
      %a: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "a">},
      %label: tensor<2xi32>, %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>) {
    %1 = nn.dense %x, %a : tensor<2x4xf32>, tensor<4x4xf32>
    %sum, %count = nn.softmax_cross_entropy %1, %label, %valid : tensor<2x4xf32>, tensor<2xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }
  func.func @micro(%x: tensor<2x4xf32>,
      %a: tensor<4x4xf32> {rt.binding = #rt.binding<parameter, "a">}, %label: tensor<2xi32>,
      %valid: tensor<i32> {rt.binding = #rt.binding<valid>}) -> tensor<4x4xf32> {
    %sum, %count, %ga = train.value_and_grad @forward(%x, %a, %label, %valid) wrt [1]
        : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<2xi32>, tensor<i32>) -> (tensor<f32>, tensor<i64>, tensor<4x4xf32>)
    return %ga : tensor<4x4xf32>
  }
  func.func @update(%ga: tensor<4x4xf32> {rt.binding = #rt.binding<gradient, "a">}, %count: tensor<i64>, %before: tensor<i32>) {
    %applied, %failed = train.commit count(%count) after(%before) finite(%ga : tensor<4x4xf32>) on_nonfinite skip
    return
  }
}

//--- errors.mlir
// expected-error @+1 {{expected a parameter in each of 2 loss scale groups, found 1 parameters}}
train.program @few batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.loss_scale_groups = #train.loss_scale_groups<initial = [4.0, 2.0], cuts = [1]>} {
  train.parameter @a weight <uniform, -0.5, 0.5> : tensor<4x4xf32>
}

// -----

// expected-error @+1 {{expected one train.value_and_grad and one @update for loss_scale_group, found 0 and 0}}
train.program @none batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.loss_scale_groups = #train.loss_scale_groups<initial = [4.0], cuts = []>} {
  train.parameter @a weight <uniform, -0.5, 0.5> : tensor<4x4xf32>
}

// -----

train.program @scaled batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.loss_scale_groups = #train.loss_scale_groups<initial = [4.0], cuts = []>} {
  train.parameter @a weight <uniform, -0.5, 0.5> : tensor<4xf32>
  func.func private @forward(%a: tensor<4xf32>, %s: tensor<f32>, %n: tensor<i64>) -> (tensor<f32>, tensor<i64>) {
    return %s, %n : tensor<f32>, tensor<i64>
  }
  func.func @micro(%a: tensor<4xf32>, %s: tensor<f32>, %n: tensor<i64>) {
    // expected-error @+1 {{has a loss scale; loss_scale_group expects none}}
    %sum, %count, %ga = train.value_and_grad @forward(%a, %s, %n) scale(%s) wrt [0]
        : (tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>, tensor<4xf32>)
    return
  }
  func.func @update() { return }
}

// -----

train.program @uncommitted batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.loss_scale_groups = #train.loss_scale_groups<initial = [4.0], cuts = []>} {
  train.parameter @a weight <uniform, -0.5, 0.5> : tensor<4xf32>
  func.func private @forward(%a: tensor<4xf32>, %s: tensor<f32>, %n: tensor<i64>) -> (tensor<f32>, tensor<i64>) {
    return %s, %n : tensor<f32>, tensor<i64>
  }
  func.func @micro(%a: tensor<4xf32>, %s: tensor<f32>, %n: tensor<i64>) {
    %sum, %count, %ga = train.value_and_grad @forward(%a, %s, %n) wrt [0]
        : (tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>, tensor<4xf32>)
    return
  }
  // expected-error @+1 {{expected one train.commit, found 0}}
  func.func @update() { return }
}

// -----

train.program @fails batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.loss_scale_groups = #train.loss_scale_groups<initial = [4.0], cuts = []>} {
  train.parameter @a weight <uniform, -0.5, 0.5> : tensor<4xf32>
  func.func private @forward(%a: tensor<4xf32>, %s: tensor<f32>, %n: tensor<i64>) -> (tensor<f32>, tensor<i64>) {
    return %s, %n : tensor<f32>, tensor<i64>
  }
  func.func @micro(%a: tensor<4xf32>, %s: tensor<f32>, %n: tensor<i64>) {
    %sum, %count, %ga = train.value_and_grad @forward(%a, %s, %n) wrt [0]
        : (tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>, tensor<4xf32>)
    return
  }
  func.func @update(%count: tensor<i64>, %before: tensor<i32>) {
    // expected-error @+1 {{expected on_nonfinite skip: a step in which a group overflows is skipped}}
    %applied, %failed = train.commit count(%count) after(%before) on_nonfinite fail
    return
  }
}

// -----

train.program @raw batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.loss_scale_groups = #train.loss_scale_groups<initial = [4.0], cuts = []>} {
  train.parameter @a weight <uniform, -0.5, 0.5> : tensor<4xf32>
  func.func private @forward(%a: tensor<4xf32>, %s: tensor<f32>, %n: tensor<i64>) -> (tensor<f32>, tensor<i64>) {
    return %s, %n : tensor<f32>, tensor<i64>
  }
  func.func @micro(%a: tensor<4xf32>, %s: tensor<f32>, %n: tensor<i64>) {
    %sum, %count, %ga = train.value_and_grad @forward(%a, %s, %n) wrt [0]
        : (tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>, tensor<4xf32>)
    return
  }
  func.func @update(%ga: tensor<4xf32> {rt.binding = #rt.binding<gradient, "a">}, %count: tensor<i64>, %before: tensor<i32>) {
    %applied, %failed = train.commit count(%count) after(%before) on_nonfinite skip
    // expected-error @+1 {{reads a gradient that loss_scale_group scales; expected train.divide_gradient to read it}}
    %n = train.squared_norm %ga : tensor<4xf32>
    return
  }
}
