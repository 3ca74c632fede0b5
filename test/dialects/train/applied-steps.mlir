// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @count
// CHECK: %[[T:.+]] = train.count_applied %{{.*}} if %{{.*}}
// CHECK: train.one_minus_power %[[T]] base 9.000000e-01
func.func @count(%t: tensor<i64>, %applied: tensor<i32>) -> (tensor<i64>, tensor<f32>) {
  %t1 = train.count_applied %t if %applied
  %c = train.one_minus_power %t1 base 0.9
  return %t1, %c : tensor<i64>, tensor<f32>
}

// -----

func.func @one_minus_power_c1(%t: tensor<i64>) {
  // expected-error @+1 {{expected a base of at least 0 and below 1, found 1}}
  %c = train.one_minus_power %t base 1.0
  return
}
