// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-outline-device-kernels))" > %t
// RUN: FileCheck %s --check-prefix=HOST < %t
// RUN: FileCheck %s < %t

!image = memref<32x32x16x16xf32, strided<[1, 8192, 512, 32]>>

// Products whose factors blocks read together.
// HOST-LABEL: train.program @p
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {

// Tiles of 128 x 64, terms in slices of 8, of which two are in shared memory, in rows of 132
// and 68 elements. Both factors are neighbours along the terms: three loads of 16 bytes for a
// thread become four stores each. The next slice comes from memory while a thread adds the 64
// products of each term; then all wait. The bias comes last, then the relu.
// HOST-LABEL: func.func @full
// HOST: rt.launch_grid @kernels::@full_kernel_0(%0, %1, %2, %3) blocks(128) threads(128) writes [false, false, false, true]
// HOST-NEXT: return
// CHECK-LABEL: gpu.func @full_kernel_0
// CHECK-SAME: workgroup(%[[SHARED:[^:]+]] : memref<3200xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-COUNT-3: vector.load %{{.*}} {alignment = 16 : i64} : memref<524288xf32>, vector<4xf32>
// CHECK-NOT: vector.load
// CHECK-COUNT-12: memref.store %{{.*}}, %[[SHARED]][%{{.*}}]
// CHECK-NOT: memref.store
// CHECK: gpu.barrier
// CHECK: %[[SLICES:.+]] = arith.constant 64 : index
// CHECK: %[[SUMS:.+]]:64 = scf.for %[[SLICE:.+]] = %{{.*}} to %[[SLICES]]
// CHECK: %[[ODD:.+]] = arith.remui %[[SLICE]], %c2
// CHECK: %[[SIZE:.+]] = arith.muli %[[ODD]], %c1600
// CHECK: %[[NEXT:.+]] = arith.addi %[[SLICE]], %c1
// CHECK: %[[IS:.+]] = arith.cmpi ult, %[[NEXT]], %c64
// CHECK: %[[VALUES:.+]]:3 = scf.if %[[IS]] -> (vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK-COUNT-3: vector.load {{.*}} memref<524288xf32>
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %{{.*}} to %c8
// CHECK-COUNT-4: vector.load %[[SHARED]][%{{.*}}] {alignment = 16 : i64}
// CHECK-NOT: vector.load
// CHECK-COUNT-64: math.fma
// CHECK-NOT: math.fma
// CHECK-COUNT-12: memref.store %{{.*}}, %[[SHARED]]
// CHECK: gpu.barrier
// CHECK-NEXT: scf.yield
// CHECK-NOT: scf.if
// CHECK: %[[BIAS:.+]] = memref.load
// CHECK: %[[SUM:.+]] = arith.addf %[[BIAS]], %[[SUMS]]#0
// CHECK: memref.store %[[SUM]], {{.*}} : memref<1048576xf32>
// CHECK: arith.maximumf
// CHECK: gpu.return
func.func @full() {
  %zero = arith.constant 0.0 : f32
  %a = rt.buffer batch[0] : memref<1024x512xf32>
  %w = rt.buffer parameter[0] : memref<1024x512xf32>
  %b = rt.buffer parameter[2097152] : memref<1024xf32>
  %c = rt.buffer transient[0] : memref<1024x1024xf32>
  rt.matmul ins(%a, transposed %w : memref<1024x512xf32>, memref<1024x512xf32>)
      bias(%b : memref<1024xf32>) outs(%c : memref<1024x1024xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<1024x1024xf32>) {
  ^bb0(%out: f32):
    %v = arith.maximumf %out, %zero : f32
    linalg.yield %v : f32
  }
  return
}

// Factors that are neighbours along rows and columns are stored as they are loaded, 16 bytes
// at a time. Tiles are smaller where that makes more blocks.
// HOST-LABEL: func.func @aside
// HOST: rt.launch_grid @kernels::@aside_kernel_0(%0, %1, %2) blocks(104)
// CHECK-LABEL: gpu.func @aside_kernel_0
// CHECK-SAME: workgroup(%[[SHARED:[^:]+]] : memref<4352xf32, #gpu.address_space<workgroup>>
// CHECK: vector.load %{{.*}} {alignment = 16 : i64}
// CHECK: vector.store %{{.*}}, %[[SHARED]][%{{.*}}] {alignment = 16 : i64}
// CHECK-NOT: memref.store
// CHECK-COUNT-32: math.fma
// CHECK-NOT: math.fma
// CHECK: gpu.return
func.func @aside() {
  %a = rt.buffer batch[0] : memref<512x512xf32>
  %w = rt.buffer parameter[0] : memref<512x784xf32>
  %c = rt.buffer transient[0] : memref<512x784xf32>
  rt.matmul ins(transposed %a, %w : memref<512x512xf32>, memref<512x784xf32>) outs(%c : memref<512x784xf32>)
  return
}

// 1001 rows and columns, 333 terms: what is not there reads as zero, from a place that is,
// single elements; and nothing writes it.
// HOST-LABEL: func.func @ragged
// HOST: rt.launch_grid @kernels::@ragged_kernel_0
// CHECK-LABEL: gpu.func @ragged_kernel_0
// CHECK: %[[ROW:.+]] = arith.cmpi ult, %{{.*}}, %c1001
// CHECK: %[[TERM:.+]] = arith.cmpi ult, %{{.*}}, %c333
// CHECK: %[[IS:.+]] = arith.andi %[[ROW]], %[[TERM]]
// CHECK: %[[PLACE:.+]] = arith.select %[[IS]], %{{.*}}, %c0
// CHECK: %[[VALUE:.+]] = memref.load %{{.*}}[%[[PLACE]]] : memref<333333xf32>
// CHECK: arith.select %[[IS]], %[[VALUE]], %cst
// CHECK: math.fma
// CHECK: arith.cmpi ult, %{{.*}}, %c1001
// CHECK-NEXT: scf.if
// CHECK: arith.cmpi ult, %{{.*}}, %c1001
// CHECK-NEXT: scf.if
// CHECK: memref.store
// CHECK: gpu.return
func.func @ragged() {
  %a = rt.buffer batch[0] : memref<1001x333xf32>
  %w = rt.buffer parameter[0] : memref<333x1001xf32>
  %c = rt.buffer transient[0] : memref<1001x1001xf32>
  rt.matmul ins(%a, %w : memref<1001x333xf32>, memref<333x1001xf32>) outs(%c : memref<1001x1001xf32>)
  return
}

// A convolution: rows are filters, columns are pixels and samples, terms are channels and
// taps. Where a tap looks outside the input it reads zeros. Samples are neighbours in memory.
// HOST-LABEL: func.func @convolution
// HOST: rt.launch_grid @kernels::@convolution_kernel_0(%0, %1, %2)
// CHECK-LABEL: gpu.func @convolution_kernel_0
// CHECK-SAME: workgroup(%[[SHARED:[^:]+]] : memref<{{.*}}xf32, #gpu.address_space<workgroup>>
// CHECK: %[[INSIDE:.+]] = arith.andi
// CHECK: %[[PLACE:.+]] = arith.select %[[INSIDE]], %{{.*}}, %c0
// CHECK: %[[VALUE:.+]] = vector.load %{{.*}}[%[[PLACE]]] {alignment = 16 : i64} : memref<262144xf32>, vector<4xf32>
// CHECK: arith.select %[[INSIDE]], %[[VALUE]], %cst{{.*}} : vector<4xf32>
// CHECK: math.fma
// CHECK: gpu.return
func.func @convolution() {
  %x = rt.buffer transient[0] : !image
  %w = rt.buffer parameter[0] : memref<32x32x3x3xf32>
  %y = rt.buffer transient[1048576] : !image
  rt.convolution forward ins(%x, %w : !image, memref<32x32x3x3xf32>) outs(%y : !image)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// The gradient of its weight, in 16 parts: one kernel computes them, the next adds them up.
// HOST-LABEL: func.func @parts
// HOST: rt.launch_grid @kernels::@parts_kernel_0(%0, %1, %3) blocks({{[0-9]+}}) threads(128) writes [false, false, true]
// HOST-NEXT: rt.launch_grid @kernels::@parts_kernel_1(%3, %2) blocks(72) threads(128) writes [false, true]
// HOST-NEXT: return
// CHECK-LABEL: gpu.func @parts_kernel_0
// CHECK-SAME: workgroup(
// CHECK: memref.store {{.*}} : memref<147456xf32>
// CHECK: gpu.return
// CHECK-LABEL: gpu.func @parts_kernel_1
// CHECK-NOT: workgroup(
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[SUM:.+]] = scf.for %[[PART:.+]] = %c0{{.*}} to %c16{{.*}} iter_args(%[[SO_FAR:.+]] = %[[ZERO]])
// CHECK: arith.muli %[[PART]], %c9216
// CHECK: %[[TERM:.+]] = memref.load %{{.*}} : memref<147456xf32>
// CHECK: arith.addf %[[SO_FAR]], %[[TERM]]
// CHECK: memref.store %[[SUM]], %{{.*}} : memref<9216xf32>
// CHECK: gpu.return
func.func @parts() {
  %dy = rt.buffer transient[0] : !image
  %x = rt.buffer transient[1048576] : !image
  %dw = rt.buffer gradient[0] : memref<32x32x3x3xf32>
  %p = rt.buffer transient[2097152] : memref<16x9216xf32>
  rt.convolution backward_weight ins(%dy, %x : !image, !image) outs(%dw : memref<32x32x3x3xf32>)
      partials(%p : memref<16x9216xf32>)
      strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
  return
}

// Two that do not need each other run side by side and use the same shared memory.
// HOST-LABEL: func.func @neighbours
// HOST: rt.launch_grid @kernels::@neighbours_kernel_0(%0, %1, %2, %3) blocks(384)
// HOST-NEXT: return
// CHECK-LABEL: gpu.func @neighbours_kernel_0
// CHECK-SAME: workgroup(%[[SHARED:[^:]+]] : memref<4608xf32, #gpu.address_space<workgroup>>
func.func @neighbours() {
  %a = rt.buffer batch[0] : memref<1024x512xf32>
  %b = rt.buffer batch[2097152] : memref<1024x512xf32>
  %c = rt.buffer transient[0] : memref<512x512xf32>
  %d = rt.buffer transient[1048576] : memref<1024x1024xf32>
  rt.matmul ins(transposed %a, %b : memref<1024x512xf32>, memref<1024x512xf32>) outs(%c : memref<512x512xf32>)
  rt.matmul ins(%a, transposed %b : memref<1024x512xf32>, memref<1024x512xf32>) outs(%d : memref<1024x1024xf32>)
  return
}

// A tile would be all but empty, or there would be too few of them.
// HOST-LABEL: func.func @small
// HOST: rt.launch_grid @kernels::@small_kernel_0
// CHECK-LABEL: gpu.func @small_kernel_0
// CHECK-NOT: workgroup(
// CHECK: gpu.return
func.func @small() {
  %a = rt.buffer batch[0] : memref<32x400xf32>
  %w = rt.buffer parameter[0] : memref<120x400xf32>
  %c = rt.buffer transient[0] : memref<32x120xf32>
  rt.matmul ins(%a, transposed %w : memref<32x400xf32>, memref<120x400xf32>) outs(%c : memref<32x120xf32>)
  return
}

}
