// RUN: boost-opt %s --split-input-file --verify-diagnostics --boostc-remove-batch-norms | FileCheck %s
// RUN: sed 's/initial = .2.0, 4.0, 8.0., cuts = .2, 3./initial = [2.0, 2.0, 4.0, 8.0], cuts = [1, 2, 3]/' %s \
// RUN:   | not boost-opt --split-input-file --boostc-remove-batch-norms 2>&1 | FileCheck %s --check-prefix=LOST
// LOST: error: less_bn removes 'bn1.weight' and all else in loss scale group 2; put these layers into a group with others (loss_scale_group.groups)

// A residual block with a projection, and a norm after it that no rule is about. What bn1 and bn2
// own leaves the program: parameters, optimizer states, statistics, accumulators; groups
// of Adasum and of loss scales begin where they did.
// CHECK-LABEL: train.program @residual
// CHECK-SAME: train.adasum = {{.*}} cuts = [1]>
// CHECK-SAME: train.loss_scale_groups = {{.*}} cuts = [1, 2]>
// CHECK-NOT: train.parameter @bn1
// CHECK: train.parameter @conv1.weight
// CHECK-NOT: train.parameter @bn1
// CHECK: train.parameter @bn2.weight
// CHECK-NOT: bn1
// CHECK: func.func @forward(
// CHECK-SAME: rt.binding<parameter, "bn2.weight">
// CHECK-NOT: bn1
// CHECK: %[[C1:.+]] = nn.conv2d
// CHECK-NEXT: %[[R1:.+]] = nn.relu %[[C1]]
// CHECK-NEXT: %[[C2:.+]] = nn.conv2d %[[R1]],
// CHECK-NEXT: %[[N:.+]], %{{.+}}, %{{.+}} = nn.batch_norm %[[C2]]
// CHECK: nn.add %[[N]],
// CHECK: func.func @micro(
// CHECK: train.value_and_grad @forward({{.*}}) outputs [2] wrt [3, 4, 5]
// CHECK: func.func @update(
// CHECK-NOT: bn1
// CHECK: train.commit {{.*}} finite(%{{.+}}, %{{.+}}, %{{.+}} : tensor<2x2x1x1xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>)
// CHECK-NOT: train.lars
// CHECK: train.program @none
// expected-remark @+1 {{less_bn removes 1 of 2 batch_norm layers}}
train.program @residual batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.less_batch_norms, train.adasum = #train.adasum<delta, per_group, auto, cuts = [2]>,
                train.loss_scale_groups = #train.loss_scale_groups<initial = [2.0, 4.0, 8.0], cuts = [2, 3]>} {
  train.parameter @conv1.weight weight <uniform, -0.5, 0.5> : tensor<2x2x1x1xf32>
  train.parameter @bn1.weight norm_scale <constant, 1.0, 0.0> : tensor<2xf32>
  train.parameter @conv2.weight weight <uniform, -0.5, 0.5> : tensor<2x2x1x1xf32>
  train.parameter @bn2.weight norm_scale <constant, 1.0, 0.0> : tensor<2xf32>
  train.state @bn1.mean "mean" saved with_weights : tensor<2xf32>
  train.state @bn2.mean "mean" saved with_weights : tensor<2xf32>
  train.state @bn1.weight.momentum "momentum" of @bn1.weight : tensor<2xf32>
  train.accumulator @bn1.shifts : tensor<2xf32>
  train.accumulator @bn2.shifts : tensor<2xf32>
  func.func @forward(%x: tensor<3x2x2x2xf32> {rt.binding = #rt.binding<input, "x">},
                     %label: tensor<3xi32> {rt.binding = #rt.binding<input, "y">},
                     %valid: tensor<i32> {rt.binding = #rt.binding<valid>},
                     %w1: tensor<2x2x1x1xf32> {rt.binding = #rt.binding<parameter, "conv1.weight">},
                     %g1: tensor<2xf32> {rt.binding = #rt.binding<parameter, "bn1.weight">},
                     %m1: tensor<2xf32> {rt.binding = #rt.binding<state, "bn1.mean">},
                     %w2: tensor<2x2x1x1xf32> {rt.binding = #rt.binding<parameter, "conv2.weight">},
                     %g2: tensor<2xf32> {rt.binding = #rt.binding<parameter, "bn2.weight">},
                     %m2: tensor<2xf32> {rt.binding = #rt.binding<state, "bn2.mean">})
      -> (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>) {
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %c1 = nn.conv2d %x, %w1 strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        : tensor<3x2x2x2xf32>, tensor<2x2x1x1xf32>
    %n1, %a1, %v1 = nn.batch_norm %c1, %g1, %zero, %valid epsilon 1.0e-5
        : tensor<3x2x2x2xf32>, tensor<2xf32>
    %s1, %q1, %k1 = nn.batch_norm_sums %a1, %v1, %m1, %valid positions 4 : tensor<2xf32>
    %r1 = nn.relu %n1 : tensor<3x2x2x2xf32>
    %c2 = nn.conv2d %r1, %w2 strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        : tensor<3x2x2x2xf32>, tensor<2x2x1x1xf32>
    %n2, %a2, %v2 = nn.batch_norm %c2, %g2, %zero, %valid epsilon 1.0e-5
        : tensor<3x2x2x2xf32>, tensor<2xf32>
    %s2, %q2, %k2 = nn.batch_norm_sums %a2, %v2, %m2, %valid positions 4 : tensor<2xf32>
    %sum = nn.add %n2, %x : tensor<3x2x2x2xf32>
    %f = nn.flatten %sum : tensor<3x2x2x2xf32>
    %loss, %count = nn.softmax_cross_entropy %f, %label, %valid : tensor<3x8xf32>, tensor<3xi32>
    return %loss, %count, %s1, %s2 : tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>
  }
  func.func @micro(%x: tensor<3x2x2x2xf32> {rt.binding = #rt.binding<input, "x">},
                   %label: tensor<3xi32> {rt.binding = #rt.binding<input, "y">},
                   %valid: tensor<i32> {rt.binding = #rt.binding<valid>},
                   %w1: tensor<2x2x1x1xf32> {rt.binding = #rt.binding<parameter, "conv1.weight">},
                   %g1: tensor<2xf32> {rt.binding = #rt.binding<parameter, "bn1.weight">},
                   %m1: tensor<2xf32> {rt.binding = #rt.binding<state, "bn1.mean">},
                   %w2: tensor<2x2x1x1xf32> {rt.binding = #rt.binding<parameter, "conv2.weight">},
                   %g2: tensor<2xf32> {rt.binding = #rt.binding<parameter, "bn2.weight">},
                   %m2: tensor<2xf32> {rt.binding = #rt.binding<state, "bn2.mean">})
      -> (tensor<2x2x1x1xf32> {rt.binding = #rt.binding<gradient, "conv1.weight">},
          tensor<2xf32> {rt.binding = #rt.binding<gradient, "bn1.weight">},
          tensor<2x2x1x1xf32> {rt.binding = #rt.binding<gradient, "conv2.weight">},
          tensor<2xf32> {rt.binding = #rt.binding<gradient, "bn2.weight">},
          tensor<i64> {rt.binding = #rt.binding<loss_count>},
          tensor<2xf32> {rt.binding = #rt.binding<accumulator, "bn1.shifts">},
          tensor<2xf32> {rt.binding = #rt.binding<accumulator, "bn2.shifts">}) {
    %loss, %count, %s:2, %d1, %e1, %d2, %e2 =
        train.value_and_grad @forward(%x, %label, %valid, %w1, %g1, %m1, %w2, %g2, %m2)
        outputs [2, 3] wrt [3, 4, 6, 7]
        : (tensor<3x2x2x2xf32>, tensor<3xi32>, tensor<i32>, tensor<2x2x1x1xf32>, tensor<2xf32>,
           tensor<2xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>, tensor<2xf32>)
        -> (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2x2x1x1xf32>,
            tensor<2xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>)
    return %d1, %e1, %d2, %e2, %count, %s#0, %s#1
        : tensor<2x2x1x1xf32>, tensor<2xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>, tensor<i64>,
          tensor<2xf32>, tensor<2xf32>
  }
  func.func @update(%d1: tensor<2x2x1x1xf32> {rt.binding = #rt.binding<gradient, "conv1.weight">},
                    %e1: tensor<2xf32> {rt.binding = #rt.binding<gradient, "bn1.weight">},
                    %d2: tensor<2x2x1x1xf32> {rt.binding = #rt.binding<gradient, "conv2.weight">},
                    %e2: tensor<2xf32> {rt.binding = #rt.binding<gradient, "bn2.weight">},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %g1: tensor<2xf32> {rt.binding = #rt.binding<parameter, "bn1.weight">},
                    %v1: tensor<2xf32> {rt.binding = #rt.binding<state, "bn1.weight.momentum">},
                    %g2: tensor<2xf32> {rt.binding = #rt.binding<parameter, "bn2.weight">},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<2xf32> {rt.binding = #rt.binding<parameter, "bn1.weight">},
          tensor<2xf32> {rt.binding = #rt.binding<state, "bn1.weight.momentum">},
          tensor<2xf32> {rt.binding = #rt.binding<parameter, "bn2.weight">},
          tensor<i32> {rt.binding = #rt.binding<applied>}) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%d1, %e1, %d2, %e2 : tensor<2x2x1x1xf32>, tensor<2xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>)
        on_nonfinite fail
    %a1 = train.divide_gradient %e1 by %count : tensor<2xf32>
    %a2 = train.divide_gradient %e2 by %count : tensor<2xf32>
    %ratio = arith.constant dense<1.0> : tensor<f32>
    %h1, %u1 = train.lars %g1, %a1, %lr, %v1 ratio(%ratio) momentum 0.9 weight_decay 0.0 if %applied : tensor<2xf32>
    %h2 = train.sgd %g2, %a2, %lr weight_decay 0.0 if %applied : tensor<2xf32>
    return %h1, %u1, %h2, %applied : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>
  }
}

// -----

// expected-remark @+1 {{less_bn removes no batch_norm layer: the model has none}}
train.program @none batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.less_batch_norms} {
  func.func @micro() { return }
}

// -----

// What a norm owned is needed elsewhere.
// expected-remark @+1 {{less_bn removes 1 of 2 batch_norm layers}}
train.program @update batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.less_batch_norms} {
  train.parameter @g weight <uniform, -0.5, 0.5> : tensor<2xf32>
  train.state @other "other" : tensor<2xf32>
  func.func @forward(%x: tensor<3x2x2x2xf32> {rt.binding = #rt.binding<input, "x">},
                     %label: tensor<3xi32> {rt.binding = #rt.binding<input, "y">},
                     %valid: tensor<i32> {rt.binding = #rt.binding<valid>},
                     %w: tensor<2x2x1x1xf32> {rt.binding = #rt.binding<parameter, "w">},
                     %g: tensor<2xf32> {rt.binding = #rt.binding<parameter, "g">})
      -> (tensor<f32>, tensor<i64>) {
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %one = arith.constant dense<1.0> : tensor<2xf32>
    %c1 = nn.conv2d %x, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        : tensor<3x2x2x2xf32>, tensor<2x2x1x1xf32>
    %n1, %a1, %v1 = nn.batch_norm %c1, %g, %zero, %valid epsilon 1.0e-5
        : tensor<3x2x2x2xf32>, tensor<2xf32>
    %r1 = nn.relu %n1 : tensor<3x2x2x2xf32>
    %c2 = nn.conv2d %r1, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        : tensor<3x2x2x2xf32>, tensor<2x2x1x1xf32>
    %n2, %a2, %v2 = nn.batch_norm %c2, %one, %zero, %valid epsilon 1.0e-5
        : tensor<3x2x2x2xf32>, tensor<2xf32>
    %sum = nn.add %n2, %x : tensor<3x2x2x2xf32>
    %f = nn.flatten %sum : tensor<3x2x2x2xf32>
    %loss, %count = nn.softmax_cross_entropy %f, %label, %valid : tensor<3x8xf32>, tensor<3xi32>
    return %loss, %count : tensor<f32>, tensor<i64>
  }
  func.func @micro(%x: tensor<3x2x2x2xf32> {rt.binding = #rt.binding<input, "x">},
                   %label: tensor<3xi32> {rt.binding = #rt.binding<input, "y">},
                   %valid: tensor<i32> {rt.binding = #rt.binding<valid>},
                   %w: tensor<2x2x1x1xf32> {rt.binding = #rt.binding<parameter, "w">},
                   %g: tensor<2xf32> {rt.binding = #rt.binding<parameter, "g">})
      -> (tensor<f32> {rt.binding = #rt.binding<loss_sum>}) {
    %loss, %count, %d = train.value_and_grad @forward(%x, %label, %valid, %w, %g) wrt [3]
        : (tensor<3x2x2x2xf32>, tensor<3xi32>, tensor<i32>, tensor<2x2x1x1xf32>, tensor<2xf32>)
        -> (tensor<f32>, tensor<i64>, tensor<2x2x1x1xf32>)
    return %loss : tensor<f32>
  }
  func.func @update(%g: tensor<2xf32> {rt.binding = #rt.binding<parameter, "g">})
      -> (tensor<2xf32> {rt.binding = #rt.binding<state, "other">}) {
    // expected-error @+1 {{needs a value that a boost removes}}
    return %g : tensor<2xf32>
  }
}

// -----

// An evaluation returns the moments of a norm.
// expected-remark @+1 {{less_bn removes 1 of 2 batch_norm layers}}
train.program @evaluation batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.less_batch_norms} {
  train.parameter @g weight <uniform, -0.5, 0.5> : tensor<2xf32>
  train.state @other "other" : tensor<2xf32>
  func.func @forward(%x: tensor<3x2x2x2xf32> {rt.binding = #rt.binding<input, "x">},
                     %label: tensor<3xi32> {rt.binding = #rt.binding<input, "y">},
                     %valid: tensor<i32> {rt.binding = #rt.binding<valid>},
                     %w: tensor<2x2x1x1xf32> {rt.binding = #rt.binding<parameter, "w">},
                     %g: tensor<2xf32> {rt.binding = #rt.binding<parameter, "g">})
      -> (tensor<f32>, tensor<i64>, tensor<2xf32>) {
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %one = arith.constant dense<1.0> : tensor<2xf32>
    %c1 = nn.conv2d %x, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        : tensor<3x2x2x2xf32>, tensor<2x2x1x1xf32>
    %n1, %a1, %v1 = nn.batch_norm %c1, %g, %zero, %valid epsilon 1.0e-5
        : tensor<3x2x2x2xf32>, tensor<2xf32>
    %r1 = nn.relu %n1 : tensor<3x2x2x2xf32>
    %c2 = nn.conv2d %r1, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        : tensor<3x2x2x2xf32>, tensor<2x2x1x1xf32>
    %n2, %a2, %v2 = nn.batch_norm %c2, %one, %zero, %valid epsilon 1.0e-5
        : tensor<3x2x2x2xf32>, tensor<2xf32>
    %sum = nn.add %n2, %x : tensor<3x2x2x2xf32>
    %f = nn.flatten %sum : tensor<3x2x2x2xf32>
    %loss, %count = nn.softmax_cross_entropy %f, %label, %valid : tensor<3x8xf32>, tensor<3xi32>
    return %loss, %count, %a1 : tensor<f32>, tensor<i64>, tensor<2xf32>
  }
  func.func @micro(%x: tensor<3x2x2x2xf32> {rt.binding = #rt.binding<input, "x">},
                   %label: tensor<3xi32> {rt.binding = #rt.binding<input, "y">},
                   %valid: tensor<i32> {rt.binding = #rt.binding<valid>},
                   %w: tensor<2x2x1x1xf32> {rt.binding = #rt.binding<parameter, "w">},
                   %g: tensor<2xf32> {rt.binding = #rt.binding<parameter, "g">})
      -> (tensor<f32> {rt.binding = #rt.binding<loss_sum>}) {
    %loss, %count, %d = train.value_and_grad @forward(%x, %label, %valid, %w, %g) wrt [3]
        : (tensor<3x2x2x2xf32>, tensor<3xi32>, tensor<i32>, tensor<2x2x1x1xf32>, tensor<2xf32>)
        -> (tensor<f32>, tensor<i64>, tensor<2x2x1x1xf32>)
    return %loss : tensor<f32>
  }
  func.func @eval(%x: tensor<3x2x2x2xf32>, %label: tensor<3xi32>, %valid: tensor<i32>,
                  %w: tensor<2x2x1x1xf32>, %g: tensor<2xf32>) -> (tensor<2xf32>) {
    %r:3 = train.evaluate @forward(%x, %label, %valid, %w, %g)
        : (tensor<3x2x2x2xf32>, tensor<3xi32>, tensor<i32>, tensor<2x2x1x1xf32>, tensor<2xf32>)
        -> (tensor<f32>, tensor<i64>, tensor<2xf32>)
    // expected-error @+1 {{needs a value that a boost removes}}
    return %r#2 : tensor<2xf32>
  }
}
