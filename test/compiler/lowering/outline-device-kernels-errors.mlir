// RUN: boost-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(train.program(boostc-outline-device-kernels))"

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @micro(%a: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{operand is not a planned buffer: <block argument> of type 'memref<8xf32>' at index: 0}}
    linalg.fill ins(%zero : f32) outs(%a : memref<8xf32>)
    return
  }
}

// -----

#halved = affine_map<(d0, d1) -> (d0 floordiv 2 + d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @micro() {
    %a = rt.buffer batch[0] : memref<11xf32>
    %b = rt.buffer transient[0] : memref<8x4xf32>
    // expected-error @+1 {{indexes an operand by the map affine_map<(d0, d1) -> (d0 floordiv 2 + d1)>; kernels index by sums of loops, factors and constants}}
    linalg.generic {indexing_maps = [#halved, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : memref<11xf32>) outs(%b : memref<8x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    return
  }
}

// -----

// No loop follows from an element alone: d0 names its row and is part of its column.
#id = affine_map<(d0, d1) -> (d0, d1)>
#shared = affine_map<(d0, d1) -> (d0, d0 + d1)>
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @micro() {
    %a = rt.buffer batch[0] : memref<8x4xf32>
    %b = rt.buffer transient[0] : memref<8x11xf32>
    // expected-error @+1 {{adds to elements that cannot be split among threads: affine_map<(d0, d1) -> (d0, d0 + d1)>}}
    linalg.generic {indexing_maps = [#id, #shared], iterator_types = ["parallel", "reduction"]}
        ins(%a : memref<8x4xf32>) outs(%b : memref<8x11xf32>) {
    ^bb0(%in: f32, %out: f32):
      %v = arith.addf %out, %in : f32
      linalg.yield %v : f32
    }
    return
  }
}

// -----

// Two outputs, of which one would have to be gathered.
#id = affine_map<(d0, d1) -> (d0, d1)>
#windows = affine_map<(d0, d1) -> (d0 + d1)>
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @micro() {
    %a = rt.buffer batch[0] : memref<8x4xf32>
    %b = rt.buffer transient[0] : memref<11xf32>
    %c = rt.buffer transient[64] : memref<11xf32>
    // expected-error @+1 {{adds to elements that cannot be split among threads: affine_map<(d0, d1) -> (d0 + d1)>}}
    linalg.generic {indexing_maps = [#id, #windows, #windows], iterator_types = ["reduction", "reduction"]}
        ins(%a : memref<8x4xf32>) outs(%b, %c : memref<11xf32>, memref<11xf32>) {
    ^bb0(%in: f32, %out: f32, %other: f32):
      %v = arith.addf %out, %in : f32
      %w = arith.addf %other, %in : f32
      linalg.yield %v, %w : f32, f32
    }
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @micro() {
    // expected-error @+1 {{has no kernel for a GPU}}
    %a = memref.alloc() : memref<8xf32>
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @micro() {
    %zero = arith.constant 0.0 : f32
    %a = rt.buffer transient[0] : memref<300000000001xf32>
    // expected-error @+1 {{needs 2343750001 blocks of threads; a GPU runs 2^31 - 1}}
    linalg.fill ins(%zero : f32) outs(%a : memref<300000000001xf32>)
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @micro() {
    %a = rt.buffer batch[0] : memref<2x7xf32>
    %b = rt.buffer batch[64] : memref<7x4xf32>
    %c = rt.buffer transient[0] : memref<2x4xf32>
    %p = rt.buffer transient[64] : memref<3x8xf32>
    // expected-error @+1 {{has 3 partial sums; expected a divisor of the extent of a loop that it sums over}}
    rt.matmul ins(%a, %b : memref<2x7xf32>, memref<7x4xf32>) outs(%c : memref<2x4xf32>)
        partials(%p : memref<3x8xf32>)
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @micro() {
    %y = rt.buffer batch[0] : memref<2x6x3x3xf32>
    %x = rt.buffer batch[1024] : memref<2x1x5x5xf32>
    %w = rt.buffer transient[0] : memref<6x1x3x3xf32>
    %p = rt.buffer transient[256] : memref<5x54xf32>
    // expected-error @+1 {{has 5 partial sums; expected a divisor of the extent of a loop that it sums over}}
    rt.convolution backward_weight ins(%y, %x : memref<2x6x3x3xf32>, memref<2x1x5x5xf32>)
        outs(%w : memref<6x1x3x3xf32>) partials(%p : memref<5x54xf32>)
        strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
    return
  }
}
