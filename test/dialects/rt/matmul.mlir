// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @matmul
// CHECK: rt.matmul ins(%{{.*}}, transposed %{{.*}} : tensor<2x3xf32>, tensor<4x3xf32>) bias(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: rt.matmul ins(transposed %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x4xf32>) outs(%{{.*}} : tensor<3x4xf32>) -> tensor<3x4xf32>
func.func @matmul(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %b: tensor<4xf32>,
                  %e: tensor<2x4xf32>, %d: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = rt.matmul ins(%x, transposed %w : tensor<2x3xf32>, tensor<4x3xf32>)
      bias(%b : tensor<4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %z = rt.matmul ins(transposed %x, %y : tensor<2x3xf32>, tensor<2x4xf32>)
      outs(%d : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %z : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @matmul_memref
// CHECK: rt.matmul ins(%{{.*}}, %{{.*}} : memref<2x3xf32>, memref<3x4xf32>) outs(%{{.*}} : memref<2x4xf32>) scratch(%{{.*}} : memref<64xi8>)
func.func @matmul_memref(%a: memref<2x3xf32>, %b: memref<3x4xf32>, %c: memref<2x4xf32>,
                         %s: memref<64xi8>) {
  rt.matmul ins(%a, %b : memref<2x3xf32>, memref<3x4xf32>) outs(%c : memref<2x4xf32>)
      scratch(%s : memref<64xi8>)
  return
}

// -----

func.func @rt_matmul_c1_rank(%a: tensor<2x3x1xf32>, %b: tensor<3x4xf32>,
                             %c: tensor<2x4xf32>) {
  // expected-error @+1 {{expected three matrices, found 'tensor<2x3x1xf32>', 'tensor<3x4xf32>', 'tensor<2x4xf32>'}}
  %y = rt.matmul ins(%a, %b : tensor<2x3x1xf32>, tensor<3x4xf32>)
      outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @rt_matmul_c1_dynamic(%a: tensor<?x3xf32>, %b: tensor<3x4xf32>,
                                %c: tensor<2x4xf32>) {
  // expected-error @+1 {{expected static shapes, found 'tensor<?x3xf32>', 'tensor<3x4xf32>', 'tensor<2x4xf32>'}}
  %y = rt.matmul ins(%a, %b : tensor<?x3xf32>, tensor<3x4xf32>)
      outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @rt_matmul_c1_inner(%a: tensor<2x3xf32>, %b: tensor<5x4xf32>,
                              %c: tensor<2x4xf32>) {
  // expected-error @+1 {{shapes do not form a matmul: [2, 3] times [5, 4] into 'tensor<2x4xf32>'}}
  %y = rt.matmul ins(%a, %b : tensor<2x3xf32>, tensor<5x4xf32>)
      outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @rt_matmul_c1_transposed(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>,
                                   %c: tensor<2x4xf32>) {
  // expected-error @+1 {{shapes do not form a matmul: [3, 2] times [4, 3] into 'tensor<2x4xf32>'}}
  %y = rt.matmul ins(transposed %a, transposed %b : tensor<2x3xf32>, tensor<3x4xf32>)
      outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @rt_matmul_c1_result(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>,
                               %c: tensor<2x4xf32>) {
  // expected-error @+1 {{expected the result to have the type of the output, 'tensor<2x4xf32>', found 'tensor<4x2xf32>'}}
  %y = rt.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>)
      outs(%c : tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @rt_matmul_c2(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %bias: tensor<3xf32>,
                        %c: tensor<2x4xf32>) {
  // expected-error @+1 {{expected a bias of 4 elements, found 'tensor<3xf32>'}}
  %y = rt.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>)
      bias(%bias : tensor<3xf32>) outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @rt_matmul_c3(%a: tensor<2x3xf32>, %b: memref<3x4xf32>, %c: tensor<2x4xf32>) {
  // expected-error @+1 {{expected operands all tensors or all memrefs}}
  %y = rt.matmul ins(%a, %b : tensor<2x3xf32>, memref<3x4xf32>)
      outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @rt_matmul_c3_tensor_without_result(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>,
                                              %c: tensor<2x4xf32>) {
  // expected-error @+1 {{expected one result on tensors and none on memrefs, found 0}}
  rt.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%c : tensor<2x4xf32>)
  return
}

// -----

func.func @rt_matmul_c3_memref_with_result(%a: memref<2x3xf32>, %b: memref<3x4xf32>,
                                           %c: memref<2x4xf32>) {
  // expected-error @+1 {{expected one result on tensors and none on memrefs, found 1}}
  %y = rt.matmul ins(%a, %b : memref<2x3xf32>, memref<3x4xf32>)
      outs(%c : memref<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @matmul_parts
// CHECK: rt.matmul ins(transposed %{{.*}}, %{{.*}} : memref<6x2xf32>, memref<6x4xf32>) outs(%{{.*}} : memref<2x4xf32>) partials(%{{.*}} : memref<3x8xf32>)
func.func @matmul_parts(%a: memref<6x2xf32>, %b: memref<6x4xf32>, %c: memref<2x4xf32>,
                        %p: memref<3x8xf32>) {
  rt.matmul ins(transposed %a, %b : memref<6x2xf32>, memref<6x4xf32>) outs(%c : memref<2x4xf32>)
      partials(%p : memref<3x8xf32>)
  return
}

// -----

func.func @rt_matmul_c4_size(%a: memref<2x6xf32>, %b: memref<6x4xf32>, %c: memref<2x4xf32>,
                             %p: memref<3x4xf32>) {
  // expected-error @+1 {{expected two partials or more of 8 elements, found 'memref<3x4xf32>'}}
  rt.matmul ins(%a, %b : memref<2x6xf32>, memref<6x4xf32>) outs(%c : memref<2x4xf32>)
      partials(%p : memref<3x4xf32>)
  return
}

// -----

func.func @rt_matmul_c4_one(%a: memref<2x6xf32>, %b: memref<6x4xf32>, %c: memref<2x4xf32>,
                            %p: memref<1x8xf32>) {
  // expected-error @+1 {{expected two partials or more of 8 elements, found 'memref<1x8xf32>'}}
  rt.matmul ins(%a, %b : memref<2x6xf32>, memref<6x4xf32>) outs(%c : memref<2x4xf32>)
      partials(%p : memref<1x8xf32>)
  return
}

// -----

func.func @rt_matmul_c4_gaps(%a: memref<2x6xf32>, %b: memref<6x4xf32>,
                             %c: memref<2x4xf32, strided<[5, 1]>>, %p: memref<3x8xf32>) {
  // expected-error @+1 {{has partials, which are added up in a dense memref; found 'memref<2x4xf32, strided<[5, 1]>>'}}
  rt.matmul ins(%a, %b : memref<2x6xf32>, memref<6x4xf32>)
      outs(%c : memref<2x4xf32, strided<[5, 1]>>) partials(%p : memref<3x8xf32>)
  return
}

// -----

func.func @rt_matmul_c4_scratch(%a: memref<2x6xf32>, %b: memref<6x4xf32>, %c: memref<2x4xf32>,
                                %s: memref<64xi8>, %p: memref<3x8xf32>) {
  // expected-error @+1 {{has scratch memory, for a library, and partials, which kernels add up; expected one of them}}
  rt.matmul ins(%a, %b : memref<2x6xf32>, memref<6x4xf32>) outs(%c : memref<2x4xf32>)
      scratch(%s : memref<64xi8>) partials(%p : memref<3x8xf32>)
  return
}

// -----

// The default is not printed.
// CHECK-LABEL: func.func @matmul_precision
// CHECK: rt.matmul {{.*}} scratch(%{{.*}} : memref<64xi8>) precision tf32
// CHECK-NEXT: rt.matmul {{.*}} scratch(%{{.*}} : memref<64xi8>){{$}}
func.func @matmul_precision(%a: memref<2x6xf32>, %b: memref<6x4xf32>, %c: memref<2x4xf32>,
                            %s: memref<64xi8>) {
  rt.matmul ins(%a, %b : memref<2x6xf32>, memref<6x4xf32>) outs(%c : memref<2x4xf32>)
      scratch(%s : memref<64xi8>) precision tf32
  rt.matmul ins(%a, %b : memref<2x6xf32>, memref<6x4xf32>) outs(%c : memref<2x4xf32>)
      scratch(%s : memref<64xi8>) precision float32
  return
}

// -----

func.func @rt_matmul_c5(%a: memref<2x6xf32>, %b: memref<6x4xf32>, %c: memref<2x4xf32>) {
  // expected-error @+1 {{has precision tf32 and no scratch memory; kernels compute in float32, libraries alone in less}}
  rt.matmul ins(%a, %b : memref<2x6xf32>, memref<6x4xf32>) outs(%c : memref<2x4xf32>)
      precision tf32
  return
}

// -----

func.func @rt_matmul_c6(%a: memref<2x6xbf16>, %b: memref<6x4xf32>, %c: memref<2x4xf32>) {
  // expected-error @+1 {{expected factors with elements of one type, found 'memref<2x6xbf16>' and 'memref<6x4xf32>'}}
  rt.matmul ins(%a, %b : memref<2x6xbf16>, memref<6x4xf32>) outs(%c : memref<2x4xf32>)
  return
}

// -----

func.func @rt_matmul_c6_result(%a: memref<2x6xbf16>, %b: memref<6x4xbf16>, %c: memref<2x4xf16>) {
  // expected-error @+1 {{expected a result with elements of 'bf16' or f32, found 'memref<2x4xf16>'}}
  rt.matmul ins(%a, %b : memref<2x6xbf16>, memref<6x4xbf16>) outs(%c : memref<2x4xf16>)
  return
}

// -----

func.func @rt_matmul_c6_bias(%a: memref<2x6xbf16>, %b: memref<6x4xbf16>, %bias: memref<4xbf16>,
                             %c: memref<2x4xf32>) {
  // expected-error @+1 {{expected a bias with elements of f32 or as in 'memref<2x4xf32>', found 'memref<4xbf16>'}}
  rt.matmul ins(%a, %b : memref<2x6xbf16>, memref<6x4xbf16>) bias(%bias : memref<4xbf16>)
      outs(%c : memref<2x4xf32>)
  return
}
