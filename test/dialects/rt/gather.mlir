// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK: rt.gather ins(%{{.*}}, %{{.*}} : tensor<11x3xf32>, tensor<2x5xi32>) outs(%{{.*}} : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
// CHECK: rt.scatter_add ins(%{{.*}}, %{{.*}} : tensor<2x5x3xf32>, tensor<2x5xi32>) outs(%{{.*}} : tensor<11x3xf32>) -> tensor<11x3xf32>
func.func @rows(%table: tensor<11x3xf32>, %i: tensor<2x5xi32>, %e: tensor<2x5x3xf32>)
    -> tensor<11x3xf32> {
  %y = rt.gather ins(%table, %i : tensor<11x3xf32>, tensor<2x5xi32>)
         outs(%e : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  %d = rt.scatter_add ins(%y, %i : tensor<2x5x3xf32>, tensor<2x5xi32>)
         outs(%table : tensor<11x3xf32>) -> tensor<11x3xf32>
  return %d : tensor<11x3xf32>
}

// CHECK-LABEL: func.func @on_memrefs
// CHECK: rt.gather ins(%{{.*}}, %{{.*}} : memref<11x3xf32>, memref<5xi32>) outs(%{{.*}} : memref<5x3xf32>)
func.func @on_memrefs(%table: memref<11x3xf32>, %i: memref<5xi32>, %y: memref<5x3xf32>) {
  rt.gather ins(%table, %i : memref<11x3xf32>, memref<5xi32>) outs(%y : memref<5x3xf32>)
  return
}

// -----

func.func @rt_gather_c1(%table: tensor<11x3xf32>, %i: tensor<2x5xi32>, %e: tensor<2x4x3xf32>) {
  // expected-error @+1 {{expected a table [rows, d], rows [i..., d] and an index [i...] of static shape, found 'tensor<11x3xf32>', 'tensor<2x4x3xf32>' and 'tensor<2x5xi32>'}}
  %y = rt.gather ins(%table, %i : tensor<11x3xf32>, tensor<2x5xi32>)
         outs(%e : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @rt_gather_c2(%table: tensor<11x3xf32>, %i: memref<5xi32>, %e: tensor<5x3xf32>) {
  // expected-error @+1 {{expected operands all tensors or all memrefs}}
  %y = rt.gather ins(%table, %i : tensor<11x3xf32>, memref<5xi32>)
         outs(%e : tensor<5x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @rt_gather_c2_result(%table: tensor<11x3xf32>, %i: tensor<5xi32>, %e: tensor<5x3xf32>) {
  // expected-error @+1 {{expected the destination's type as result on tensors and no result on memrefs, found }}
  rt.gather ins(%table, %i : tensor<11x3xf32>, tensor<5xi32>) outs(%e : tensor<5x3xf32>)
  return
}

// -----

func.func @rt_scatter_add_c1(%rows: tensor<5x3xf32>, %i: tensor<5xi32>, %e: tensor<11x4xf32>) {
  // expected-error @+1 {{expected a table [rows, d], rows [i..., d] and an index [i...] of static shape, found 'tensor<11x4xf32>', 'tensor<5x3xf32>' and 'tensor<5xi32>'}}
  %y = rt.scatter_add ins(%rows, %i : tensor<5x3xf32>, tensor<5xi32>)
         outs(%e : tensor<11x4xf32>) -> tensor<11x4xf32>
  return
}

// -----

func.func @rt_scatter_add_c2(%rows: memref<5x3xf32>, %i: memref<5xi32>, %e: tensor<11x3xf32>) {
  // expected-error @+1 {{expected operands all tensors or all memrefs}}
  %y = rt.scatter_add ins(%rows, %i : memref<5x3xf32>, memref<5xi32>)
         outs(%e : tensor<11x3xf32>) -> tensor<11x3xf32>
  return
}
