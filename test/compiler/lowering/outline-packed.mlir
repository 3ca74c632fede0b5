// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-plan-memory, boostc-outline-kernels))" | FileCheck %s

// Rows of 512 filters are 2 KiB apart: few rows of a block would fit into the sets of the second
// cache that they share, and every tile would fetch them again. They are put together once for a
// strip of pixels.
train.program @p batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx512f", 1>} {
// CHECK-LABEL: func.func private @apart_kernel_0
// CHECK: %[[BLOCK:.+]] = memref.alloca() {alignment = 64 : i64} : memref<[[SIZE:[0-9]+]]xf32>
// CHECK: vector.load {{.*}} : memref<1179648xf32>, vector<16xf32>
// CHECK: vector.store {{.*}} : memref<[[SIZE]]xf32>, vector<16xf32>
// CHECK: vector.load {{.*}} : memref<1179648xf32>, vector<16xf32>
// CHECK: vector.store {{.*}} : memref<[[SIZE]]xf32>, vector<16xf32>
// CHECK-NOT: memref<1179648xf32>, vector<16xf32>
// CHECK: vector.load {{.*}} : memref<[[SIZE]]xf32>, vector<16xf32>
// CHECK: vector.fma
// CHECK-LABEL: func.func @apart
func.func @apart() {
  %x = memref.alloc() : memref<2x256x8x8xf32, strided<[16384, 1, 2048, 256]>>
  %w = memref.alloc() : memref<512x256x3x3xf32, strided<[1, 512, 393216, 131072]>>
  %y = memref.alloc() : memref<2x512x8x8xf32, strided<[32768, 1, 4096, 512]>>
  rt.convolution forward
      ins(%x, %w : memref<2x256x8x8xf32, strided<[16384, 1, 2048, 256]>>,
                   memref<512x256x3x3xf32, strided<[1, 512, 393216, 131072]>>)
      outs(%y : memref<2x512x8x8xf32, strided<[32768, 1, 4096, 512]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// Those of few terms stay in the first cache.
// CHECK-LABEL: func.func private @few_kernel_0
// CHECK-NOT: memref.alloca
// CHECK-LABEL: func.func @few
func.func @few() {
  %x = memref.alloc() : memref<2x4x8x8xf32, strided<[256, 1, 32, 4]>>
  %w = memref.alloc() : memref<512x4x3x3xf32, strided<[1, 512, 6144, 2048]>>
  %y = memref.alloc() : memref<2x512x8x8xf32, strided<[32768, 1, 4096, 512]>>
  rt.convolution forward
      ins(%x, %w : memref<2x4x8x8xf32, strided<[256, 1, 32, 4]>>,
                   memref<512x4x3x3xf32, strided<[1, 512, 6144, 2048]>>)
      outs(%y : memref<2x512x8x8xf32, strided<[32768, 1, 4096, 512]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// Where there are enough channels, threads have some of them each, and write rows of all filters.
// Filters are the outer loop, which every thread runs through.
// CHECK-LABEL: func.func private @by_channels_kernel_0
// CHECK: %[[FILTERS:.+]] = arith.constant 8 : index
// CHECK: scf.for %{{.+}} = %{{.+}} to %[[FILTERS]]
// CHECK: scf.for %{{.+}} = %arg0 to %arg1
// CHECK-LABEL: func.func @by_channels
// CHECK: rt.launch @by_channels_kernel_0({{.*}}) extent(4)
func.func @by_channels() {
  %w = memref.alloc() : memref<128x64x3x3xf32>
  %v = memref.alloc() : memref<128x64x3x3xf32, strided<[1, 128, 24576, 8192]>>
  memref.copy %w, %v : memref<128x64x3x3xf32> to memref<128x64x3x3xf32, strided<[1, 128, 24576, 8192]>>
  return
}
}
