// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-recompute))" | FileCheck %s
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-recompute{most=0}))" | FileCheck %s --check-prefix=NONE

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Functions share the arena, so the largest decides: each of these is a program of its own.

// NONE-NOT: rt.recomputed
// CHECK: train.program @far {{.*}}rt.recomputed = 1
train.program @far batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {

// The chain of large values is widest at the sinh, where %y, whose input is an argument, is not
// needed: it and its view are computed again after it.
// CHECK-LABEL: func.func @far
// CHECK: %[[Y:.+]] = linalg.generic {{.*}} ins(%arg0
// CHECK: math.tanh
// CHECK: %[[V:.+]] = tensor.collapse_shape %[[Y]]
// CHECK: %[[FLAT:.+]] = linalg.generic {{.*}} ins(%[[V]]
// CHECK: math.absf
// CHECK: math.sinh
// CHECK: %[[AGAIN:.+]] = linalg.generic {{.*}} ins(%arg0
// CHECK-NEXT: ^bb0
// CHECK-NEXT: math.tanh
// CHECK: %[[VIEW:.+]] = tensor.collapse_shape %[[AGAIN]]
// CHECK: linalg.generic {{.*}} ins(%[[VIEW]], %{{.+}} :
// CHECK: math.atan2
// NONE-LABEL: func.func @far
// NONE-COUNT-1: math.tanh
// NONE-NOT: math.tanh
// NONE: return
func.func @far(%x: tensor<4x8xf32>, %m: tensor<32x64xf32>) -> tensor<32xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.tanh %in : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %view = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %f = tensor.empty() : tensor<32x64xf32>
  %a = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%view, %m : tensor<32xf32>, tensor<32x64xf32>) outs(%f : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %v = math.absf %q : f32
    %w = arith.addf %p, %v : f32
    linalg.yield %w : f32
  } -> tensor<32x64xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<32x64xf32>) outs(%f : tensor<32x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.sinh %in : f32
    linalg.yield %v : f32
  } -> tensor<32x64xf32>
  %zero = arith.constant 0.0 : f32
  %g = tensor.empty() : tensor<32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%g : tensor<32xf32>) -> tensor<32xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%b : tensor<32x64xf32>) outs(%start : tensor<32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %out : f32
    linalg.yield %v : f32
  } -> tensor<32xf32>
  %last = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                                           affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%view, %sum : tensor<32xf32>, tensor<32xf32>) outs(%g : tensor<32xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %v = math.atan2 %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<32xf32>
  return %last : tensor<32xf32>
}
}

// %y comes from a matmul, which is not needed at the end: keeping that for it would gain nothing,
// and a contraction is not computed twice.
// CHECK-LABEL: func.func @input_is_dead
// CHECK-COUNT-1: math.tanh
// CHECK-NOT: math.tanh
// CHECK: return
train.program @input_is_dead batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
func.func @input_is_dead(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %m: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %x0 = rt.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.tanh %in : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %m : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %v = arith.addf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.sinh %in : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %c = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %v = arith.mulf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}
}

// A normalised tensor: the mean, which nothing else needs later, is small and kept for it. It has
// too many terms to be summed twice.
// CHECK: train.program @small_operand {{.*}}rt.recomputed = 1
// CHECK-LABEL: func.func @small_operand
// CHECK: %[[MEAN:.+]] = linalg.generic {{.*}} ins(%arg1 : tensor<4x512xf32>)
// CHECK: math.sinh
// CHECK: %[[AGAIN:.+]] = linalg.generic {{.*}} ins(%arg0, %[[MEAN]] :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.subf
// CHECK: linalg.generic {{.*}} ins(%[[AGAIN]], %{{.+}} :
// CHECK: math.atan2
train.program @small_operand batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
func.func @small_operand(%x: tensor<4x512xf32>, %s: tensor<4x512xf32>, %m: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %zero = arith.constant 0.0 : f32
  %t = tensor.empty() : tensor<4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  %mean = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<4x512xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %out : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x512xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<4x512xf32>, tensor<4xf32>) outs(%e : tensor<4x512xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %v = arith.subf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<4x512xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %m : tensor<4x512xf32>, tensor<4x512xf32>) outs(%e : tensor<4x512xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %v = arith.addf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<4x512xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x512xf32>) outs(%e : tensor<4x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.sinh %in : f32
    linalg.yield %v : f32
  } -> tensor<4x512xf32>
  %c = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %b : tensor<4x512xf32>, tensor<4x512xf32>) outs(%e : tensor<4x512xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %v = math.atan2 %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<4x512xf32>
  return %c : tensor<4x512xf32>
}
}

// Pooling has two results; the second, and the padded tensor that it comes from, are computed
// again from the argument.
// CHECK-LABEL: func.func @chain
// CHECK: math.sinh
// CHECK: %[[PADDED:.+]] = linalg.generic {{.*}} ins(%arg0
// CHECK-NEXT: ^bb0
// CHECK-NEXT: math.tanh
// CHECK: %[[BOTH:.+]]:2 = linalg.generic {{.*}} ins(%[[PADDED]]
// CHECK: linalg.generic {{.*}} ins(%[[BOTH]]#1, %{{.+}} :
// CHECK: math.atan2
train.program @chain batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
func.func @chain(%x: tensor<4x8xf32>, %m: tensor<4x64xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %padded = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.tanh %in : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %both:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%padded : tensor<4x8xf32>) outs(%e, %e : tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32, %out1: f32):
    %v = math.absf %in : f32
    %w = arith.negf %in : f32
    linalg.yield %v, %w : f32, f32
  } -> (tensor<4x8xf32>, tensor<4x8xf32>)
  %zero = arith.constant 0.0 : f32
  %g = tensor.empty() : tensor<4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%g : tensor<4xf32>) -> tensor<4xf32>
  %pooled = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%both#0, %both#1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %v = arith.mulf %p, %q : f32
    %w = arith.addf %v, %out : f32
    linalg.yield %w : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4x64xf32>
  %a = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%pooled, %m : tensor<4xf32>, tensor<4x64xf32>) outs(%f : tensor<4x64xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %v = arith.addf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<4x64xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x64xf32>) outs(%f : tensor<4x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.sinh %in : f32
    linalg.yield %v : f32
  } -> tensor<4x64xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%b : tensor<4x64xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %out : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%both#1, %sum : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %v = math.atan2 %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}
}
