// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @l2_normalize
// CHECK: nn.l2_normalize %{{.*}} epsilon 1.000000e-04 : tensor<2x3xf32>
// CHECK: nn.l2_normalize_grad %{{.*}}, %{{.*}} epsilon 1.000000e-04 : tensor<2x3xf32>
func.func @l2_normalize(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = nn.l2_normalize %x epsilon 1.0e-4 : tensor<2x3xf32>
  %dx = nn.l2_normalize_grad %y, %x epsilon 1.0e-4 : tensor<2x3xf32>
  return %dx : tensor<2x3xf32>
}

// -----

func.func @l2_normalize_c1(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected a value of rank 2 or more and an epsilon above 0, found 'tensor<3xf32>' and 1.0}}
  %y = nn.l2_normalize %x epsilon 1.0 : tensor<3xf32>
  return
}

// -----

func.func @l2_normalize_c1_epsilon(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected a value of rank 2 or more and an epsilon above 0, found 'tensor<2x3xf32>' and 0.0}}
  %y = nn.l2_normalize %x epsilon 0.0 : tensor<2x3xf32>
  return
}

// -----

func.func @l2_normalize_grad_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected a value of rank 2 or more and an epsilon above 0, found 'tensor<2x3xf32>' and -1.0}}
  %y = nn.l2_normalize_grad %x, %x epsilon -1.0 : tensor<2x3xf32>
  return
}
