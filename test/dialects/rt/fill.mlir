// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @fill
// CHECK: rt.fill "fc1.weight" <uniform, {{.*}}> seed(%{{.*}} : tensor<i64>) outs(%{{.*}} : tensor<4x3xf32>) -> tensor<4x3xf32>
func.func @fill(%s: tensor<i64>, %e: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %w = rt.fill "fc1.weight" <uniform, -0.5, 0.5> seed(%s : tensor<i64>)
      outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %w : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @fill_memref
// CHECK: rt.fill "fc1.bias" <normal, {{.*}}> seed(%{{.*}} : memref<i64>) outs(%{{.*}} : memref<4xf32>)
func.func @fill_memref(%s: memref<i64>, %b: memref<4xf32>) {
  rt.fill "fc1.bias" <normal, 0.0, 0.02> seed(%s : memref<i64>) outs(%b : memref<4xf32>)
  return
}

// -----

func.func @initializer_type(%s: tensor<i64>, %e: tensor<4xf32>) {
  // expected-error @+1 {{expected f64 numbers, found 'f32' and 'f64'}}
  %w = rt.fill "w" <constant, 1.0 : f32, 0.0> seed(%s : tensor<i64>)
      outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return
}
