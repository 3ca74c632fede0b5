// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-fuse-elementwise))" | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {

// CHECK-LABEL: func.func @chain
// CHECK: linalg.generic
// CHECK: arith.negf
// CHECK: math.exp
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @chain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}

// What two ops read is computed once: 1 exp, 3 loop nests.
// CHECK-LABEL: func.func @two_readers
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @two_readers(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %in : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %b, %c : tensor<4x8xf32>, tensor<4x8xf32>
}

// A filled operand is its scalar, in loops that reduce too; what a reduction starts from
// is not an operand and stays.
// CHECK-LABEL: func.func @filled
// CHECK-DAG: %[[THREE:.+]] = arith.constant 3.000000e+00
// CHECK-DAG: %[[ZERO:.+]] = arith.constant 0.000000e+00
// CHECK: %[[START:.+]] = linalg.fill ins(%[[ZERO]]
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic {{.*}} ins(%{{[^,]+}} : tensor<4x8xf32>) outs(%[[START]]
// CHECK: arith.mulf %{{.*}}, %[[THREE]]
func.func @filled(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %three = arith.constant 3.0 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %r = tensor.empty() : tensor<4xf32>
  %threes = linalg.fill ins(%three : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %threes : tensor<4x8xf32>, tensor<4x8xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %p = arith.mulf %in, %scale : f32
    %v = arith.addf %out, %p : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %s : tensor<4xf32>
}

}
