// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file --canonicalize --cse | FileCheck %s

// Nothing reads what it leaves, and yet it stays.
// CHECK-LABEL: func.func @stays
// CHECK: rt.gradients_ready index(0) (%{{.*}}, %{{.*}} : memref<4x3xf32>, memref<i64>)
// CHECK: rt.gradients_ready index(1) (%{{.*}} : memref<4x3xf32>)
func.func @stays(%g: memref<4x3xf32>, %n: memref<i64>) {
  rt.gradients_ready index(0) (%g, %n : memref<4x3xf32>, memref<i64>)
  rt.gradients_ready index(1) (%g : memref<4x3xf32>)
  return
}

// -----

func.func @rt_gradients_ready_c1() {
  // expected-error @+1 {{expected buffers, found none}}
  rt.gradients_ready index(0) ()
  return
}

// -----

func.func @rt_gradients_ready_c1_shape(%g: memref<?xf32>) {
  // expected-error @+1 {{expected static shapes, found 'memref<?xf32>'}}
  rt.gradients_ready index(0) (%g : memref<?xf32>)
  return
}
