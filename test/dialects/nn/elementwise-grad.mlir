// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @elementwise_grad
// CHECK: nn.elementwise_grad %{{.*}}, %{{.*}} of nn.relu : tensor<2x3xf32>
// CHECK: nn.elementwise_grad %{{.*}}, %{{.*}} of nn.leaky_relu {slope = 2.500000e-01 : f64} : tensor<2x3xf32>
// CHECK: nn.elementwise_grad %{{.*}}, %{{.*}} {note} of nn.gelu {tanh} : tensor<2x3xf32>
func.func @elementwise_grad(%dy: tensor<2x3xf32>, %x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %a = nn.elementwise_grad %dy, %x of nn.relu : tensor<2x3xf32>
  %b = nn.elementwise_grad %dy, %x of nn.leaky_relu {slope = 0.25 : f64} : tensor<2x3xf32>
  %c = "nn.elementwise_grad"(%dy, %x) <{function = #nn.function<nn.gelu {tanh}>}> {note}
      : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %a, %b, %c : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

func.func @elementwise_grad_shapes_differ(%dy: tensor<2x3xf32>, %x: tensor<6xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %dx = "nn.elementwise_grad"(%dy, %x) <{function = #nn.function<nn.relu>}>
      : (tensor<2x3xf32>, tensor<6xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @elementwise_grad_c1(%dy: tensor<2x3xf32>, %x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected the name of an op with a gradient rule after 'of', as nn.relu, found nn.softmax}}
  %dx = nn.elementwise_grad %dy, %x of nn.softmax : tensor<2x3xf32>
  return
}

// -----

func.func @elementwise_grad_c1_unknown(%dy: tensor<2x3xf32>, %x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected the name of an op with a gradient rule after 'of', as nn.relu, found nn.rellu}}
  %dx = nn.elementwise_grad %dy, %x of nn.rellu : tensor<2x3xf32>
  return
}

// -----

func.func @elementwise_grad_c1_operands(%dy: tensor<2x3xf32>, %x: tensor<2x3xf32>) {
  // expected-error @+1 {{'nn.mse' op expected 2 results}}
  %dx = nn.elementwise_grad %dy, %x of nn.mse : tensor<2x3xf32>
  return
}

// -----

func.func @elementwise_grad_c2(%dy: tensor<2x3xf32>, %x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected a slope of 0 or more, found -5.000000e-01}}
  %dx = nn.elementwise_grad %dy, %x of nn.leaky_relu {slope = -0.5 : f64} : tensor<2x3xf32>
  return
}

// -----

func.func @elementwise_grad_c2_missing(%dy: tensor<2x3xf32>, %x: tensor<2x3xf32>) {
  // expected-error @+1 {{'nn.leaky_relu' op requires attribute 'slope'}}
  %dx = nn.elementwise_grad %dy, %x of nn.leaky_relu : tensor<2x3xf32>
  return
}
