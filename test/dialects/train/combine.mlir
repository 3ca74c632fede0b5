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

// CHECK-LABEL: func.func @accumulate
// CHECK: train.combine %{{.*}}, %{{.*}} of(%{{.*}}) : tensor<4x3xf32>
// CHECK: train.combine %{{.*}}, %{{.*}} of(%{{.*}}) : tensor<i64>
func.func @accumulate(%g: tensor<4x3xf32>, %sums: tensor<4x3xf32>, %n: tensor<i64>)
    -> (tensor<4x3xf32>, tensor<i64>) {
  %a = train.combine %sums, %g of(%n) : tensor<4x3xf32>
  %m = train.combine %n, %n of(%n) : tensor<i64>
  return %a, %m : tensor<4x3xf32>, tensor<i64>
}

// -----

func.func @combine_type(%a: tensor<4x3xi32>) {
  // expected-error @+1 {{must be statically shaped tensor of 32-bit float or 64-bit signless integer values}}
  %s = train.combine %a, %a : tensor<4x3xi32>
  return
}

// -----

func.func @accumulate_type(%a: tensor<4x3xi32>, %n: tensor<i64>) {
  // expected-error @+1 {{must be statically shaped tensor of 32-bit float or 64-bit signless integer values}}
  %s = train.combine %a, %a of(%n) : tensor<4x3xi32>
  return
}

// -----

// expected-note @+1 {{prior use here}}
func.func @accumulate_count(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects different type than prior uses}}
  %s = train.combine %a, %a of(%a) : tensor<4xf32>
  return
}
