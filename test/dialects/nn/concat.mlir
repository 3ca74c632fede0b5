// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @concat
// CHECK: nn.concat %{{.*}}, %{{.*}}, %{{.*}} axis 1 : tensor<2x6x4xf32>, tensor<2x1x4xf32>, tensor<2x6x4xf32>
// CHECK: return %{{.*}} : tensor<2x13x4xf32>
func.func @concat(%a: tensor<2x6x4xf32>, %b: tensor<2x1x4xf32>) -> tensor<2x13x4xf32> {
  %y = nn.concat %a, %b, %a axis 1
      : tensor<2x6x4xf32>, tensor<2x1x4xf32>, tensor<2x6x4xf32>
  return %y : tensor<2x13x4xf32>
}

// -----

func.func @concat_c1() {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected at least one input}}
  %y = "nn.concat"() <{axis = 1 : i64}> : () -> tensor<2x3xf32>
  return
}

// -----

func.func @concat_c2(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected an axis from 1 to 1 of 'tensor<2x6xf32>', found 0}}
  %y = nn.concat %x, %x axis 0 : tensor<2x6xf32>, tensor<2x6xf32>
  return
}

// -----

func.func @concat_c3(%a: tensor<2x6x4xf32>, %b: tensor<2x6x3xf32>) {
  // expected-error @+1 {{expected shapes that differ along axis 1 only, found 'tensor<2x6x4xf32>' and 'tensor<2x6x3xf32>'}}
  %y = nn.concat %a, %b axis 1 : tensor<2x6x4xf32>, tensor<2x6x3xf32>
  return
}
