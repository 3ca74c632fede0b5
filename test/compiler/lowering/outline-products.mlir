// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-plan-memory, boostc-outline-kernels))" | FileCheck %s

#a = affine_map<(n, h, i, j, k) -> (n, h, i, k)>
#b = affine_map<(n, h, i, j, k) -> (n, h, k, j)>
#at = affine_map<(n, h, i, j, k) -> (n, h, k, i)>
#c = affine_map<(n, h, i, j, k) -> (n, h, i, j)>

train.program @p batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx512f", 1>} {

// Six products of 53x64 and 64x40 matrices, whose rows lie 192 elements apart: heads of one sample
// are neighbours in them. A piece is one product. The sums begin with zeros, so that
// nothing fills the result.
// CHECK-LABEL: func.func private @heads_kernel_0
// CHECK: scf.for %[[PIECE:.+]] = %
// CHECK: arith.remui %[[PIECE]], %c3
// CHECK: memref.reinterpret_cast {{.*}} to offset: [%{{.+}}], {{.*}} to memref<{{[0-9]+}}xf32, strided<[1], offset: ?>>
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
}
