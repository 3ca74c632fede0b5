// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boost-lowering-choose-device-library))" > %t
// RUN: FileCheck %s --check-prefixes=CHECK,AUTO < %t
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boost-lowering-choose-device-library{library=always}))" > %t
// RUN: FileCheck %s --check-prefixes=CHECK,ALWAYS < %t
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boost-lowering-choose-device-library{library=never}))" > %t
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

// CHECK-LABEL: train.program @p
// NEVER-LABEL: train.program @p
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {

// 2^26 terms are worth a launch of its own.
// CHECK-LABEL: func.func @large
// CHECK: %[[S:.+]] = memref.alloc() : memref<33554432xi8>
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
// CHECK-LABEL: func.func @parts
// CHECK-NOT: memref.alloc
// CHECK: rt.matmul
// CHECK-NOT: memref.alloc
// CHECK: rt.matmul
func.func @parts(%a: memref<512x512xf32, strided<[1024, 1], offset: 64>>, %b: memref<512x512xf32>, %c: memref<512x512xf32>) {
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
}
