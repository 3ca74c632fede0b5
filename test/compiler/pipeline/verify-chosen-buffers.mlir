// RUN: boost-opt %s --split-input-file --verify-diagnostics --boostc-verify-phase=phase=rt

// Code that units of several sizes share chooses elements in order, or any number of blocks' parts:
// nothing of unknown strides.
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  gpu.module @kernels {
    gpu.func @k(%a: memref<8xf32>, %b: memref<4x2xf32>) kernel {
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %block = gpu.block_id x
      %x = memref.reinterpret_cast %a to offset: [0], sizes: [%c8], strides: [1] : memref<8xf32> to memref<?xf32>
      %y = memref.reinterpret_cast %b to offset: [0], sizes: [%c8], strides: [1] : memref<4x2xf32> to memref<?xf32>
      %first = arith.cmpi ult, %block, %c4 : index
      %chosen = scf.if %first -> (memref<?xf32>) {
        scf.yield %x : memref<?xf32>
      } else {
        scf.yield %y : memref<?xf32>
      }
      %parts = memref.cast %b : memref<4x2xf32> to memref<?x2xf32>
      %own = scf.if %first -> (memref<?x2xf32>) {
        scf.yield %parts : memref<?x2xf32>
      } else {
        scf.yield %parts : memref<?x2xf32>
      }
      %m = memref.cast %b : memref<4x2xf32> to memref<4x?xf32>
      // expected-error @+1 {{expected static shapes and memory without gaps, found 'memref<4x?xf32>'}}
      %rows = scf.if %first -> (memref<4x?xf32>) {
        scf.yield %m : memref<4x?xf32>
      } else {
        scf.yield %m : memref<4x?xf32>
      }
      gpu.return
    }
  }
}
