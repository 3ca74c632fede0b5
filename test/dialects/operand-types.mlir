// RUN: boost-opt %s --split-input-file --verify-diagnostics

// Operands that an op need not have, or has several of: the parser takes any type for them, and types
// of results are inferred before the verifier says what is expected.

func.func @weights(%s: tensor<f32>, %t: tensor<2x3xf32>, %valid: tensor<i32>, %w: i32) {
  // expected-error @+1 {{expected operands that are tensors, found 'i32'}}
  %d = nn.cross_entropy_grad %s, %t, %valid weights %w : tensor<2x3xf32>, i32
  return
}

// -----

func.func @inputs(%x: tensor<2x3xf32>, %y: index) {
  // expected-error @+1 {{expected operands that are tensors, found 'index'}}
  %d = nn.concat %x, %y axis 1 : tensor<2x3xf32>, index
  return
}

// -----

func.func @first_input(%x: tensor<2x3xf32>, %y: index) {
  // expected-error @+1 {{expected operands that are tensors, found 'index'}}
  %d = nn.concat %y, %x axis 1 : index, tensor<2x3xf32>
  return
}

// -----

func.func @bias_of_dense(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %b: f32) {
  // expected-error @+1 {{expected operands that are tensors, found 'f32'}}
  %d = nn.dense %x, %w, %b : tensor<2x3xf32>, tensor<4x3xf32>, f32
  return
}

// -----

func.func @number_of_dense(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{expected a bias of 4 elements for weight 'tensor<4x3xf32>', found 'tensor<f32>'}}
  %d = nn.dense %x, %w, %b : tensor<2x3xf32>, tensor<4x3xf32>, tensor<f32>
  return
}

// -----

func.func @bias_of_conv2d(%x: tensor<2x3x4x4xf32>, %w: tensor<4x3x1x1xf32>, %b: vector<4xf32>) {
  // expected-error @+1 {{expected operands that are tensors, found 'vector<4xf32>'}}
  %d = nn.conv2d %x, %w, %b strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 : tensor<2x3x4x4xf32>, tensor<4x3x1x1xf32>, vector<4xf32>
  return
}

// -----

func.func @number_of_conv2d(%x: tensor<2x3x4x4xf32>, %w: tensor<4x3x1x1xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{expected a bias of 4 elements for weight 'tensor<4x3x1x1xf32>', found 'tensor<f32>'}}
  %d = nn.conv2d %x, %w, %b strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 : tensor<2x3x4x4xf32>, tensor<4x3x1x1xf32>, tensor<f32>
  return
}

// -----

func.func @number_of_bias(%x: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{expected a bias of 3 elements for input 'tensor<2x3xf32>', found 'tensor<f32>'}}
  %d = nn.bias %x, %b axis 1 : tensor<2x3xf32>, tensor<f32>
  return
}

// -----

func.func @values(%f: () -> ()) {
  // expected-error @+1 {{expected operands that are tensors, found '() -> ()'}}
  %d = train.stack %f : () -> ()
  return
}

// -----

func.func @coordinates(%c: i32, %basis: tensor<8x3xf32>) {
  // expected-error @+1 {{expected operands that are tensors, found 'i32'}}
  %d = train.lift %c by %basis : (i32), tensor<8x3xf32>
  return
}

// -----

func.func @one_coordinate(%c: tensor<f32>, %basis: tensor<8x3xf32>) {
  // expected-error @+1 {{expected a coordinate for each row of 'tensor<8x3xf32>', or as many for each shard, found 'tensor<f32>'}}
  %d = train.lift %c by %basis : (tensor<f32>), tensor<8x3xf32>
  return
}

// -----

func.func @no_coordinates(%c: tensor<0xf32>, %basis: tensor<8x3xf32>) {
  // expected-error @+1 {{expected a coordinate for each row of 'tensor<8x3xf32>', or as many for each shard, found 'tensor<0xf32>'}}
  %d = train.lift %c by %basis : (tensor<0xf32>), tensor<8x3xf32>
  return
}
