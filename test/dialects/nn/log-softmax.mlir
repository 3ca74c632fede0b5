// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @log_softmax
// CHECK: nn.log_softmax %{{.*}} axis 1 : tensor<2x3x4xf32>
// CHECK: nn.log_softmax_grad %{{.*}}, %{{.*}} axis 1 : tensor<2x3x4xf32>
func.func @log_softmax(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %y = nn.log_softmax %x axis 1 : tensor<2x3x4xf32>
  %dx = nn.log_softmax_grad %x, %y axis 1 : tensor<2x3x4xf32>
  return %dx : tensor<2x3x4xf32>
}

// -----

func.func @log_softmax_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected an axis from 1 to 1 of 'tensor<2x3xf32>', found 0}}
  %y = nn.log_softmax %x axis 0 : tensor<2x3xf32>
  return
}

// -----

func.func @log_softmax_c1_behind(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected an axis from 1 to 1 of 'tensor<2x3xf32>', found 2}}
  %y = nn.log_softmax %x axis 2 : tensor<2x3xf32>
  return
}

// -----

func.func @log_softmax_grad_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected an axis from 1 to 1 of 'tensor<2x3xf32>', found 2}}
  %y = nn.log_softmax_grad %x, %x axis 2 : tensor<2x3xf32>
  return
}
