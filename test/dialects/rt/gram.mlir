// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @on_tensors
// CHECK: rt.gram ins(%{{.*}}, %{{.*}} : tensor<4x16x8x8xf32>, tensor<i32>) kernel [3, 3] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1 outs(%{{.*}} : tensor<2x128x128xf32>) -> tensor<2x128x128xf32>
func.func @on_tensors(%x: tensor<4x16x8x8xf32>, %valid: tensor<i32>, %e: tensor<2x128x128xf32>)
    -> tensor<2x128x128xf32> {
  %0 = rt.gram ins(%x, %valid : tensor<4x16x8x8xf32>, tensor<i32>)
         kernel [3, 3] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
         outs(%e : tensor<2x128x128xf32>) -> tensor<2x128x128xf32>
  return %0 : tensor<2x128x128xf32>
}

// CHECK-LABEL: func.func @on_memrefs
// CHECK: rt.gram {{.*}} groups 1 channels_last outs(%{{.*}} : memref<1x16x16xf32>)
func.func @on_memrefs(%x: memref<4x8x8x16xf32>, %valid: memref<i32>, %e: memref<1x16x16xf32>) {
  rt.gram ins(%x, %valid : memref<4x8x8x16xf32>, memref<i32>)
    kernel [1, 1] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 channels_last
    outs(%e : memref<1x16x16xf32>)
  return
}

// -----

func.func @rt_gram_c1(%x: memref<4x8x8x16xf32>, %valid: memref<i32>, %e: memref<1x8x8xf32>) {
  // expected-error @+1 {{the kernel of 'tensor<1x8x9x9xf32>' does not fit into the padded input}}
  rt.gram ins(%x, %valid : memref<4x8x8x16xf32>, memref<i32>)
    kernel [9, 9] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
    outs(%e : memref<1x8x8xf32>)
  return
}

// -----

func.func @rt_gram_c2(%x: memref<4x16x8x8xf32>, %valid: memref<i32>, %e: memref<1x128x128xf32>) {
  // expected-error @+1 {{expected a destination of 2x128x128, found 'memref<1x128x128xf32>'}}
  rt.gram ins(%x, %valid : memref<4x16x8x8xf32>, memref<i32>)
    kernel [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
    outs(%e : memref<1x128x128xf32>)
  return
}

// -----

func.func @one_number(%x: memref<4x16x8x8xf32>, %valid: memref<2xi32>, %e: memref<1x16x16xf32>) {
  // expected-error @+1 {{expected one number of samples, found 'memref<2xi32>'}}
  rt.gram ins(%x, %valid : memref<4x16x8x8xf32>, memref<2xi32>)
    kernel [1, 1] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
    outs(%e : memref<1x16x16xf32>)
  return
}

// -----

func.func @rt_gram_c3(%x: tensor<4x16x8x8xf32>, %valid: memref<i32>, %e: memref<1x16x16xf32>) {
  // expected-error @+1 {{expected operands all tensors or all memrefs}}
  rt.gram ins(%x, %valid : tensor<4x16x8x8xf32>, memref<i32>)
    kernel [1, 1] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
    outs(%e : memref<1x16x16xf32>)
  return
}

// -----

func.func @rt_gram_c3(%x: tensor<4x16x8x8xf32>, %valid: tensor<i32>, %e: tensor<1x16x16xf32>) {
  // expected-error @+1 {{expected the destination's type as result on tensors and no result on memrefs, found}}
  rt.gram ins(%x, %valid : tensor<4x16x8x8xf32>, tensor<i32>)
    kernel [1, 1] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
    outs(%e : tensor<1x16x16xf32>)
  return
}
