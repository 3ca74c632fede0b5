// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @update
// CHECK: %[[R:.+]]:3 = coll.all_reduce index(0) over all parameters [@fc.weight](%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<f32>, tensor<i64>)
// CHECK: coll.all_reduce index(1) over intra_group parameters [](%[[R]]#2 : tensor<i64>)
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @fc.weight weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  func.func @update(%g: tensor<4x3xf32>, %loss: tensor<f32>, %count: tensor<i64>)
      -> (tensor<4x3xf32>, tensor<f32>, tensor<i64>) {
    %r:3 = coll.all_reduce index(0) over all parameters [@fc.weight]
        (%g, %loss, %count : tensor<4x3xf32>, tensor<f32>, tensor<i64>)
    %c = coll.all_reduce index(1) over intra_group parameters [] (%r#2 : tensor<i64>)
    return %r#0, %r#1, %c : tensor<4x3xf32>, tensor<f32>, tensor<i64>
  }
}

// -----

func.func @all_reduce_c1() {
  // expected-error @+1 {{expected something to exchange, found nothing}}
  coll.all_reduce index(0) over all parameters [] ()
  return
}

// -----

func.func @all_reduce_c1_shape(%g: tensor<?xf32>) {
  // expected-error @+1 {{expected static shapes, found 'tensor<?xf32>'}}
  %r = coll.all_reduce index(0) over all parameters [] (%g : tensor<?xf32>)
  return
}

// -----

func.func @all_reduce_c2(%g: tensor<4xf32>) {
  // expected-error @+1 {{serves 2 parameters with 1 values; each serves one at most}}
  %r = coll.all_reduce index(0) over all parameters [@all_reduce_c2, @all_reduce_c2]
      (%g : tensor<4xf32>)
  return
}

// -----

func.func @all_reduce_c2_symbol(%g: tensor<4xf32>) {
  // expected-error @+1 {{serves @w, which is nothing here}}
  %r = coll.all_reduce index(0) over all parameters [@w] (%g : tensor<4xf32>)
  return
}

// -----

func.func @all_reduce_c3(%g: tensor<4xf32>) {
  // expected-error @+1 {{is over 'inter_group'; adasum, and it alone, is over 'inter_group'}}
  %r = coll.all_reduce index(0) over inter_group parameters [] (%g : tensor<4xf32>)
  return
}

// -----

func.func @all_reduce_results(%g: tensor<4xf32>) {
  // expected-error @+1 {{expected results ('tensor<4xf32>'), found ('tensor<3xf32>')}}
  %r = "coll.all_reduce"(%g) <{index = 0 : i32, ranks = 0 : i32, parameters = []}>
      : (tensor<4xf32>) -> tensor<3xf32>
  return
}
