// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @combine
// CHECK: train.combine %{{.*}}, %{{.*}} : tensor<4x3xf32>
// CHECK: train.combine %{{.*}}, %{{.*}} : tensor<i64>
func.func @combine(%a: tensor<4x3xf32>, %n: tensor<i64>)
    -> (tensor<4x3xf32>, tensor<i64>) {
  %s = train.combine %a, %a : tensor<4x3xf32>
  %m = train.combine %n, %n : tensor<i64>
  return %s, %m : tensor<4x3xf32>, tensor<i64>
}

// -----

func.func @combine_type(%a: tensor<4x3xi32>) {
  // expected-error @+1 {{must be statically shaped tensor of 32-bit float or 64-bit signless integer values}}
  %s = train.combine %a, %a : tensor<4x3xi32>
  return
}
