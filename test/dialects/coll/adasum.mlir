// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @update
// CHECK: coll.adasum index(2) over inter_group parameters [@w, @b] groups [0, 0](%{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<4xf32>)
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4x3xf32>
  train.parameter @b bias <uniform, -0.5, 0.5> : tensor<4xf32>
  func.func @update(%g: tensor<4x3xf32>, %h: tensor<4xf32>)
      -> (tensor<4x3xf32>, tensor<4xf32>) {
    %r:2 = coll.adasum index(2) over inter_group parameters [@w, @b] groups [0, 0]
        (%g, %h : tensor<4x3xf32>, tensor<4xf32>)
    return %r#0, %r#1 : tensor<4x3xf32>, tensor<4xf32>
  }
}

// -----

func.func @adasum_c1() {
  // expected-error @+1 {{expected something to exchange, found nothing}}
  coll.adasum index(0) over inter_group parameters [] groups [] ()
  return
}

// -----

func.func @adasum_c2(%g: tensor<4xf32>) {
  // expected-error @+1 {{serves 2 parameters with 1 values; each serves one at most}}
  %r = coll.adasum index(0) over inter_group parameters [@adasum_c2, @adasum_c2] groups [0]
      (%g : tensor<4xf32>)
  return
}

// -----

func.func @adasum_c2_symbol(%g: tensor<4xf32>) {
  // expected-error @+1 {{serves @w, which is nothing here}}
  %r = coll.adasum index(0) over inter_group parameters [@w] groups [0] (%g : tensor<4xf32>)
  return
}

// -----

func.func @adasum_c3(%g: tensor<4xf32>) {
  // expected-error @+1 {{expected a group of 0 or more for each of 1 operands, found [0, 1]}}
  %r = coll.adasum index(0) over inter_group parameters [] groups [0, 1] (%g : tensor<4xf32>)
  return
}

// -----

func.func @adasum_c3_negative(%g: tensor<4xf32>) {
  // expected-error @+1 {{expected a group of 0 or more for each of 1 operands, found [-1]}}
  %r = coll.adasum index(0) over inter_group parameters [] groups [-1] (%g : tensor<4xf32>)
  return
}

// -----

func.func @adasum_c4(%g: tensor<4xf32>) {
  // expected-error @+1 {{is over 'all'; adasum, and it alone, is over 'inter_group'}}
  %r = coll.adasum index(0) over all parameters [] groups [0] (%g : tensor<4xf32>)
  return
}
