// RUN: boost-opt %s --boostc-extend-factors | FileCheck %s
// RUN: boost-opt %s --pass-pipeline='builtin.module(train.program(boostc-extend-factors{keep-bf16=1}))' \
// RUN:   | FileCheck %s --check-prefix=KEPT

// Factors become f32, each by an op of its own; so does the result of a matmul, which is rounded
// after it. A convolution rounds what it writes. What is f32 stays.
#map = affine_map<(d0, d1) -> (d0, d1)>

train.program @p batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  // CHECK-LABEL: func.func @matmul
  // CHECK-SAME: (%[[X:.+]]: tensor<2x4xbf16>, %[[W:.+]]: tensor<4x3xbf16>)
  // CHECK: %[[C:.+]] = tensor.empty() : tensor<2x3xf32>
  // CHECK: %[[A:.+]] = linalg.generic {{.*}} ins(%[[X]] : tensor<2x4xbf16>)
  // CHECK: arith.extf
  // CHECK: %[[B:.+]] = linalg.generic {{.*}} ins(%[[W]] : tensor<4x3xbf16>)
  // CHECK: %[[Y:.+]] = rt.matmul ins(%[[A]], %[[B]] : tensor<2x4xf32>, tensor<4x3xf32>) outs(%[[C]] : tensor<2x3xf32>)
  // CHECK: %[[R:.+]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<2x3xf32>)
  // CHECK: arith.truncf
  // CHECK: return %[[R]] : tensor<2x3xbf16>
  func.func @matmul(%x: tensor<2x4xbf16>, %w: tensor<4x3xbf16>) -> tensor<2x3xbf16> {
    %o = tensor.empty() : tensor<2x3xbf16>
    %y = rt.matmul ins(%x, %w : tensor<2x4xbf16>, tensor<4x3xbf16>) outs(%o : tensor<2x3xbf16>)
        -> tensor<2x3xbf16>
    return %y : tensor<2x3xbf16>
  }

  // CHECK-LABEL: func.func @convolution
  // CHECK-COUNT-2: arith.extf
  // CHECK: rt.convolution forward {{.*}}ins(%{{.*}}, %{{.*}} : tensor<1x1x3x3xf32>, tensor<2x1x2x2xf32>) outs(%{{.*}} : tensor<1x2x2x2xf16>)
  // CHECK-NOT: arith.truncf
  func.func @convolution(%x: tensor<1x1x3x3xf16>, %w: tensor<2x1x2x2xf16>) -> tensor<1x2x2x2xf16> {
    %o = tensor.empty() : tensor<1x2x2x2xf16>
    %y = rt.convolution forward ins(%x, %w : tensor<1x1x3x3xf16>, tensor<2x1x2x2xf16>)
        outs(%o : tensor<1x2x2x2xf16>) strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        -> tensor<1x2x2x2xf16>
    return %y : tensor<1x2x2x2xf16>
  }

  // CHECK-LABEL: func.func @plain
  // CHECK-NOT: linalg.generic
  // CHECK: return
  func.func @plain(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>) -> tensor<2x3xf32> {
    %o = tensor.empty() : tensor<2x3xf32>
    %y = rt.matmul ins(%x, %w : tensor<2x4xf32>, tensor<4x3xf32>) outs(%o : tensor<2x3xf32>)
        -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }

  // Both gradients of a layer read one copy; a contraction that is farther away has its own.
  // CHECK-LABEL: func.func @neighbours
  // CHECK-SAME: (%[[DY:.+]]: tensor<2x2xbf16>, %[[W:.+]]: tensor<2x2xbf16>, %[[X:.+]]: tensor<2x2xbf16>)
  // CHECK: %[[A:.+]] = linalg.generic {{.*}} ins(%[[DY]] : tensor<2x2xbf16>)
  // CHECK: %[[B:.+]] = linalg.generic {{.*}} ins(%[[W]] : tensor<2x2xbf16>)
  // CHECK: rt.matmul ins(%[[A]], %[[B]] :
  // CHECK: %[[C:.+]] = linalg.generic {{.*}} ins(%[[X]] : tensor<2x2xbf16>)
  // CHECK: rt.matmul ins(transposed %[[A]], %[[C]] :
  // CHECK: %[[D:.+]] = linalg.generic {{.*}} ins(%[[W]] : tensor<2x2xbf16>)
  // CHECK: rt.matmul ins(%[[D]], %[[C]] :
  func.func @neighbours(%dy: tensor<2x2xbf16>, %w: tensor<2x2xbf16>, %x: tensor<2x2xbf16>)
      -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %o = tensor.empty() : tensor<2x2xf32>
    %dx = rt.matmul ins(%dy, %w : tensor<2x2xbf16>, tensor<2x2xbf16>) outs(%o : tensor<2x2xf32>)
        -> tensor<2x2xf32>
    %dw = rt.matmul ins(transposed %dy, %x : tensor<2x2xbf16>, tensor<2x2xbf16>) outs(%o : tensor<2x2xf32>)
        -> tensor<2x2xf32>
    %z = rt.matmul ins(%w, %x : tensor<2x2xbf16>, tensor<2x2xbf16>) outs(%o : tensor<2x2xf32>)
        -> tensor<2x2xf32>
    return %dx, %dw, %z : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
  }

  // What a function is given and rounded has one copy for all that read it.
  // CHECK-LABEL: func.func @argument
  // CHECK-COUNT-1: arith.truncf
  // CHECK-COUNT-2: arith.extf
  // CHECK-NOT: arith.extf
  // CHECK: return
  func.func @argument(%w: tensor<2x2xf32>, %x: tensor<2x2xbf16>, %y: tensor<2x2xf32>)
      -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %e = tensor.empty() : tensor<2x2xbf16>
    %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%w : tensor<2x2xf32>) outs(%e : tensor<2x2xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %t = arith.truncf %in : f32 to bf16
      linalg.yield %t : bf16
    } -> tensor<2x2xbf16>
    %o = tensor.empty() : tensor<2x2xf32>
    %a = rt.matmul ins(%x, %r : tensor<2x2xbf16>, tensor<2x2xbf16>) outs(%o : tensor<2x2xf32>)
        -> tensor<2x2xf32>
    %b = rt.matmul ins(%y, %a : tensor<2x2xf32>, tensor<2x2xf32>) outs(%o : tensor<2x2xf32>)
        -> tensor<2x2xf32>
    %c = rt.matmul ins(%b, %a : tensor<2x2xf32>, tensor<2x2xf32>) outs(%o : tensor<2x2xf32>)
        -> tensor<2x2xf32>
    %d = rt.matmul ins(%r, %r : tensor<2x2xbf16>, tensor<2x2xbf16>) outs(%o : tensor<2x2xf32>)
        -> tensor<2x2xf32>
    return %a, %c, %d : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
  }

  // A value that is not needed for longer than its copy is stored as that.
  // CHECK-LABEL: func.func @stored
  // CHECK: %[[G:.+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x2xf32>)
  // CHECK: arith.truncf
  // CHECK-NEXT: arith.extf
  // CHECK: rt.matmul ins(%[[G]], %[[G]] :
  // CHECK-NEXT: linalg.generic {{.*}} ins(%[[G]] : tensor<2x2xf32>)
  // CHECK-NEXT: ^bb0(%[[IN:.+]]: f32, %{{.*}}: f32):
  // CHECK-NEXT: arith.negf %[[IN]] : f32
  func.func @stored(%g: tensor<2x2xf32>, %y: tensor<2x2xf32>, %w: tensor<2x2xbf16>)
      -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %e = tensor.empty() : tensor<2x2xbf16>
    %o = tensor.empty() : tensor<2x2xf32>
    %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%g, %y : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xbf16>) {
    ^bb0(%in: f32, %other: f32, %out: bf16):
      %m = arith.mulf %in, %other : f32
      %t = arith.truncf %m : f32 to bf16
      linalg.yield %t : bf16
    } -> tensor<2x2xbf16>
    %a = rt.matmul ins(%r, %r : tensor<2x2xbf16>, tensor<2x2xbf16>) outs(%o : tensor<2x2xf32>)
        -> tensor<2x2xf32>
    %n = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%r : tensor<2x2xbf16>) outs(%o : tensor<2x2xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %x = arith.extf %in : bf16 to f32
      %m = arith.negf %x : f32
      linalg.yield %m : f32
    } -> tensor<2x2xf32>
    return %a, %n : tensor<2x2xf32>, tensor<2x2xf32>
  }

  // One that is needed later, after other contractions, stays as it is.
  // CHECK-LABEL: func.func @kept
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x2xbf16>)
  func.func @kept(%g: tensor<2x2xf32>, %y: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %e = tensor.empty() : tensor<2x2xbf16>
    %o = tensor.empty() : tensor<2x2xf32>
    %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%g, %y : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xbf16>) {
    ^bb0(%in: f32, %other: f32, %out: bf16):
      %m = arith.mulf %in, %other : f32
      %t = arith.truncf %m : f32 to bf16
      linalg.yield %t : bf16
    } -> tensor<2x2xbf16>
    %a = rt.matmul ins(%r, %r : tensor<2x2xbf16>, tensor<2x2xbf16>) outs(%o : tensor<2x2xf32>)
        -> tensor<2x2xf32>
    %b = rt.matmul ins(%a, %y : tensor<2x2xf32>, tensor<2x2xf32>) outs(%o : tensor<2x2xf32>)
        -> tensor<2x2xf32>
    %n = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%r : tensor<2x2xbf16>) outs(%o : tensor<2x2xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %x = arith.extf %in : bf16 to f32
      linalg.yield %x : f32
    } -> tensor<2x2xf32>
    return %a, %b, %n : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
  }
}

// With AVX512-BF16 a matmul in bf16 stays as it is, one in f16 and a convolution do not.
// CHECK-LABEL: train.program @bf16
// CHECK: rt.matmul ins(%{{.*}}, %{{.*}} : tensor<2x4xbf16>, tensor<4x3xbf16>) outs(%{{.*}} : tensor<2x3xbf16>)
// CHECK: rt.matmul ins(%{{.*}}, %{{.*}} : tensor<2x4xf32>, tensor<4x3xf32>) outs(%{{.*}} : tensor<2x3xf32>)
// CHECK: rt.convolution forward {{.*}}ins(%{{.*}}, %{{.*}} : tensor<1x1x3x3xf32>, tensor<2x1x2x2xf32>) outs(%{{.*}} : tensor<1x2x2x2xbf16>)
train.program @bf16 batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx512f,avx512bf16", 2>} {
  func.func @contractions(%x: tensor<2x4xbf16>, %w: tensor<4x3xbf16>, %u: tensor<2x4xf16>,
                          %v: tensor<4x3xf16>, %i: tensor<1x1x3x3xbf16>, %k: tensor<2x1x2x2xbf16>)
      -> (tensor<2x3xbf16>, tensor<2x3xf16>, tensor<1x2x2x2xbf16>) {
    %o = tensor.empty() : tensor<2x3xbf16>
    %y = rt.matmul ins(%x, %w : tensor<2x4xbf16>, tensor<4x3xbf16>) outs(%o : tensor<2x3xbf16>)
        -> tensor<2x3xbf16>
    %p = tensor.empty() : tensor<2x3xf16>
    %z = rt.matmul ins(%u, %v : tensor<2x4xf16>, tensor<4x3xf16>) outs(%p : tensor<2x3xf16>)
        -> tensor<2x3xf16>
    %q = tensor.empty() : tensor<1x2x2x2xbf16>
    %c = rt.convolution forward ins(%i, %k : tensor<1x1x3x3xbf16>, tensor<2x1x2x2xbf16>)
        outs(%q : tensor<1x2x2x2xbf16>) strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        -> tensor<1x2x2x2xbf16>
    return %y, %z, %c : tensor<2x3xbf16>, tensor<2x3xf16>, tensor<1x2x2x2xbf16>
  }
}

// Where oneDNN does it in software, they do if a test says so; it has none without AVX-512.
// CHECK-LABEL: train.program @software
// CHECK: rt.matmul ins(%{{.*}}, %{{.*}} : tensor<2x4xf32>, tensor<4x3xf32>)
// KEPT-LABEL: train.program @software
// KEPT: rt.matmul ins(%{{.*}}, %{{.*}} : tensor<2x4xbf16>, tensor<4x3xbf16>)
train.program @software batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx512f", 2>} {
  func.func @matmul(%x: tensor<2x4xbf16>, %w: tensor<4x3xbf16>) -> tensor<2x3xbf16> {
    %o = tensor.empty() : tensor<2x3xbf16>
    %y = rt.matmul ins(%x, %w : tensor<2x4xbf16>, tensor<4x3xbf16>) outs(%o : tensor<2x3xbf16>)
        -> tensor<2x3xbf16>
    return %y : tensor<2x3xbf16>
  }
}

// KEPT-LABEL: train.program @without
// KEPT: rt.matmul ins(%{{.*}}, %{{.*}} : tensor<2x4xf32>, tensor<4x3xf32>)
train.program @without batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2", 2>} {
  func.func @matmul(%x: tensor<2x4xbf16>, %w: tensor<4x3xbf16>) -> tensor<2x3xbf16> {
    %o = tensor.empty() : tensor<2x3xbf16>
    %y = rt.matmul ins(%x, %w : tensor<2x4xbf16>, tensor<4x3xbf16>) outs(%o : tensor<2x3xbf16>)
        -> tensor<2x3xbf16>
    return %y : tensor<2x3xbf16>
  }
}

// Kernels of convolutions multiply pairs of bf16, terms or, in a gradient of weights, pixels. One
// channel has none, and f16 is not multiplied.
// CHECK-LABEL: train.program @pairs
// CHECK-LABEL: func.func @convolutions
// CHECK-SAME: %[[X:.+]]: tensor<2x16x4x4xbf16>, %[[W:.+]]: tensor<16x16x1x1xbf16>
// CHECK-NOT: arith.extf
// CHECK: rt.convolution forward {{.*}}ins(%[[X]], %[[W]] :
// CHECK: rt.convolution backward_data {{.*}}ins(%{{.+}}, %[[W]] :
// CHECK: rt.convolution backward_weight {{.*}}ins(%{{.+}}, %[[X]] :
// CHECK-LABEL: func.func @channel
// CHECK-COUNT-2: arith.extf
// CHECK: rt.convolution forward {{.*}}ins(%{{.*}}, %{{.*}} : tensor<2x1x4x4xf32>, tensor<16x1x1x1xf32>)
// CHECK-LABEL: func.func @half
// CHECK-COUNT-2: arith.extf
// CHECK: rt.convolution forward {{.*}}ins(%{{.*}}, %{{.*}} : tensor<2x16x4x4xf32>, tensor<16x16x1x1xf32>)
train.program @pairs batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx512f,avx512bf16", 2>} {
  func.func @convolutions(%x: tensor<2x16x4x4xbf16>, %w: tensor<16x16x1x1xbf16>)
      -> (tensor<2x16x4x4xbf16>, tensor<16x16x1x1xf32>) {
    %o = tensor.empty() : tensor<2x16x4x4xbf16>
    %y = rt.convolution forward ins(%x, %w : tensor<2x16x4x4xbf16>, tensor<16x16x1x1xbf16>)
        outs(%o : tensor<2x16x4x4xbf16>) strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        -> tensor<2x16x4x4xbf16>
    %dx = rt.convolution backward_data ins(%y, %w : tensor<2x16x4x4xbf16>, tensor<16x16x1x1xbf16>)
        outs(%o : tensor<2x16x4x4xbf16>) strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        -> tensor<2x16x4x4xbf16>
    %g = tensor.empty() : tensor<16x16x1x1xf32>
    %dw = rt.convolution backward_weight ins(%dx, %x : tensor<2x16x4x4xbf16>, tensor<2x16x4x4xbf16>)
        outs(%g : tensor<16x16x1x1xf32>) strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        -> tensor<16x16x1x1xf32>
    return %dx, %dw : tensor<2x16x4x4xbf16>, tensor<16x16x1x1xf32>
  }
  func.func @channel(%x: tensor<2x1x4x4xbf16>, %w: tensor<16x1x1x1xbf16>) -> tensor<2x16x4x4xbf16> {
    %o = tensor.empty() : tensor<2x16x4x4xbf16>
    %y = rt.convolution forward ins(%x, %w : tensor<2x1x4x4xbf16>, tensor<16x1x1x1xbf16>)
        outs(%o : tensor<2x16x4x4xbf16>) strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        -> tensor<2x16x4x4xbf16>
    return %y : tensor<2x16x4x4xbf16>
  }
  func.func @half(%x: tensor<2x16x4x4xf16>, %w: tensor<16x16x1x1xf16>) -> tensor<2x16x4x4xf16> {
    %o = tensor.empty() : tensor<2x16x4x4xf16>
    %y = rt.convolution forward ins(%x, %w : tensor<2x16x4x4xf16>, tensor<16x16x1x1xf16>)
        outs(%o : tensor<2x16x4x4xf16>) strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        -> tensor<2x16x4x4xf16>
    return %y : tensor<2x16x4x4xf16>
  }
}
