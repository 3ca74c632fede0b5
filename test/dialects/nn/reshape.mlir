// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// RUN: boost-opt %t --split-input-file --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @reshape
// CHECK: nn.reshape %{{.*}} : tensor<2x12xf32> to tensor<2x3x4xf32>
func.func @reshape(%x: tensor<2x12xf32>) -> tensor<2x3x4xf32> {
  %y = nn.reshape %x : tensor<2x12xf32> to tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// FOLD-LABEL: func.func @reshape_to_itself
// FOLD-SAME: %[[X:.+]]: tensor
// FOLD-NEXT: return %[[X]]
func.func @reshape_to_itself(%x: tensor<2x12xf32>) -> tensor<2x12xf32> {
  %y = nn.reshape %x : tensor<2x12xf32> to tensor<2x12xf32>
  return %y : tensor<2x12xf32>
}

// -----

func.func @reshape_c1(%x: tensor<2x12xf32>) {
  // expected-error @+1 {{expected as many elements as the input has, 24 in 'tensor<2x12xf32>', found 30 in 'tensor<2x15xf32>'}}
  %y = nn.reshape %x : tensor<2x12xf32> to tensor<2x15xf32>
  return
}

// -----

func.func @reshape_c2(%x: tensor<2x12xf32>) {
  // expected-error @+1 {{expected dimension 0, the batch, to stay, found 'tensor<2x12xf32>' to 'tensor<4x6xf32>'}}
  %y = nn.reshape %x : tensor<2x12xf32> to tensor<4x6xf32>
  return
}

// -----

func.func @reshape_c2_scalar(%x: tensor<1x1xf32>) {
  // expected-error @+1 {{expected dimension 0, the batch, to stay, found 'tensor<1x1xf32>' to 'tensor<f32>'}}
  %y = nn.reshape %x : tensor<1x1xf32> to tensor<f32>
  return
}
