// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s
// RUN: boost-opt %t --split-input-file --canonicalize | FileCheck %s --check-prefix=FOLDED

// CHECK-LABEL: func.func @cast
// CHECK: nn.cast %{{.*}} : tensor<2x3xf32> to tensor<2x3xbf16>
// CHECK: nn.cast %{{.*}} : tensor<2x3xbf16> to tensor<2x3xf32>
func.func @cast(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = nn.cast %x : tensor<2x3xf32> to tensor<2x3xbf16>
  // It has rounded, so it stays.
  // FOLDED-LABEL: func.func @cast
  // FOLDED-COUNT-2: nn.cast
  %z = nn.cast %y : tensor<2x3xbf16> to tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// -----

// FOLDED-LABEL: func.func @to_f32_and_back
// FOLDED-SAME: (%[[X:.*]]: tensor<2x3xf16>)
// FOLDED-NEXT: return %[[X]]
func.func @to_f32_and_back(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %y = nn.cast %x : tensor<2x3xf16> to tensor<2x3xf32>
  %z = nn.cast %y : tensor<2x3xf32> to tensor<2x3xf16>
  return %z : tensor<2x3xf16>
}

// -----

// FOLDED-LABEL: func.func @same_type
// FOLDED-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// FOLDED-NEXT: return %[[X]]
func.func @same_type(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = nn.cast %x : tensor<2x3xf32> to tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @cast_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected a result of the input's shape, 'tensor<2x3xf32>', found 'tensor<3x2xbf16>'}}
  %y = nn.cast %x : tensor<2x3xf32> to tensor<3x2xbf16>
  return
}
