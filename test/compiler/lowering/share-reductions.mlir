// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-share-reductions))" > %t
// RUN: FileCheck %s --check-prefixes=CHECK,AUTO < %t
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-share-reductions{tiling=always}))" > %t
// RUN: FileCheck %s --check-prefixes=CHECK,ALWAYS < %t
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-share-reductions{tiling=never}))" > %t
// RUN: FileCheck %s --check-prefix=NEVER --implicit-check-not=memref.alloc < %t

#pixels = affine_map<(n, c, y, x) -> (n, c, y, x)>
#channel = affine_map<(n, c, y, x) -> (c)>
!images = memref<8x16x32x32xf32, strided<[16384, 1, 512, 16]>>

// CHECK-DAG: #[[PIXELS:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
// CHECK-DAG: #[[LINES:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d0, d3, d4)>
// CHECK-DAG: #[[PARTS:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2)>
// CHECK-DAG: #[[FIRST:.+]] = affine_map<(d0) -> (0, d0)>
// CHECK-DAG: #[[SECOND:.+]] = affine_map<(d0) -> (1, d0)>
// CHECK-DAG: #[[WHOLE:.+]] = affine_map<(d0) -> (d0)>

// NEVER-LABEL: train.program @p
train.program @p batch_size(8) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx2,avx512f", 2>} {

// Each thread has half of the samples.
// CHECK-LABEL: func.func @channels
// CHECK: %[[X:.+]] = memref.reinterpret_cast %arg0 to offset: [0], sizes: [2, 4, 16, 32, 32], strides: [65536, 16384, 1, 512, 16]
// CHECK: %[[P:.+]] = memref.alloc() : memref<2x16xf32>
// CHECK: linalg.fill ins(%{{.+}} : f32) outs(%[[P]] : memref<2x16xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[PIXELS]], #[[PARTS]]], iterator_types = ["parallel", "reduction", "parallel", "reduction", "reduction"]} ins(%[[X]] : {{.+}}) outs(%[[P]] : memref<2x16xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[FIRST]], #[[SECOND]], #[[WHOLE]]], iterator_types = ["parallel"]} ins(%[[P]], %[[P]] : {{.+}}) outs(%arg1 : memref<16xf32>)
// CHECK-NEXT: ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32, %[[OLD:.+]]: f32):
// CHECK-NEXT: %[[ONE:.+]] = arith.addf %[[OLD]], %[[A]] fastmath<reassoc>
// CHECK-NEXT: %[[BOTH:.+]] = arith.addf %[[ONE]], %[[B]] fastmath<reassoc>
// CHECK-NEXT: linalg.yield %[[BOTH]]
func.func @channels(%x: !images, %sum: memref<16xf32>) {
  linalg.generic {indexing_maps = [#pixels, #channel],
                  iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
      ins(%x : !images) outs(%sum : memref<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %new = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %new : f32
  }
  return
}

// A sample keeps its number, a maximum starts from the least, and a scalar is not cut.
// CHECK-LABEL: func.func @numbered
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: iterator_types = ["parallel", "reduction", "parallel", "reduction", "reduction"]
// CHECK: %[[N:.+]] = linalg.index 1 : index
// CHECK: %[[PART:.+]] = linalg.index 0 : index
// CHECK: %[[BEFORE:.+]] = arith.muli %[[PART]], %{{.+}} : index
// CHECK: %[[SAMPLE:.+]] = arith.addi %[[BEFORE]], %[[N]] : index
// CHECK: arith.index_cast %[[SAMPLE]]
// CHECK: arith.maximumf
// CHECK: arith.maximumf
// CHECK: arith.maximumf
func.func @numbered(%x: !images, %count: memref<i32>, %most: memref<16xf32>) {
  %low = arith.constant -1.0 : f32
  linalg.generic {indexing_maps = [#pixels, affine_map<(n, c, y, x) -> ()>, #channel],
                  iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
      ins(%x, %count : !images, memref<i32>) outs(%most : memref<16xf32>) {
  ^bb0(%in: f32, %n: i32, %out: f32):
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i32
    %isIn = arith.cmpi slt, %number, %n : i32
    %value = arith.select %isIn, %in, %low : f32
    %new = arith.maximumf %out, %value : f32
    linalg.yield %new : f32
  }
  return
}

// Seven samples are not two equal parts: rows of all samples are.
// CHECK-LABEL: func.func @odd
// CHECK: memref.reinterpret_cast %arg0 to offset: [0], sizes: [7, 16, 2, 16, 32], strides: [16384, 1, 8192, 512, 16]
// CHECK: indexing_maps = [#[[LINES]], #[[PARTS]]]
func.func @odd(%x: memref<7x16x32x32xf32, strided<[16384, 1, 512, 16]>>, %sum: memref<16xf32>) {
  linalg.generic {indexing_maps = [#pixels, #channel],
                  iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
      ins(%x : memref<7x16x32x32xf32, strided<[16384, 1, 512, 16]>>) outs(%sum : memref<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %new = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %new : f32
  }
  return
}

// One number: a norm.
// CHECK-LABEL: func.func @scalar
// CHECK: memref.alloc() : memref<2xf32>
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: iterator_types = []
func.func @scalar(%x: memref<131072xf32>, %sum: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%x : memref<131072xf32>) outs(%sum : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %square = arith.mulf %in, %in : f32
    %new = arith.addf %out, %square fastmath<reassoc> : f32
    linalg.yield %new : f32
  }
  return
}

// Threads have rows of results: there is nothing to gain.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @rows(%x: memref<4096x64xf32>, %sum: memref<4096xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4096x64xf32>) outs(%sum : memref<4096xf32>) {
  ^bb0(%in: f32, %out: f32):
    %new = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %new : f32
  }
  return
}

// The order of such a sum is fixed.
// CHECK-LABEL: func.func @ordered
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @ordered(%x: !images, %sum: memref<16xf32>) {
  linalg.generic {indexing_maps = [#pixels, #channel],
                  iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
      ins(%x : !images) outs(%sum : memref<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %new = arith.addf %out, %in : f32
    linalg.yield %new : f32
  }
  return
}

// A value has no memory, so no partial sums either.
// CHECK-LABEL: func.func @values
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @values(%x: tensor<8192x16xf32>, %sum: tensor<16xf32>) -> tensor<16xf32> {
  %new = linalg.generic {indexing_maps = [affine_map<(n, c) -> (n, c)>, affine_map<(n, c) -> (c)>],
                         iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<8192x16xf32>) outs(%sum : tensor<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %total = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %total : f32
  } -> tensor<16xf32>
  return %new : tensor<16xf32>
}

// Few terms are not worth it.
// CHECK-LABEL: func.func @few
// AUTO-NOT: memref.alloc
// ALWAYS: memref.alloc() : memref<2x16xf32>
// CHECK: return
func.func @few(%x: memref<64x16xf32>, %sum: memref<16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, c) -> (n, c)>, affine_map<(n, c) -> (c)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x16xf32>) outs(%sum : memref<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %new = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %new : f32
  }
  return
}

// A small weight, whose gradient is the sum over many pixels.
// CHECK-LABEL: func.func @small_weight
// CHECK: %[[P:.+]] = memref.alloc() : memref<2x2304xf32>
// CHECK-NEXT: rt.convolution backward_weight {{.*}} partials(%[[P]] : memref<2x2304xf32>)
func.func @small_weight(%dy: !images, %x: !images,
                        %dw: memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>) {
  rt.convolution backward_weight ins(%dy, %x : !images, !images)
      outs(%dw : memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// More weights than pixels: threads share the weights.
// CHECK-LABEL: func.func @large_weight
// AUTO-NOT: memref.alloc
// ALWAYS: memref.alloc() : memref<2x2359296xf32>
// CHECK: return
func.func @large_weight(%dy: memref<8x512x4x4xf32, strided<[8192, 1, 2048, 512]>>,
                        %x: memref<8x512x4x4xf32, strided<[8192, 1, 2048, 512]>>,
                        %dw: memref<512x512x3x3xf32, strided<[1, 512, 786432, 262144]>>) {
  rt.convolution backward_weight
      ins(%dy, %x : memref<8x512x4x4xf32, strided<[8192, 1, 2048, 512]>>,
                    memref<8x512x4x4xf32, strided<[8192, 1, 2048, 512]>>)
      outs(%dw : memref<512x512x3x3xf32, strided<[1, 512, 786432, 262144]>>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// What is written over has no sum.
// CHECK-LABEL: func.func @forward
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @forward(%x: !images, %w: memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>, %y: !images) {
  rt.convolution forward ins(%x, %w : !images, memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>)
      outs(%y : !images) strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

}

// One thread has it all.
// CHECK-LABEL: train.program @alone
// CHECK-NOT: memref.alloc
// CHECK-LABEL: train.program @gpu
train.program @alone batch_size(8) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx2,avx512f", 1>} {
  func.func @channels(%x: !images, %sum: memref<16xf32>) {
    linalg.generic {indexing_maps = [#pixels, #channel],
                    iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
        ins(%x : !images) outs(%sum : memref<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %new = arith.addf %out, %in fastmath<reassoc> : f32
      linalg.yield %new : f32
    }
    return
  }
}

// GPUs split sums in their own way.
// CHECK-NOT: memref.alloc
// CHECK-LABEL: train.program @three
train.program @gpu batch_size(8) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @small_weight(%dy: !images, %x: !images,
                          %dw: memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>) {
    rt.convolution backward_weight ins(%dy, %x : !images, !images)
        outs(%dw : memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>)
        strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
    return
  }
}

// Three threads have 16 channels, one vector: rows of pixels are not cut in three, but in two. Of
// 128 channels each has some.
// CHECK: memref.alloc() : memref<2x16xf32>
// CHECK-NOT: memref.alloc
// CHECK-LABEL: train.program @many
train.program @three batch_size(8) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx2,avx512f", 3>} {
  func.func @channels(%x: !images, %sum: memref<16xf32>, %wide: memref<1024x128xf32>,
                      %sums: memref<128xf32>) {
    linalg.generic {indexing_maps = [#pixels, #channel],
                    iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
        ins(%x : !images) outs(%sum : memref<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %new = arith.addf %out, %in fastmath<reassoc> : f32
      linalg.yield %new : f32
    }
    linalg.generic {indexing_maps = [affine_map<(n, c) -> (n, c)>, affine_map<(n, c) -> (c)>],
                    iterator_types = ["reduction", "parallel"]}
        ins(%wide : memref<1024x128xf32>) outs(%sums : memref<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %new = arith.addf %out, %in fastmath<reassoc> : f32
      linalg.yield %new : f32
    }
    return
  }
}

// 64 threads: no more than 16 parts, which are fewer than the vectors of 2048 channels.
// CHECK: memref.alloc() : memref<16x16xf32>
// CHECK-NOT: memref.alloc
// CHECK-LABEL: train.program @strict
train.program @many batch_size(8) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx2,avx512f", 64>} {
  func.func @channels(%x: !images, %sum: memref<16xf32>, %wide: memref<1024x2048xf32>,
                      %sums: memref<2048xf32>) {
    linalg.generic {indexing_maps = [#pixels, #channel],
                    iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
        ins(%x : !images) outs(%sum : memref<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %new = arith.addf %out, %in fastmath<reassoc> : f32
      linalg.yield %new : f32
    }
    linalg.generic {indexing_maps = [affine_map<(n, c) -> (n, c)>, affine_map<(n, c) -> (c)>],
                    iterator_types = ["reduction", "parallel"]}
        ins(%wide : memref<1024x2048xf32>) outs(%sums : memref<2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %new = arith.addf %out, %in fastmath<reassoc> : f32
      linalg.yield %new : f32
    }
    return
  }
}

// As many parts as every number of threads has; convolutions are not cut, whatever it is.
// CHECK: memref.alloc() : memref<16x16xf32>
// CHECK: rt.convolution
// CHECK-NOT: partials
// CHECK: return
train.program @strict batch_size(8) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx2,avx512f", 16>,
                rt.reproducible = #rt.reproducible<strict>} {
  func.func @both(%x: !images, %sum: memref<16xf32>, %dy: !images,
                  %dw: memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>) {
    linalg.generic {indexing_maps = [#pixels, #channel],
                    iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
        ins(%x : !images) outs(%sum : memref<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %new = arith.addf %out, %in fastmath<reassoc> : f32
      linalg.yield %new : f32
    }
    rt.convolution backward_weight ins(%dy, %x : !images, !images)
        outs(%dw : memref<16x16x3x3xf32, strided<[1, 16, 768, 256]>>)
        strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
    return
  }
}
