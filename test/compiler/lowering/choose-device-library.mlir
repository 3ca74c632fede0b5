// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-choose-device-library))" > %t
// RUN: FileCheck %s --check-prefixes=CHECK,AUTO < %t
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-choose-device-library{library=always}))" > %t
// RUN: FileCheck %s --check-prefixes=CHECK,ALWAYS < %t
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-choose-device-library{library=never}))" > %t
// RUN: FileCheck %s --check-prefix=NEVER --implicit-check-not=memref.alloc < %t

// oneDNN is asked elsewhere.
// CHECK-LABEL: train.program @cpu
// CHECK-NOT: memref.alloc
// CHECK: rt.matmul
train.program @cpu batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2,fma", 2>} {
  func.func @other(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %c: memref<512x512xf32>) {
    rt.matmul ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%c : memref<512x512xf32>)
    return
  }
}

// The calls of a program compute in its precision; what is left to kernels, in float32. A
// convolution has memory for copies of its operands then, of 8302592 bytes.
// CHECK-LABEL: train.program @tf32
// CHECK: rt.matmul {{.*}} scratch({{.*}} : memref<33554432xi8>) precision tf32
// CHECK: rt.convolution {{.*}} scratch({{.*}} : memref<41857024xi8>) {{.*}} groups 1 precision tf32
// AUTO: rt.matmul {{.*}} outs(%{{.*}} : memref<4x4xf32>){{$}}
// NEVER-LABEL: train.program @tf32
// NEVER-NOT: precision tf32
train.program @tf32 batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>,
                rt.matmul_precision = #rt.matmul_precision<tf32>} {
  func.func @calls(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %c: memref<512x512xf32>,
                   %x: memref<32x16x30x30xf32>, %w: memref<64x16x3x3xf32>,
                   %y: memref<32x64x28x28xf32>, %p: memref<4x4xf32>, %q: memref<4x4xf32>,
                   %r: memref<4x4xf32>) {
    rt.matmul ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%c : memref<512x512xf32>)
    rt.convolution forward ins(%x, %w : memref<32x16x30x30xf32>, memref<64x16x3x3xf32>)
        outs(%y : memref<32x64x28x28xf32>)
        strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
    rt.matmul ins(%p, %q : memref<4x4xf32>, memref<4x4xf32>) outs(%r : memref<4x4xf32>)
    return
  }
}

// What is of 16 bits goes to the libraries as it is, whatever the program's precision: there
// is nothing to round. A bias is of the type of the result there.
// CHECK-LABEL: train.program @low
// CHECK: rt.matmul ins({{.*}}) bias({{.*}} : memref<512xbf16>) {{.*}} scratch({{.*}} : memref<33554432xi8>){{$}}
// CHECK: rt.matmul {{.*}} outs(%{{.*}} : memref<512x512xf32>) scratch({{.*}} : memref<33554432xi8>){{$}}
// CHECK: rt.matmul ins({{.*}}) bias({{.*}} : memref<512xf32>) outs(%{{.*}} : memref<512x512xbf16>){{$}}
// CHECK: rt.matmul ins({{.*}} : memref<512x512xf32>, memref<512x512xf32>) outs(%{{.*}} : memref<512x512xbf16>){{$}}
// CHECK: rt.convolution {{.*}} scratch({{.*}} : memref<37705728xi8>) {{.*}} groups 1{{$}}
// A convolution's sums are rounded there.
// CHECK: %[[DW:.+]] = memref.alloc() : memref<64x16x3x3xf16>
// CHECK: rt.convolution backward_weight {{.*}} outs(%[[DW]] : memref<64x16x3x3xf16>) scratch({{.*}} : memref<37705728xi8>) {{.*}} groups 1{{$}}
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[DW]] : memref<64x16x3x3xf16>) outs(%{{.*}} : memref<64x16x3x3xf32>)
// CHECK: arith.extf
// NEVER-LABEL: train.program @low
// NEVER: rt.convolution backward_weight {{.*}} outs({{.*}} : memref<64x16x3x3xf32>)
train.program @low batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>,
                rt.matmul_precision = #rt.matmul_precision<tf32>} {
  func.func @calls(%a: memref<512x512xbf16>, %b: memref<512x512xbf16>, %bias: memref<512xbf16>,
                   %c: memref<512x512xbf16>, %d: memref<512x512xf32>, %wide: memref<512xf32>,
                   %e: memref<512x512xf32>, %x: memref<32x16x30x30xf16>,
                   %w: memref<64x16x3x3xf16>, %y: memref<32x64x28x28xf16>,
                   %dw: memref<64x16x3x3xf32>) {
    rt.matmul ins(%a, %b : memref<512x512xbf16>, memref<512x512xbf16>) bias(%bias : memref<512xbf16>)
        outs(%c : memref<512x512xbf16>)
    rt.matmul ins(%a, %b : memref<512x512xbf16>, memref<512x512xbf16>) outs(%d : memref<512x512xf32>)
    rt.matmul ins(%a, %b : memref<512x512xbf16>, memref<512x512xbf16>) bias(%wide : memref<512xf32>)
        outs(%c : memref<512x512xbf16>)
    rt.matmul ins(%d, %e : memref<512x512xf32>, memref<512x512xf32>) outs(%c : memref<512x512xbf16>)
    rt.convolution forward ins(%x, %w : memref<32x16x30x30xf16>, memref<64x16x3x3xf16>)
        outs(%y : memref<32x64x28x28xf16>)
        strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
    rt.convolution backward_weight ins(%y, %x : memref<32x64x28x28xf16>, memref<32x16x30x30xf16>)
        outs(%dw : memref<64x16x3x3xf32>)
        strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
    return
  }
}

// CHECK-LABEL: train.program @p
// NEVER-LABEL: train.program @p
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {

// 2^26 terms are worth a launch of its own.
// CHECK-LABEL: func.func @large
// CHECK: %[[S:.+]] = memref.alloc() {alignment = 256 : i64} : memref<33554432xi8>
// CHECK-NEXT: rt.matmul {{.*}} scratch(%[[S]] : memref<33554432xi8>)
func.func @large(%a: memref<256x512xf32>, %b: memref<512x512xf32>, %c: memref<256x512xf32>) {
  rt.matmul ins(%a, transposed %b : memref<256x512xf32>, memref<512x512xf32>) outs(%c : memref<256x512xf32>)
  return
}

// One row less is not.
// CHECK-LABEL: func.func @small
// AUTO-NOT: memref.alloc
// ALWAYS: memref.alloc
// CHECK: rt.matmul
func.func @small(%a: memref<255x512xf32>, %b: memref<512x512xf32>, %c: memref<255x512xf32>) {
  rt.matmul ins(%a, transposed %b : memref<255x512xf32>, memref<512x512xf32>) outs(%c : memref<255x512xf32>)
  return
}

// Nor is a product that is all but one of vectors, of whatever size.
// CHECK-LABEL: func.func @thin
// AUTO-NOT: memref.alloc
// ALWAYS: memref.alloc
// CHECK: rt.matmul
func.func @thin(%a: memref<15x8192xf32>, %b: memref<8192x1024xf32>, %c: memref<15x1024xf32>) {
  rt.matmul ins(%a, %b : memref<15x8192xf32>, memref<8192x1024xf32>) outs(%c : memref<15x1024xf32>)
  return
}

// Neither rows nor columns of %a are contiguous: the library cannot read it.
// CHECK-LABEL: func.func @strided
// CHECK-NOT: memref.alloc
// CHECK: rt.matmul
func.func @strided(%a: memref<512x512xf32, strided<[1024, 2]>>, %b: memref<512x512xf32>, %c: memref<512x512xf32>) {
  rt.matmul ins(%a, %b : memref<512x512xf32, strided<[1024, 2]>>, memref<512x512xf32>) outs(%c : memref<512x512xf32>)
  return
}

// What begins inside of a buffer, and a product of a buffer with itself, are left to
// kernels.
// CHECK-LABEL: func.func @partials
// CHECK-NOT: memref.alloc
// CHECK: rt.matmul
// CHECK-NOT: memref.alloc
// CHECK: rt.matmul
func.func @partials(%a: memref<512x512xf32, strided<[1024, 1], offset: 64>>, %b: memref<512x512xf32>, %c: memref<512x512xf32>) {
  rt.matmul ins(%a, %b : memref<512x512xf32, strided<[1024, 1], offset: 64>>, memref<512x512xf32>) outs(%c : memref<512x512xf32>)
  rt.matmul ins(transposed %b, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%c : memref<512x512xf32>)
  return
}

// Who has scratch memory is a call already; a value has no memory.
// CHECK-LABEL: func.func @others
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @others(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %c: memref<512x512xf32>, %s: memref<64xi8>,
                  %x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  rt.matmul ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%c : memref<512x512xf32>)
      scratch(%s : memref<64xi8>)
  %z = rt.matmul ins(%x, %y : tensor<512x512xf32>, tensor<512x512xf32>) outs(%x : tensor<512x512xf32>)
      -> tensor<512x512xf32>
  return %z : tensor<512x512xf32>
}
// So does a convolution, or a gradient of one, of 2^26 terms: 32 x 28 x 28 pixels, 64
// filters and 144 taps are.
// CHECK-LABEL: func.func @convolutions
// CHECK: %[[S:.+]] = memref.alloc() {alignment = 256 : i64} : memref<33554432xi8>
// CHECK-NEXT: rt.convolution forward {{.*}} bias({{.*}}) outs({{.*}}) scratch(%[[S]] : memref<33554432xi8>) strides
// CHECK: %[[S:.+]] = memref.alloc() {alignment = 256 : i64} : memref<33554432xi8>
// CHECK-NEXT: rt.convolution backward_data {{.*}} scratch(%[[S]] : memref<33554432xi8>) strides
// CHECK: %[[S:.+]] = memref.alloc() {alignment = 256 : i64} : memref<33554432xi8>
// CHECK-NEXT: rt.convolution backward_weight {{.*}} scratch(%[[S]] : memref<33554432xi8>) strides
func.func @convolutions(%x: memref<32x16x30x30xf32>, %w: memref<64x16x3x3xf32>, %b: memref<64xf32>,
                        %y: memref<32x64x28x28xf32>) {
  rt.convolution forward ins(%x, %w : memref<32x16x30x30xf32>, memref<64x16x3x3xf32>)
      bias(%b : memref<64xf32>) outs(%y : memref<32x64x28x28xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  rt.convolution backward_data ins(%y, %w : memref<32x64x28x28xf32>, memref<64x16x3x3xf32>)
      outs(%x : memref<32x16x30x30xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  rt.convolution backward_weight ins(%y, %x : memref<32x64x28x28xf32>, memref<32x16x30x30xf32>)
      outs(%w : memref<64x16x3x3xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// One sample is too small, and groups of one channel are, of whatever size.
// CHECK-LABEL: func.func @small_convolutions
// AUTO-NOT: memref.alloc
// ALWAYS: memref.alloc
// CHECK: rt.convolution
// AUTO-NOT: memref.alloc
// ALWAYS: memref.alloc
// CHECK: rt.convolution
func.func @small_convolutions(%x: memref<1x16x30x30xf32>, %w: memref<64x16x3x3xf32>,
                              %y: memref<1x64x28x28xf32>, %d: memref<256x64x30x30xf32>,
                              %v: memref<64x1x3x3xf32>, %z: memref<256x64x28x28xf32>) {
  rt.convolution forward ins(%x, %w : memref<1x16x30x30xf32>, memref<64x16x3x3xf32>)
      outs(%y : memref<1x64x28x28xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  rt.convolution forward ins(%d, %v : memref<256x64x30x30xf32>, memref<64x1x3x3xf32>)
      outs(%z : memref<256x64x28x28xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 64
  return
}

// Images in another order are left to kernels, and so is what has scratch memory.
// CHECK-LABEL: func.func @other_convolutions
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @other_convolutions(%x: memref<32x16x30x30xf32, strided<[1, 28800, 960, 32]>>,
                              %w: memref<64x16x3x3xf32>, %y: memref<32x64x28x28xf32>,
                              %u: memref<32x16x30x30xf32>, %s: memref<64xi8>) {
  rt.convolution forward
      ins(%x, %w : memref<32x16x30x30xf32, strided<[1, 28800, 960, 32]>>, memref<64x16x3x3xf32>)
      outs(%y : memref<32x64x28x28xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  rt.convolution forward ins(%u, %w : memref<32x16x30x30xf32>, memref<64x16x3x3xf32>)
      outs(%y : memref<32x64x28x28xf32>) scratch(%s : memref<64xi8>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}
}
