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

// Two users that compute %d themselves read %dy and %y, four tensors together; three reads and
// a write would be %d's own, and three the users'.
// CHECK-LABEL: func.func @into_all_users
// CHECK-SAME: %[[DY:[^:]+]]: tensor<4x8xf32>, %[[Y:[^:]+]]: tensor<4x8xf32>
// CHECK: linalg.fill
// CHECK-NOT: linalg.generic
// CHECK: %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[DY]], %[[Y]]
// CHECK: arith.select
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[DY]], %[[Y]], %[[SUM]]
// CHECK: arith.select
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @into_all_users(%dy: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %r = tensor.empty() : tensor<4xf32>
  %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %is = arith.cmpf ogt, %b, %zero : f32
    %v = arith.select %is, %a, %zero : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<4x8xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %y, %s : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %p = arith.mulf %b, %c : f32
    %v = arith.subf %a, %p : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %s, %g : tensor<4xf32>, tensor<4x8xf32>
}

// The same would keep both operands of %d until the second user, instead of %d alone.
// CHECK-LABEL: func.func @kept_too_long
// CHECK-COUNT-1: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: return
func.func @kept_too_long(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = linalg.log ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %v = arith.mulf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %in : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %f, %g : tensor<4x8xf32>, tensor<4x8xf32>
}

// %y leaves the function and is written in any case. The second reader of %x reads no %y: it
// computes it again from %x. The last one, which reads %z alone, reads %y.
// CHECK-LABEL: func.func @from_what_is_read
// CHECK-SAME: %[[X:[^:]+]]: tensor<4x8xf32>, %[[B:[^:]+]]: tensor<4xf32>, %[[Z:[^:]+]]: tensor<4x8xf32>
// CHECK: %[[Y:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[B]] :
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[B]] :
// CHECK-COUNT-2: arith.mulf
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[Z]] :
// CHECK: return
func.func @from_what_is_read(%x: tensor<4x8xf32>, %b: tensor<4xf32>, %z: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %factor: f32, %out: f32):
    %v = arith.mulf %in, %factor : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %u = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %v = arith.mulf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %w = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %z : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %v = arith.subf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %y, %u, %w : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

}
