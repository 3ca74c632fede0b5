// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dense
// CHECK: nn.dense %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<4x3xf32>
// CHECK: nn.dense %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>
func.func @dense(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %b: tensor<4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %y = nn.dense %x, %w : tensor<2x3xf32>, tensor<4x3xf32>
  %z = nn.dense %x, %w, %b : tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>
  return %y, %z : tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @of_tokens
// CHECK: nn.dense %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x5x3xf32>, tensor<4x3xf32>, tensor<4xf32>
// CHECK: nn.dense_grad_input %{{.*}}, %{{.*}} : tensor<2x5x4xf32>, tensor<4x3xf32>
// CHECK: nn.dense_grad_weight %{{.*}}, %{{.*}} : tensor<2x5x4xf32>, tensor<2x5x3xf32>
func.func @of_tokens(%x: tensor<2x5x3xf32>, %w: tensor<4x3xf32>, %b: tensor<4xf32>)
    -> (tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<4x3xf32>) {
  %y = nn.dense %x, %w, %b : tensor<2x5x3xf32>, tensor<4x3xf32>, tensor<4xf32>
  %dx = nn.dense_grad_input %y, %w : tensor<2x5x4xf32>, tensor<4x3xf32>
  %dw = nn.dense_grad_weight %y, %x : tensor<2x5x4xf32>, tensor<2x5x3xf32>
  return %y, %dx, %dw : tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: func.func @dense_grads
// CHECK: nn.dense_grad_input %{{.*}}, %{{.*}} : tensor<2x4xf32>, tensor<4x3xf32>
// CHECK: nn.dense_grad_weight %{{.*}}, %{{.*}} : tensor<2x4xf32>, tensor<2x3xf32>
func.func @dense_grads(%dy: tensor<2x4xf32>, %x: tensor<2x3xf32>, %w: tensor<4x3xf32>)
    -> (tensor<2x3xf32>, tensor<4x3xf32>) {
  %dx = nn.dense_grad_input %dy, %w : tensor<2x4xf32>, tensor<4x3xf32>
  %dw = nn.dense_grad_weight %dy, %x : tensor<2x4xf32>, tensor<2x3xf32>
  return %dx, %dw : tensor<2x3xf32>, tensor<4x3xf32>
}

// -----

func.func @dense_c1(%x: tensor<3xf32>, %w: tensor<4x3xf32>) {
  // expected-error @+1 {{expected a value of rank 2 or more and a matrix, found 'tensor<3xf32>' and 'tensor<4x3xf32>'}}
  %y = nn.dense %x, %w : tensor<3xf32>, tensor<4x3xf32>
  return
}

// -----

func.func @dense_c1_weight(%x: tensor<2x3xf32>, %w: tensor<4x3x1xf32>) {
  // expected-error @+1 {{expected a value of rank 2 or more and a matrix, found 'tensor<2x3xf32>' and 'tensor<4x3x1xf32>'}}
  %y = nn.dense %x, %w : tensor<2x3xf32>, tensor<4x3x1xf32>
  return
}

// -----

func.func @dense_c2(%x: tensor<2x3xf32>, %w: tensor<4x5xf32>) {
  // expected-error @+1 {{expected a weight of 3 columns for input 'tensor<2x3xf32>', found 'tensor<4x5xf32>'}}
  %y = nn.dense %x, %w : tensor<2x3xf32>, tensor<4x5xf32>
  return
}

// -----

func.func @dense_c3(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{expected a bias of 4 elements for weight 'tensor<4x3xf32>', found 'tensor<3xf32>'}}
  %y = nn.dense %x, %w, %b : tensor<2x3xf32>, tensor<4x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @dense_grad_input_c1_rank(%dy: tensor<4xf32>, %w: tensor<4x3xf32>) {
  // expected-error @+1 {{expected a value of rank 2 or more and a matrix, found 'tensor<4xf32>' and 'tensor<4x3xf32>'}}
  %dx = nn.dense_grad_input %dy, %w : tensor<4xf32>, tensor<4x3xf32>
  return
}

// -----

func.func @dense_grad_input_c1(%dy: tensor<2x5xf32>, %w: tensor<4x3xf32>) {
  // expected-error @+1 {{expected a weight of 5 rows for gradient 'tensor<2x5xf32>', found 'tensor<4x3xf32>'}}
  %dx = nn.dense_grad_input %dy, %w : tensor<2x5xf32>, tensor<4x3xf32>
  return
}

// -----

func.func @dense_grad_weight_c1_rank(%dy: tensor<2x4xf32>, %x: tensor<2x3x1xf32>) {
  // expected-error @+1 {{expected a gradient and an input of rank 2 or more that differ in the last dimension alone, found 'tensor<2x4xf32>' and 'tensor<2x3x1xf32>'}}
  %dw = nn.dense_grad_weight %dy, %x : tensor<2x4xf32>, tensor<2x3x1xf32>
  return
}

// -----

func.func @dense_grad_weight_c1(%dy: tensor<2x4xf32>, %x: tensor<3x3xf32>) {
  // expected-error @+1 {{expected a gradient and an input of rank 2 or more that differ in the last dimension alone, found 'tensor<2x4xf32>' and 'tensor<3x3xf32>'}}
  %dw = nn.dense_grad_weight %dy, %x : tensor<2x4xf32>, tensor<3x3xf32>
  return
}

// -----

// Gradients of parameters are of f32. A bias is of f32 or as the weight.
// CHECK-LABEL: func.func @dense_low
// CHECK: nn.dense %{{.*}} : tensor<2x3xbf16>, tensor<4x3xbf16>, tensor<4xbf16>
// CHECK: nn.dense %{{.*}} : tensor<2x3xbf16>, tensor<4x3xbf16>, tensor<4xf32>
// CHECK: nn.dense_grad_weight %{{.*}} : tensor<2x4xbf16>, tensor<2x3xbf16>
func.func @dense_low(%x: tensor<2x3xbf16>, %w: tensor<4x3xbf16>, %b: tensor<4xbf16>,
                     %c: tensor<4xf32>) -> (tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<4x3xf32>) {
  %y = nn.dense %x, %w, %b : tensor<2x3xbf16>, tensor<4x3xbf16>, tensor<4xbf16>
  %z = nn.dense %x, %w, %c : tensor<2x3xbf16>, tensor<4x3xbf16>, tensor<4xf32>
  %dw = nn.dense_grad_weight %y, %x : tensor<2x4xbf16>, tensor<2x3xbf16>
  return %y, %z, %dw : tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<4x3xf32>
}

// -----

func.func @dense_of_two_types(%x: tensor<2x3xbf16>, %w: tensor<4x3xf32>) {
  // expected-error @+1 {{expected elements of one type, found 'tensor<2x3xbf16>' and 'tensor<4x3xf32>'}}
  %y = nn.dense %x, %w : tensor<2x3xbf16>, tensor<4x3xf32>
  return
}

// -----

func.func @dense_c3_type(%x: tensor<2x3xbf16>, %w: tensor<4x3xbf16>, %b: tensor<4xf16>) {
  // expected-error @+1 {{expected elements of one type, found 'tensor<4xf16>' and 'tensor<4x3xbf16>'}}
  %y = nn.dense %x, %w, %b : tensor<2x3xbf16>, tensor<4x3xbf16>, tensor<4xf16>
  return
}
