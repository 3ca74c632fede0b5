// RUN: boost-opt %s --pass-pipeline="builtin.module(gpu.module(boostc-lower-device-kernels))" \
// RUN:   | FileCheck %s --implicit-check-not=__nv_ --implicit-check-not=llvm.call --implicit-check-not=math.

// Shared memory is a variable of address space 3, ids and shuffles are ops of nvvm, arguments
// bare pointers that keep their promises, loops branches; offsets have 32 bits.
// CHECK-LABEL: gpu.module @small
// CHECK: llvm.mlir.global internal @[[SHARED:.+]]() {addr_space = 3 : i32} : !llvm.array<4 x f32>
// CHECK: llvm.func @sum(%arg0: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias}, %arg1: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias})
// CHECK-SAME: nvvm.kernel
// CHECK-SAME: nvvm.maxntid = array<i32: 128, 1, 1>
// CHECK: llvm.mlir.addressof @[[SHARED]] : !llvm.ptr<3>
// CHECK: %[[BLOCK:.+]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
// CHECK-NOT: llvm.sext
// CHECK: %[[FIRST:.+]] = llvm.mul %[[BLOCK]], %{{.*}} : i32
// CHECK: %[[ITEM:.+]] = llvm.add %[[FIRST]], %[[THREAD]] : i32
// CHECK: llvm.br ^[[LOOP:bb[0-9]+]](
// CHECK: ^[[LOOP]](
// CHECK: llvm.getelementptr inbounds|nuw %{{.*}}[%{{.*}}] : (!llvm.ptr, i32) -> !llvm.ptr, f32
// CHECK: llvm.intr.fma
// CHECK: llvm.br ^[[LOOP]](
// CHECK: nvvm.shfl.sync bfly {{.*}} : f32 -> f32
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: llvm.cond_br
// CHECK: llvm.return
gpu.module @small {
  gpu.func @sum(%a: memref<8192xf32> {llvm.align = 64 : i64, llvm.noalias},
                %s: memref<f32> {llvm.align = 4 : i64, llvm.noalias})
      workgroup(%shared : memref<4xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c8192 = arith.constant 8192 : index
    %zero = arith.constant 0.0 : f32
    %first = arith.muli %block, %c128 : index
    %item = arith.addi %first, %thread : index
    %sum = scf.for %i = %item to %c8192 step %c128 iter_args(%part = %zero) -> (f32) {
      %v = memref.load %a[%i] : memref<8192xf32>
      %e = math.exp %v : f32
      %next = arith.addf %part, %e : f32
      scf.yield %next : f32
    }
    %distance = arith.constant 16 : i32
    %width = arith.constant 32 : i32
    %other, %valid = gpu.shuffle xor %sum, %distance, %width : f32
    memref.store %other, %shared[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %result = memref.load %shared[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    %isFirst = arith.cmpi eq, %item, %c0 : index
    scf.if %isFirst {
      memref.store %result, %s[] : memref<f32>
    }
    gpu.return
  }
}

// One buffer whose offsets do not fit: all arithmetic of the module has 64 bits.
// CHECK-LABEL: gpu.module @large
// CHECK: llvm.func @copy
// CHECK: %[[ID:.+]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK: %[[BLOCK:.+]] = llvm.sext %[[ID]] : i32 to i64
// CHECK: llvm.mul %[[BLOCK]], %{{.*}} : i64
// CHECK: llvm.getelementptr inbounds|nuw %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
gpu.module @large {
  gpu.func @copy(%a: memref<2000000000xf32>, %b: memref<16xf32>) kernel {
    %block = gpu.block_id x
    %c8 = arith.constant 8 : index
    %item = arith.muli %block, %c8 : index
    %v = memref.load %a[%item] : memref<2000000000xf32>
    memref.store %v, %b[%block] : memref<16xf32>
    gpu.return
  }
}

// Functions of NVIDIA's library are what upstream's conversion would call; here each is
// arithmetic, or an instruction of the GPU where it has an exact one.
// CHECK-LABEL: gpu.module @functions
// CHECK: llvm.func @all
// CHECK: llvm.intr.sqrt
// CHECK: llvm.intr.fabs
// CHECK: llvm.return
gpu.module @functions {
  gpu.func @all(%a: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %0 = memref.load %a[%i] : memref<8xf32>
    %1 = math.exp %0 : f32
    %2 = math.log %1 : f32
    %3 = math.log1p %2 : f32
    %4 = math.expm1 %3 : f32
    %5 = math.tanh %4 : f32
    %6 = math.erf %5 : f32
    %7 = math.sqrt %6 : f32
    %8 = math.rsqrt %7 : f32
    %9 = math.absf %8 : f32
    %10 = math.floor %9 : f32
    %11 = math.ceil %10 : f32
    memref.store %11, %a[%i] : memref<8xf32>
    gpu.return
  }
}

// What is chosen among buffers is a pointer, to the outermost choice, and what is known of it stays.
// CHECK-LABEL: llvm.func @chosen
// CHECK-SAME: (%[[A:.+]]: !llvm.ptr, %[[B:.+]]: !llvm.ptr, %[[C:.+]]: !llvm.ptr, %[[S:.+]]: !llvm.ptr)
// CHECK: llvm.br ^{{bb[0-9]+}}(%[[A]] : !llvm.ptr)
// CHECK: llvm.br ^{{bb[0-9]+}}(%[[B]] : !llvm.ptr)
// CHECK: llvm.br ^[[OUTER:bb[0-9]+]](%{{.*}} : !llvm.ptr)
// CHECK: llvm.br ^[[OUTER]](%[[C]] : !llvm.ptr)
// CHECK: ^[[OUTER]](%[[CHOSEN:.+]]: !llvm.ptr)
// CHECK: llvm.intr.assume %{{.*}} ["align"(%[[CHOSEN]], %{{.*}} : !llvm.ptr, i32)] : i1
// CHECK: llvm.getelementptr inbounds|nuw %[[CHOSEN]][%{{.*}}] : (!llvm.ptr, i32) -> !llvm.ptr, f32
// CHECK-NEXT: llvm.load
// CHECK: llvm.return
gpu.module @choice {
  gpu.func @chosen(%a: memref<64x2xf32>, %b: memref<32xf32>, %c: memref<16xf32>, %s: memref<f32>) kernel {
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %fromA = memref.reinterpret_cast %a to offset: [0], sizes: [%c128], strides: [1] : memref<64x2xf32> to memref<?xf32>
    %fromB = memref.reinterpret_cast %b to offset: [0], sizes: [%c32], strides: [1] : memref<32xf32> to memref<?xf32>
    %fromC = memref.reinterpret_cast %c to offset: [0], sizes: [%c16], strides: [1] : memref<16xf32> to memref<?xf32>
    %isEarly = arith.cmpi ult, %block, %c2 : index
    %isFirst = arith.cmpi ult, %block, %c1 : index
    %chosen = scf.if %isEarly -> (memref<?xf32>) {
      %inner = scf.if %isFirst -> (memref<?xf32>) {
        scf.yield %fromA : memref<?xf32>
      } else {
        scf.yield %fromB : memref<?xf32>
      }
      scf.yield %inner : memref<?xf32>
    } else {
      scf.yield %fromC : memref<?xf32>
    }
    %aligned = memref.assume_alignment %chosen, 16 : memref<?xf32>
    %value = memref.load %aligned[%thread] : memref<?xf32>
    memref.store %value, %s[] : memref<f32>
    gpu.return
  }
}
