// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-outline-device-kernels{tiling=never}))" > %t
// RUN: FileCheck %s --check-prefix=HOST < %t
// RUN: FileCheck %s < %t

#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#none = affine_map<(d0) -> ()>
#windows = affine_map<(d0, d1) -> (d0 * 2 + d1)>

// A program for CPUs is left alone.
// HOST-LABEL: train.program @cpu
// HOST: linalg.exp
// HOST-NOT: gpu.module
train.program @cpu batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2,fma", 2>} {
  func.func @other() {
    %a = rt.buffer batch[0] : memref<25x10xf32>
    %b = rt.buffer transient[0] : memref<25x10xf32>
    linalg.exp ins(%a : memref<25x10xf32>) outs(%b : memref<25x10xf32>)
    return
  }
}

// HOST-LABEL: train.program @p
// CHECK: gpu.module @kernels
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {

// Many elements: a thread computes four neighbours, 16 bytes. 64 * 512 / 4 threads are 64
// full blocks, so no thread asks whether it is one too many.
// HOST-LABEL: func.func @tiles
// HOST: rt.launch_grid @kernels::@tiles_kernel_0(%0, %1) blocks(64) threads(128) writes [false, true]
// HOST-NEXT: return
// CHECK-LABEL: gpu.func @tiles_kernel_0
// CHECK-SAME: %[[IN:[^:]+]]: memref<64x512xf32> {llvm.align = 16 : i64, llvm.noalias}
// CHECK-SAME: %[[OUT:[^:]+]]: memref<64x512xf32> {llvm.align = 16 : i64, llvm.noalias}
// CHECK-SAME: kernel attributes {known_block_size = array<i32: 128, 1, 1>}
// CHECK-DAG: %[[BLOCK:.+]] = gpu.block_id x
// CHECK-DAG: %[[THREAD:.+]] = gpu.thread_id x
// CHECK: %[[FIRST:.+]] = arith.muli %[[BLOCK]], %c128
// CHECK: arith.addi %[[FIRST]], %[[THREAD]]
// CHECK-NOT: scf.
// CHECK-COUNT-4: math.exp
// CHECK-NOT: math.exp
// CHECK-COUNT-4: memref.store
// CHECK-NOT: memref.store
// CHECK: gpu.return
func.func @tiles() {
  %a = rt.buffer batch[0] : memref<64x512xf32>
  %b = rt.buffer transient[0] : memref<64x512xf32>
  linalg.exp ins(%a : memref<64x512xf32>) outs(%b : memref<64x512xf32>)
  return
}

// What a collective exchanges is announced after the last kernel that touches it, which
// may hold ops that came later; after the last one there is nothing to overlap with.
// HOST-LABEL: func.func @announces
// HOST: rt.launch_grid @kernels::@announces_kernel_0(%0, %1, %4, %2)
// HOST-NEXT: rt.gradients_ready index(0) (%1 : memref<512x512xf32>)
// HOST-NEXT: rt.gradients_ready index(1) (%2 : memref<512x512xf32>)
// HOST-NEXT: rt.launch_grid @kernels::@announces_kernel_1(%4, %3)
// HOST-NEXT: return
func.func @announces() {
  %a = rt.buffer batch[0] : memref<512x512xf32>
  %g = rt.buffer gradient[0] : memref<512x512xf32>
  %h = rt.buffer gradient[1048576] : memref<512x512xf32>
  %i = rt.buffer gradient[2097152] : memref<512x512xf32>
  %t = rt.buffer transient[0] : memref<512x512xf32>
  linalg.exp ins(%a : memref<512x512xf32>) outs(%g : memref<512x512xf32>)
  rt.gradients_ready index(0) (%g : memref<512x512xf32>)
  linalg.exp ins(%a : memref<512x512xf32>) outs(%t : memref<512x512xf32>)
  linalg.generic {indexing_maps = [#all, #swapped, #all], iterator_types = ["parallel", "parallel"]}
      ins(%t, %t : memref<512x512xf32>, memref<512x512xf32>) outs(%i : memref<512x512xf32>) {
    ^bb0(%one: f32, %other: f32, %out: f32):
      %sum = arith.addf %one, %other : f32
      linalg.yield %sum : f32
  }
  linalg.exp ins(%a : memref<512x512xf32>) outs(%h : memref<512x512xf32>)
  rt.gradients_ready index(1) (%h : memref<512x512xf32>)
  rt.gradients_ready index(2) (%i : memref<512x512xf32>)
  return
}

// The host exchanges between launches: launches before stay before, and those after
// do not come earlier, though they need nothing of it.
// HOST-LABEL: func.func @exchanges
// HOST: rt.launch_grid @kernels::@exchanges_kernel_0
// HOST-NEXT: rt.collective
// HOST-NEXT: rt.launch_grid @kernels::@exchanges_kernel_0
func.func @exchanges() {
  %a = rt.buffer gradient[0] : memref<16xf32>
  %b = rt.buffer state[0] : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%a : memref<16xf32>)
  rt.collective all_reduce index(0) over all parameters [] groups [0] outs(%a : memref<16xf32>)
  linalg.exp ins(%b : memref<16xf32>) outs(%b : memref<16xf32>)
  return
}

// Few elements: a thread computes one, some threads of the last block none. The alignment
// says no more than that the size is a multiple of it.
// HOST-LABEL: func.func @few
// HOST: rt.launch_grid @kernels::@few_kernel_0(%0, %1) blocks(2) threads(128) writes [false, true]
// CHECK-LABEL: gpu.func @few_kernel_0
// CHECK-SAME: memref<25x10xf32> {llvm.align = 8 : i64, llvm.noalias}
// CHECK: %[[ITEM:.+]] = arith.addi
// CHECK: %[[ITEMS:.+]] = arith.constant 250 : index
// CHECK: %[[IS:.+]] = arith.cmpi ult, %[[ITEM]], %[[ITEMS]]
// CHECK: scf.if %[[IS]]
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
// CHECK: gpu.return
func.func @few() {
  %a = rt.buffer batch[0] : memref<25x10xf32>
  %b = rt.buffer transient[0] : memref<25x10xf32>
  linalg.exp ins(%a : memref<25x10xf32>) outs(%b : memref<25x10xf32>)
  return
}

// Rows of 100 terms: a warp for each, whose lanes take every 32nd term from the neutral
// element on and combine what they have; lane 0 adds what the output held.
// HOST-LABEL: func.func @warp
// HOST: rt.launch_grid @kernels::@warp_kernel_0(%0, %1) blocks(3) threads(128) writes [false, true]
// CHECK-LABEL: gpu.func @warp_kernel_0
// CHECK-NOT: workgroup(
// CHECK: %[[LANE:.+]] = arith.remui %{{.*}}, %c32
// CHECK: %[[NEUTRAL:.+]] = arith.constant 0xFF800000 : f32
// CHECK: %[[TERMS:.+]] = arith.constant 100 : index
// CHECK: %[[STEP:.+]] = arith.constant 32 : index
// CHECK: %[[PART:.+]] = scf.for %{{.*}} = %[[LANE]] to %[[TERMS]] step %[[STEP]] iter_args(%{{.*}} = %[[NEUTRAL]])
// CHECK: arith.constant 16 : i32
// CHECK: %[[OTHER:.+]], %{{.*}} = gpu.shuffle xor %[[PART]]
// CHECK: arith.maximumf %[[PART]], %[[OTHER]]
// CHECK-COUNT-4: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: %[[SUM:.+]] = arith.maximumf
// CHECK: %[[IS:.+]] = arith.cmpi eq, %[[LANE]], %c0
// CHECK: scf.if %[[IS]]
// CHECK: %[[START:.+]] = memref.load
// CHECK: %[[RESULT:.+]] = arith.maximumf %[[START]], %[[SUM]]
// CHECK: memref.store %[[RESULT]]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @warp() {
  %a = rt.buffer batch[0] : memref<10x100xf32>
  %s = rt.buffer transient[0] : memref<10xf32>
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<10x100xf32>) outs(%s : memref<10xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.maximumf %out, %in : f32
    linalg.yield %v : f32
  }
  return
}

// One sum of many terms: a block, whose four warps meet in shared memory after a barrier
// that all threads reach.
// HOST-LABEL: func.func @block
// HOST: rt.launch_grid @kernels::@block_kernel_0(%0, %1) blocks(1) threads(128) writes [false, true]
// CHECK-LABEL: gpu.func @block_kernel_0
// CHECK-SAME: workgroup(%[[SHARED:[^:]+]] : memref<4xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK: %[[THREAD:.+]] = gpu.thread_id x
// CHECK: scf.for %{{.*}} = %[[THREAD]] to %c8192{{.*}} step %c128
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: %[[PART:.+]] = arith.addf
// CHECK: %[[WARP:.+]] = arith.divui %[[THREAD]], %c32
// CHECK: scf.if
// CHECK-NEXT: memref.store %[[PART]], %[[SHARED]][%[[WARP]]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-4: memref.load %[[SHARED]]
// CHECK: scf.if
// CHECK: %[[START:.+]] = memref.load
// CHECK: arith.addf %[[START]]
// CHECK: memref.store
// CHECK: gpu.return
func.func @block() {
  %a = rt.buffer batch[0] : memref<8192xf32>
  %s = rt.buffer transient[0] : memref<f32>
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
      ins(%a : memref<8192xf32>) outs(%s : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}

// A sum that does not say that any order will do keeps its own.
// HOST-LABEL: func.func @ordered
// CHECK-LABEL: gpu.func @ordered_kernel_0
// CHECK-NOT: gpu.shuffle
// CHECK: arith.addf
// CHECK: gpu.return
func.func @ordered() {
  %a = rt.buffer batch[0] : memref<8192xf32>
  %s = rt.buffer transient[0] : memref<f32>
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
      ins(%a : memref<8192xf32>) outs(%s : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  }
  return
}

// What one op does to the output is not a sum of partial sums: one thread takes all terms in order.
// HOST-LABEL: func.func @serial
// HOST: rt.launch_grid @kernels::@serial_kernel_0(%0, %1) blocks(1) threads(128) writes [false, true]
// CHECK-LABEL: gpu.func @serial_kernel_0
// CHECK: scf.if
// CHECK: %[[START:.+]] = memref.load
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c8192{{.*}} step %c1{{.*}} iter_args(%{{.*}} = %[[START]])
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.return
func.func @serial() {
  %half = arith.constant 0.5 : f32
  %a = rt.buffer batch[0] : memref<8192xf32>
  %s = rt.buffer transient[0] : memref<f32>
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
      ins(%a : memref<8192xf32>) outs(%s : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %h = arith.mulf %out, %half : f32
    %v = arith.addf %h, %in : f32
    linalg.yield %v : f32
  }
  return
}

// Lanes exchange 32 bits at a time: a sum of i64 stays with one thread.
// HOST-LABEL: func.func @long
// CHECK-LABEL: gpu.func @long_kernel_0
// CHECK-NOT: gpu.shuffle
// CHECK: arith.addi %{{.*}} : i64
// CHECK: gpu.return
func.func @long() {
  %a = rt.buffer batch[0] : memref<8192xi64>
  %s = rt.buffer transient[0] : memref<i64>
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
      ins(%a : memref<8192xi64>) outs(%s : memref<i64>) {
  ^bb0(%in: i64, %out: i64):
    %v = arith.addi %out, %in : i64
    linalg.yield %v : i64
  }
  return
}

// Five windows of three places, two apart, add to eleven elements. A thread has an element
// and asks of each place which window it makes the element belong to.
// HOST-LABEL: func.func @windows
// HOST: rt.launch_grid @kernels::@windows_kernel_0(%0, %1, %2) blocks(1) threads(128) writes [false, false, true]
// CHECK-LABEL: gpu.func @windows_kernel_0
// CHECK: %[[ELEMENT:.+]] = arith.addi
// CHECK: arith.cmpi ult, %[[ELEMENT]], %c11
// CHECK: scf.for %[[PLACE:[^ ]+]] = %c0{{.*}} to %c3
// CHECK: %[[MINUS:.+]] = arith.muli %[[PLACE]], %c-1
// CHECK: %[[OFFSET:.+]] = arith.addi %[[MINUS]], %[[ELEMENT]]
// CHECK: %[[IN:.+]] = arith.cmpi ult, %[[OFFSET]], %c10
// CHECK: %[[WINDOW:.+]] = arith.divui %[[OFFSET]], %c2
// CHECK: %[[REST:.+]] = arith.remui %[[OFFSET]], %c2
// CHECK: %[[EXACT:.+]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: %[[TERM:.+]] = arith.andi %[[IN]], %[[EXACT]]
// CHECK: scf.if %[[TERM]]
// CHECK: memref.load %{{.*}}[%[[WINDOW]]]
// CHECK: memref.store %{{.*}}[%[[ELEMENT]]]
// CHECK: gpu.return
func.func @windows() {
  %a = rt.buffer batch[0] : memref<5xf32>
  %k = rt.buffer parameter[0] : memref<3xf32>
  %s = rt.buffer transient[0] : memref<11xf32>
  linalg.generic {indexing_maps = [#row, #column, #windows], iterator_types = ["reduction", "reduction"]}
      ins(%a, %k : memref<5xf32>, memref<3xf32>) outs(%s : memref<11xf32>) {
  ^bb0(%in: f32, %place: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  }
  return
}

// The gradient of an image from windows two apart, with padding: a pixel's terms are those
// places of the kernel that lead to a pixel of the result. 4 * 3 * 7 * 7 threads.
// HOST-LABEL: func.func @convolution
// HOST: rt.launch_grid @kernels::@convolution_kernel_0(%0, %1, %2) blocks(5) threads(128) writes [false, false, true]
// CHECK-LABEL: gpu.func @convolution_kernel_0
// CHECK: arith.cmpi ult, %{{.*}}, %c588
// CHECK: scf.for
// CHECK: scf.for %[[Y:[^ ]+]] = %c0{{.*}} to %c3
// CHECK: scf.for %[[X:[^ ]+]] = %c0{{.*}} to %c3
// CHECK: arith.muli %[[Y]], %c-1
// CHECK: arith.cmpi ult, %{{.*}}, %c8
// CHECK: %[[ROW:.+]] = arith.divui %{{.*}}, %c2
// CHECK: %[[HAS_ROW:.+]] = arith.andi
// CHECK: arith.muli %[[X]], %c-1
// CHECK: %[[IN_COLUMNS:.+]] = arith.cmpi ult, %{{.*}}, %c8
// CHECK: %[[IN_BOTH:.+]] = arith.andi %[[HAS_ROW]], %[[IN_COLUMNS]]
// CHECK: %[[COLUMN:.+]] = arith.divui %{{.*}}, %c2
// CHECK: %[[EXACT_COLUMN:.+]] = arith.cmpi eq
// CHECK: %[[IS:.+]] = arith.andi %[[IN_BOTH]], %[[EXACT_COLUMN]]
// CHECK: scf.if %[[IS]]
// CHECK: arith.muli %[[ROW]], %c4
// CHECK: arith.addi %{{.*}}, %[[COLUMN]]
// CHECK: math.fma
// CHECK: gpu.return
func.func @convolution() {
  %dy = rt.buffer transient[0] : memref<4x2x4x4xf32>
  %w = rt.buffer parameter[0] : memref<2x3x3x3xf32>
  %dx = rt.buffer transient[4096] : memref<4x3x7x7xf32>
  rt.convolution backward_data ins(%dy, %w : memref<4x2x4x4xf32>, memref<2x3x3x3xf32>)
      outs(%dx : memref<4x3x7x7xf32>)
      strides [2, 2] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// A product large enough for tiles: a thread computes four sums along rows, which share
// what they load of the weights; neighbouring threads write neighbours. They start at the
// bias.
// HOST-LABEL: func.func @matmul
// HOST: rt.launch_grid @kernels::@matmul_kernel_0(%0, %1, %2, %3) blocks(128) threads(128) writes [false, false, false, true]
// CHECK-LABEL: gpu.func @matmul_kernel_0
// CHECK-COUNT-4: memref.load {{.*}} : memref<256xf32>
// CHECK: scf.for {{.*}} -> (f32, f32, f32, f32)
// CHECK-NOT: scf.if
// CHECK-COUNT-4: math.fma
// CHECK-NOT: math.fma
// CHECK-COUNT-4: memref.store
// CHECK: gpu.return
func.func @matmul() {
  %a = rt.buffer batch[0] : memref<256x32xf32>
  %w = rt.buffer parameter[0] : memref<32x256xf32>
  %b = rt.buffer parameter[32768] : memref<256xf32>
  %c = rt.buffer transient[0] : memref<256x256xf32>
  rt.matmul ins(%a, %w : memref<256x32xf32>, memref<32x256xf32>) bias(%b : memref<256xf32>)
      outs(%c : memref<256x256xf32>)
  return
}

// Where both operands have their terms side by side, a warp reads along them: 16 sums of 4
// rows and 4 columns for each, whose parts the lanes put together.
// HOST-LABEL: func.func @transposed
// HOST: rt.launch_grid @kernels::@transposed_kernel_0(%0, %1, %2) blocks(1024) threads(128) writes [false, false, true]
// CHECK-LABEL: gpu.func @transposed_kernel_0
// CHECK: scf.for {{.*}} step %c32
// CHECK-COUNT-16: math.fma
// CHECK-NOT: math.fma
// CHECK-COUNT-80: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-COUNT-16: memref.store
// CHECK: gpu.return
func.func @transposed() {
  %a = rt.buffer batch[0] : memref<256x64xf32>
  %w = rt.buffer parameter[0] : memref<256x64xf32>
  %c = rt.buffer transient[0] : memref<256x256xf32>
  rt.matmul ins(%a, transposed %w : memref<256x64xf32>, memref<256x64xf32>) outs(%c : memref<256x256xf32>)
  return
}

// HOST-LABEL: func.func @gather
// HOST: rt.launch_grid @kernels::@gather_kernel_0(%0, %1, %2) blocks(2) threads(128) writes [false, false, true]
// CHECK-LABEL: gpu.func @gather_kernel_0
// CHECK: arith.cmpi ult, %{{.*}}, %c168
// CHECK: %[[NUMBER:.+]] = memref.load {{.*}} : memref<28xi32>
// CHECK: %[[ROW:.+]] = arith.index_cast %[[NUMBER]]
// CHECK: arith.muli %[[ROW]], %c6
// CHECK: memref.load {{.*}} : memref<60xf32>
// CHECK: memref.store {{.*}} : memref<168xf32>
func.func @gather() {
  %t = rt.buffer parameter[0] : memref<10x6xf32>
  %i = rt.buffer batch[0] : memref<4x7xi32>
  %y = rt.buffer transient[0] : memref<4x7x6xf32>
  rt.gather ins(%t, %i : memref<10x6xf32>, memref<4x7xi32>) outs(%y : memref<4x7x6xf32>)
  return
}

// No atomics: a thread for each element of the table looks for its terms in order, and
// starts at zero.
// HOST-LABEL: func.func @scatter
// HOST: rt.launch_grid @kernels::@scatter_kernel_0(%0, %1, %2) blocks(1) threads(128) writes [false, false, true]
// CHECK-LABEL: gpu.func @scatter_kernel_0
// CHECK: arith.cmpi ult, %{{.*}}, %c60
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: scf.for %[[PLACE:[^ ]+]] = %c0{{.*}} to %c28{{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK: memref.load %{{.*}}[%[[PLACE]]] : memref<28xi32>
// CHECK: %[[MINE:.+]] = arith.cmpi eq
// CHECK: scf.if %[[MINE]]
// CHECK: arith.addf
// CHECK: memref.store {{.*}} : memref<60xf32>
// CHECK-NOT: atomic
// CHECK: gpu.return
func.func @scatter() {
  %dy = rt.buffer transient[0] : memref<4x7x6xf32>
  %i = rt.buffer batch[0] : memref<4x7xi32>
  %dt = rt.buffer gradient[0] : memref<10x6xf32>
  rt.scatter_add ins(%dy, %i : memref<4x7x6xf32>, memref<4x7xi32>) outs(%dt : memref<10x6xf32>)
  return
}

// Neither writes what the other touches: one kernel, in which each has blocks of its own.
// A copy is a loop like others; what both read is one argument.
// HOST-LABEL: func.func @independent
// HOST: rt.launch_grid @kernels::@independent_kernel_0(%0, %1, %2) blocks(6) threads(128) writes [false, true, true]
// HOST-NEXT: return
// CHECK-LABEL: gpu.func @independent_kernel_0
// CHECK: %[[BLOCK:.+]] = gpu.block_id x
// CHECK: %[[LIMIT:.+]] = arith.constant 3 : index
// CHECK: %[[FIRST:.+]] = arith.cmpi ult, %[[BLOCK]], %[[LIMIT]]
// CHECK: scf.if %[[FIRST]]
// CHECK: math.exp
// CHECK: } else {
// CHECK: arith.subi %[[BLOCK]], %[[LIMIT]]
// CHECK-NOT: math.exp
// CHECK: memref.store
// CHECK: gpu.return
func.func @independent() {
  %a = rt.buffer batch[0] : memref<300xf32>
  %b = rt.buffer transient[0] : memref<300xf32>
  %c = rt.buffer transient[1216] : memref<300xf32>
  linalg.exp ins(%a : memref<300xf32>) outs(%b : memref<300xf32>)
  memref.copy %a, %c : memref<300xf32> to memref<300xf32>
  return
}

// The second reads of what the first wrote only what its own thread did: one nest. What
// the threads keep to themselves is promised not to be shared.
// HOST-LABEL: func.func @same_thread
// HOST: rt.launch_grid @kernels::@same_thread_kernel_0(%0, %1, %2) blocks(3) threads(128) writes [false, true, true]
// HOST-NEXT: return
// CHECK-LABEL: gpu.func @same_thread_kernel_0
// CHECK-COUNT-3: llvm.noalias
// CHECK: scf.if
// CHECK: math.exp
// CHECK: memref.store
// CHECK-NOT: scf.if
// CHECK: math.exp
// CHECK: memref.store
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @same_thread() {
  %a = rt.buffer batch[0] : memref<300xf32>
  %b = rt.buffer transient[0] : memref<300xf32>
  %c = rt.buffer transient[1216] : memref<300xf32>
  linalg.exp ins(%a : memref<300xf32>) outs(%b : memref<300xf32>)
  linalg.exp ins(%b : memref<300xf32>) outs(%c : memref<300xf32>)
  return
}

// A fill, the reduction that starts from it and the op after it: the reduction leads, and
// lane 0 does the rest.
// HOST-LABEL: func.func @around_reduction
// HOST: rt.launch_grid @kernels::@around_reduction_kernel_0(%1, %0, %2) blocks(3)
// HOST-NEXT: return
// CHECK-LABEL: gpu.func @around_reduction_kernel_0
// CHECK: gpu.shuffle xor
// CHECK: scf.if
// CHECK: memref.store %cst
// CHECK: arith.addf
// CHECK: memref.store
// CHECK: math.exp
// CHECK: memref.store
// CHECK: gpu.return
func.func @around_reduction() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer batch[0] : memref<10x100xf32>
  %s = rt.buffer transient[0] : memref<10xf32>
  %e = rt.buffer transient[64] : memref<10xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<10xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<10x100xf32>) outs(%s : memref<10xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  linalg.exp ins(%s : memref<10xf32>) outs(%e : memref<10xf32>)
  return
}

// Other threads read what was written: small ops run one after the other in one block, in
// as many rounds as they would have blocks, with a barrier in between. What they exchange
// is not promised to be a thread's own.
// HOST-LABEL: func.func @chain
// HOST: rt.launch_grid @kernels::@chain_kernel_0(%0, %1, %2) blocks(1) threads(128) writes [false, true, true]
// HOST-NEXT: return
// CHECK-LABEL: gpu.func @chain_kernel_0
// CHECK-SAME: %{{[^:]+}}: memref<10x30xf32> {llvm.align = 16 : i64, llvm.noalias}
// CHECK-SAME: %{{[^:]+}}: memref<10x30xf32> {llvm.align = 16 : i64}
// CHECK-SAME: %{{[^:]+}}: memref<10xf32> {llvm.align = 8 : i64}
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c3
// CHECK: math.exp
// CHECK: gpu.barrier
// CHECK: arith.addf
// CHECK: gpu.return
func.func @chain() {
  %a = rt.buffer batch[0] : memref<10x30xf32>
  %b = rt.buffer transient[0] : memref<10x30xf32>
  %s = rt.buffer transient[1216] : memref<10xf32>
  linalg.exp ins(%a : memref<10x30xf32>) outs(%b : memref<10x30xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%b : memref<10x30xf32>) outs(%s : memref<10xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  }
  return
}

// The same of large ops: two kernels, since blocks run in any order.
// HOST-LABEL: func.func @dependent
// HOST: rt.launch_grid @kernels::@dependent_kernel_0(%0, %1) blocks(63)
// HOST: rt.launch_grid @kernels::@dependent_kernel_1(%1, %2) blocks(20)
// CHECK-LABEL: gpu.func @dependent_kernel_0
// CHECK-LABEL: gpu.func @dependent_kernel_1
func.func @dependent() {
  %a = rt.buffer batch[0] : memref<80x400xf32>
  %b = rt.buffer transient[0] : memref<80x400xf32>
  %s = rt.buffer transient[128000] : memref<80xf32>
  linalg.exp ins(%a : memref<80x400xf32>) outs(%b : memref<80x400xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%b : memref<80x400xf32>) outs(%s : memref<80xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}

// Nothing that both name, but the same memory: the second writes what the first reads.
// HOST-LABEL: func.func @reused
// HOST-COUNT-2: rt.launch_grid
func.func @reused() {
  %a = rt.buffer transient[0] : memref<300xf32>
  %b = rt.buffer transient[1216] : memref<300xf32>
  %c = rt.buffer batch[0] : memref<100xf32>
  %d = rt.buffer transient[64] : memref<100xf32>
  linalg.exp ins(%a : memref<300xf32>) outs(%b : memref<300xf32>)
  linalg.exp ins(%c : memref<100xf32>) outs(%d : memref<100xf32>)
  return
}

// A fill is the runtime's: kernels before it are launched before it.
// HOST-LABEL: func.func @fill
// HOST: rt.launch_grid @kernels::@reused_kernel_0(%0, %1)
// HOST: rt.fill
// HOST: rt.launch_grid @kernels::@reused_kernel_0(%0, %2)
func.func @fill() {
  %a = rt.buffer state[0] : memref<300xf32>
  %b = rt.buffer state[1216] : memref<300xf32>
  %c = rt.buffer state[2432] : memref<300xf32>
  %w = rt.buffer parameter[0] : memref<5x3xf32>
  %seed = rt.buffer control[64] : memref<i64>
  linalg.exp ins(%a : memref<300xf32>) outs(%b : memref<300xf32>)
  rt.fill "w" <uniform, -0.5, 0.5> seed(%seed : memref<i64>) outs(%w : memref<5x3xf32>)
  linalg.exp ins(%a : memref<300xf32>) outs(%c : memref<300xf32>)
  return
}

// A view is read through its strides, of the buffer itself.
// HOST-LABEL: func.func @view
// HOST: rt.launch_grid @kernels::@view_kernel_0(%0, %1) blocks(1) {{.*}} : memref<4x10xf32>, memref<4x2xf32>
// CHECK-LABEL: gpu.func @view_kernel_0
// CHECK: memref.load {{.*}} : memref<35xf32>
func.func @view() {
  %a = rt.buffer transient[0] : memref<4x10xf32>
  %b = rt.buffer transient[192] : memref<4x2xf32>
  %part = memref.subview %a[0, 3] [4, 2] [1, 1] : memref<4x10xf32> to memref<4x2xf32, strided<[10, 1], offset: 3>>
  linalg.exp ins(%part : memref<4x2xf32, strided<[10, 1], offset: 3>>) outs(%b : memref<4x2xf32>)
  return
}

// A library call stays, a launch of its own: what came before is launched before, and
// what needs it after. Its fallback is a kernel of the product alone, without the scratch
// memory. What lies in that memory at another time waits for the call.
// HOST-LABEL: func.func @library
// HOST: rt.launch_grid @kernels::@library_kernel_0(%0, %1) blocks({{[0-9]+}}) threads(128) writes [false, true] :
// HOST-NEXT: rt.matmul ins(%1, %2 : memref<20x30xf32>, memref<30x40xf32>) outs(%3 : memref<20x40xf32>) scratch(%4 : memref<4096xi8>)
// HOST-NEXT: rt.launch_grid @kernels::@library_kernel_1(%1, %2, %3) blocks({{[0-9]+}}) threads(128) writes [false, false, true] fallback :
// HOST-NEXT: rt.launch_grid @kernels::@library_kernel_2(
// HOST-NEXT: return
// CHECK-LABEL: gpu.func @library_kernel_0
// CHECK: math.exp
// CHECK-LABEL: gpu.func @library_kernel_1
// CHECK-NOT: math.exp
// CHECK: math.fma
// CHECK-LABEL: gpu.func @library_kernel_2
// CHECK: math.exp
func.func @library() {
  %x = rt.buffer batch[0] : memref<20x30xf32>
  %a = rt.buffer transient[0] : memref<20x30xf32>
  %b = rt.buffer parameter[0] : memref<30x40xf32>
  %c = rt.buffer transient[2432] : memref<20x40xf32>
  %s = rt.buffer transient[5632] : memref<4096xi8>
  %d = rt.buffer transient[5632] : memref<20x30xf32>
  linalg.exp ins(%x : memref<20x30xf32>) outs(%a : memref<20x30xf32>)
  rt.matmul ins(%a, %b : memref<20x30xf32>, memref<30x40xf32>) outs(%c : memref<20x40xf32>)
      scratch(%s : memref<4096xi8>)
  linalg.exp ins(%c : memref<20x40xf32>) outs(%c : memref<20x40xf32>)
  linalg.exp ins(%x : memref<20x30xf32>) outs(%d : memref<20x30xf32>)
  return
}
// So does a convolution that a library computes.
// HOST-LABEL: func.func @library_convolution
// HOST: rt.convolution forward ins(%0, %1 : {{.*}}) bias(%2 : memref<6xf32>) outs(%3 : memref<2x6x3x3xf32>) scratch(%4 : memref<4096xi8>) strides
// HOST-NEXT: rt.launch_grid @kernels::@library_convolution_kernel_0(%0, %1, %2, %3) blocks({{[0-9]+}}) threads(128) writes [false, false, false, true] fallback :
// HOST-NEXT: return
// CHECK-LABEL: gpu.func @library_convolution_kernel_0
// CHECK: math.fma
func.func @library_convolution() {
  %x = rt.buffer batch[0] : memref<2x1x5x5xf32>
  %w = rt.buffer parameter[0] : memref<6x1x3x3xf32>
  %b = rt.buffer parameter[256] : memref<6xf32>
  %y = rt.buffer transient[0] : memref<2x6x3x3xf32>
  %s = rt.buffer transient[512] : memref<4096xi8>
  rt.convolution forward ins(%x, %w : memref<2x1x5x5xf32>, memref<6x1x3x3xf32>)
      bias(%b : memref<6xf32>) outs(%y : memref<2x6x3x3xf32>) scratch(%s : memref<4096xi8>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}
}
