// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @factors
// CHECK: thor.factor_a %{{.*}}, %{{.*}} windows [3, 3] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1 block_size 128 : tensor<4x16x8x8xf32>
// CHECK: thor.factor_a %{{.*}}, %{{.*}} if %{{.*}} groups 1 block_size 4 : tensor<4x5x6xbf16>
// CHECK: thor.factor_g %{{.*}}, %{{.*}} if %{{.*}} spatial groups 2 block_size 128 : tensor<4x16x8x8xf32>
// CHECK: thor.factor_g %{{.*}}, %{{.*}} groups 1 block_size 128 : tensor<4x5x6xbf16>
func.func @factors(%x: tensor<4x16x8x8xf32>, %rows: tensor<4x5x6xbf16>, %valid: tensor<i32>, %due: tensor<i32>)
    -> (tensor<2x128x128xf32>, tensor<2x4x4xf32>, tensor<2x8x8xf32>, tensor<1x6x6xf32>) {
  // 144 columns: the second block has 16 of them.
  %0 = thor.factor_a %x, %valid windows [3, 3] strides [1, 1] padding [1, 1, 1, 1]
         dilations [1, 1] groups 1 block_size 128 : tensor<4x16x8x8xf32>
  %1 = thor.factor_a %rows, %valid if %due groups 1 block_size 4 : tensor<4x5x6xbf16>
  %2 = thor.factor_g %x, %valid if %due spatial groups 2 block_size 128 : tensor<4x16x8x8xf32>
  %3 = thor.factor_g %rows, %valid groups 1 block_size 128 : tensor<4x5x6xbf16>
  return %0, %1, %2, %3
      : tensor<2x128x128xf32>, tensor<2x4x4xf32>, tensor<2x8x8xf32>, tensor<1x6x6xf32>
}

// -----

func.func @factor_a_c1(%x: tensor<4x16x8x8xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected groups that divide 16 channels and 3 filters, found 3}}
  %0 = thor.factor_a %x, %valid windows [3, 3] strides [1, 1] padding [1, 1, 1, 1]
         dilations [1, 1] groups 3 block_size 128 : tensor<4x16x8x8xf32>
  return
}

// -----

func.func @factor_a_c1(%x: tensor<4x16x8x8xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected the height and the width of a kernel, found 1 extents}}
  %0 = thor.factor_a %x, %valid windows [3] strides [1, 1] padding [1, 1, 1, 1]
         dilations [1, 1] groups 1 block_size 128 : tensor<4x16x8x8xf32>
  return
}

// -----

func.func @blocks(%x: tensor<4x16xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected blocks of one column or more, found 0}}
  %0 = thor.factor_a %x, %valid groups 1 block_size 0 : tensor<4x16xf32>
  return
}

// -----

func.func @rank(%x: tensor<4xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected a value of two dimensions or more, found 'tensor<4xf32>'}}
  %0 = thor.factor_a %x, %valid groups 1 block_size 4 : tensor<4xf32>
  return
}

// -----

func.func @factor_g_c1(%x: tensor<4x15x8x8xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected groups that divide 15 channels and 2 filters, found 2}}
  %0 = thor.factor_g %x, %valid spatial groups 2 block_size 128 : tensor<4x15x8x8xf32>
  return
}

// -----

func.func @spatial(%x: tensor<4x15xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected an input of four dimensions and static shape, found 'tensor<4x15xf32>'}}
  %0 = thor.factor_g %x, %valid spatial groups 1 block_size 128 : tensor<4x15xf32>
  return
}
