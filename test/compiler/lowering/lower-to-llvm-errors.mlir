// RUN: boost-opt %s --split-input-file --verify-diagnostics --boostc-lower-to-llvm

// expected-error @+1 {{expected one train.program for each kind of device to make a library of, found 0}}
module {
}

// -----

// expected-error @+1 {{expected one train.program for each kind of device to make a library of, found 2}}
module {
  train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  }
  train.program @q batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  }
}

// -----

// expected-error @+1 {{expected one train.program for each kind of device to make a library of, found 3}}
module {
  train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  }
  train.program @q batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
      attributes {rt.cuda_target = #rt.cuda_target<80>} {
  }
  train.program @r batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  }
}

// -----

// expected-error @+1 {{has no function @init}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @init() {
    // expected-error @+1 {{is not allowed in a host function of phase rt}}
    %a = memref.alloc() : memref<8xf32>
    return
  }
}

// -----

// expected-error @+1 {{no function of the program uses #rt.binding<valid>; the runtime needs its slot}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>} {
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>} {
  // expected-error @+1 {{no function of the program uses #rt.binding<parameter, "w">; the runtime needs its slot}}
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<5x3xf32>
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
}

// -----

// expected-error @+1 {{has no rt.cpu_target attribute}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  rt.slot <valid> batch[0] : memref<i32>
  rt.slot <loss_sum> gradient[0] : memref<f32>
  rt.slot <loss_count> gradient[64] : memref<i64>
  rt.slot <seed> control[0] : memref<i64>
  rt.slot <failed> result[0] : memref<i32>
  rt.slot <applied> result[192] : memref<i32>
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>} {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<5x3xf32>
  // expected-error @+1 {{has elements of type 'f16'; the runtime knows f32, i32 and i64}}
  rt.slot <parameter, "w"> parameter[0] : memref<5x3xf16>
  func.func @init() { return }
  func.func @micro() { return }
  func.func @combine() { return }
  func.func @update() { return }
  func.func @eval() { return }
}

// -----

// All kinds of devices share the arenas, and the offsets of tensors in them.
module {
  train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
      attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>} {
    rt.slot <valid> batch[0] : memref<i32>
    func.func @init() { return }
    func.func @micro() { return }
    func.func @combine() { return }
    func.func @update() { return }
    func.func @eval() { return }
  }
  train.program @p.cuda batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
      attributes {rt.cuda_target = #rt.cuda_target<80>} {
    // expected-error @+1 {{has another offset or type in the program for another kind of device}}
    rt.slot <valid> batch[64] : memref<i32>
    func.func @init() { return }
    func.func @micro() { return }
    func.func @combine() { return }
    func.func @update() { return }
    func.func @eval() { return }
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @init() {
    %g = rt.buffer gradient[0] : memref<8xf32>
    // expected-error @+1 {{has index 1 where the next one is 0}}
    rt.collective all_reduce index(1) over all parameters [] groups [0] outs(%g : memref<8xf32>)
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @init() {
    %g = rt.buffer gradient[0] : memref<8xf32>
    // expected-error @+1 {{serves @init, which is not a parameter of the program}}
    rt.collective all_reduce index(0) over all parameters [@init] groups [0] outs(%g : memref<8xf32>)
    return
  }
}

// -----

// Ranks on different devices are to meet in the same collectives.
module {
  train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
      attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 1>} {
    func.func @init() { return }
    func.func @micro() { return }
    func.func @combine() { return }
    func.func @update() {
      %g = rt.buffer gradient[0] : memref<8xf32>
      rt.collective all_reduce index(0) over all parameters [] groups [0] outs(%g : memref<8xf32>)
      return
    }
    func.func @eval() { return }
  }
  // expected-error @+1 {{has other collectives than the program for another kind of device}}
  train.program @p.cuda batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
      attributes {rt.cuda_target = #rt.cuda_target<80>} {
    func.func @init() { return }
    func.func @micro() { return }
    func.func @combine() { return }
    func.func @update() {
      %g = rt.buffer gradient[0] : memref<8xf32>
      rt.collective all_reduce index(0) over intra_group parameters [] groups [0] outs(%g : memref<8xf32>)
      return
    }
    func.func @eval() { return }
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @init() {
    %a = rt.buffer transient[0] : memref<4x3xf32>
    %b = rt.buffer transient[64] : memref<3x2xf32>
    %c = rt.buffer transient[128] : memref<4x2xf32>
    // expected-error @+1 {{is not allowed in a host function of phase rt}}
    rt.matmul ins(%a, %b : memref<4x3xf32>, memref<3x2xf32>) outs(%c : memref<4x2xf32>)
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  gpu.module @kernels {
    gpu.func @product(%b: memref<3x2xf32>, %a: memref<4x3xf32>, %c: memref<4x2xf32>) kernel {
      gpu.return
    }
  }
  func.func @init() {
    %a = rt.buffer transient[0] : memref<4x3xf32>
    %b = rt.buffer transient[64] : memref<3x2xf32>
    %c = rt.buffer transient[128] : memref<4x2xf32>
    %s = rt.buffer transient[192] : memref<64xi8>
    rt.matmul ins(%a, %b : memref<4x3xf32>, memref<3x2xf32>) outs(%c : memref<4x2xf32>)
        scratch(%s : memref<64xi8>)
    // expected-error @+1 {{expected the buffers of the call before it, in their order}}
    rt.launch_grid @kernels::@product(%b, %a, %c) blocks(1) threads(32)
        writes [false, false, true] fallback : memref<3x2xf32>, memref<4x3xf32>, memref<4x2xf32>
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @init() {
    %x = rt.buffer transient[0] : memref<2x1x5x5xf32>
    %w = rt.buffer transient[256] : memref<6x1x3x3xf32>
    %y = rt.buffer transient[512] : memref<2x6x3x3xf32>
    %s = rt.buffer transient[1024] : memref<64xi8>
    // expected-error @+1 {{expected its fallback after it: a GPU's library may be missing}}
    rt.convolution forward ins(%x, %w : memref<2x1x5x5xf32>, memref<6x1x3x3xf32>)
        outs(%y : memref<2x6x3x3xf32>) scratch(%s : memref<64xi8>)
        strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
    return
  }
}

// -----

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
  func.func @init() {
    %x = rt.buffer transient[0] : memref<2x1x5x5xf32>
    %w = rt.buffer transient[256] : memref<6x1x3x3xf32>
    %y = rt.buffer transient[512] : memref<2x6x3x3xf32>
    // expected-error @+1 {{is not allowed in a host function of phase rt}}
    rt.convolution forward ins(%x, %w : memref<2x1x5x5xf32>, memref<6x1x3x3xf32>)
        outs(%y : memref<2x6x3x3xf32>)
        strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
    return
  }
}
