// What launches do, counted by hand: operations, bytes read and bytes written.
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-outline-kernels{serial-work=100}))" | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#window = affine_map<(n, c, i, j, k, l) -> (n, c, i * 2 + k, j * 2 + l)>
#kernel = affine_map<(n, c, i, j, k, l) -> (k, l)>
#pooled = affine_map<(n, c, i, j, k, l) -> (n, c, i, j)>

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2,fma", 2>} {

// What the kernel has written itself is not read: 480 exponentials and as many sums; %a
// once, though both ops read it; %b and %c.
// CHECK-LABEL: func.func @chain
// CHECK: rt.launch @chain_kernel_0({{.*}} work <flops = 960, read = 1920, written = 3840>
// CHECK-NOT: rt.launch
func.func @chain() {
  %a = rt.buffer batch[0] : memref<16x30xf32>
  %b = rt.buffer transient[0] : memref<16x30xf32>
  %c = rt.buffer transient[2048] : memref<16x30xf32>
  linalg.exp ins(%a : memref<16x30xf32>) outs(%b : memref<16x30xf32>)
  linalg.add ins(%a, %b : memref<16x30xf32>, memref<16x30xf32>) outs(%c : memref<16x30xf32>)
  return
}

// An update reads and writes a weight, w - rate * g; choices are no operations.
// CHECK-LABEL: func.func @update
// CHECK: rt.launch @update_kernel_0({{.*}} work <flops = 2000, read = 8008, written = 4000>
func.func @update() {
  %w = rt.buffer parameter[0] : memref<1000xf32>
  %g = rt.buffer gradient[0] : memref<1000xf32>
  %rate = rt.buffer control[0] : memref<f32>
  %applied = rt.buffer result[0] : memref<i32>
  linalg.generic {indexing_maps = [#id, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>, #id],
                  iterator_types = ["parallel"]}
      ins(%g, %rate, %applied : memref<1000xf32>, memref<f32>, memref<i32>)
      outs(%w : memref<1000xf32>) {
  ^bb0(%gi: f32, %r: f32, %a: i32, %wi: f32):
    %d = arith.mulf %gi, %r : f32
    %n = arith.subf %wi, %d : f32
    %zero = arith.constant 0 : i32
    %skip = arith.cmpi eq, %a, %zero : i32
    %s = arith.select %skip, %wi, %n : f32
    linalg.yield %s : f32
  }
  return
}

// Sums begin at what a fill in the same kernel wrote.
// CHECK-LABEL: func.func @sums
// CHECK: rt.launch @sums_kernel_0({{.*}} work <flops = 480, read = 1920, written = 64>
func.func @sums() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer batch[0] : memref<16x30xf32>
  %s = rt.buffer transient[0] : memref<16xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<16xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<16x30xf32>) outs(%s : memref<16xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %t = arith.addf %x, %sum : f32
    linalg.yield %t : f32
  }
  return
}

// Four comparisons for each of 2 * 3 * 4 * 4 windows.
// CHECK-LABEL: func.func @max_pool
// CHECK: rt.launch @max_pool_kernel_0({{.*}} work <flops = 384, read = 1536, written = 384>
func.func @max_pool() {
  %low = arith.constant 0xFF800000 : f32
  %x = rt.buffer batch[0] : memref<2x3x8x8xf32>
  %y = rt.buffer transient[0] : memref<2x3x4x4xf32>
  %w = rt.buffer transient[1024] : memref<2x2xf32>
  linalg.fill ins(%low : f32) outs(%y : memref<2x3x4x4xf32>)
  linalg.generic {indexing_maps = [#window, #kernel, #pooled],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                    "reduction", "reduction"]}
      ins(%x, %w : memref<2x3x8x8xf32>, memref<2x2xf32>) outs(%y : memref<2x3x4x4xf32>) {
  ^bb0(%a: f32, %unused: f32, %m: f32):
    %t = arith.maximumf %a, %m : f32
    linalg.yield %t : f32
  }
  return
}

// 2 * 6 * 3 * 3 results of 3 * 3 multiply-adds; input 2 * 25, weight 54 and bias 6 floats.
// CHECK-LABEL: func.func @convolution
// CHECK: rt.launch @convolution_kernel_0({{.*}} work <flops = 1944, read = 440, written = 432>
func.func @convolution() {
  %x = rt.buffer batch[0] : memref<2x1x5x5xf32>
  %w = rt.buffer parameter[0] : memref<6x1x3x3xf32>
  %b = rt.buffer parameter[256] : memref<6xf32>
  %y = rt.buffer transient[0] : memref<2x6x3x3xf32>
  rt.convolution forward ins(%x, %w : memref<2x1x5x5xf32>, memref<6x1x3x3xf32>)
      bias(%b : memref<6xf32>) outs(%y : memref<2x6x3x3xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// Ten rows of three floats, of a table of a hundred, and ten numbers; then sums of these
// rows in all of a table.
// CHECK-LABEL: func.func @rows
// CHECK: rt.launch @rows_kernel_0({{.*}} work <flops = 0, read = 160, written = 120>
// CHECK: rt.launch @rows_kernel_1({{.*}} work <flops = 30, read = 160, written = 1200>
func.func @rows() {
  %table = rt.buffer parameter[0] : memref<100x3xf32>
  %i = rt.buffer batch[0] : memref<2x5xi32>
  %r = rt.buffer transient[0] : memref<2x5x3xf32>
  %d = rt.buffer gradient[0] : memref<100x3xf32>
  rt.gather ins(%table, %i : memref<100x3xf32>, memref<2x5xi32>) outs(%r : memref<2x5x3xf32>)
  rt.scatter_add ins(%r, %i : memref<2x5x3xf32>, memref<2x5xi32>) outs(%d : memref<100x3xf32>)
  return
}

// Conversions are moves: two bytes of each number in, four out.
// CHECK-LABEL: func.func @extend
// CHECK: rt.launch @extend_kernel_0({{.*}} work <flops = 0, read = 2000, written = 4000>
func.func @extend() {
  %x = rt.buffer batch[0] : memref<1000xbf16>
  %y = rt.buffer transient[0] : memref<1000xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<1000xbf16>) outs(%y : memref<1000xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %t = arith.extf %a : bf16 to f32
    linalg.yield %t : f32
  }
  return
}

// Views count what they show.
// CHECK-LABEL: func.func @part
// CHECK: rt.launch @part_kernel_0({{.*}} work <flops = 0, read = 400, written = 400>
func.func @part() {
  %x = rt.buffer batch[0] : memref<1000xf32>
  %y = rt.buffer transient[0] : memref<100xf32>
  %v = memref.subview %x[0] [100] [1] : memref<1000xf32> to memref<100xf32, strided<[1]>>
  memref.copy %v, %y : memref<100xf32, strided<[1]>> to memref<100xf32>
  return
}

}
