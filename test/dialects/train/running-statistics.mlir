// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @statistics
// CHECK: train.running_statistics %{{.*}}, %{{.*}} from %{{.*}}, %{{.*}} of %{{.*}} momentum 1.000000e-01 unbiased if %{{.*}} : tensor<8xf32>
// CHECK: train.running_statistics %{{.*}}, %{{.*}} from %{{.*}}, %{{.*}} of %{{.*}} momentum 1.000000e+00 if %{{.*}} : tensor<8xf32>
func.func @statistics(%m: tensor<8xf32>, %v: tensor<8xf32>, %s: tensor<8xf32>, %q: tensor<8xf32>,
                      %n: tensor<i64>, %applied: tensor<i32>) -> tensor<8xf32> {
  %m1, %v1 = train.running_statistics %m, %v from %s, %q of %n
      momentum 0.1 unbiased if %applied : tensor<8xf32>
  %m2, %v2 = train.running_statistics %m1, %v1 from %s, %q of %n
      momentum 1.0 if %applied : tensor<8xf32>
  return %m2 : tensor<8xf32>
}

// -----

func.func @running_statistics_c1(%m: tensor<8xf32>, %n: tensor<i64>, %applied: tensor<i32>) {
  // expected-error @+1 {{expected a momentum from 0 to 1, found 1.1}}
  %m1, %v1 = train.running_statistics %m, %m from %m, %m of %n
      momentum 1.1 if %applied : tensor<8xf32>
  return
}
