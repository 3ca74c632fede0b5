// RUN: boost-opt %s --split-input-file --pass-pipeline="builtin.module(train.program(boostc-mark-gradients-ready))" > %t
// RUN: FileCheck %s < %t
// RUN: boost-opt %t --split-input-file --pass-pipeline="builtin.module(train.program(boostc-mark-gradients-ready))" | diff %t -

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {

// Collective 0 could begin after the last use of both its buffers, through a view too;
// nothing runs after the last of collective 1, which is left to @update.
// CHECK-LABEL: func.func @micro
// CHECK-DAG: %[[A:.+]] = rt.buffer gradient[0]
// CHECK-DAG: %[[B:.+]] = rt.buffer gradient[64]
// CHECK: linalg.fill {{.*}} outs(%[[A]]
// CHECK-NOT: rt.gradients_ready
// CHECK: linalg.fill {{.*}} outs(%expand_shape
// CHECK-NEXT: rt.gradients_ready index(0) (%[[B]], %[[A]] : memref<4xf32>, memref<4xf32>)
// CHECK-NEXT: linalg.fill
// CHECK-NOT: rt.gradients_ready
// CHECK: return
func.func @micro() {
  %zero = arith.constant 0.0 : f32
  %c = rt.buffer gradient[128] : memref<4xf32>
  %a = rt.buffer gradient[0] : memref<4xf32>
  %b = rt.buffer gradient[64] : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<4xf32>)
  linalg.fill ins(%zero : f32) outs(%a : memref<4xf32>)
  %v = memref.expand_shape %b [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  linalg.fill ins(%zero : f32) outs(%v : memref<2x2xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<4xf32>)
  return
}
func.func @update() {
  %a = rt.buffer gradient[0] : memref<4xf32>
  %b = rt.buffer gradient[64] : memref<4xf32>
  %c = rt.buffer gradient[128] : memref<4xf32>
  rt.collective all_reduce index(0) over all parameters [] groups [0, 1]
      outs(%b, %a : memref<4xf32>, memref<4xf32>)
  rt.collective all_reduce index(1) over all parameters [] groups [0]
      outs(%c : memref<4xf32>)
  return
}
}

// -----

// Collective 1's buffer has its value first, but collectives keep their order.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
// CHECK-LABEL: func.func @micro
// CHECK: linalg.fill
// CHECK-NEXT: linalg.fill
// CHECK-NEXT: rt.gradients_ready index(0)
// CHECK-NEXT: rt.gradients_ready index(1)
// CHECK-NEXT: linalg.fill
func.func @micro() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer gradient[0] : memref<4xf32>
  %b = rt.buffer gradient[64] : memref<4xf32>
  %c = rt.buffer gradient[128] : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<4xf32>)
  linalg.fill ins(%zero : f32) outs(%a : memref<4xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<4xf32>)
  return
}
func.func @update() {
  %a = rt.buffer gradient[0] : memref<4xf32>
  %b = rt.buffer gradient[64] : memref<4xf32>
  rt.collective all_reduce index(0) over all parameters [] groups [0]
      outs(%a : memref<4xf32>)
  rt.collective all_reduce index(1) over all parameters [] groups [0]
      outs(%b : memref<4xf32>)
  return
}
}

// -----

// What @update makes of a gradient before it is exchanged, @micro does not have.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
// CHECK-LABEL: func.func @micro
// CHECK-NOT: rt.gradients_ready
// CHECK-LABEL: func.func @update
func.func @micro() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer gradient[0] : memref<4xf32>
  %t = rt.buffer transient[0] : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<4xf32>)
  linalg.fill ins(%zero : f32) outs(%t : memref<4xf32>)
  return
}
func.func @update() {
  %half = arith.constant 0.5 : f32
  %a = rt.buffer gradient[0] : memref<4xf32>
  linalg.fill ins(%half : f32) outs(%a : memref<4xf32>)
  rt.collective all_reduce index(0) over all parameters [] groups [0]
      outs(%a : memref<4xf32>)
  return
}
}

// -----

// Nor does it have what lies elsewhere: the changes that Adasum combines.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
// CHECK-LABEL: func.func @micro
// CHECK-NOT: rt.gradients_ready
// CHECK-LABEL: func.func @update
func.func @micro() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer gradient[0] : memref<4xf32>
  %t = rt.buffer transient[0] : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<4xf32>)
  linalg.fill ins(%zero : f32) outs(%t : memref<4xf32>)
  return
}
func.func @update() {
  %t = rt.buffer transient[0] : memref<4xf32>
  rt.collective adasum index(0) over inter_group parameters [] groups [0]
      outs(%t : memref<4xf32>)
  return
}
}

// -----

// A GPU's functions, too: the collective is to wait for this place.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
// CHECK-LABEL: func.func @micro
// CHECK: linalg.fill
// CHECK-NEXT: rt.gradients_ready index(0)
// CHECK-NEXT: linalg.fill
// CHECK-LABEL: func.func @update
func.func @micro() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer gradient[0] : memref<4xf32>
  %t = rt.buffer transient[0] : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<4xf32>)
  linalg.fill ins(%zero : f32) outs(%t : memref<4xf32>)
  return
}
func.func @update() {
  %a = rt.buffer gradient[0] : memref<4xf32>
  rt.collective all_reduce index(0) over all parameters [] groups [0]
      outs(%a : memref<4xf32>)
  return
}
}
