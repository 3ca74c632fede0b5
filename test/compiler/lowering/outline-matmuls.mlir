// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-plan-memory, boostc-outline-kernels))" | FileCheck %s

#a = affine_map<(n, h, i, j, k) -> (n, h, i, k)>
#b = affine_map<(n, h, i, j, k) -> (n, h, k, j)>
#at = affine_map<(n, h, i, j, k) -> (n, h, k, i)>
#c = affine_map<(n, h, i, j, k) -> (n, h, i, j)>

train.program @p batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx512f", 1>} {

// Six matmuls of 53x64 and 64x40, whose rows lie 192 elements apart: heads of one sample
// are neighbours in them. A piece is one matmul. The sums begin with zeros, so that
// nothing fills the result.
// CHECK-LABEL: func.func private @heads_kernel_0
// CHECK: scf.for %[[PIECE:.+]] = %
// CHECK: %[[HEAD:.+]] = arith.remui %[[PIECE]], %c3
// CHECK: %[[NUMBER:.+]] = arith.divui %[[PIECE]], %c3
// CHECK: %[[SAMPLE:.+]] = arith.remui %[[NUMBER]], %c2
// CHECK: %[[OFSAMPLE:.+]] = arith.muli %[[SAMPLE]], %c10176
// CHECK: %[[OFHEAD:.+]] = arith.muli %[[HEAD]], %c64
// CHECK: arith.addi %[[OFSAMPLE]], %[[OFHEAD]]
// CHECK: arith.muli %[[SAMPLE]], %c7680
// CHECK: arith.muli %[[HEAD]], %c40
// CHECK: arith.muli %[[SAMPLE]], %c6360
// CHECK: arith.muli %[[HEAD]], %c2120
// CHECK: scf.for {{.*}} -> (vector<16xf32>
// CHECK: vector.fma
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @heads
// CHECK-NOT: linalg.fill
// CHECK: rt.launch @heads_kernel_0({{.*}}) extent(6)
// CHECK-NOT: rt.launch
// CHECK: return
func.func @heads() {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<2x3x53x64xf32, strided<[10176, 64, 192, 1]>>
  %y = memref.alloc() : memref<2x3x64x40xf32, strided<[7680, 40, 120, 1]>>
  %z = memref.alloc() : memref<2x3x53x40xf32>
  linalg.fill ins(%zero : f32) outs(%z : memref<2x3x53x40xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<2x3x53x64xf32, strided<[10176, 64, 192, 1]>>,
                   memref<2x3x64x40xf32, strided<[7680, 40, 120, 1]>>)
      outs(%z : memref<2x3x53x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %pq = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %t = arith.addf %s, %pq fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  }
  return
}

// A factor that is transposed lies along the rows of the result: terms are summed up strip by strip,
// in the result, as in a gradient of weights.
// CHECK-LABEL: func.func private @transposed_kernel_0
// CHECK: vector.fma
// CHECK-LABEL: func.func @transposed
// CHECK: rt.launch @transposed_kernel_0
// CHECK-NOT: rt.launch
// CHECK: return
func.func @transposed() {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<2x3x64x53xf32>
  %y = memref.alloc() : memref<2x3x64x40xf32>
  %z = memref.alloc() : memref<2x3x53x40xf32>
  linalg.fill ins(%zero : f32) outs(%z : memref<2x3x53x40xf32>)
  linalg.generic {indexing_maps = [#at, #b, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<2x3x64x53xf32>, memref<2x3x64x40xf32>)
      outs(%z : memref<2x3x53x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %pq = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %t = arith.addf %s, %pq fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  }
  return
}

// What has other values before keeps them: tiles of sums begin with those.
// CHECK-LABEL: func.func private @added_kernel_0
// CHECK-LABEL: func.func private @added_kernel_1
// CHECK: vector.maskedload
// CHECK: vector.fma
// CHECK-LABEL: func.func @added
// CHECK: rt.launch @added_kernel_0
// CHECK: rt.launch @added_kernel_1
// CHECK: return
func.func @added() {
  %one = arith.constant 1.0 : f32
  %x = memref.alloc() : memref<2x3x53x64xf32>
  %y = memref.alloc() : memref<2x3x64x40xf32>
  %z = memref.alloc() : memref<2x3x53x40xf32>
  linalg.fill ins(%one : f32) outs(%z : memref<2x3x53x40xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<2x3x53x64xf32>, memref<2x3x64x40xf32>)
      outs(%z : memref<2x3x53x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %pq = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %t = arith.addf %s, %pq fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  }
  return
}

// An equal op that begins with zeros has another kernel, in whatever order they come.
// CHECK-LABEL: func.func private @equal_kernel_{{[0-9]+}}
// CHECK-LABEL: func.func @equal
// CHECK: rt.launch @equal_kernel_[[ZERO:[0-9]+]](
// CHECK: rt.launch @added_kernel_0
// CHECK: rt.launch @added_kernel_1
// CHECK: rt.launch @equal_kernel_[[ZERO]](
// CHECK-NOT: rt.launch
// CHECK: return
func.func @equal() {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %x = memref.alloc() : memref<2x3x53x64xf32>
  %y = memref.alloc() : memref<2x3x64x40xf32>
  %u = memref.alloc() : memref<2x3x53x40xf32>
  %v = memref.alloc() : memref<2x3x53x40xf32>
  %z = memref.alloc() : memref<2x3x53x40xf32>
  linalg.fill ins(%zero : f32) outs(%u : memref<2x3x53x40xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<2x3x53x64xf32>, memref<2x3x64x40xf32>)
      outs(%u : memref<2x3x53x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %pq = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %t = arith.addf %s, %pq fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  }
  linalg.fill ins(%one : f32) outs(%v : memref<2x3x53x40xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<2x3x53x64xf32>, memref<2x3x64x40xf32>)
      outs(%v : memref<2x3x53x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %pq = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %t = arith.addf %s, %pq fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  }
  linalg.fill ins(%zero : f32) outs(%z : memref<2x3x53x40xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<2x3x53x64xf32>, memref<2x3x64x40xf32>)
      outs(%z : memref<2x3x53x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %pq = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %t = arith.addf %s, %pq fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  }
  return
}

// The second of two adds to the first, and what reads zeros in between finds them.
// CHECK-LABEL: func.func @twice
// CHECK: rt.launch @equal_kernel_
// CHECK: rt.launch @added_kernel_1
// CHECK: rt.launch @twice_kernel_
// CHECK: rt.launch @added_kernel_1
// CHECK-NOT: rt.launch
// CHECK: return
func.func @twice() {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<2x3x53x64xf32>
  %y = memref.alloc() : memref<2x3x64x40xf32>
  %u = memref.alloc() : memref<2x3x53x40xf32>
  %v = memref.alloc() : memref<2x3x53x40xf32>
  %z = memref.alloc() : memref<2x3x53x40xf32>
  linalg.fill ins(%zero : f32) outs(%u : memref<2x3x53x40xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<2x3x53x64xf32>, memref<2x3x64x40xf32>)
      outs(%u : memref<2x3x53x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %pq = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %t = arith.addf %s, %pq fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<2x3x53x64xf32>, memref<2x3x64x40xf32>)
      outs(%u : memref<2x3x53x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %pq = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %t = arith.addf %s, %pq fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  }
  linalg.fill ins(%zero : f32) outs(%v : memref<2x3x53x40xf32>)
  linalg.exp ins(%v : memref<2x3x53x40xf32>) outs(%z : memref<2x3x53x40xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<2x3x53x64xf32>, memref<2x3x64x40xf32>)
      outs(%v : memref<2x3x53x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %pq = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %t = arith.addf %s, %pq fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  }
  return
}

// An earlier view of the result might read the zeros; a later one cannot.
// CHECK-LABEL: func.func @viewed
// CHECK: rt.launch @{{.*}}_kernel_
// CHECK: rt.launch @added_kernel_1
// CHECK: rt.launch @equal_kernel_
// CHECK: return
func.func @viewed() {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<2x3x53x64xf32>
  %y = memref.alloc() : memref<2x3x64x40xf32>
  %u = memref.alloc() : memref<2x3x53x40xf32>
  %v = memref.alloc() : memref<2x3x53x40xf32>
  %z = memref.alloc() : memref<2x6360xf32>
  %view = memref.collapse_shape %u [[0], [1, 2, 3]] : memref<2x3x53x40xf32> into memref<2x6360xf32>
  linalg.fill ins(%zero : f32) outs(%u : memref<2x3x53x40xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<2x3x53x64xf32>, memref<2x3x64x40xf32>)
      outs(%u : memref<2x3x53x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %pq = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %t = arith.addf %s, %pq fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  }
  linalg.exp ins(%view : memref<2x6360xf32>) outs(%z : memref<2x6360xf32>)
  linalg.fill ins(%zero : f32) outs(%v : memref<2x3x53x40xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<2x3x53x64xf32>, memref<2x3x64x40xf32>)
      outs(%v : memref<2x3x53x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %pq = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %t = arith.addf %s, %pq fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  }
  %later = memref.collapse_shape %v [[0], [1, 2, 3]] : memref<2x3x53x40xf32> into memref<2x6360xf32>
  linalg.exp ins(%later : memref<2x6360xf32>) outs(%z : memref<2x6360xf32>)
  return
}

// Rows of a factor that lie a KiB apart, 1024 of them: they are put together, in memory that is
// reserved once for all matmuls.
// CHECK-LABEL: func.func private @apart_kernel_0
// CHECK-NOT: scf.for
// CHECK: memref.alloca() {alignment = 64 : i64}
// CHECK: scf.for
// CHECK-NOT: memref.alloca
// CHECK-LABEL: func.func @apart
func.func @apart() {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<2x4x512x1024xf32>
  %y = memref.alloc() : memref<2x4x1024x64xf32, strided<[262144, 64, 256, 1]>>
  %z = memref.alloc() : memref<2x4x512x64xf32>
  linalg.fill ins(%zero : f32) outs(%z : memref<2x4x512x64xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<2x4x512x1024xf32>, memref<2x4x1024x64xf32, strided<[262144, 64, 256, 1]>>)
      outs(%z : memref<2x4x512x64xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %pq = arith.mulf %p, %q fastmath<reassoc,contract> : f32
    %t = arith.addf %s, %pq fastmath<reassoc,contract> : f32
    linalg.yield %t : f32
  }
  return
}
}
