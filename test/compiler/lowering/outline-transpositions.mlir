// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-outline-kernels{serial-work=100}))" | FileCheck %s

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2,fma", 2>} {

// From rows of channels to rows of pixels: squares of 8 vectors of 8 are read along channels,
// exchanged, and written along pixels. Pieces are columns of squares, two for each sample.
// CHECK-LABEL: func.func private @squares_kernel_0
// CHECK: scf.for
// CHECK: scf.for %{{.+}} = %{{.+}} to %c24 step %c8
// CHECK-COUNT-8: vector.load
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: vector.store
// CHECK-LABEL: func.func @squares
// CHECK: rt.launch {{.*}} extent(8)
func.func @squares() {
  %x = rt.buffer transient[0] : memref<4x24x4x4xf32, strided<[384, 1, 96, 24]>>
  %y = rt.buffer transient[8192] : memref<4x24x4x4xf32>
  memref.copy %x, %y : memref<4x24x4x4xf32, strided<[384, 1, 96, 24]>> to memref<4x24x4x4xf32>
  return
}

// 10 rows and 5 columns: the second square of a row has two rows, and masks have five lanes.
// CHECK-LABEL: func.func private @tails_kernel_0
// CHECK: %[[COLUMNS:.+]] = arith.constant dense<[true, true, true, true, true, false, false, false]>
// CHECK-COUNT-5: vector.load
// CHECK: vector.maskedstore %{{.*}}, %[[COLUMNS]]
// CHECK: %[[ROWS:.+]] = arith.constant dense<[true, true, false, false, false, false, false, false]>
// CHECK-COUNT-5: vector.maskedload %{{.*}}, %[[ROWS]]
// CHECK-COUNT-2: vector.maskedstore
// CHECK-NOT: vector.maskedstore
// CHECK-LABEL: func.func @tails
func.func @tails() {
  %x = rt.buffer transient[0] : memref<10x5xf32, strided<[1, 10]>>
  %y = rt.buffer transient[8192] : memref<10x5xf32>
  memref.copy %x, %y : memref<10x5xf32, strided<[1, 10]>> to memref<10x5xf32>
  return
}

// Three columns leave squares nearly empty, and an op that computes copies nothing.
// CHECK-LABEL: func.func private @narrow_kernel_0
// CHECK-NOT: vector.shuffle
// CHECK-LABEL: func.func @narrow
// CHECK-LABEL: func.func private @computed_kernel_0
// CHECK-NOT: vector.shuffle
// CHECK-LABEL: func.func @computed
func.func @narrow() {
  %x = rt.buffer transient[0] : memref<16x3xf32, strided<[1, 16]>>
  %y = rt.buffer transient[8192] : memref<16x3xf32>
  memref.copy %x, %y : memref<16x3xf32, strided<[1, 16]>> to memref<16x3xf32>
  return
}
func.func @computed() {
  %x = rt.buffer transient[0] : memref<16x16xf32, strided<[1, 16]>>
  %y = rt.buffer transient[8192] : memref<16x16xf32>
  linalg.negf ins(%x : memref<16x16xf32, strided<[1, 16]>>) outs(%y : memref<16x16xf32>)
  return
}

// A kernel is given whole buffers: it takes the slice itself, whose offset would count twice else.
// CHECK-LABEL: func.func private @slice_kernel_0
// CHECK-SAME: memref<4x32x4x4xf32, strided<[512, 1, 128, 32]>>
// CHECK: %[[SLICE:.+]] = memref.subview %{{.+}} : memref<4x32x4x4xf32, strided<[512, 1, 128, 32]>> to memref<4x24x4x4xf32, strided<[512, 1, 128, 32], offset: 8>>
// CHECK: memref.reinterpret_cast %[[SLICE]] to offset: [0]
// CHECK-LABEL: func.func @slice
// CHECK: %[[WHOLE:.+]] = rt.buffer transient[0]
// CHECK: rt.launch @slice_kernel_0(%[[WHOLE]],
func.func @slice() {
  %x = rt.buffer transient[0] : memref<4x32x4x4xf32, strided<[512, 1, 128, 32]>>
  %y = rt.buffer transient[8192] : memref<4x24x4x4xf32>
  %slice = memref.subview %x[0, 8, 0, 0] [4, 24, 4, 4] [1, 1, 1, 1]
      : memref<4x32x4x4xf32, strided<[512, 1, 128, 32]>> to memref<4x24x4x4xf32, strided<[512, 1, 128, 32], offset: 8>>
  memref.copy %slice, %y : memref<4x24x4x4xf32, strided<[512, 1, 128, 32], offset: 8>> to memref<4x24x4x4xf32>
  return
}
}
