// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-split-reductions))" > %t
// RUN: FileCheck %s --check-prefixes=CHECK,AUTO < %t
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-split-reductions{tiling=always}))" > %t
// RUN: FileCheck %s --check-prefixes=CHECK,ALWAYS < %t
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-split-reductions{tiling=never}))" > %t
// RUN: FileCheck %s --check-prefix=NEVER --implicit-check-not=memref.alloc < %t

// CPUs cut sums in their own way.
// CHECK-LABEL: train.program @cpu
// CHECK-NOT: memref.alloc
// CHECK: rt.matmul
train.program @cpu batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2,fma", 2>} {
  func.func @other(%a: memref<8192x64xf32>, %b: memref<8192x64xf32>, %c: memref<64x64xf32>) {
    rt.matmul ins(transposed %a, %b : memref<8192x64xf32>, memref<8192x64xf32>) outs(%c : memref<64x64xf32>)
    return
  }
}

// CHECK-LABEL: train.program @p
// NEVER-LABEL: train.program @p
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {

// Few results, many terms.
// CHECK-LABEL: func.func @long
// AUTO: %[[P:.+]] = memref.alloc() : memref<[[PARTS:[0-9]+x4096xf32]]>
// ALWAYS: %[[P:.+]] = memref.alloc() : memref<[[PARTS:4x4096xf32]]>
// CHECK-NEXT: rt.matmul ins(transposed %{{.*}} outs(%{{.*}}) partials(%[[P]] : memref<[[PARTS]]>)
func.func @long(%a: memref<8192x64xf32>, %b: memref<8192x64xf32>, %c: memref<64x64xf32>) {
  rt.matmul ins(transposed %a, %b : memref<8192x64xf32>, memref<8192x64xf32>) outs(%c : memref<64x64xf32>)
  return
}

// The gradient of a weight: over 32 samples of 16 x 16 pixels.
// CHECK-LABEL: func.func @weight
// CHECK: %[[P:.+]] = memref.alloc() : memref<{{.*}}x9216xf32>
// CHECK-NEXT: rt.convolution backward_weight {{.*}} partials(%[[P]] : memref<{{.*}}x9216xf32>)
func.func @weight(%dy: memref<32x32x16x16xf32>, %x: memref<32x32x16x16xf32>, %dw: memref<32x32x3x3xf32>) {
  rt.convolution backward_weight ins(%dy, %x : memref<32x32x16x16xf32>, memref<32x32x16x16xf32>)
      outs(%dw : memref<32x32x3x3xf32>) strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// As many results as there is work for blocks.
// CHECK-LABEL: func.func @wide
// AUTO-NOT: memref.alloc
// ALWAYS: memref.alloc
// CHECK: rt.matmul
func.func @wide(%a: memref<1024x512xf32>, %b: memref<512x1024xf32>, %c: memref<1024x1024xf32>) {
  rt.matmul ins(%a, %b : memref<1024x512xf32>, memref<512x1024xf32>) outs(%c : memref<1024x1024xf32>)
  return
}

// A prime number of terms has no parts.
// CHECK-LABEL: func.func @prime
// CHECK-NOT: memref.alloc
// CHECK: rt.matmul
func.func @prime(%a: memref<8191x64xf32>, %b: memref<8191x64xf32>, %c: memref<64x64xf32>) {
  rt.matmul ins(transposed %a, %b : memref<8191x64xf32>, memref<8191x64xf32>) outs(%c : memref<64x64xf32>)
  return
}

// A library's call is its own matter, and parts that are there stay.
// CHECK-LABEL: func.func @taken
// CHECK-NOT: memref.alloc
// CHECK: rt.matmul {{.*}} scratch(%{{.*}} : memref<64xi8>){{$}}
// CHECK-NEXT: rt.matmul {{.*}} partials(%{{.*}} : memref<4x4096xf32>){{$}}
// CHECK-NEXT: rt.convolution backward_weight {{.*}} scratch(%{{.*}} : memref<64xi8>) strides
func.func @taken(%a: memref<8192x64xf32>, %b: memref<8192x64xf32>, %c: memref<64x64xf32>,
                 %s: memref<64xi8>, %p: memref<4x4096xf32>, %dy: memref<32x32x16x16xf32>,
                 %x: memref<32x32x16x16xf32>, %dw: memref<32x32x3x3xf32>) {
  rt.matmul ins(transposed %a, %b : memref<8192x64xf32>, memref<8192x64xf32>) outs(%c : memref<64x64xf32>)
      scratch(%s : memref<64xi8>)
  rt.matmul ins(transposed %a, %b : memref<8192x64xf32>, memref<8192x64xf32>) outs(%c : memref<64x64xf32>)
      partials(%p : memref<4x4096xf32>)
  rt.convolution backward_weight ins(%dy, %x : memref<32x32x16x16xf32>, memref<32x32x16x16xf32>)
      outs(%dw : memref<32x32x3x3xf32>) scratch(%s : memref<64xi8>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// Parts would have to be added up where there are gaps.
// CHECK-LABEL: func.func @gaps
// CHECK-NOT: memref.alloc
// CHECK: rt.matmul
func.func @gaps(%a: memref<8192x64xf32>, %b: memref<8192x64xf32>, %c: memref<64x64xf32, strided<[128, 1]>>) {
  rt.matmul ins(transposed %a, %b : memref<8192x64xf32>, memref<8192x64xf32>)
      outs(%c : memref<64x64xf32, strided<[128, 1]>>)
  return
}

}
