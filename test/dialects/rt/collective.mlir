// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @on_tensors
// CHECK: rt.collective all_reduce index(0) over all parameters [@w] groups [0, 1] outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<i64>) -> tensor<4xf32>, tensor<i64>
// CHECK: rt.collective adasum index(1) over inter_group parameters [] groups [7] outs(%{{.*}} : tensor<4xf32>) -> tensor<4xf32>
func.func @on_tensors(%g: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %r:2 = rt.collective all_reduce index(0) over all parameters [@w] groups [0, 1]
      outs(%g, %n : tensor<4xf32>, tensor<i64>) -> tensor<4xf32>, tensor<i64>
  %s = rt.collective adasum index(1) over inter_group parameters [] groups [7]
      outs(%r#0 : tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// CHECK-LABEL: func.func @on_memrefs
// CHECK: rt.collective all_reduce index(0) over intra_group parameters [] groups [0] outs(%{{.*}} : memref<4xf32>)
// CHECK: rt.collective broadcast index(1) over all parameters [] groups [0] root(-1) outs(%{{.*}} : memref<4xf32>)
func.func @on_memrefs(%g: memref<4xf32>) {
  rt.collective all_reduce index(0) over intra_group parameters [] groups [0]
      outs(%g : memref<4xf32>)
  rt.collective broadcast index(1) over all parameters [] groups [0] root(-1)
      outs(%g : memref<4xf32>)
  return
}

// -----

func.func @rt_collective_c1() {
  // expected-error @+1 {{expected something to exchange, found nothing}}
  rt.collective all_reduce index(0) over all parameters [] groups [] outs()
  return
}

// -----

func.func @rt_collective_c1_mixed(%g: tensor<4xf32>, %n: memref<i64>) {
  // expected-error @+1 {{expected operands all tensors or all memrefs}}
  %r = rt.collective all_reduce index(0) over all parameters [] groups [0, 1]
      outs(%g, %n : tensor<4xf32>, memref<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @rt_collective_c1_shape(%g: memref<?xf32>) {
  // expected-error @+1 {{expected static shapes, found 'memref<?xf32>'}}
  rt.collective all_reduce index(0) over all parameters [] groups [0]
      outs(%g : memref<?xf32>)
  return
}

// -----

func.func @rt_collective_c1_results(%g: memref<4xf32>) {
  // expected-error @+1 {{expected results (), found ('tensor<4xf32>')}}
  %r = rt.collective all_reduce index(0) over all parameters [] groups [0]
      outs(%g : memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @rt_collective_c2(%g: memref<4xf32>) {
  // expected-error @+1 {{serves 2 parameters with 1 values; each serves one at most}}
  rt.collective all_reduce index(0) over all parameters [@a, @b] groups [0]
      outs(%g : memref<4xf32>)
  return
}

// -----

func.func @rt_collective_c3(%g: memref<4xf32>) {
  // expected-error @+1 {{expected a group of 0 or more for each of 1 operands, found []}}
  rt.collective all_reduce index(0) over all parameters [] groups []
      outs(%g : memref<4xf32>)
  return
}

// -----

func.func @rt_collective_c4(%g: memref<4xf32>) {
  // expected-error @+1 {{is over 'inter_group'; adasum, and it alone, is over 'inter_group'}}
  rt.collective all_gather index(0) over inter_group parameters [] groups [0]
      outs(%g : memref<4xf32>)
  return
}

// -----

func.func @rt_collective_c5(%g: memref<4xf32>) {
  // expected-error @+1 {{has root 1, which 'all_gather' does not use; expected none}}
  rt.collective all_gather index(0) over all parameters [] groups [0] root(1)
      outs(%g : memref<4xf32>)
  return
}
