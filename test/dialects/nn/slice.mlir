// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @slice
// CHECK: nn.slice %{{.*}} axis 1 from 2 size 3 : tensor<2x6x4xf32>
// CHECK: nn.slice_grad %{{.*}} axis 1 from 2 : tensor<2x3x4xf32> -> tensor<2x6x4xf32>
func.func @slice(%x: tensor<2x6x4xf32>) -> tensor<2x6x4xf32> {
  %y = nn.slice %x axis 1 from 2 size 3 : tensor<2x6x4xf32>
  %dx = nn.slice_grad %y axis 1 from 2 : tensor<2x3x4xf32> -> tensor<2x6x4xf32>
  return %dx : tensor<2x6x4xf32>
}

// -----

func.func @slice_c1(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected an axis from 1 to 1 of 'tensor<2x6xf32>', found 0}}
  %y = nn.slice %x axis 0 from 0 size 1 : tensor<2x6xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected a slice of the 6 elements along axis 1 of 'tensor<2x6xf32>', found 4 from 3}}
  %y = nn.slice %x axis 1 from 3 size 4 : tensor<2x6xf32>
  return
}

// -----

func.func @slice_c2_empty(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected a slice of the 6 elements along axis 1 of 'tensor<2x6xf32>', found 0 from 3}}
  %y = nn.slice %x axis 1 from 3 size 0 : tensor<2x6xf32>
  return
}

// -----

func.func @slice_grad_c1(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected a slice of the result, found 'tensor<2x6xf32>' from 1 along axis 1 of 'tensor<2x6xf32>'}}
  %y = nn.slice_grad %x axis 1 from 1 : tensor<2x6xf32> -> tensor<2x6xf32>
  return
}
