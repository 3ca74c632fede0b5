// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-outline-kernels{serial-work=100}))" | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2,fma", 2>} {

// Small neighbours run on one thread, in order, in one kernel whose arguments do not
// alias. A copy is a loop like others.
// CHECK-LABEL: func.func private @serial_kernel_0
// CHECK-SAME: memref<10xf32> {llvm.noalias}
// CHECK-SAME: memref<10xf32> {llvm.noalias}
// CHECK-SAME: memref<10xf32> {llvm.noalias}
// CHECK-SAME: attributes {rt.kernel}
// CHECK-COUNT-3: vector.maskedstore
// CHECK-LABEL: func.func @serial
// CHECK: rt.launch @serial_kernel_0({{.*}}) extent(1) grain(
// CHECK-NOT: rt.launch
// CHECK: return
func.func @serial() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer transient[0] : memref<10xf32>
  %b = rt.buffer transient[64] : memref<10xf32>
  %c = rt.buffer transient[128] : memref<10xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<10xf32>)
  linalg.exp ins(%a : memref<10xf32>) outs(%b : memref<10xf32>)
  memref.copy %b, %c : memref<10xf32> to memref<10xf32>
  return
}

// Large neighbours cut along the same loop share a kernel: each piece needs only rows of
// its own. The loop over contiguous memory is innermost.
// CHECK-LABEL: func.func private @rows_kernel_0
// CHECK-SAME: (%[[BEGIN:[^:]+]]: index, %[[END:[^:]+]]: index
// CHECK: scf.for %[[I:[^ ]+]] = %[[BEGIN]] to %[[END]]
// CHECK-NOT: scf.for
// CHECK: %[[ROW:.+]] = arith.muli %[[I]],
// CHECK: arith.addi %[[ROW]],
// CHECK: vector.maskedload
// CHECK: math.exp
// CHECK: vector.maskedstore
// CHECK-NOT: scf.for
// CHECK: arith.addf
// CHECK-LABEL: func.func @rows
// CHECK: rt.launch @rows_kernel_0({{.*}}) extent(16) grain(1)
// CHECK-NOT: rt.launch
// CHECK: return
func.func @rows() {
  %a = rt.buffer batch[0] : memref<16x30xf32>
  %b = rt.buffer transient[0] : memref<16x30xf32>
  %c = rt.buffer transient[2048] : memref<16x30xf32>
  linalg.exp ins(%a : memref<16x30xf32>) outs(%b : memref<16x30xf32>)
  linalg.add ins(%a, %b : memref<16x30xf32>, memref<16x30xf32>) outs(%c : memref<16x30xf32>)
  return
}

// A sum over rows is cut along columns; the next op needs the whole of it: two kernels.
// CHECK-LABEL: func.func private @columns_kernel_0
// CHECK-LABEL: func.func private @columns_kernel_1
// CHECK-LABEL: func.func @columns
// CHECK: rt.launch @columns_kernel_0({{.*}}) extent(16)
// CHECK: rt.launch @columns_kernel_1({{.*}}) extent(16)
func.func @columns() {
  %a = rt.buffer batch[0] : memref<16x16xf32>
  %s = rt.buffer transient[0] : memref<16xf32>
  %b = rt.buffer transient[2048] : memref<16x16xf32>
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<16x16xf32>) outs(%s : memref<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %s : memref<16x16xf32>, memref<16xf32>) outs(%b : memref<16x16xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %v = arith.divf %in, %sum : f32
    linalg.yield %v : f32
  }
  return
}

// The second op reads the first one's result turned: pieces would meet.
// CHECK-LABEL: func.func @turned
// CHECK-COUNT-2: rt.launch
func.func @turned() {
  %a = rt.buffer batch[0] : memref<16x16xf32>
  %b = rt.buffer transient[0] : memref<16x16xf32>
  %c = rt.buffer transient[2048] : memref<16x16xf32>
  linalg.exp ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<16x16xf32>) outs(%c : memref<16x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  }
  return
}

// What a later op overwrites is read whole by an earlier one: two kernels.
// CHECK-LABEL: func.func @overwritten
// CHECK-COUNT-2: rt.launch
func.func @overwritten() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer transient[0] : memref<16x16xf32>
  %b = rt.buffer transient[1024] : memref<16x16xf32>
  linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  }
  linalg.fill ins(%zero : f32) outs(%a : memref<16x16xf32>)
  return
}

// Loops of different length, or large next to small.
// CHECK-LABEL: func.func @extents
// CHECK: rt.launch {{.*}} extent(16)
// CHECK: rt.launch {{.*}} extent(8)
// CHECK: rt.launch {{.*}} extent(1)
func.func @extents() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer transient[0] : memref<16x16xf32>
  %b = rt.buffer transient[1024] : memref<8x32xf32>
  %c = rt.buffer transient[2048] : memref<6xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<16x16xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<8x32xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<6xf32>)
  return
}

// Small ops that can be cut as their large neighbour is are pieces of it, whether they
// come before or after; what comes before them and cannot stays on one thread.
// CHECK-LABEL: func.func @small_beside_large
// CHECK: %[[OTHER:.+]] = rt.buffer transient[0]
// CHECK: %[[SUMS:.+]] = rt.buffer transient[64]
// CHECK: rt.launch {{.*}}(%[[OTHER]]) extent(1)
// CHECK: rt.launch {{.*}}(%[[SUMS]], {{.*}}) extent(8)
// CHECK-NOT: rt.launch
// CHECK: return
func.func @small_beside_large() {
  %zero = arith.constant 0.0 : f32
  %other = rt.buffer transient[0] : memref<6xf32>
  %sums = rt.buffer transient[64] : memref<8xf32>
  %a = rt.buffer transient[128] : memref<8x32xf32>
  linalg.fill ins(%zero : f32) outs(%other : memref<6xf32>)
  linalg.fill ins(%zero : f32) outs(%sums : memref<8xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8x32xf32>) outs(%sums : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  }
  linalg.exp ins(%sums : memref<8xf32>) outs(%sums : memref<8xf32>)
  return
}

// Memory that is used again is another buffer in the same place: not in one kernel, whose
// arguments are promised not to alias.
// CHECK-LABEL: func.func private @reused_kernel_0
// CHECK-LABEL: func.func private @reused_kernel_1
// CHECK-LABEL: func.func @reused
// CHECK-COUNT-2: rt.launch
func.func @reused() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer transient[0] : memref<10xf32>
  %b = rt.buffer transient[0] : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<10xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<4xf32>)
  return
}

// The same offset of another arena is other memory.
// CHECK-LABEL: func.func @arenas
// CHECK-COUNT-1: rt.launch
// CHECK-NOT: rt.launch
// CHECK: return
func.func @arenas() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer transient[0] : memref<10xf32>
  %b = rt.buffer gradient[0] : memref<10xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<10xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<10xf32>)
  return
}

// A library call is between its neighbours.
// CHECK-LABEL: func.func @library
// CHECK: rt.launch @library_kernel_0
// CHECK-NEXT: rt.matmul
// CHECK-NEXT: rt.launch @library_kernel_1
func.func @library() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer transient[0] : memref<2x2xf32>
  %b = rt.buffer transient[64] : memref<2x2xf32>
  %c = rt.buffer transient[128] : memref<2x2xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<2x2xf32>)
  rt.matmul ins(%a, %b : memref<2x2xf32>, memref<2x2xf32>) outs(%c : memref<2x2xf32>)
  linalg.exp ins(%c : memref<2x2xf32>) outs(%c : memref<2x2xf32>)
  return
}

// A batch of one sample: what is left to cut is the row.
// CHECK-LABEL: func.func private @one_row_kernel_0
// CHECK-SAME: (%[[BEGIN:[^:]+]]: index, %[[END:[^:]+]]: index
// CHECK: scf.for %{{.+}} = %[[BEGIN]] to %[[END]]
// CHECK-LABEL: func.func @one_row
// CHECK: rt.launch @one_row_kernel_0({{.*}}) extent(512) grain(100)
func.func @one_row() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer transient[0] : memref<1x512xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<1x512xf32>)
  return
}

// Rows are shared, columns vectorised: the other way round when memory lies so.
// CHECK-LABEL: func.func private @views_kernel_0
// CHECK-SAME: %[[A:[^:]+]]: memref<16x2x5xf32>
// CHECK: %[[V:.+]] = memref.collapse_shape %[[A]]
// CHECK: %[[FLAT:.+]] = memref.reinterpret_cast %[[V]]
// CHECK: vector.maskedload %[[FLAT]]
// CHECK-LABEL: func.func @views
func.func @views() {
  %a = rt.buffer batch[0] : memref<16x2x5xf32>
  %v = memref.collapse_shape %a [[0], [1, 2]] : memref<16x2x5xf32> into memref<16x10xf32>
  %b = rt.buffer transient[0] : memref<16x10xf32>
  linalg.exp ins(%v : memref<16x10xf32>) outs(%b : memref<16x10xf32>)
  return
}


// Six samples are a vector of eight with two lanes that are left alone.
// CHECK-LABEL: func.func private @odd_convolution_kernel_0
// CHECK: %[[MASK:.+]] = arith.cmpi slt, {{.*}} : vector<8xi32>
// CHECK: scf.for
// CHECK: vector.maskedload {{.*}}, %[[MASK]], %{{.+}} : {{.*}} into vector<8xf32>
// CHECK: vector.fma
// CHECK: vector.maskedstore {{.*}}, %[[MASK]], %{{.+}}
// CHECK-LABEL: func.func @odd_convolution
func.func @odd_convolution() {
  %x = rt.buffer transient[0] : memref<6x1x6x6xf32, strided<[1, 216, 36, 6]>>
  %w = rt.buffer parameter[0] : memref<6x1x3x3xf32>
  %y = rt.buffer transient[1152] : memref<6x6x4x4xf32, strided<[1, 96, 24, 6]>>
  rt.convolution forward
      ins(%x, %w : memref<6x1x6x6xf32, strided<[1, 216, 36, 6]>>, memref<6x1x3x3xf32>)
      outs(%y : memref<6x6x4x4xf32, strided<[1, 96, 24, 6]>>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// A convolution is a kernel of its own. Its sums start from the bias, stay in vectors of
// eight samples through all loops of the sum, and are stored once.
// CHECK-LABEL: func.func private @convolution_kernel_0
// CHECK-SAME: (%[[BEGIN:[^:]+]]: index, %[[END:[^:]+]]: index
// CHECK: scf.for %{{.+}} = %[[BEGIN]] to %[[END]]
// CHECK: vector.broadcast %{{.+}} : f32 to vector<8xf32>
// CHECK: %[[SUMS:.+]]:12 = scf.for
// CHECK: vector.load {{.*}} vector<8xf32>
// CHECK: vector.fma
// CHECK: vector.store %[[SUMS]]#0,
// CHECK-LABEL: func.func @convolution
// CHECK: rt.launch @convolution_kernel_0({{.*}}) extent(4)
func.func @convolution() {
  %x = rt.buffer transient[0] : memref<8x1x6x6xf32, strided<[1, 288, 48, 8]>>
  %w = rt.buffer parameter[0] : memref<6x1x3x3xf32>
  %b = rt.buffer parameter[256] : memref<6xf32>
  %y = rt.buffer transient[1152] : memref<8x6x4x4xf32, strided<[1, 128, 32, 8]>>
  rt.convolution forward
      ins(%x, %w : memref<8x1x6x6xf32, strided<[1, 288, 48, 8]>>, memref<6x1x3x3xf32>)
      bias(%b : memref<6xf32>) outs(%y : memref<8x6x4x4xf32, strided<[1, 128, 32, 8]>>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}

// Sums over samples are vectors until their end. Pixels in the padding are left out.
// CHECK-LABEL: func.func private @convolution_gradients_kernel_0
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: vector.reduction <add>
// CHECK-LABEL: func.func private @convolution_gradients_kernel_1
// Only every second pixel has a product at a tap.
// CHECK: arith.divsi
// CHECK: scf.if
// CHECK-LABEL: func.func @convolution_gradients
func.func @convolution_gradients() {
  %x = rt.buffer transient[0] : memref<8x1x6x6xf32, strided<[1, 288, 48, 8]>>
  %w = rt.buffer parameter[0] : memref<6x1x3x3xf32>
  %y = rt.buffer transient[1152] : memref<8x6x3x3xf32, strided<[1, 72, 24, 8]>>
  rt.convolution backward_weight
      ins(%y, %x : memref<8x6x3x3xf32, strided<[1, 72, 24, 8]>>,
                   memref<8x1x6x6xf32, strided<[1, 288, 48, 8]>>)
      outs(%w : memref<6x1x3x3xf32>)
      strides [2, 2] padding [1, 1, 0, 0] dilations [1, 1] groups 1
  rt.convolution backward_data
      ins(%y, %w : memref<8x6x3x3xf32, strided<[1, 72, 24, 8]>>, memref<6x1x3x3xf32>)
      outs(%x : memref<8x1x6x6xf32, strided<[1, 288, 48, 8]>>)
      strides [2, 2] padding [1, 1, 0, 0] dilations [1, 1] groups 1
  return
}
}
