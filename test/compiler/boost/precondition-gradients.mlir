// RUN: split-file %s %t
// RUN: boost-opt %t/plain.mlir --boostc-precondition-gradients 2>&1 | FileCheck %t/plain.mlir
// RUN: boost-opt %t/frozen.mlir --boostc-precondition-gradients 2>&1 | FileCheck %t/frozen.mlir
// RUN: boost-opt %t/table.mlir --boostc-precondition-gradients 2>&1 | FileCheck %t/table.mlir
// RUN: boost-opt %t/staggered.mlir --boostc-precondition-gradients 2>&1 | FileCheck %t/staggered.mlir
// RUN: boost-opt %t/averaged.mlir --boostc-precondition-gradients 2>&1 | FileCheck %t/averaged.mlir
// RUN: boost-opt %t/adaptive.mlir --boostc-precondition-gradients 2>&1 | FileCheck %t/adaptive.mlir
// RUN: boost-opt %t/errors.mlir --split-input-file --verify-diagnostics --boostc-precondition-gradients

//--- plain.mlir
// CHECK: remark: thor: 'v' keeps its gradient: THOR has no factors of such a layer
// CHECK: remark: thor: 1 weight has factors; inverses of 64 bytes; --explain lists what they cost
// CHECK-LABEL: train.program @plain
// Due in the first step: as old as the frequency two steps later.
// CHECK: train.state @thor.age "age" init <constant, 8.000000e+00 : f64, 0.000000e+00 : f64> : tensor<i64>
// CHECK: train.state @thor.tried "tried" : tensor<i64>
// CHECK: train.parameter @w
// CHECK-NEXT: train.accumulator @w.factor_a : tensor<2x2x2xf32>
// CHECK-NEXT: train.accumulator @w.factor_g : tensor<2x2x2xf32>
// CHECK-NEXT: train.state @w.inverse_a "inverse_a" : tensor<2x2x2xf32>
// CHECK-NEXT: train.state @w.inverse_g "inverse_g" : tensor<2x2x2xf32>
// CHECK-NEXT: train.state @w.inverses_ready "inverses_ready" : tensor<i32>
// CHECK: train.variant @refresh micro(@micro_refresh) update(@update_refresh)
// CHECK: train.variant @plain micro(@micro) update(@update)
// CHECK: train.selector @select variants [@refresh]

// Steps between: no factor, no inverse.
// CHECK: func.func @micro(
// CHECK-NOT: thor.factor
// CHECK: func.func @update(
// CHECK-NOT: thor.damped_inverse
// CHECK: %[[U:.+]] = train.unscale_gradient
// CHECK-NOT: thor.damped_inverse
// CHECK: %[[P:.+]] = thor.precondition %[[U]], %{{.+}}, %{{.+}} if %{{.+}} groups 1 positions 1
// CHECK: train.sgd %{{.+}}, %[[P]]

// CHECK: func.func @micro_refresh(
// CHECK: thor.factor_a %{{.+}}, %{{.+}} groups 1 block_size 2 : tensor<2x4x3xf32>
// CHECK: thor.factor_g %{{.+}}, %{{.+}} groups 1 block_size 2 : tensor<2x4x4xf32>

// The gradients' factor has the square of the loss scale in it; rows are those of matrices.
// CHECK: func.func @update_refresh(
// CHECK: %[[A:.+]], %[[FA:.+]] = thor.damped_inverse %{{.+}} by %{{.+}} rows 4 positions 1 damping
// CHECK: %[[G:.+]], %[[FG:.+]] = thor.damped_inverse %{{.+}} by %{{.+}} rows 4 positions 1 scale %{{.+}} damping
// CHECK: arith.addi %[[FA]], %[[FG]]
// CHECK: %[[READY:.+]] = arith.extui
// CHECK: thor.precondition %{{.+}}, %[[A]], %[[G]] if %[[READY]]
// One layer takes its plain gradient where its blocks have no inverses.
// CHECK: %[[ONE:.+]] = arith.constant dense<1> : tensor<i32>
// CHECK: %[[PLAIN:.+]] = arith.subi %[[ONE]], %[[READY]]
// CHECK: return {{.*}}%[[PLAIN]]

// CHECK: func.func @select({{.*}}#rt.binding<step>{{.*}}#rt.binding<run_length>{{.*}}#rt.binding<state, "thor.age">{{.*}}#rt.binding<state, "thor.tried">{{.*}}) -> (tensor<i32> {rt.binding = #rt.binding<choice>})
train.program @plain batch_size(2) micro_batches(1) epochs(1) seed(9) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @v weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.schedule @lr <constant, 1.0>
  train.schedule @damping <constant, 0.03>
  func.func @micro(%x: tensor<2x4x3xf32> {rt.binding = #rt.binding<input, "x">}, %dy: tensor<2x4x4xf32> {rt.binding = #rt.binding<input, "y">}, %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "v">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %gw = nn.dense_grad_weight %dy, %x : tensor<2x4x4xf32>, tensor<2x4x3xf32>
    %gv = arith.addf %gw, %gw : tensor<4x3xf32>
    %loss = arith.constant dense<1.0> : tensor<f32>
    %count = arith.constant dense<2> : tensor<i64>
    return %gw, %gv, %loss, %count : tensor<4x3xf32>, tensor<4x3xf32>, tensor<f32>, tensor<i64>
  }
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, %gv: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "v">}, %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
      %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, %v: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "v">}, %before: tensor<i32> {rt.binding = #rt.binding<failed>},
      %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">}, %lambda: tensor<f32> {rt.binding = #rt.binding<control, "damping">})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "v">}, tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
    %applied, %failed = train.commit count(%count) after(%before) finite(%loss, %gw, %gv : tensor<f32>, tensor<4x3xf32>, tensor<4x3xf32>) on_nonfinite fail
    %scale = arith.constant dense<8.0> : tensor<f32>
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %uw = train.unscale_gradient %mw by %scale : tensor<4x3xf32>
    %pw = thor.natural_gradient %uw of @w damping %lambda frequency 10 block_size 2 : tensor<4x3xf32>
    %w1 = train.sgd %w, %pw, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    %mv = train.divide_gradient %gv by %count : tensor<4x3xf32>
    %pv = thor.natural_gradient %mv of @v damping %lambda frequency 10 block_size 2 : tensor<4x3xf32>
    %v1 = train.sgd %v, %pv, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    return %w1, %v1, %applied, %failed : tensor<4x3xf32>, tensor<4x3xf32>, tensor<i32>, tensor<i32>
  }
}

//--- frozen.mlir
// A step that leaves a layer alone uses what its other layers have, and counts; it is never one that
// refreshes. Frozen steps, here every third one, stay.
// CHECK-LABEL: train.program @frozen
// CHECK: train.variant @refresh micro(@micro_refresh) update(@update_refresh)
// CHECK-NEXT: train.variant @frozen_1 micro(@micro) update(@update_frozen_1) on [#train.steps<first = 3, every = 3>]
// CHECK-NEXT: train.variant @full micro(@micro) update(@update)
// CHECK-NEXT: train.selector @select variants [@refresh]
// CHECK: func.func @update_frozen_1({{.*}}) -> ({{.*}}#rt.binding<state, "thor.age">{{.*}}#rt.binding<state, "thor.tried">
// CHECK-NOT: thor.precondition
// CHECK: func.func @update(
// CHECK: func.func @micro_refresh
// CHECK: func.func @select
// CHECK: arith.remui
train.program @frozen batch_size(2) micro_batches(1) epochs(1) seed(9) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.schedule @lr <constant, 1.0>
  train.schedule @damping <constant, 0.03>
  train.variant @frozen_1 micro(@micro) update(@update_frozen_1) on [#train.steps<first = 3, every = 3>]
  train.variant @full micro(@micro) update(@update)
  func.func @micro(%x: tensor<2x3xf32> {rt.binding = #rt.binding<input, "x">}, %dy: tensor<2x4xf32> {rt.binding = #rt.binding<input, "y">}, %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %gw = nn.dense_grad_weight %dy, %x : tensor<2x4xf32>, tensor<2x3xf32>
    %loss = arith.constant dense<1.0> : tensor<f32>
    %count = arith.constant dense<2> : tensor<i64>
    return %gw, %loss, %count : tensor<4x3xf32>, tensor<f32>, tensor<i64>
  }
  func.func @update_frozen_1(%loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %count: tensor<i64> {rt.binding = #rt.binding<loss_count>}, %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
    %applied, %failed = train.commit count(%count) after(%before) finite(%loss : tensor<f32>) on_nonfinite fail
    return %applied, %failed : tensor<i32>, tensor<i32>
  }
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
      %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, %before: tensor<i32> {rt.binding = #rt.binding<failed>},
      %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">}, %lambda: tensor<f32> {rt.binding = #rt.binding<control, "damping">})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
    %applied, %failed = train.commit count(%count) after(%before) finite(%loss, %gw : tensor<f32>, tensor<4x3xf32>) on_nonfinite fail
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %pw = thor.natural_gradient %mw of @w damping %lambda frequency 10 block_size 128 : tensor<4x3xf32>
    %w1 = train.sgd %w, %pw, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    return %w1, %applied, %failed : tensor<4x3xf32>, tensor<i32>, tensor<i32>
  }
}

//--- table.mlir
// Of a table it is counted how often each row was looked up; G^-1 comes from the right. A normalisation
// has no factors.
// CHECK: remark: thor: 1 weight has factors, 1 a diagonal; inverses of 52 bytes
// CHECK-NOT: remark: thor: 's'
// CHECK: func.func @micro_refresh(
// CHECK: %[[ONES:.+]] = arith.constant dense<1.000000e+00> : tensor<2x3x1xf32>
// CHECK: %[[COUNTS:.+]] = nn.embedding_grad %[[ONES]], %{{.+}}, %{{.+}} : tensor<2x3x1xf32>, tensor<2x3xi32> -> tensor<5x1xf32>
// CHECK: %[[A:.+]] = nn.reshape %[[COUNTS]] : tensor<5x1xf32> to tensor<5x1x1xf32>
// CHECK: %[[G:.+]] = thor.factor_g %{{.+}}, %{{.+}} groups 1 block_size 2 : tensor<2x3x4xf32>
// CHECK: return {{.*}}%[[A]], %[[G]]
// CHECK: func.func @update_refresh(
// CHECK: %[[AI:.+]], %{{.+}} = thor.damped_inverse %{{.+}} by %{{.+}} rows 1 positions 1 damping %{{.+}} : tensor<5x1x1xf32>
// CHECK: %[[GI:.+]], %{{.+}} = thor.damped_inverse %{{.+}} by %{{.+}} rows 3 positions 1 damping %{{.+}} : tensor<2x2x2xf32>
// CHECK: thor.precondition %{{.+}}, %[[GI]], %[[AI]] if %{{.+}} groups 1 positions 1
// CHECK: thor.precondition_diagonal %{{.+}} by %{{.+}} damping
train.program @table batch_size(2) micro_batches(1) epochs(1) seed(9) recipe("{}") {
  train.parameter @t embedding <uniform, -0.5, 0.5> : tensor<5x4xf32>
  train.parameter @g norm_scale <constant, 1.0, 0.0> : tensor<4xf32>
  train.parameter @s norm_shift <constant, 0.0, 0.0> : tensor<4xf32>
  train.schedule @lr <constant, 1.0>
  train.schedule @damping <constant, 0.03>
  func.func @micro(%x: tensor<2x3xi32> {rt.binding = #rt.binding<input, "x">}, %dy: tensor<2x3x4xf32> {rt.binding = #rt.binding<input, "y">}, %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<5x4xf32> {rt.binding = #rt.binding<gradient, "t">}, tensor<4xf32> {rt.binding = #rt.binding<gradient, "g">}, tensor<4xf32> {rt.binding = #rt.binding<gradient, "s">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %gt = nn.embedding_grad %dy, %x, %valid : tensor<2x3x4xf32>, tensor<2x3xi32> -> tensor<5x4xf32>
    %gg, %gb = nn.layer_norm_grad_parameters %dy, %dy, %valid epsilon 1.0e-5 : tensor<2x3x4xf32> -> tensor<4xf32>
    %gs = arith.addf %gb, %gb : tensor<4xf32>
    %loss = arith.constant dense<1.0> : tensor<f32>
    %count = arith.constant dense<2> : tensor<i64>
    return %gt, %gg, %gs, %loss, %count : tensor<5x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>
  }
  func.func @update(%gt: tensor<5x4xf32> {rt.binding = #rt.binding<gradient, "t">}, %gg: tensor<4xf32> {rt.binding = #rt.binding<gradient, "g">}, %gs: tensor<4xf32> {rt.binding = #rt.binding<gradient, "s">}, %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
      %t: tensor<5x4xf32> {rt.binding = #rt.binding<parameter, "t">}, %g: tensor<4xf32> {rt.binding = #rt.binding<parameter, "g">}, %s: tensor<4xf32> {rt.binding = #rt.binding<parameter, "s">}, %before: tensor<i32> {rt.binding = #rt.binding<failed>},
      %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">}, %lambda: tensor<f32> {rt.binding = #rt.binding<control, "damping">})
      -> (tensor<5x4xf32> {rt.binding = #rt.binding<parameter, "t">}, tensor<4xf32> {rt.binding = #rt.binding<parameter, "g">}, tensor<4xf32> {rt.binding = #rt.binding<parameter, "s">}, tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
    %applied, %failed = train.commit count(%count) after(%before) finite(%loss, %gt, %gg, %gs : tensor<f32>, tensor<5x4xf32>, tensor<4xf32>, tensor<4xf32>) on_nonfinite fail
    %mt = train.divide_gradient %gt by %count : tensor<5x4xf32>
    %pt = thor.natural_gradient %mt of @t damping %lambda frequency 10 block_size 2 : tensor<5x4xf32>
    %t1 = train.sgd %t, %pt, %lr weight_decay 0.0 if %applied : tensor<5x4xf32>
    %mg = train.divide_gradient %gg by %count : tensor<4xf32>
    %pg = thor.natural_gradient %mg of @g damping %lambda frequency 10 block_size 2 : tensor<4xf32>
    %g1 = train.sgd %g, %pg, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    %ms = train.divide_gradient %gs by %count : tensor<4xf32>
    %ps = thor.natural_gradient %ms of @s damping %lambda frequency 10 block_size 2 : tensor<4xf32>
    %s1 = train.sgd %s, %ps, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    return %t1, %g1, %s1, %applied, %failed : tensor<5x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<i32>
  }
}

//--- staggered.mlir
// The first refresh is of all layers, the next one of @v, which costs more, then one of @w. Of 5 steps
// two are between @w and @v, and three between @v and @w.
// CHECK: remark: thor: 2 weights have factors, refreshed in 2 parts; inverses of 188 bytes
// CHECK-LABEL: train.program @staggered
// CHECK: train.state @thor.slot "slot" init <constant, 2.000000e+00 : f64, 0.000000e+00 : f64> : tensor<i64>
// CHECK: func.func @micro(
// CHECK-NOT: thor.factor
// CHECK: func.func @update(
// CHECK-NOT: "thor.slot"
// CHECK: func.func @micro_refresh({{.*}}%[[VALID:[a-z0-9_]+]]: tensor<i32> {rt.binding = #rt.binding<valid>}, %[[SLOT:[a-z0-9_]+]]: tensor<i64> {rt.binding = #rt.binding<state, "thor.slot">}
// CHECK: arith.cmpi eq, %[[SLOT]], %{{.+}} : tensor<i64>
// CHECK: %[[VORALL:.+]] = arith.ori %{{.+}}, %{{.+}} : tensor<i1>
// CHECK: %[[VDUE:.+]] = arith.extui %[[VORALL]] : tensor<i1> to tensor<i32>
// CHECK: %[[ONE:.+]] = arith.constant dense<1> : tensor<i64>
// CHECK: %[[W:.+]] = arith.cmpi eq, %[[SLOT]], %[[ONE]] : tensor<i64>
// CHECK: %[[TWO:.+]] = arith.constant dense<2> : tensor<i64>
// CHECK: %[[ALL:.+]] = arith.cmpi eq, %[[SLOT]], %[[TWO]] : tensor<i64>
// CHECK: %[[WORALL:.+]] = arith.ori %[[W]], %[[ALL]] : tensor<i1>
// CHECK: %[[WDUE:.+]] = arith.extui %[[WORALL]] : tensor<i1> to tensor<i32>
// CHECK: thor.factor_a %{{.+}}, %[[VALID]] if %[[WDUE]] groups 1
// CHECK: thor.factor_g %{{.+}}, %[[VALID]] if %[[WDUE]] groups 1
// CHECK: thor.factor_a %{{.+}}, %[[VALID]] if %[[VDUE]] groups 1
// CHECK: func.func @update_refresh(
// CHECK: arith.extui
// CHECK: %[[TAKEN:.+]] = arith.extui %[[DUE:[a-z0-9_]+]] : tensor<i1> to tensor<i32>
// CHECK: %[[COUNT:.+]] = arith.select %[[DUE]], %{{.+}}, %{{.+}} : tensor<i1>, tensor<i64>
// CHECK: %[[A:.+]], %{{.+}} = thor.damped_inverse %{{.+}} by %[[COUNT]] rows
// CHECK: %[[G:.+]], %{{.+}} = thor.damped_inverse %{{.+}} by %[[COUNT]] rows
// CHECK: %[[NEWA:.+]] = train.replace %[[OLDA:.+]] by %[[A]] times %{{.+}} if %[[TAKEN]]
// CHECK: %[[NEWG:.+]] = train.replace %[[OLDG:.+]] by %[[G]] times %{{.+}} if %[[TAKEN]]
// CHECK: %[[READY:.+]] = arith.select %[[DUE]]
// CHECK: thor.precondition %{{.+}}, %[[NEWA]], %[[NEWG]] if %[[READY]]
// CHECK: train.replace %[[OLDA]] by %[[NEWA]] times %{{.+}} if %{{.+}}
// CHECK: func.func @select({{.*}}#rt.binding<state, "thor.slot">
// CHECK: arith.divui
// CHECK: arith.divui
train.program @staggered batch_size(2) micro_batches(1) epochs(1) seed(9) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<3x3xf32>
  train.parameter @v weight <uniform, -0.5, 0.5> : tensor<5x2xf32>
  train.schedule @lr <constant, 1.0>
  train.schedule @damping <constant, 0.03>
  func.func @micro(%x: tensor<2x3xf32> {rt.binding = #rt.binding<input, "x">}, %y: tensor<2x2xf32> {rt.binding = #rt.binding<input, "y">}, %dx: tensor<2x3xf32> {rt.binding = #rt.binding<input, "dx">}, %dy: tensor<2x5xf32> {rt.binding = #rt.binding<input, "dy">}, %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<3x3xf32> {rt.binding = #rt.binding<gradient, "w">}, tensor<5x2xf32> {rt.binding = #rt.binding<gradient, "v">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %gw = nn.dense_grad_weight %dx, %x : tensor<2x3xf32>, tensor<2x3xf32>
    %gv = nn.dense_grad_weight %dy, %y : tensor<2x5xf32>, tensor<2x2xf32>
    %loss = arith.constant dense<1.0> : tensor<f32>
    %count = arith.constant dense<2> : tensor<i64>
    return %gw, %gv, %loss, %count : tensor<3x3xf32>, tensor<5x2xf32>, tensor<f32>, tensor<i64>
  }
  func.func @update(%gw: tensor<3x3xf32> {rt.binding = #rt.binding<gradient, "w">}, %gv: tensor<5x2xf32> {rt.binding = #rt.binding<gradient, "v">}, %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
      %w: tensor<3x3xf32> {rt.binding = #rt.binding<parameter, "w">}, %v: tensor<5x2xf32> {rt.binding = #rt.binding<parameter, "v">}, %before: tensor<i32> {rt.binding = #rt.binding<failed>},
      %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">}, %lambda: tensor<f32> {rt.binding = #rt.binding<control, "damping">})
      -> (tensor<3x3xf32> {rt.binding = #rt.binding<parameter, "w">}, tensor<5x2xf32> {rt.binding = #rt.binding<parameter, "v">}, tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
    %applied, %failed = train.commit count(%count) after(%before) finite(%loss, %gw, %gv : tensor<f32>, tensor<3x3xf32>, tensor<5x2xf32>) on_nonfinite fail
    %mw = train.divide_gradient %gw by %count : tensor<3x3xf32>
    %pw = thor.natural_gradient %mw of @w damping %lambda frequency 5 block_size 128 staggered : tensor<3x3xf32>
    %w1 = train.sgd %w, %pw, %lr weight_decay 0.0 if %applied : tensor<3x3xf32>
    %mv = train.divide_gradient %gv by %count : tensor<5x2xf32>
    %pv = thor.natural_gradient %mv of @v damping %lambda frequency 5 block_size 128 staggered : tensor<5x2xf32>
    %v1 = train.sgd %v, %pv, %lr weight_decay 0.0 if %applied : tensor<5x2xf32>
    return %w1, %v1, %applied, %failed : tensor<3x3xf32>, tensor<5x2xf32>, tensor<i32>, tensor<i32>
  }
}

//--- averaged.mlir
// Averages are inverted, with damping that is divided by their traces: of 3 inputs and 4 outputs. They
// are kept where the step is applied and the layer has inverses.
// CHECK: remark: thor: 2 weights have factors; inverses of 152 bytes and averages of as many; --explain
// CHECK: train.state @w.average_a "average_a" : tensor<1x3x3xf32>
// CHECK: train.state @w.average_g "average_g" : tensor<1x4x4xf32>
// CHECK: train.state @w.averaged_factors "averaged_factors" : tensor<i64>
// Steps between have a limit, too.
// CHECK: func.func @update(
// CHECK-NOT: thor.average_factor
// CHECK: thor.kl_factor
// CHECK: func.func @update_refresh(
// CHECK: %[[APPLIED:.+]], %{{.+}} = train.commit
// CHECK: %[[UW:.+]] = train.unscale_gradient
// CHECK: %[[A:.+]] = thor.average_factor %[[OLD:.+]], %{{.+}} by %[[N:.+]] rows 1 positions 1 after %[[K:.+]] decay 0.94999999999999996 : tensor<1x3x3xf32>
// CHECK: %[[G:.+]] = thor.average_factor %{{.+}}, %{{.+}} by %[[N]] rows 1 positions 1 scale %{{.+}} after %[[K]] decay 0.94999999999999996 : tensor<1x4x4xf32>
// CHECK: %[[DA:.+]], %[[DG:.+]] = thor.split_damping %[[A]], %[[G]] ratio 1.333333{{.*}} damping
// CHECK: %[[AI:.+]], %{{.+}} = thor.damped_inverse %[[A]] by %[[N]] mean rows 1 positions 1 damping %[[DA]]
// CHECK: %[[GI:.+]], %{{.+}} = thor.damped_inverse %[[G]] by %[[N]] mean rows 1 positions 1 damping %[[DG]]
// CHECK: %[[READY:.+]] = arith.extui
// CHECK: %[[PW:.+]] = thor.precondition %[[UW]], %[[AI]], %[[GI]] if %[[READY]]
// All gradients are preconditioned before the first rule.
// CHECK: %[[PV:.+]] = thor.precondition
// CHECK-DAG: %[[KEPT:.+]] = arith.andi %[[APPLIED]], %[[READY]] : tensor<i32>
// CHECK-DAG: %[[DW:.+]] = thor.kl_divergence %[[PW]], %[[UW]] rate %[[LR:.+]] : tensor<4x3xf32>
// CHECK-DAG: %[[DV:.+]] = thor.kl_divergence %[[PV]], %{{.+}} rate %[[LR]] : tensor<2x3xf32>
// CHECK-DAG: %[[FACTOR:.+]] = thor.kl_factor %[[DW]], %[[DV]] limit 1.000000e-03
// CHECK-DAG: %[[SW:.+]] = train.scale_gradient %[[PW]] by %[[FACTOR]]
// CHECK-DAG: %[[SV:.+]] = train.scale_gradient %[[PV]] by %[[FACTOR]]
// CHECK-DAG: train.sgd %{{.+}}, %[[SW]]
// CHECK-DAG: train.sgd %{{.+}}, %[[SV]]
// CHECK-DAG: train.replace %[[OLD]] by %[[A]] times %{{.+}} if %[[KEPT]]
// CHECK-DAG: %[[MORE:.+]] = arith.extui %[[KEPT]] : tensor<i32> to tensor<i64>
// CHECK-DAG: arith.addi %[[K]], %[[MORE]]
// CHECK: return
train.program @averaged batch_size(2) micro_batches(1) epochs(1) seed(9) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @v weight <uniform, -0.5, 0.5> : tensor<2x3xf32>
  train.schedule @lr <constant, 1.0>
  train.schedule @damping <constant, 0.03>
  func.func @micro(%x: tensor<2x3xf32> {rt.binding = #rt.binding<input, "x">}, %dx: tensor<2x4xf32> {rt.binding = #rt.binding<input, "dx">}, %dy: tensor<2x2xf32> {rt.binding = #rt.binding<input, "dy">}, %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, tensor<2x3xf32> {rt.binding = #rt.binding<gradient, "v">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %gw = nn.dense_grad_weight %dx, %x : tensor<2x4xf32>, tensor<2x3xf32>
    %gv = nn.dense_grad_weight %dy, %x : tensor<2x2xf32>, tensor<2x3xf32>
    %loss = arith.constant dense<1.0> : tensor<f32>
    %count = arith.constant dense<2> : tensor<i64>
    return %gw, %gv, %loss, %count : tensor<4x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<i64>
  }
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, %gv: tensor<2x3xf32> {rt.binding = #rt.binding<gradient, "v">}, %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
      %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, %v: tensor<2x3xf32> {rt.binding = #rt.binding<parameter, "v">}, %before: tensor<i32> {rt.binding = #rt.binding<failed>},
      %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">}, %lambda: tensor<f32> {rt.binding = #rt.binding<control, "damping">})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, tensor<2x3xf32> {rt.binding = #rt.binding<parameter, "v">}, tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
    %applied, %failed = train.commit count(%count) after(%before) finite(%loss, %gw, %gv : tensor<f32>, tensor<4x3xf32>, tensor<2x3xf32>) on_nonfinite fail
    %scale = arith.constant dense<8.0> : tensor<f32>
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %uw = train.unscale_gradient %mw by %scale : tensor<4x3xf32>
    %pw = thor.natural_gradient %uw of @w damping %lambda frequency 10 block_size 128 factor_decay 0.95 balanced kl_clip 0.001 rate %lr : tensor<4x3xf32>
    %w1 = train.sgd %w, %pw, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    %mv = train.divide_gradient %gv by %count : tensor<2x3xf32>
    %pv = thor.natural_gradient %mv of @v damping %lambda frequency 10 block_size 128 factor_decay 0.95 balanced kl_clip 0.001 rate %lr : tensor<2x3xf32>
    %v1 = train.sgd %v, %pv, %lr weight_decay 0.0 if %applied : tensor<2x3xf32>
    return %w1, %v1, %applied, %failed : tensor<4x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>
  }
}

//--- adaptive.mlir
// Factors whose trace changed are inverted, but where the layer has settled; factors of such a layer
// are not computed.
// CHECK: train.state @w.factor_trace "factor_trace" : tensor<f32>
// CHECK: train.state @w.factors_settled "factors_settled" : tensor<i32>
// CHECK: func.func @micro_refresh(
// CHECK: %[[OPEN:.+]] = arith.xori %{{.+}}, %{{.+}} : tensor<i32>
// CHECK: thor.factor_a %{{.+}}, %{{.+}} if %[[OPEN]] groups 1
// CHECK: thor.factor_g %{{.+}}, %{{.+}} if %[[OPEN]] groups 1
// CHECK: func.func @update_refresh(
// CHECK-SAME: %[[N:arg[0-9]+]]: tensor<i64> {rt.binding = #rt.binding<loss_count>}
// CHECK-SAME: %[[READY:arg[0-9]+]]: tensor<i32> {rt.binding = #rt.binding<state, "w.inverses_ready">}
// CHECK-SAME: %[[SETTLED:arg[0-9]+]]: tensor<i32> {rt.binding = #rt.binding<state, "w.factors_settled">}
// CHECK-SAME: %[[BEFORE:arg[0-9]+]]: tensor<f32> {rt.binding = #rt.binding<state, "w.factor_trace">}
// CHECK: %[[YET:.+]] = arith.cmpi eq, %[[SETTLED]]
// CHECK: %[[SAMPLES:.+]] = arith.select %[[YET]], %[[N]]
// CHECK: %[[T:.+]], %[[KEPT:.+]], %[[SETTLES:.+]] = thor.trace_change %[[A:.+]], %[[G:.+]] by %[[SAMPLES]] rows 1, 1 positions 1 sizes 3, 4 damping %{{.+}}, %{{.+}} since %[[BEFORE]] above 5.000000e-01 below 2.500000e-01
// CHECK: %[[BOTH:.+]] = arith.andi %[[KEPT]], %[[READY]]
// CHECK: %[[ISKEPT:.+]] = arith.cmpi ne, %[[BOTH]]
// CHECK: %[[STAYS:.+]] = arith.andi %[[YET]], %[[ISKEPT]]
// CHECK: %[[CHANGES:.+]] = arith.cmpi eq, %[[STAYS]]
// CHECK: %[[DUE:.+]] = arith.andi %[[YET]], %[[CHANGES]]
// CHECK: %[[INVERTED:.+]] = arith.select %[[DUE]], %[[SAMPLES]]
// CHECK: thor.damped_inverse %[[A]] by %[[INVERTED]]
// CHECK: thor.damped_inverse %[[G]] by %[[INVERTED]]
// CHECK-DAG: train.replace %[[BEFORE]] by %[[T]]
// CHECK-DAG: arith.ori %[[SETTLED]]
// CHECK: return
train.program @adaptive batch_size(2) micro_batches(1) epochs(1) seed(9) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.schedule @lr <constant, 1.0>
  train.schedule @damping <constant, 0.03>
  func.func @micro(%x: tensor<2x3xf32> {rt.binding = #rt.binding<input, "x">}, %dx: tensor<2x4xf32> {rt.binding = #rt.binding<input, "dx">}, %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %gw = nn.dense_grad_weight %dx, %x : tensor<2x4xf32>, tensor<2x3xf32>
    %loss = arith.constant dense<1.0> : tensor<f32>
    %count = arith.constant dense<2> : tensor<i64>
    return %gw, %loss, %count : tensor<4x3xf32>, tensor<f32>, tensor<i64>
  }
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, %loss: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
      %w: tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, %before: tensor<i32> {rt.binding = #rt.binding<failed>},
      %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">}, %lambda: tensor<f32> {rt.binding = #rt.binding<control, "damping">})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
    %applied, %failed = train.commit count(%count) after(%before) finite(%loss, %gw : tensor<f32>, tensor<4x3xf32>) on_nonfinite fail
    %mw = train.divide_gradient %gw by %count : tensor<4x3xf32>
    %pw = thor.natural_gradient %mw of @w damping %lambda frequency 10 block_size 128 refresh_above 0.5 stop_below 0.25 : tensor<4x3xf32>
    %w1 = train.sgd %w, %pw, %lr weight_decay 0.0 if %applied : tensor<4x3xf32>
    return %w1, %applied, %failed : tensor<4x3xf32>, tensor<i32>, tensor<i32>
  }
}

//--- errors.mlir
// The update must be that of the last variant.
train.program @last batch_size(2) micro_batches(1) epochs(1) seed(9) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.schedule @lr <constant, 1.0>
  train.variant @first micro(@micro) update(@update) on [#train.steps<first = 3, every = 3>]
  train.variant @last micro(@micro) update(@other)
  func.func @micro() -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}) {
    %gw = arith.constant dense<1.0> : tensor<4x3xf32>
    return %gw : tensor<4x3xf32>
  }
  func.func @other() {
    return
  }
  // expected-error @+1 {{expected the update of steps that train everything, with gradients of their own, for thor}}
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, %lambda: tensor<f32> {rt.binding = #rt.binding<control, "lr">}) {
    %pw = thor.natural_gradient %gw of @w damping %lambda frequency 10 block_size 128 : tensor<4x3xf32>
    return
  }
}

// -----

// All weights are refreshed in the same steps.
train.program @frequencies batch_size(2) micro_batches(1) epochs(1) seed(9) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.schedule @lr <constant, 1.0>
  func.func @micro() -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}) {
    %gw = arith.constant dense<1.0> : tensor<4x3xf32>
    return %gw : tensor<4x3xf32>
  }
  func.func @update(%gw: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}, %lambda: tensor<f32> {rt.binding = #rt.binding<control, "lr">}) {
    %0 = thor.natural_gradient %gw of @w damping %lambda frequency 10 block_size 128 : tensor<4x3xf32>
    // expected-error @+1 {{expected what the first one says, {block_size = 128 : i64, frequency = 10 : i64}, found {block_size = 128 : i64, frequency = 11 : i64, staggered}}}
    %1 = thor.natural_gradient %gw of @w damping %lambda frequency 11 block_size 128 staggered : tensor<4x3xf32>
    return
  }
}
