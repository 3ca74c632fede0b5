// RUN: boost-opt %s --verify-roundtrip | FileCheck %s
// RUN: boost-interpret %s
// RUN: not boost-interpret %s --function=differs 2>&1 | FileCheck %s --check-prefix=DIFF
// RUN: not boost-interpret %s --function=nan 2>&1 | FileCheck %s --check-prefix=NAN

// CHECK-LABEL: func.func @main
// CHECK: check.expect_eq %{{.*}}, %{{.*}} : tensor<2xi64>
func.func @main() {
  %a = arith.constant dense<[1, -2]> : tensor<2xi64>
  check.expect_eq %a, %a : tensor<2xi64>
  return
}

func.func @differs() {
  %a = arith.constant dense<[1, 2]> : tensor<2xi64>
  %b = arith.constant dense<[1, 3]> : tensor<2xi64>
  // DIFF: expect-eq.mlir:[[#@LINE+1]]:3: error: {{.*}}element 1 is 2.000000e+00, expected 3.000000e+00
  check.expect_eq %a, %b : tensor<2xi64>
  return
}

func.func @nan() {
  %a = arith.constant dense<0x7FC00000> : tensor<f32>
  // NAN: [[#@LINE+1]]:3: error: {{.*}}element 0 is nan, expected nan
  check.expect_eq %a, %a : tensor<f32>
  return
}
