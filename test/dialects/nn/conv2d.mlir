// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @conv2d
// CHECK: nn.conv2d %{{.*}}, %{{.*}}, %{{.*}} strides [2, 1] padding [1, 0, 0, 2] dilations [1, 2] groups 2 : tensor<2x4x7x9xf32>, tensor<6x2x3x2xf32>, tensor<6xf32>
// CHECK: return %{{.*}} : tensor<2x6x3x9xf32>
func.func @conv2d(%x: tensor<2x4x7x9xf32>, %w: tensor<6x2x3x2xf32>, %b: tensor<6xf32>)
    -> tensor<2x6x3x9xf32> {
  %y = nn.conv2d %x, %w, %b strides [2, 1] padding [1, 0, 0, 2] dilations [1, 2] groups 2
      : tensor<2x4x7x9xf32>, tensor<6x2x3x2xf32>, tensor<6xf32>
  return %y : tensor<2x6x3x9xf32>
}

// CHECK-LABEL: func.func @conv2d_grads
// CHECK: nn.conv2d_grad_input %{{.*}} strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 : tensor<2x6x3x3xf32>, tensor<6x1x3x3xf32> -> tensor<2x1x5x5xf32>
// CHECK: nn.conv2d_grad_weight %{{.*}} -> tensor<6x1x3x3xf32>
func.func @conv2d_grads(%dy: tensor<2x6x3x3xf32>, %w: tensor<6x1x3x3xf32>,
                        %x: tensor<2x1x5x5xf32>)
    -> (tensor<2x1x5x5xf32>, tensor<6x1x3x3xf32>) {
  %dx = nn.conv2d_grad_input %dy, %w strides [1, 1] padding [0, 0, 0, 0]
      dilations [1, 1] groups 1
      : tensor<2x6x3x3xf32>, tensor<6x1x3x3xf32> -> tensor<2x1x5x5xf32>
  %dw = nn.conv2d_grad_weight %dy, %x strides [1, 1] padding [0, 0, 0, 0]
      dilations [1, 1] groups 1
      : tensor<2x6x3x3xf32>, tensor<2x1x5x5xf32> -> tensor<6x1x3x3xf32>
  return %dx, %dw : tensor<2x1x5x5xf32>, tensor<6x1x3x3xf32>
}

// -----

func.func @conv2d_c1_rank(%x: tensor<2x4xf32>, %w: tensor<6x2x3x2xf32>) {
  // expected-error @+1 {{expected an input [N, C, H, W] and a weight [O, C / groups, KH, KW], found 'tensor<2x4xf32>' and 'tensor<6x2x3x2xf32>'}}
  %y = nn.conv2d %x, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
      : tensor<2x4xf32>, tensor<6x2x3x2xf32>
  return
}

// -----

func.func @conv2d_c1_strides(%x: tensor<2x4x7x9xf32>, %w: tensor<6x4x3x2xf32>) {
  // expected-error @+1 {{expected two strides from 1 to 1048576, found [0, 1]}}
  %y = nn.conv2d %x, %w strides [0, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
      : tensor<2x4x7x9xf32>, tensor<6x4x3x2xf32>
  return
}

// -----

func.func @conv2d_c1_padding(%x: tensor<2x4x7x9xf32>, %w: tensor<6x4x3x2xf32>) {
  // expected-error @+1 {{expected four paddings from 0 to 1048576, found [0, 0, 0]}}
  %y = nn.conv2d %x, %w strides [1, 1] padding [0, 0, 0] dilations [1, 1] groups 1
      : tensor<2x4x7x9xf32>, tensor<6x4x3x2xf32>
  return
}

// -----

func.func @conv2d_c1_dilations(%x: tensor<2x4x7x9xf32>, %w: tensor<6x4x3x2xf32>) {
  // expected-error @+1 {{expected two dilations from 1 to 1048576, found [1, 1048577]}}
  %y = nn.conv2d %x, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1048577] groups 1
      : tensor<2x4x7x9xf32>, tensor<6x4x3x2xf32>
  return
}

// -----

func.func @conv2d_c1_groups(%x: tensor<2x4x7x9xf32>, %w: tensor<6x4x3x2xf32>) {
  // expected-error @+1 {{expected groups that divide 4 channels and 6 filters, found 4}}
  %y = nn.conv2d %x, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 4
      : tensor<2x4x7x9xf32>, tensor<6x4x3x2xf32>
  return
}

// -----

func.func @conv2d_c1_channels(%x: tensor<2x4x7x9xf32>, %w: tensor<6x4x3x2xf32>) {
  // expected-error @+1 {{expected a weight with 2 channels for input 'tensor<2x4x7x9xf32>' in 2 groups, found 'tensor<6x4x3x2xf32>'}}
  %y = nn.conv2d %x, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 2
      : tensor<2x4x7x9xf32>, tensor<6x4x3x2xf32>
  return
}

// -----

func.func @conv2d_c1_fit(%x: tensor<2x4x2x9xf32>, %w: tensor<6x4x3x2xf32>) {
  // expected-error @+1 {{the kernel of 'tensor<6x4x3x2xf32>' does not fit into the padded input 'tensor<2x4x2x9xf32>'}}
  %y = nn.conv2d %x, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
      : tensor<2x4x2x9xf32>, tensor<6x4x3x2xf32>
  return
}

// -----

func.func @conv2d_c2(%x: tensor<2x4x7x9xf32>, %w: tensor<6x4x3x2xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{expected a bias of 6 elements for weight 'tensor<6x4x3x2xf32>', found 'tensor<4xf32>'}}
  %y = nn.conv2d %x, %w, %b strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
      : tensor<2x4x7x9xf32>, tensor<6x4x3x2xf32>, tensor<4xf32>
  return
}

// -----

func.func @conv2d_grad_input_c1(%dy: tensor<2x6x3x3xf32>, %w: tensor<6x1x3x3xf32>) {
  // expected-error @+1 {{expected a gradient of shape [2, 6, 4, 4], found 'tensor<2x6x3x3xf32>'}}
  %dx = nn.conv2d_grad_input %dy, %w strides [1, 1] padding [0, 0, 0, 0]
      dilations [1, 1] groups 1
      : tensor<2x6x3x3xf32>, tensor<6x1x3x3xf32> -> tensor<2x1x6x6xf32>
  return
}

// -----

func.func @conv2d_grad_weight_c1(%dy: tensor<2x6x3x3xf32>, %x: tensor<2x1x5x5xf32>) {
  // expected-error @+1 {{expected a gradient of shape [2, 6, 4, 4], found 'tensor<2x6x3x3xf32>'}}
  %dw = nn.conv2d_grad_weight %dy, %x strides [1, 1] padding [0, 0, 0, 0]
      dilations [1, 1] groups 1
      : tensor<2x6x3x3xf32>, tensor<2x1x5x5xf32> -> tensor<6x1x2x2xf32>
  return
}

// -----

func.func @conv2d_c2_type(%x: tensor<2x4x7x9xf32>, %w: tensor<6x4x3x2xf32>, %b: tensor<6xbf16>) {
  // expected-error @+1 {{expected elements of one type, found 'tensor<6xbf16>' and 'tensor<6x4x3x2xf32>'}}
  %y = nn.conv2d %x, %w, %b strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
      : tensor<2x4x7x9xf32>, tensor<6x4x3x2xf32>, tensor<6xbf16>
  return
}
