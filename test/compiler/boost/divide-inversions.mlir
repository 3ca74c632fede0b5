// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-divide-inversions{min-flops=100}))" | FileCheck %s
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-divide-inversions{min-flops=100000}))" | FileCheck %s --check-prefix=FEW

// Sums of factors become those of slices, those of larger blocks first; the rest of the all-reduce
// stays. Inversions come before what reads their inverses.
// CHECK-LABEL: train.program @shared
// CHECK: func.func @update(%[[GW:[a-z0-9]+]]: {{.*}}, %[[A:[a-z0-9]+]]: tensor<3x2x2xf32> {rt.binding = #rt.binding<accumulator, "a">}, %[[G:[a-z0-9]+]]: tensor<2x4x4xf32> {rt.binding = #rt.binding<accumulator, "g">},
// CHECK: %[[R:.+]]:2 = coll.all_reduce index(0) over all parameters [@w](%[[GW]], %{{[a-z0-9]+}} : tensor<4x6xf32>, tensor<i64>)
// CHECK-NEXT: %[[ONES_G:.+]] = arith.constant dense<1> : tensor<2xi64>
// CHECK-NEXT: %[[ONES_A:.+]] = arith.constant dense<1> : tensor<3xi64>
// CHECK-NEXT: %[[S:.+]]:2 = coll.reduce_scatter index(1) over all parameters [](%[[G]], %[[A]] : tensor<2x4x4xf32>, tensor<3x2x2xf32>)
// CHECK-NEXT: %[[F:.+]]:2 = coll.own_slice index(2) over all parameters [](%[[ONES_G]], %[[ONES_A]] : tensor<2xi64>, tensor<3xi64>)
// CHECK-NEXT: %[[OWN_A:.+]], %[[FAILED_A:.+]] = thor.damped_inverse %[[S]]#1 by %[[R]]#1 rows 1 positions 1 damping %{{.+}} where %[[F]]#1 : tensor<3x2x2xf32>
// CHECK-NEXT: %[[TWICE:.+]] = arith.addf %[[LR:.+]], %[[LR]]
// CHECK-NEXT: %[[OWN_G:.+]], %[[FAILED_G:.+]] = thor.damped_inverse %[[S]]#0 by %[[R]]#1 rows 1 positions 1 damping %[[TWICE]] where %[[F]]#0 : tensor<2x4x4xf32>
// CHECK-NEXT: %[[LONG_G:.+]] = arith.extui %[[FAILED_G]] : tensor<i32> to tensor<i64>
// CHECK-NEXT: %[[LONG_A:.+]] = arith.extui %[[FAILED_A]] : tensor<i32> to tensor<i64>
// CHECK-NEXT: %[[ALL:.+]]:2 = coll.all_gather index(3) over all parameters [](%[[OWN_G]], %[[OWN_A]] : tensor<2x4x4xf32>, tensor<3x2x2xf32>)
// CHECK-NEXT: %[[SUM:.+]]:2 = coll.all_reduce index(4) over all parameters [](%[[LONG_G]], %[[LONG_A]] : tensor<i64>, tensor<i64>)
// CHECK-NEXT: %[[TOTAL_G:.+]] = arith.trunci %[[SUM]]#0 : tensor<i64> to tensor<i32>
// CHECK-NEXT: %[[TOTAL_A:.+]] = arith.trunci %[[SUM]]#1 : tensor<i64> to tensor<i32>
// CHECK-NEXT: arith.addf %[[ALL]]#1, %[[ALL]]#1
// CHECK-NEXT: arith.addi %[[TOTAL_A]], %[[TOTAL_G]]
// CHECK: return %{{.+}}, %[[ALL]]#0, %{{.+}}, %[[S]]#1, %[[S]]#0
// FEW-LABEL: train.program @shared
// FEW-NOT: reduce_scatter
train.program @shared batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x6xf32>
  train.accumulator @a : tensor<3x2x2xf32>
  train.accumulator @g : tensor<2x4x4xf32>
  train.state @x "x" : tensor<3x2x2xf32>
  train.state @y "y" : tensor<2x4x4xf32>
  func.func @update(%gw: tensor<4x6xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %a: tensor<3x2x2xf32> {rt.binding = #rt.binding<accumulator, "a">},
                    %g: tensor<2x4x4xf32> {rt.binding = #rt.binding<accumulator, "g">},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">})
      -> (tensor<3x2x2xf32> {rt.binding = #rt.binding<state, "x">},
          tensor<2x4x4xf32> {rt.binding = #rt.binding<state, "y">},
          tensor<i32> {rt.binding = #rt.binding<applied>},
          tensor<3x2x2xf32> {rt.binding = #rt.binding<accumulator, "a">},
          tensor<2x4x4xf32> {rt.binding = #rt.binding<accumulator, "g">}) {
    %r:4 = coll.all_reduce index(0) over all parameters [@w] (%gw, %a, %g, %count
        : tensor<4x6xf32>, tensor<3x2x2xf32>, tensor<2x4x4xf32>, tensor<i64>)
    %x, %x_failed = thor.damped_inverse %r#1 by %r#3 rows 1 positions 1 damping %lr : tensor<3x2x2xf32>
    %used = arith.addf %x, %x : tensor<3x2x2xf32>
    %twice = arith.addf %lr, %lr : tensor<f32>
    %y, %y_failed = thor.damped_inverse %r#2 by %r#3 rows 1 positions 1 damping %twice : tensor<2x4x4xf32>
    %failed = arith.addi %x_failed, %y_failed : tensor<i32>
    return %used, %y, %failed, %r#1, %r#2
        : tensor<3x2x2xf32>, tensor<2x4x4xf32>, tensor<i32>, tensor<3x2x2xf32>, tensor<2x4x4xf32>
  }
}

// Where something else reads a sum, and where a rank inverts what is its own, all stays. So it does where
// ranks exchange something for an inversion after all other sums.
// CHECK-LABEL: train.program @read
// CHECK-NOT: reduce_scatter
// FEW-LABEL: train.program @read
// FEW-NOT: reduce_scatter
train.program @read batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.accumulator @a : tensor<3x4x4xf32>
  train.accumulator @g : tensor<2x4x4xf32>
  train.state @x "x" : tensor<3x4x4xf32>
  train.state @y "y" : tensor<2x4x4xf32>
  train.state @m "m" : tensor<3x4x4xf32>
  func.func @update(%a: tensor<3x4x4xf32> {rt.binding = #rt.binding<accumulator, "a">},
                    %g: tensor<2x4x4xf32> {rt.binding = #rt.binding<accumulator, "g">},
                    %m: tensor<3x4x4xf32> {rt.binding = #rt.binding<state, "m">},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">})
      -> (tensor<3x4x4xf32> {rt.binding = #rt.binding<state, "x">},
          tensor<2x4x4xf32> {rt.binding = #rt.binding<state, "y">},
          tensor<3x4x4xf32> {rt.binding = #rt.binding<state, "m">}) {
    %y, %y_failed = thor.damped_inverse %g by %count rows 1 positions 1 damping %lr : tensor<2x4x4xf32>
    %r:2 = coll.all_reduce index(0) over all parameters [] (%a, %count : tensor<3x4x4xf32>, tensor<i64>)
    %mean = thor.average_factor %m, %r#0 by %r#1 rows 1 positions 1 after %r#1 decay 0.5 : tensor<3x4x4xf32>
    %x, %x_failed = thor.damped_inverse %mean by %r#1 mean rows 1 positions 1 damping %lr : tensor<3x4x4xf32>
    return %x, %y, %mean : tensor<3x4x4xf32>, tensor<2x4x4xf32>, tensor<3x4x4xf32>
  }
  func.func @update_more(%a: tensor<3x4x4xf32> {rt.binding = #rt.binding<accumulator, "a">},
                         %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                         %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">})
      -> (tensor<3x4x4xf32> {rt.binding = #rt.binding<state, "x">},
          tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %r = coll.all_reduce index(0) over all parameters [] (%a : tensor<3x4x4xf32>)
    %x, %x_failed = thor.damped_inverse %r by %count rows 1 positions 1 damping %lr : tensor<3x4x4xf32>
    %sum = coll.all_reduce index(1) over all parameters [] (%count : tensor<i64>)
    return %x, %sum : tensor<3x4x4xf32>, tensor<i64>
  }
}

// An inversion that needs another one stays.
// CHECK-LABEL: train.program @chain
// CHECK: coll.reduce_scatter index(1) over all parameters [](%{{[a-z0-9]+}} : tensor<3x4x4xf32>)
// CHECK: thor.damped_inverse {{.*}} where
// CHECK: %[[TOTAL:.+]] = arith.trunci
// CHECK-NEXT: %[[MORE:.+]] = arith.sitofp %[[TOTAL]]
// CHECK-NEXT: thor.damped_inverse %{{.+}} by %{{.+}} rows 1 positions 1 damping %[[MORE]] : tensor<2x4x4xf32>
train.program @chain batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.accumulator @a : tensor<3x4x4xf32>
  train.accumulator @g : tensor<2x4x4xf32>
  train.state @x "x" : tensor<3x4x4xf32>
  train.state @y "y" : tensor<2x4x4xf32>
  func.func @update(%a: tensor<3x4x4xf32> {rt.binding = #rt.binding<accumulator, "a">},
                    %g: tensor<2x4x4xf32> {rt.binding = #rt.binding<accumulator, "g">},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">})
      -> (tensor<3x4x4xf32> {rt.binding = #rt.binding<state, "x">},
          tensor<2x4x4xf32> {rt.binding = #rt.binding<state, "y">}) {
    %r:3 = coll.all_reduce index(0) over all parameters [] (%a, %g, %count
        : tensor<3x4x4xf32>, tensor<2x4x4xf32>, tensor<i64>)
    %x, %x_failed = thor.damped_inverse %r#0 by %r#2 rows 1 positions 1 damping %lr : tensor<3x4x4xf32>
    %more = arith.sitofp %x_failed : tensor<i32> to tensor<f32>
    %y, %y_failed = thor.damped_inverse %r#1 by %r#2 rows 1 positions 1 damping %more : tensor<2x4x4xf32>
    return %x, %y : tensor<3x4x4xf32>, tensor<2x4x4xf32>
  }
}
