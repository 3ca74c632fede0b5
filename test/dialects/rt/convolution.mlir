// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @convolution
// CHECK: rt.convolution forward ins(%{{.*}}, %{{.*}} : tensor<2x1x5x5xf32>, tensor<6x1x3x3xf32>) bias(%{{.*}} : tensor<6xf32>) outs(%{{.*}} : tensor<2x6x3x3xf32>) strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 -> tensor<2x6x3x3xf32>
func.func @convolution(%x: tensor<2x1x5x5xf32>, %w: tensor<6x1x3x3xf32>, %b: tensor<6xf32>,
                       %e: tensor<2x6x3x3xf32>) -> tensor<2x6x3x3xf32> {
  %y = rt.convolution forward ins(%x, %w : tensor<2x1x5x5xf32>, tensor<6x1x3x3xf32>)
      bias(%b : tensor<6xf32>) outs(%e : tensor<2x6x3x3xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 -> tensor<2x6x3x3xf32>
  return %y : tensor<2x6x3x3xf32>
}

// CHECK-LABEL: func.func @convolution_memref
// CHECK: rt.convolution backward_data ins(%{{.*}} : memref<2x6x3x3xf32>, memref<6x1x3x3xf32>) outs(%{{.*}} : memref<2x1x5x5xf32, strided<[1, 50, 10, 2]>>)
// CHECK: rt.convolution backward_weight ins(%{{.*}} : memref<2x6x3x3xf32>, memref<2x1x5x5xf32, strided<[1, 50, 10, 2]>>) outs(%{{.*}} : memref<6x1x3x3xf32>) scratch(%{{.*}} : memref<64xi8>) strides
func.func @convolution_memref(%y: memref<2x6x3x3xf32>, %w: memref<6x1x3x3xf32>,
                              %x: memref<2x1x5x5xf32, strided<[1, 50, 10, 2]>>, %s: memref<64xi8>) {
  rt.convolution backward_data ins(%y, %w : memref<2x6x3x3xf32>, memref<6x1x3x3xf32>)
      outs(%x : memref<2x1x5x5xf32, strided<[1, 50, 10, 2]>>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  rt.convolution backward_weight
      ins(%y, %x : memref<2x6x3x3xf32>, memref<2x1x5x5xf32, strided<[1, 50, 10, 2]>>)
      outs(%w : memref<6x1x3x3xf32>) scratch(%s : memref<64xi8>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// -----

func.func @rt_convolution_c1(%x: tensor<2x1x5x5xf32>, %w: tensor<6x1x3x3xf32>,
                             %e: tensor<2x6x3x4xf32>) {
  // expected-error @+1 {{expected an output of shape [2, 6, 3, 3], found 'tensor<2x6x3x4xf32>'}}
  %y = rt.convolution forward ins(%x, %w : tensor<2x1x5x5xf32>, tensor<6x1x3x3xf32>)
      outs(%e : tensor<2x6x3x4xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 -> tensor<2x6x3x4xf32>
  return
}

// -----

func.func @rt_convolution_c1_dynamic(%x: tensor<?x1x5x5xf32>, %w: tensor<6x1x3x3xf32>,
                                     %e: tensor<2x6x3x3xf32>) {
  // expected-error @+1 {{expected static shapes, found 'tensor<?x1x5x5xf32>', 'tensor<6x1x3x3xf32>', 'tensor<2x6x3x3xf32>'}}
  %y = rt.convolution forward ins(%x, %w : tensor<?x1x5x5xf32>, tensor<6x1x3x3xf32>)
      outs(%e : tensor<2x6x3x3xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 -> tensor<2x6x3x3xf32>
  return
}

// -----

func.func @rt_convolution_c1_result(%x: tensor<2x1x5x5xf32>, %w: tensor<6x1x3x3xf32>,
                                    %e: tensor<2x6x3x3xf32>) {
  // expected-error @+1 {{expected one result on tensors and none on memrefs, found 0}}
  rt.convolution forward ins(%x, %w : tensor<2x1x5x5xf32>, tensor<6x1x3x3xf32>)
      outs(%e : tensor<2x6x3x3xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// -----

func.func @rt_convolution_c1_type(%x: tensor<2x1x5x5xf32>, %w: tensor<6x1x3x3xf32>,
                                  %e: tensor<2x6x3x3xf32>) {
  // expected-error @+1 {{expected the result to have the type of the output, 'tensor<2x6x3x3xf32>', found 'tensor<2x6x9xf32>'}}
  %y = rt.convolution forward ins(%x, %w : tensor<2x1x5x5xf32>, tensor<6x1x3x3xf32>)
      outs(%e : tensor<2x6x3x3xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 -> tensor<2x6x9xf32>
  return
}

// -----

func.func @rt_convolution_c2_kind(%y: tensor<2x6x3x3xf32>, %w: tensor<6x1x3x3xf32>,
                                  %b: tensor<6xf32>, %e: tensor<2x1x5x5xf32>) {
  // expected-error @+1 {{has a bias, which only 'forward' adds}}
  %x = rt.convolution backward_data ins(%y, %w : tensor<2x6x3x3xf32>, tensor<6x1x3x3xf32>)
      bias(%b : tensor<6xf32>) outs(%e : tensor<2x1x5x5xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 -> tensor<2x1x5x5xf32>
  return
}

// -----

func.func @rt_convolution_c2_size(%x: tensor<2x1x5x5xf32>, %w: tensor<6x1x3x3xf32>,
                                  %b: tensor<5xf32>, %e: tensor<2x6x3x3xf32>) {
  // expected-error @+1 {{expected a bias of 6 elements, found 'tensor<5xf32>'}}
  %y = rt.convolution forward ins(%x, %w : tensor<2x1x5x5xf32>, tensor<6x1x3x3xf32>)
      bias(%b : tensor<5xf32>) outs(%e : tensor<2x6x3x3xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 -> tensor<2x6x3x3xf32>
  return
}

// -----

func.func @rt_convolution_c3(%x: tensor<2x1x5x5xf32>, %w: memref<6x1x3x3xf32>,
                             %e: tensor<2x6x3x3xf32>) {
  // expected-error @+1 {{expected operands all tensors or all memrefs}}
  %y = rt.convolution forward ins(%x, %w : tensor<2x1x5x5xf32>, memref<6x1x3x3xf32>)
      outs(%e : tensor<2x6x3x3xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 -> tensor<2x6x3x3xf32>
  return
}

// -----

// CHECK-LABEL: func.func @convolution_parts
// CHECK: rt.convolution backward_weight {{.*}} outs(%{{.*}} : memref<6x1x3x3xf32>) partials(%{{.*}} : memref<2x54xf32>) strides
func.func @convolution_parts(%y: memref<2x6x3x3xf32>, %x: memref<2x1x5x5xf32>,
                             %w: memref<6x1x3x3xf32>, %p: memref<2x54xf32>) {
  rt.convolution backward_weight ins(%y, %x : memref<2x6x3x3xf32>, memref<2x1x5x5xf32>)
      outs(%w : memref<6x1x3x3xf32>) partials(%p : memref<2x54xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// -----

func.func @rt_convolution_c4_tensor(%x: tensor<2x1x5x5xf32>, %w: tensor<6x1x3x3xf32>,
                                    %e: tensor<2x6x3x3xf32>, %p: memref<2x108xf32>) {
  // expected-error @+1 {{has partials, which are added up in a dense memref; found 'tensor<2x6x3x3xf32>'}}
  %y = rt.convolution forward ins(%x, %w : tensor<2x1x5x5xf32>, tensor<6x1x3x3xf32>)
      outs(%e : tensor<2x6x3x3xf32>) partials(%p : memref<2x108xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 -> tensor<2x6x3x3xf32>
  return
}

// -----

func.func @rt_convolution_c4_scratch(%y: memref<2x6x3x3xf32>, %x: memref<2x1x5x5xf32>,
                                     %w: memref<6x1x3x3xf32>, %s: memref<64xi8>,
                                     %p: memref<2x54xf32>) {
  // expected-error @+1 {{has scratch memory, for a library, and partials, which kernels add up; expected one of them}}
  rt.convolution backward_weight ins(%y, %x : memref<2x6x3x3xf32>, memref<2x1x5x5xf32>)
      outs(%w : memref<6x1x3x3xf32>) scratch(%s : memref<64xi8>) partials(%p : memref<2x54xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// -----

func.func @rt_convolution_c4_size(%y: memref<2x6x3x3xf32>, %x: memref<2x1x5x5xf32>,
                                  %w: memref<6x1x3x3xf32>, %p: memref<2x53xf32>) {
  // expected-error @+1 {{expected two partials or more of 54 elements, found 'memref<2x53xf32>'}}
  rt.convolution backward_weight ins(%y, %x : memref<2x6x3x3xf32>, memref<2x1x5x5xf32>)
      outs(%w : memref<6x1x3x3xf32>) partials(%p : memref<2x53xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// -----

// CHECK-LABEL: func.func @convolution_precision
// CHECK: rt.convolution backward_weight {{.*}} scratch(%{{.*}} : memref<64xi8>) {{.*}} groups 1 precision tf32
func.func @convolution_precision(%y: memref<2x6x3x3xf32>, %x: memref<2x1x5x5xf32>,
                                 %w: memref<6x1x3x3xf32>, %s: memref<64xi8>) {
  rt.convolution backward_weight ins(%y, %x : memref<2x6x3x3xf32>, memref<2x1x5x5xf32>)
      outs(%w : memref<6x1x3x3xf32>) scratch(%s : memref<64xi8>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 precision tf32
  return
}

// -----

func.func @rt_convolution_c5(%y: memref<2x6x3x3xf32>, %x: memref<2x1x5x5xf32>,
                             %w: memref<6x1x3x3xf32>) {
  // expected-error @+1 {{has precision tf32 and no scratch memory; kernels compute in float32, libraries alone in less}}
  rt.convolution backward_weight ins(%y, %x : memref<2x6x3x3xf32>, memref<2x1x5x5xf32>)
      outs(%w : memref<6x1x3x3xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 precision tf32
  return
}

// -----

func.func @rt_convolution_c6(%x: memref<2x3x4x4xf16>, %w: memref<5x3x2x2xbf16>, %y: memref<2x5x3x3xf32>) {
  // expected-error @+1 {{expected factors with elements of one type, found}}
  rt.convolution forward ins(%x, %w : memref<2x3x4x4xf16>, memref<5x3x2x2xbf16>)
      outs(%y : memref<2x5x3x3xf32>) strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}
