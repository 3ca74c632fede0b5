// RUN: split-file %s %t
// RUN: boost-opt %t/variants.mlir --split-input-file --boostc-freeze-layers | FileCheck %t/variants.mlir
// RUN: boost-opt %t/errors.mlir --split-input-file --verify-diagnostics --boostc-freeze-layers

//--- variants.mlir
// A layer is a weight with what follows it; the last group has what is left over. The step that
// trains all comes last.
// CHECK-LABEL: train.program @interleaved
// CHECK: train.state @t.group0 "steps" : tensor<i64>
// CHECK: train.state @t "steps" : tensor<i64>
// CHECK: train.variant @frozen_1 micro(@micro) update(@update_frozen_1)
// CHECK: train.variant @full micro(@micro) update(@update)
// CHECK: train.selector @select variants [@full, @frozen_1]
// CHECK: func.func @update(
// CHECK-SAME: %[[T0:[a-z0-9]+]]: tensor<i64> {rt.binding = #rt.binding<state, "t.group0">})
// CHECK-DAG: train.count_applied %[[T0]]

// The first layer's weight and bias, their states and their count are as they were.
// CHECK: func.func @update_frozen_1(%[[GV:[a-z0-9]+]]: tensor<2x4xf32> {rt.binding = #rt.binding<gradient, "v">}, %[[COUNT:[a-z0-9]+]]: tensor<i64> {{.*}}, %[[V:[a-z0-9]+]]: tensor<2x4xf32> {rt.binding = #rt.binding<parameter, "v">}, %[[T:[a-z0-9]+]]: tensor<i64> {rt.binding = #rt.binding<state, "t">}, %[[LR:[a-z0-9]+]]: {{.*}}, %[[BEFORE:[a-z0-9]+]]: {{.*}})
// CHECK-NEXT: %[[A:.+]], %[[F:.+]] = train.commit count(%[[COUNT]]) after(%[[BEFORE]]) finite(%[[GV]] : tensor<2x4xf32>)
// CHECK-NEXT: %[[T1:.+]] = train.count_applied %[[T]] if %[[A]]
// CHECK-NEXT: %[[MV:.+]] = train.divide_gradient %[[GV]]
// CHECK-NEXT: %[[NV:.+]] = train.squared_norm %[[MV]]
// CHECK-NEXT: %[[N:.+]] = train.global_norm %[[NV]]
// CHECK-NEXT: %[[LIMIT:.+]] = train.clip_factor %[[N]]
// CHECK-NEXT: %[[C:.+]] = train.scale_gradient %[[MV]] by %[[LIMIT]]
// CHECK-NEXT: %[[V1:.+]] = train.sgd %[[V]], %[[C]]
// CHECK-NEXT: return %[[V1]], %[[T1]], %[[A]]

// CHECK: func.func @select(%[[STEP:.+]]: tensor<i64> {rt.binding = #rt.binding<step>}, %{{.+}}: tensor<i64> {rt.binding = #rt.binding<run_length>}) -> (tensor<i32> {rt.binding = #rt.binding<choice>})
// CHECK-NEXT: %[[K:.+]] = train.freeze_group %[[STEP]] groups 2 full_share 7.500000e-01 length 0 seed 9
// CHECK-NEXT: return %[[K]]
// CHECK-NOT: train.freeze
train.program @interleaved batch_size(4) micro_batches(1) epochs(1) seed(9) recipe("{}")
    attributes {train.freeze = #train.freeze<groups = 2, schedule = interleaved, full_share = 0.75 : f64, length = 0>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @b bias <uniform, -0.5, 0.5> : tensor<4xf32>
  train.parameter @v weight <uniform, -0.5, 0.5> : tensor<2x4xf32>
  train.state @w.m "m" of @w : tensor<4x3xf32>
  train.state @t "steps" : tensor<i64>
  func.func @micro(%x: tensor<4x3xf32> {rt.binding = #rt.binding<input, "x">})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}) {
    return %x : tensor<4x3xf32>
  }
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %gb: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
                    %gv: tensor<2x4xf32> {rt.binding = #rt.binding<gradient, "v">},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
                    %b: tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
                    %v: tensor<2x4xf32> {rt.binding = #rt.binding<parameter, "v">},
                    %m: tensor<4x3xf32> {rt.binding = #rt.binding<state, "w.m">},
                    %t: tensor<i64> {rt.binding = #rt.binding<state, "t">},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
          tensor<2x4xf32> {rt.binding = #rt.binding<parameter, "v">},
          tensor<4x3xf32> {rt.binding = #rt.binding<state, "w.m">},
          tensor<i64> {rt.binding = #rt.binding<state, "t">},
          tensor<i32> {rt.binding = #rt.binding<applied>}) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%gw, %gb, %gv : tensor<4x3xf32>, tensor<4xf32>, tensor<2x4xf32>) on_nonfinite fail
    %t1 = train.count_applied %t if %applied
    %rate = train.one_minus_power %t1 base 0.5
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %mb = train.divide_gradient %gb by %count : tensor<4xf32>
    %mv = train.divide_gradient %gv by %count : tensor<2x4xf32>
    %nw = train.squared_norm %mw : tensor<4x3xf32>
    %nb = train.squared_norm %mb : tensor<4xf32>
    %nv = train.squared_norm %mv : tensor<2x4xf32>
    %norm = train.global_norm %nw, %nb, %nv
    %limit = train.clip_factor %norm limit 1.0
    %cw = train.scale_gradient %mw by %limit : tensor<4x3xf32>
    %cb = train.scale_gradient %mb by %limit : tensor<4xf32>
    %cv = train.scale_gradient %mv by %limit : tensor<2x4xf32>
    %w1, %m1 = train.momentum %w, %cw, %rate, %m momentum 0.9 weight_decay 0.0 if %applied : tensor<4x3xf32>
    %b1 = train.sgd %b, %cb, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    %v1 = train.sgd %v, %cv, %lr weight_decay 0.0 if %applied : tensor<2x4xf32>
    return %w1, %b1, %v1, %m1, %t1, %applied
        : tensor<4x3xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<4x3xf32>, tensor<i64>, tensor<i32>
  }
}

// -----

// Loss scale groups: a group that is frozen as a whole keeps its scale and its count, of another one
// the gradients that there are count.
// CHECK-LABEL: train.program @scales
// CHECK: func.func @update(
// CHECK-COUNT-2: train.adjust_group_scale
// CHECK: func.func @update_frozen_1(%[[GV:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: {{.*}}, %[[V:[a-z0-9]+]]: {{.*}}, %[[S1:[a-z0-9]+]]: {{.*}}, %[[O1:[a-z0-9]+]]: {{.*}}, %[[S2:[a-z0-9]+]]: {{.*}}, %[[O2:[a-z0-9]+]]: {{.*}}, %{{.+}})
// CHECK-NEXT: train.commit
// CHECK: %[[N:.+]] = train.not_finite(%[[GV]] :
// CHECK-NEXT: %[[S:.+]], %[[O:.+]] = train.adjust_group_scale %[[S2]], %[[O2]] of %[[COUNT]] nonfinite %[[N]]
// CHECK-NEXT: train.stack %[[O1]], %[[O]] :
// CHECK-NEXT: return {{.*}}, %[[S1]], %[[O1]], %[[S]], %[[O]],
train.program @scales batch_size(4) micro_batches(1) epochs(1) seed(9) recipe("{}")
    attributes {train.freeze = #train.freeze<groups = 2, schedule = interleaved, full_share = 0.75 : f64, length = 0>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @b bias <uniform, -0.5, 0.5> : tensor<4xf32>
  train.parameter @v weight <uniform, -0.5, 0.5> : tensor<2x4xf32>
  train.state @s1 "s1" : tensor<f32>
  train.state @o1 "o1" : tensor<i64>
  train.state @s2 "s2" : tensor<f32>
  train.state @o2 "o2" : tensor<i64>
  func.func @micro(%x: tensor<4x3xf32> {rt.binding = #rt.binding<input, "x">})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}) {
    return %x : tensor<4x3xf32>
  }
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %gb: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
                    %gv: tensor<2x4xf32> {rt.binding = #rt.binding<gradient, "v">},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
                    %b: tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
                    %v: tensor<2x4xf32> {rt.binding = #rt.binding<parameter, "v">},
                    %s1: tensor<f32> {rt.binding = #rt.binding<state, "s1">},
                    %o1: tensor<i64> {rt.binding = #rt.binding<state, "o1">},
                    %s2: tensor<f32> {rt.binding = #rt.binding<state, "s2">},
                    %o2: tensor<i64> {rt.binding = #rt.binding<state, "o2">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<parameter, "b">},
          tensor<2x4xf32> {rt.binding = #rt.binding<parameter, "v">},
          tensor<f32> {rt.binding = #rt.binding<state, "s1">},
          tensor<i64> {rt.binding = #rt.binding<state, "o1">},
          tensor<f32> {rt.binding = #rt.binding<state, "s2">},
          tensor<i64> {rt.binding = #rt.binding<state, "o2">},
          tensor<2xi64> {rt.binding = #rt.binding<overflows>}) {
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%gw, %gb, %gv : tensor<4x3xf32>, tensor<4xf32>, tensor<2x4xf32>) on_nonfinite skip
    %lr = arith.constant dense<0.5> : tensor<f32>
    %uw = train.unscale_gradient %gw by %s1 : tensor<4x3xf32>
    %ub = train.unscale_gradient %gb by %s1 : tensor<4xf32>
    %uv = train.unscale_gradient %gv by %s2 : tensor<2x4xf32>
    %w1 = train.sgd %w, %uw, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    %b1 = train.sgd %b, %ub, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    %v1 = train.sgd %v, %uv, %lr weight_decay 0.0 if %applied : tensor<2x4xf32>
    %n1 = train.not_finite (%gw, %gb : tensor<4x3xf32>, tensor<4xf32>)
    %t1, %p1 = train.adjust_group_scale %s1, %o1 of %count nonfinite %n1
    %n2 = train.not_finite (%gv : tensor<2x4xf32>)
    %t2, %p2 = train.adjust_group_scale %s2, %o2 of %count nonfinite %n2
    %all = train.stack %p1, %p2 : tensor<i64>, tensor<i64>
    return %w1, %b1, %v1, %t1, %p1, %t2, %p2, %all
        : tensor<4x3xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>, tensor<2xi64>
  }
}

// -----

// A group of which a part is frozen looks at the rest.
// CHECK-LABEL: train.program @part
// CHECK: func.func @update_frozen_1(%[[GV:[a-z0-9]+]]: {{.*}}, %[[COUNT:[a-z0-9]+]]: tensor<i64>
// CHECK: train.not_finite(%[[GV]] : tensor<2x4xf32>)
// CHECK-NEXT: train.adjust_group_scale
train.program @part batch_size(4) micro_batches(1) epochs(1) seed(9) recipe("{}")
    attributes {train.freeze = #train.freeze<groups = 2, schedule = interleaved, full_share = 0.75 : f64, length = 0>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @v weight <uniform, -0.5, 0.5> : tensor<2x4xf32>
  train.state @s1 "s1" : tensor<f32>
  train.state @o1 "o1" : tensor<i64>
  func.func @micro() { return }
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %gv: tensor<2x4xf32> {rt.binding = #rt.binding<gradient, "v">},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %s1: tensor<f32> {rt.binding = #rt.binding<state, "s1">},
                    %o1: tensor<i64> {rt.binding = #rt.binding<state, "o1">})
      -> (tensor<f32> {rt.binding = #rt.binding<state, "s1">},
          tensor<i64> {rt.binding = #rt.binding<state, "o1">}) {
    %n1 = train.not_finite (%gw, %gv : tensor<4x3xf32>, tensor<2x4xf32>)
    %t1, %p1 = train.adjust_group_scale %s1, %o1 of %count nonfinite %n1
    return %t1, %p1 : tensor<f32>, tensor<i64>
  }
}

//--- errors.mlir
// expected-error @+1 {{expected steps of one kind, of which grad_freeze makes others; found variants}}
train.program @two batch_size(4) micro_batches(1) epochs(1) seed(9) recipe("{}")
    attributes {train.freeze = #train.freeze<groups = 2, schedule = interleaved, full_share = 0.75 : f64, length = 0>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @v weight <uniform, -0.5, 0.5> : tensor<2x4xf32>
  train.variant @other micro(@micro) update(@update)
  func.func @micro() { return }
  func.func @update() { return }
}

// -----

// expected-error @+1 {{expected @micro and @update for grad_freeze}}
train.program @none batch_size(4) micro_batches(1) epochs(1) seed(9) recipe("{}")
    attributes {train.freeze = #train.freeze<groups = 2, schedule = interleaved, full_share = 0.75 : f64, length = 0>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @v weight <uniform, -0.5, 0.5> : tensor<2x4xf32>
}
