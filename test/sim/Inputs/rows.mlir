// The sum of each row, one block of 128 threads a row: 16-byte loads, a shuffle
// tree in each warp, shared memory between the warps. Made into rows.ptx by make.sh.
gpu.module @rows {
  gpu.func @row_sums(%x: memref<8x512xf32>, %y: memref<8xf32>)
      workgroup(%parts: memref<4xf32, 3>) kernel {
    %row = gpu.block_id x
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %width = arith.constant 32 : i32
    %o16 = arith.constant 16 : i32
    %o8 = arith.constant 8 : i32
    %o4 = arith.constant 4 : i32
    %o2 = arith.constant 2 : i32
    %o1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %column = arith.muli %t, %c4 : index
    %v = vector.load %x[%row, %column] : memref<8x512xf32>, vector<4xf32>
    %s = vector.reduction <add>, %v, %zero : vector<4xf32> into f32
    %a16, %p16 = gpu.shuffle xor %s, %o16, %width : f32
    %s16 = arith.addf %s, %a16 : f32
    %a8, %p8 = gpu.shuffle xor %s16, %o8, %width : f32
    %s8 = arith.addf %s16, %a8 : f32
    %a4, %p4 = gpu.shuffle xor %s8, %o4, %width : f32
    %s4 = arith.addf %s8, %a4 : f32
    %a2, %p2 = gpu.shuffle xor %s4, %o2, %width : f32
    %s2 = arith.addf %s4, %a2 : f32
    %a1, %p1 = gpu.shuffle xor %s2, %o1, %width : f32
    %s1 = arith.addf %s2, %a1 : f32
    %lane = arith.remui %t, %c32 : index
    %warp = arith.divui %t, %c32 : index
    %leads = arith.cmpi eq, %lane, %c0 : index
    scf.if %leads {
      memref.store %s1, %parts[%warp] : memref<4xf32, 3>
    }
    gpu.barrier
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %q0 = memref.load %parts[%c0] : memref<4xf32, 3>
      %q1 = memref.load %parts[%c1] : memref<4xf32, 3>
      %q2 = memref.load %parts[%c2] : memref<4xf32, 3>
      %q3 = memref.load %parts[%c3] : memref<4xf32, 3>
      %r1 = arith.addf %q0, %q1 : f32
      %r2 = arith.addf %q2, %q3 : f32
      %r = arith.addf %r1, %r2 : f32
      memref.store %r, %y[%row] : memref<8xf32>
    }
    gpu.return
  }
}
