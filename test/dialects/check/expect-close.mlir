// RUN: boost-opt %s --verify-roundtrip | FileCheck %s
// RUN: boost-interpret %s
// RUN: not boost-interpret %s --function=far 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not boost-interpret %s --function=nan 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not boost-interpret %s --function=infinite 2>&1 | FileCheck %s --check-prefix=INF

// CHECK-LABEL: func.func @main
// CHECK: check.expect_close %{{.*}}, %{{.*}} atol 1.000000e-01 rtol 0.000000e+00 : tensor<3xf32>
func.func @main() {
  %a = arith.constant dense<[1.0, 2.0, -3.0]> : tensor<3xf32>
  %b = arith.constant dense<[1.0625, 2.0, -3.0625]> : tensor<3xf32>
  check.expect_close %a, %b atol 0.1 rtol 0.0 : tensor<3xf32>
  check.expect_close %a, %b atol 0.0 rtol 0.0625 : tensor<3xf32>
  return
}

func.func @far() {
  %a = arith.constant dense<[1.0, 2.0, -3.0]> : tensor<3xf32>
  %b = arith.constant dense<[1.0, 2.0, -4.0]> : tensor<3xf32>
  // FAR: expect-close.mlir:[[#@LINE+1]]:3: error: {{.*}}element 2 is -3.000000e+00, expected -4.000000e+00 within 5.000000e-01
  check.expect_close %a, %b atol 0.1 rtol 0.1 : tensor<3xf32>
  return
}

func.func @nan() {
  %a = arith.constant dense<0x7FC00000> : tensor<1xf32>
  // NAN: [[#@LINE+1]]:3: error: {{.*}}element 0 is nan, expected nan
  check.expect_close %a, %a atol 1.0 rtol 1.0 : tensor<1xf32>
  return
}

func.func @infinite() {
  %a = arith.constant dense<0x7F800000> : tensor<1xf32>
  %b = arith.constant dense<1.0> : tensor<1xf32>
  // INF: [[#@LINE+1]]:3: error: {{.*}}element 0 is INF, expected 1.000000e+00
  check.expect_close %a, %b atol 1.0 rtol 1.0 : tensor<1xf32>
  return
}
