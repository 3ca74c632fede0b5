// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-outline-device-kernels{tiling=never}))" > %t
// RUN: FileCheck %s --check-prefix=HOST < %t
// RUN: FileCheck %s < %t

#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#none = affine_map<(d0) -> ()>
#scalar = affine_map<(d0, d1) -> ()>

// Units of a kernel that share code, and those that do not.

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {
// Ops that do the same to each element share code, whatever their sizes: the number of the block says
// whose buffers they take, and which of its blocks it is.
// HOST-LABEL: func.func @equal
// HOST: rt.launch_grid @kernels::@equal_kernel_0({{.*}}) blocks(192) threads(128)
// HOST-NEXT: return
// CHECK-LABEL: gpu.func @equal_kernel_0
// CHECK-SAME: %[[A:[^:]+]]: memref<64x512xf32> {{[^,]*}}, llvm.noalias}, %[[A2:[^:]+]]: memref<64x512xf32>
// CHECK: %[[BLOCK:.+]] = gpu.block_id x
// CHECK: memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%{{.*}}], strides: [1] : memref<64x512xf32> to memref<?xf32>
// CHECK: arith.cmpi ult, %[[BLOCK]], %c64
// CHECK-NEXT: %[[CHOSEN:.+]]:3 = scf.if {{.*}} -> (index, memref<?xf32>, memref<?xf32>)
// CHECK-NEXT: scf.yield %c0, %{{.*}}, %{{.*}} : index, memref<?xf32>, memref<?xf32>
// CHECK: arith.cmpi ult, %[[BLOCK]], %c128
// CHECK: %[[OWN:.+]] = arith.subi %[[BLOCK]], %[[CHOSEN]]#0
// CHECK-NEXT: %[[FROM:.+]] = memref.assume_alignment %[[CHOSEN]]#1, 16
// CHECK-NEXT: %[[TO:.+]] = memref.assume_alignment %[[CHOSEN]]#2, 16
// CHECK: arith.muli %[[OWN]], %c128
// CHECK-NOT: scf.if
// CHECK-COUNT-4: memref.load %[[FROM]]
// CHECK-COUNT-4: memref.store %{{.*}}, %[[TO]]
// CHECK-NEXT: gpu.return
func.func @equal() {
  %a0 = rt.buffer batch[0] : memref<64x512xf32>
  %b0 = rt.buffer transient[0] : memref<64x512xf32>
  %a1 = rt.buffer batch[131072] : memref<64x512xf32>
  %b1 = rt.buffer transient[131072] : memref<64x512xf32>
  %a2 = rt.buffer batch[262144] : memref<256x16x8xf32>
  %b2 = rt.buffer transient[262144] : memref<256x16x8xf32>
  linalg.exp ins(%a0 : memref<64x512xf32>) outs(%b0 : memref<64x512xf32>)
  linalg.exp ins(%a1 : memref<64x512xf32>) outs(%b1 : memref<64x512xf32>)
  linalg.exp ins(%a2 : memref<256x16x8xf32>) outs(%b2 : memref<256x16x8xf32>)
  return
}

// Where some end within a block, the number of elements is chosen, too. What all take is not.
// HOST-LABEL: func.func @equal_rests
// HOST: rt.launch_grid @kernels::@equal_rests_kernel_0({{.*}}) blocks(3) threads(128)
// HOST-NEXT: return
// CHECK-LABEL: gpu.func @equal_rests_kernel_0
// CHECK-SAME: %[[SCALE:[^:]+]]: memref<f32>
// CHECK: %[[CHOSEN:.+]]:3 = scf.if {{.*}} -> (index, index, memref<?xf32>)
// CHECK-NEXT: scf.yield %c0, %c50, %{{.*}} : index, index, memref<?xf32>
// CHECK: scf.yield %c1{{.*}}, %c200, %{{.*}} : index, index, memref<?xf32>
// CHECK: memref.assume_alignment %[[CHOSEN]]#2, 8
// CHECK: %[[ITEM:.+]] = arith.addi
// CHECK: arith.cmpi ult, %[[ITEM]], %[[CHOSEN]]#1
// CHECK-NEXT: scf.if
// CHECK: memref.reinterpret_cast %[[SCALE]]
// CHECK: arith.mulf
// CHECK: gpu.return
func.func @equal_rests() {
  %s = rt.buffer state[0] : memref<f32>
  %a = rt.buffer transient[0] : memref<5x10xf32>
  %b = rt.buffer transient[256] : memref<200xf32>
  linalg.generic {indexing_maps = [#scalar, #all], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<f32>) outs(%a : memref<5x10xf32>) {
    ^bb0(%scale: f32, %out: f32):
      %product = arith.mulf %scale, %out : f32
      linalg.yield %product : f32
  }
  linalg.generic {indexing_maps = [#none, #id], iterator_types = ["parallel"]}
      ins(%s : memref<f32>) outs(%b : memref<200xf32>) {
    ^bb0(%scale: f32, %out: f32):
      %product = arith.mulf %scale, %out : f32
      linalg.yield %product : f32
  }
  return
}

// What needs its indices, or goes through elements in two orders, has code for each shape.
// HOST-LABEL: func.func @not_flat
// HOST: rt.launch_grid @kernels::@not_flat_kernel_0({{.*}}) blocks(4) threads(128)
// HOST-NEXT: return
// CHECK-LABEL: gpu.func @not_flat_kernel_0
// CHECK-NOT: memref<?x
// CHECK-COUNT-2: arith.index_cast
// CHECK: gpu.return
func.func @not_flat() {
  %a = rt.buffer transient[0] : memref<5x10xi32>
  %b = rt.buffer transient[256] : memref<6x10xi32>
  %c = rt.buffer transient[512] : memref<10x10xf32>
  %d = rt.buffer transient[1024] : memref<10x10xf32>
  %e = rt.buffer transient[1536] : memref<9x9xf32>
  %f = rt.buffer transient[2048] : memref<9x9xf32>
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
      outs(%a : memref<5x10xi32>) {
    ^bb0(%out: i32):
      %row = linalg.index 0 : index
      %value = arith.index_cast %row : index to i32
      linalg.yield %value : i32
  }
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
      outs(%b : memref<6x10xi32>) {
    ^bb0(%out: i32):
      %row = linalg.index 0 : index
      %value = arith.index_cast %row : index to i32
      linalg.yield %value : i32
  }
  linalg.generic {indexing_maps = [#swapped, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<10x10xf32>) outs(%d : memref<10x10xf32>) {
    ^bb0(%one: f32, %out: f32):
      linalg.yield %one : f32
  }
  linalg.generic {indexing_maps = [#swapped, #all], iterator_types = ["parallel", "parallel"]}
      ins(%e : memref<9x9xf32>) outs(%f : memref<9x9xf32>) {
    ^bb0(%one: f32, %out: f32):
      linalg.yield %one : f32
  }
  return
}

// Other units may read what equal ones do.
// CHECK-LABEL: gpu.func @equal_and_other_kernel_0
// CHECK-SAME: %[[A:[^:]+]]: memref<64x512xf32>
// CHECK: scf.if
// CHECK: %[[CHOSEN:.+]]:3 = scf.if
// CHECK: %[[FROM:.+]] = memref.assume_alignment %[[CHOSEN]]#1
// CHECK-COUNT-4: memref.load %[[FROM]]
// CHECK: else
// CHECK: memref.reinterpret_cast %[[A]]
// CHECK: math.log
// CHECK: gpu.return
func.func @equal_and_other() {
  %a0 = rt.buffer batch[0] : memref<64x512xf32>
  %b0 = rt.buffer transient[0] : memref<64x512xf32>
  %a1 = rt.buffer batch[131072] : memref<64x512xf32>
  %b1 = rt.buffer transient[131072] : memref<64x512xf32>
  %c0 = rt.buffer transient[262144] : memref<64x512xf32>
  linalg.exp ins(%a0 : memref<64x512xf32>) outs(%b0 : memref<64x512xf32>)
  linalg.exp ins(%a1 : memref<64x512xf32>) outs(%b1 : memref<64x512xf32>)
  linalg.log ins(%a0 : memref<64x512xf32>) outs(%c0 : memref<64x512xf32>)
  return
}

// Inversions run side by side. Those of one size share code, however many blocks each of them has.
// HOST-LABEL: func.func @inversions
// HOST: rt.launch_grid @kernels::@inversions_kernel_0({{.*}}) blocks(10) threads(128)
// HOST-NEXT: return
// What threads of a block read of each other may change at a barrier: inverses may alias.
// CHECK-LABEL: gpu.func @inversions_kernel_0
// CHECK-SAME: %arg0: memref<2x64x64xf32> {llvm.align = {{[0-9]+}} : i64, llvm.noalias}
// CHECK-SAME: memref<2x64x64xf32> {llvm.align = {{[0-9]+}} : i64}
// CHECK: %[[BLOCK:.+]] = gpu.block_id x
// CHECK: arith.cmpi ult, %[[BLOCK]], %c7
// CHECK: %[[CHOSEN:.+]]:5 = scf.if {{.*}} -> (index, memref<?x64x64xf32>, memref<?xf32>, memref<?x64x64xf32>, memref<?xi32>)
// CHECK: %[[OWN:.+]] = arith.subi %[[BLOCK]], %[[CHOSEN]]#0
// CHECK: %[[WEIGHTS:.+]] = memref.assume_alignment %[[CHOSEN]]#2, 4
// CHECK: memref.load %[[WEIGHTS]][%[[OWN]]]
// CHECK: } else {
// CHECK: arith.subi %[[BLOCK]], %c7
func.func @inversions() {
  %m0 = rt.buffer gradient[0] : memref<2x64x64xf32>
  %m1 = rt.buffer gradient[32768] : memref<5x64x64xf32>
  %m2 = rt.buffer gradient[114688] : memref<3x32x32xf32>
  %w0 = rt.buffer batch[0] : memref<2xf32>
  %w1 = rt.buffer batch[64] : memref<5xf32>
  %w2 = rt.buffer batch[128] : memref<3xf32>
  %d = rt.buffer control[0] : memref<f32>
  %i0 = rt.buffer transient[0] : memref<2x64x64xf32>
  %i1 = rt.buffer transient[32768] : memref<5x64x64xf32>
  %i2 = rt.buffer transient[114688] : memref<3x32x32xf32>
  %f0 = rt.buffer transient[200000] : memref<2xi32>
  %f1 = rt.buffer transient[200064] : memref<5xi32>
  %f2 = rt.buffer transient[200128] : memref<3xi32>
  rt.damped_inverse ins(%m0 weight %w0 damping %d : memref<2x64x64xf32>, memref<2xf32>, memref<f32>)
      outs(%i0, %f0 : memref<2x64x64xf32>, memref<2xi32>)
  rt.damped_inverse ins(%m1 weight %w1 damping %d : memref<5x64x64xf32>, memref<5xf32>, memref<f32>)
      outs(%i1, %f1 : memref<5x64x64xf32>, memref<5xi32>)
  rt.damped_inverse ins(%m2 weight %w2 damping %d : memref<3x32x32xf32>, memref<3xf32>, memref<f32>)
      outs(%i2, %f2 : memref<3x32x32xf32>, memref<3xi32>)
  return
}
}
