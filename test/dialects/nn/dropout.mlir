// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dropout
// CHECK: nn.dropout %{{.*}}, %{{.*}} rate 2.500000e-01 stream 17 : tensor<2x3xf32>, tensor<2xi32>
func.func @dropout(%x: tensor<2x3xf32>, %keys: tensor<2xi32>) -> tensor<2x3xf32> {
  %y = nn.dropout %x, %keys rate 0.25 stream 17 : tensor<2x3xf32>, tensor<2xi32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @dropout_c1(%x: tensor<2x3xf32>, %keys: tensor<3xi32>) {
  // expected-error @+1 {{expected an input [batch, ...] and keys [batch], found 'tensor<2x3xf32>' and 'tensor<3xi32>'}}
  %y = nn.dropout %x, %keys rate 0.25 stream 17 : tensor<2x3xf32>, tensor<3xi32>
  return
}

// -----

func.func @dropout_c1_rank(%x: tensor<2xf32>, %keys: tensor<2xi32>) {
  // expected-error @+1 {{expected an input [batch, ...] and keys [batch], found 'tensor<2xf32>' and 'tensor<2xi32>'}}
  %y = nn.dropout %x, %keys rate 0.25 stream 17 : tensor<2xf32>, tensor<2xi32>
  return
}

// -----

func.func @dropout_c1_size(%x: tensor<2x65536x65536xf32>, %keys: tensor<2xi32>) {
  // expected-error @+1 {{expected fewer than 2^32 elements a sample, found 'tensor<2x65536x65536xf32>'}}
  %y = nn.dropout %x, %keys rate 0.25 stream 17 : tensor<2x65536x65536xf32>, tensor<2xi32>
  return
}

// -----

func.func @dropout_c2(%x: tensor<2x3xf32>, %keys: tensor<2xi32>) {
  // expected-error @+1 {{expected a rate of at least 0 and below 1, found 1.0}}
  %y = nn.dropout %x, %keys rate 1.0 stream 17 : tensor<2x3xf32>, tensor<2xi32>
  return
}
