// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @initialize
// CHECK: train.initialize "fc1.weight" <uniform, -5.000000e-01 : f64, 5.000000e-01 : f64> seed(%{{.*}}) : tensor<4x3xf32>
func.func @initialize(%seed: tensor<i64>) -> tensor<4x3xf32> {
  %w = train.initialize "fc1.weight" <uniform, -0.5, 0.5> seed(%seed) : tensor<4x3xf32>
  return %w : tensor<4x3xf32>
}

// -----

func.func @initialize_type(%seed: tensor<i64>) {
  // expected-error @+1 {{must be statically shaped tensor of 32-bit float values}}
  %w = train.initialize "w" <constant, 0.0, 0.0> seed(%seed) : tensor<4xf64>
  return
}
