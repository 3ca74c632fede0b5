// RUN: boost-opt %s --verify-roundtrip | FileCheck %s
// RUN: boost-interpret %s
// RUN: not boost-interpret %s --function=infinite 2>&1 | FileCheck %s --check-prefix=INF
// RUN: not boost-interpret %s --function=nan 2>&1 | FileCheck %s --check-prefix=NAN

// CHECK-LABEL: func.func @main
// CHECK: check.expect_finite %{{.*}} : tensor<2xf32>
func.func @main() {
  %a = arith.constant dense<[3.4e38, -1.0e-45]> : tensor<2xf32>
  check.expect_finite %a : tensor<2xf32>
  return
}

func.func @infinite() {
  %a = arith.constant dense<[0.0, 0xFF800000]> : tensor<2xf32>
  // INF: expect-finite.mlir:[[#@LINE+1]]:3: error: {{.*}}element 1 is -INF, expected a finite number
  check.expect_finite %a : tensor<2xf32>
  return
}

func.func @nan() {
  %a = arith.constant dense<0x7FC00000> : tensor<f32>
  // NAN: [[#@LINE+1]]:3: error: {{.*}}element 0 is nan, expected a finite number
  check.expect_finite %a : tensor<f32>
  return
}
