// RUN: boost-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(train.program(boostc-outline-kernels))"

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
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
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
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

// expected-error @+1 {{has no rt.cpu_target attribute; run boostc-set-cpu-target first}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @micro() {
    %x = rt.buffer transient[0] : memref<4x1x3x3xf32>
    %w = rt.buffer parameter[0] : memref<2x1x3x3xf32>
    %y = rt.buffer transient[192] : memref<4x2x1x1xf32>
    rt.convolution forward ins(%x, %w : memref<4x1x3x3xf32>, memref<2x1x3x3xf32>)
        outs(%y : memref<4x2x1x1xf32>)
        strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2,fma", 1>} {
  func.func @micro() {
    %a = rt.buffer transient[0] : memref<8x16xf32>
    %b = rt.buffer transient[512] : memref<16x24xf32>
    %c = rt.buffer transient[2048] : memref<8x24xf32>
    // expected-error @+1 {{has 5 candidates, from 0; attribute rt.candidate names another one: 5 : i64}}
    rt.matmul ins(%a, %b : memref<8x16xf32>, memref<16x24xf32>) outs(%c : memref<8x24xf32>)
        {rt.candidate = 5 : i64}
    return
  }
}
