// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-share-basis))" | FileCheck %s
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-share-basis{bucket-bytes=48}))" | FileCheck %s --check-prefix=BUCKETS

// Coordinates are exchanged once, after they are summed over parameters; each rank lifts those of its
// own slice, and vectors are summed over ranks, those of all parameters at once.
// CHECK-LABEL: train.program @shared
// CHECK: func.func @direction(%[[GA:[a-z0-9]+]]: tensor<4x3xf32> {{.*}}, %[[GB:[a-z0-9]+]]: tensor<4xf32> {{.*}}, %[[A:[a-z0-9]+]]: tensor<2x4x3xf32> {{.*}}, %[[B:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK: %[[R:.+]]:2 = coll.all_reduce index(0)
// CHECK-NEXT: %[[OWN_A:.+]] = train.project %[[R]]#0 onto %[[A]] shards 3 : tensor<4x3xf32>, tensor<2x4x3xf32>
// CHECK-NEXT: %[[OWN_B:.+]] = train.project %[[R]]#1 onto %[[B]] shards 3 : tensor<4xf32>, tensor<2x4xf32>
// CHECK-NEXT: %[[OWN:.+]] = arith.addf %[[OWN_A]], %[[OWN_B]] : tensor<6xf32>
// CHECK-NEXT: %[[C:.+]] = coll.all_gather index(1) over all parameters [](%[[OWN]] : tensor<6xf32>)
// CHECK-NEXT: %[[X:.+]] = arith.negf %[[C]] : tensor<6xf32>
// CHECK-NEXT: %[[S:.+]]:2 = coll.own_slice index(2) over all parameters [](%[[X]], %[[C]] : tensor<6xf32>, tensor<6xf32>)
// CHECK-NEXT: %[[LA:.+]]:2 = train.lift %[[S]]#0, %[[S]]#1 by %[[A]] : (tensor<6xf32>, tensor<6xf32>), tensor<2x4x3xf32>
// CHECK-NEXT: %[[LB:.+]]:2 = train.lift %[[S]]#0, %[[S]]#1 by %[[B]] : (tensor<6xf32>, tensor<6xf32>), tensor<2x4xf32>
// CHECK-NEXT: %[[V:.+]]:4 = coll.all_reduce index(3) over all parameters [](%[[LA]]#0, %[[LA]]#1, %[[LB]]#0, %[[LB]]#1 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[RA:.+]] = arith.subf %[[R]]#0, %[[V]]#1
// CHECK-NEXT: %[[RB:.+]] = arith.subf %[[R]]#1, %[[V]]#3
// CHECK-NEXT: return %[[C]], %[[V]]#0, %[[RA]], %[[V]]#2, %[[RB]]

// One bucket for each parameter: the second is lifted when what is computed of the first one is done.
// BUCKETS-LABEL: train.program @shared
// BUCKETS: %[[LA:.+]]:2 = train.lift
// BUCKETS-NEXT: %[[VA:.+]]:2 = coll.all_reduce index(3) over all parameters [](%[[LA]]#0, %[[LA]]#1 : tensor<4x3xf32>, tensor<4x3xf32>)
// BUCKETS-NEXT: arith.subf %{{.+}}, %[[VA]]#1
// BUCKETS-NEXT: %[[LB:.+]]:2 = train.lift
// BUCKETS-NEXT: %[[VB:.+]]:2 = coll.all_reduce index(4) over all parameters [](%[[LB]]#0, %[[LB]]#1 : tensor<4xf32>, tensor<4xf32>)
// BUCKETS-NEXT: arith.subf %{{.+}}, %[[VB]]#1
train.program @shared batch_size(4) micro_batches(1) epochs(1) seed(9) recipe("{}") {
  train.parameter @a weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @b bias <uniform, -0.5, 0.5> : tensor<4xf32>
  train.state @a.basis "basis" of @a saved in_basis : tensor<2x4x3xf32>
  train.state @b.basis "basis" of @b saved in_basis : tensor<2x4xf32>
  train.state @c "c" : tensor<6xf32>
  train.state @a.descent "descent" of @a : tensor<4x3xf32>
  train.state @a.residual "residual" of @a : tensor<4x3xf32>
  train.state @b.descent "descent" of @b : tensor<4xf32>
  train.state @b.residual "residual" of @b : tensor<4xf32>
  train.variant @searched phases [#train.phase<micro = @micro, probe = @direction>] update(@update)
  func.func @micro() {
    return
  }
  func.func @direction(%ga: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "a">}, %gb: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">},
                       %a: tensor<2x4x3xf32> {rt.binding = #rt.binding<state, "a.basis">}, %b: tensor<2x4xf32> {rt.binding = #rt.binding<state, "b.basis">})
      -> (tensor<6xf32> {rt.binding = #rt.binding<state, "c">}, tensor<4x3xf32> {rt.binding = #rt.binding<state, "a.descent">}, tensor<4x3xf32> {rt.binding = #rt.binding<state, "a.residual">},
          tensor<4xf32> {rt.binding = #rt.binding<state, "b.descent">}, tensor<4xf32> {rt.binding = #rt.binding<state, "b.residual">}) {
    %r:2 = coll.all_reduce index(0) over all parameters [@a, @b](%ga, %gb : tensor<4x3xf32>, tensor<4xf32>)
    %ca = train.project %r#0 onto %a shards 3 : tensor<4x3xf32>, tensor<2x4x3xf32>
    %cb = train.project %r#1 onto %b shards 3 : tensor<4xf32>, tensor<2x4xf32>
    %c = arith.addf %ca, %cb : tensor<6xf32>
    %x = arith.negf %c : tensor<6xf32>
    %da, %pa = train.lift %x, %c by %a : (tensor<6xf32>, tensor<6xf32>), tensor<2x4x3xf32>
    %ra = arith.subf %r#0, %pa : tensor<4x3xf32>
    %db, %pb = train.lift %x, %c by %b : (tensor<6xf32>, tensor<6xf32>), tensor<2x4xf32>
    %rb = arith.subf %r#1, %pb : tensor<4xf32>
    return %c, %da, %ra, %db, %rb : tensor<6xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func @update() {
    return
  }
}

// Where each rank has the whole basis, nothing is exchanged.
// CHECK-LABEL: train.program @whole
// CHECK-NOT: coll.
train.program @whole batch_size(4) micro_batches(1) epochs(1) seed(9) recipe("{}") {
  train.parameter @a weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.state @a.basis "basis" of @a saved in_basis : tensor<6x4x3xf32>
  train.state @a.descent "descent" of @a : tensor<4x3xf32>
  func.func @update(%ga: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "a">}, %a: tensor<6x4x3xf32> {rt.binding = #rt.binding<state, "a.basis">})
      -> (tensor<4x3xf32> {rt.binding = #rt.binding<state, "a.descent">}) {
    %c = train.project %ga onto %a : tensor<4x3xf32>, tensor<6x4x3xf32>
    %d = train.lift %c by %a : (tensor<6xf32>), tensor<6x4x3xf32>
    return %d : tensor<4x3xf32>
  }
}
