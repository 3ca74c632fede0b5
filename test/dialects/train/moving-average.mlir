// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @average
// CHECK: train.moving_average %{{.*}} of %{{.*}} decay 9.999000e-01 if %{{.*}} : tensor<4x3xf32>
func.func @average(%a: tensor<4x3xf32>, %w: tensor<4x3xf32>, %applied: tensor<i32>) -> tensor<4x3xf32> {
  %0 = train.moving_average %a of %w decay 0.9999 if %applied : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @moving_average_c1(%a: tensor<8xf32>, %applied: tensor<i32>) {
  // expected-error @+1 {{expected a decay of at least 0 and below 1, found 1}}
  %0 = train.moving_average %a of %a decay 1.0 if %applied : tensor<8xf32>
  return
}

// -----

func.func @moving_average_c1_below(%a: tensor<8xf32>, %applied: tensor<i32>) {
  // expected-error @+1 {{expected a decay of at least 0 and below 1, found -1.000000e-01}}
  %0 = train.moving_average %a of %a decay -0.1 if %applied : tensor<8xf32>
  return
}
