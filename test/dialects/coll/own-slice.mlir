// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @update
// CHECK: %[[R:.+]]:2 = coll.own_slice index(0) over all parameters [@fc.weight](%{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<i64>)
// CHECK: coll.own_slice index(1) over intra_group parameters [](%[[R]]#1 : tensor<i64>)
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @fc.weight weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  func.func @update(%g: tensor<4x3xf32>, %count: tensor<i64>)
      -> (tensor<4x3xf32>, tensor<i64>) {
    %r:2 = coll.own_slice index(0) over all parameters [@fc.weight]
        (%g, %count : tensor<4x3xf32>, tensor<i64>)
    %c = coll.own_slice index(1) over intra_group parameters [] (%r#1 : tensor<i64>)
    return %r#0, %c : tensor<4x3xf32>, tensor<i64>
  }
}

// -----

func.func @own_slice_c1() {
  // expected-error @+1 {{expected something to exchange, found nothing}}
  coll.own_slice index(0) over all parameters [] ()
  return
}

// -----

func.func @own_slice_c1_shape(%g: tensor<?xf32>) {
  // expected-error @+1 {{expected static shapes, found 'tensor<?xf32>'}}
  %r = coll.own_slice index(0) over all parameters [] (%g : tensor<?xf32>)
  return
}

// -----

func.func @own_slice_c2(%g: tensor<4xf32>) {
  // expected-error @+1 {{serves 2 parameters with 1 values; each serves one at most}}
  %r = coll.own_slice index(0) over all parameters [@own_slice_c2, @own_slice_c2]
      (%g : tensor<4xf32>)
  return
}

// -----

func.func @own_slice_c2_symbol(%g: tensor<4xf32>) {
  // expected-error @+1 {{serves @w, which is nothing here}}
  %r = coll.own_slice index(0) over all parameters [@w] (%g : tensor<4xf32>)
  return
}

// -----

func.func @own_slice_c3(%g: tensor<4xf32>) {
  // expected-error @+1 {{is over 'inter_group'; adasum, and it alone, is over 'inter_group'}}
  %r = coll.own_slice index(0) over inter_group parameters [] (%g : tensor<4xf32>)
  return
}
