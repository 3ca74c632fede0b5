// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-transpose-factors))" | FileCheck %s

#a = affine_map<(h, i, j, d) -> (h, i, d)>
#b = affine_map<(h, i, j, d) -> (h, j, d)>
#turned = affine_map<(h, i, j, d) -> (h, d, j)>
#c = affine_map<(h, i, j, d) -> (h, i, j)>
#row = affine_map<(h, j, d) -> (h, d)>
#rows = affine_map<(h, j, d) -> (h, j, d)>
#sums = affine_map<(h, j, d) -> (h, j)>

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2,fma", 2>} {

// Both factors lie along the terms: the one that moves along the neighbours of the result turns.
// CHECK-LABEL: func.func @scores
// CHECK-SAME: (%[[Q:.+]]: memref<4x128x64xf32>, %[[K:.+]]: memref<4x128x64xf32>, %[[S:.+]]: memref
// CHECK: %[[T:.+]] = memref.alloc() : memref<4x128x64xf32, strided<[8192, 1, 128]>>
// CHECK: memref.copy %[[K]], %[[T]]
// CHECK: linalg.generic {{.*}} ins(%[[Q]], %[[T]] :
func.func @scores(%q: memref<4x128x64xf32>, %k: memref<4x128x64xf32>, %s: memref<4x128x128xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<4x128x64xf32>, memref<4x128x64xf32>) outs(%s : memref<4x128x128xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %v = arith.addf %out, %p fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}

// The factor lies along the result's neighbours already.
// CHECK-LABEL: func.func @turned
// CHECK-NOT: memref.copy
// CHECK: return
func.func @turned(%q: memref<4x128x64xf32>, %k: memref<4x64x128xf32>, %s: memref<4x128x128xf32>) {
  linalg.generic {indexing_maps = [#a, #turned, #c],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<4x128x64xf32>, memref<4x64x128xf32>) outs(%s : memref<4x128x128xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %v = arith.addf %out, %p fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}

// With one row each element is a factor once: its copy would cost more than it saves.
// CHECK-LABEL: func.func @row
// CHECK-NOT: memref.copy
// CHECK: return
func.func @row(%q: memref<4x1024xf32>, %k: memref<4x128x1024xf32>, %s: memref<4x128xf32>) {
  linalg.generic {indexing_maps = [#row, #rows, #sums],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<4x1024xf32>, memref<4x128x1024xf32>) outs(%s : memref<4x128xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %v = arith.addf %out, %p fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}
}
