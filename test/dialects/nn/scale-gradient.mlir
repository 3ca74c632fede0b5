// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s
// RUN: boost-opt %t --split-input-file --canonicalize --cse | FileCheck %s

// No cleanup takes it out before autodiff.
// CHECK-LABEL: func.func @scale_gradient
// CHECK: nn.scale_gradient %{{.*}} by %{{.*}} over %{{.*}} : tensor<2x3xf32>
// CHECK: nn.scale_gradient %{{.*}} by %{{.*}} over %{{.*}} : tensor<f16>
// CHECK: nn.scale_gradient_grad %{{.*}} by %{{.*}} over %{{.*}} : tensor<2x3xf32>
func.func @scale_gradient(%x: tensor<2x3xf32>, %h: tensor<f16>, %to: tensor<f32>, %from: tensor<f32>)
    -> (tensor<2x3xf32>, tensor<f16>) {
  %y = nn.scale_gradient %x by %to over %from : tensor<2x3xf32>
  %z = nn.scale_gradient %h by %to over %from : tensor<f16>
  %dx = nn.scale_gradient_grad %y by %to over %from : tensor<2x3xf32>
  return %dx, %z : tensor<2x3xf32>, tensor<f16>
}

// -----

func.func @a_scale_is_a_scalar(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{expects different type than prior uses}}
  %y = nn.scale_gradient %x by %s over %s : tensor<2x3xf32>
  return
}
