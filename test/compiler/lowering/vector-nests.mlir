// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-outline-kernels{serial-work=100}))" | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#every_second = affine_map<(d0, d1) -> (d0, d1 * 2)>
#taps = affine_map<(d0, d1, d2) -> (d0 * 2 + d2, d1)>
#tap = affine_map<(d0, d1, d2) -> (d2)>
#kept = affine_map<(d0, d1, d2) -> (d0, d1)>
#spread = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#spread_in = affine_map<(d0, d1, d2) -> (d0, d1)>
#first = affine_map<(d0, d1, d2) -> (d0, d2)>
#middle = affine_map<(d0, d1, d2) -> (d1)>
#weights = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#filter = affine_map<(d0, d1, d2, d3) -> (d0)>
#channel = affine_map<(d0, d1, d2, d3) -> (d1)>

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2,fma", 2>} {

// A fill, a pooling and what follows it are one pass: sums stay in vectors over the taps
// (first loop of d2), and each element is stored in the order of the ops.
// CHECK-LABEL: func.func private @pooling_kernel_0
// CHECK-SAME: (%[[BEGIN:[^:]+]]: index, %[[END:[^:]+]]: index
// CHECK: scf.for %{{.+}} = %[[BEGIN]] to %[[END]]
// CHECK-NOT: scf.for
// CHECK: vector.store %{{.+}} : memref<128xf32>, vector<8xf32>
// CHECK: %[[SUMS:.+]]:2 = scf.for {{.*}} iter_args
// CHECK: arith.maximumf {{.*}} : vector<8xf32>
// CHECK: scf.yield
// CHECK: vector.store %[[SUMS]]#0
// CHECK-NOT: scf.for
// CHECK: math.exp {{.*}} : vector<8xf32>
// CHECK-NOT: scf.for
// CHECK: func.func @pooling
// CHECK-COUNT-1: rt.launch {{.*}} extent(8)
// CHECK-NOT: rt.launch
func.func @pooling() {
  %least = arith.constant 0xFF800000 : f32
  %x = rt.buffer batch[0] : memref<16x16xf32>
  %taps = rt.buffer batch[1024] : memref<2xf32>
  %y = rt.buffer transient[0] : memref<8x16xf32>
  linalg.fill ins(%least : f32) outs(%y : memref<8x16xf32>)
  linalg.generic {indexing_maps = [#taps, #tap, #kept],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %taps : memref<16x16xf32>, memref<2xf32>) outs(%y : memref<8x16xf32>) {
  ^bb0(%in: f32, %none: f32, %out: f32):
    %v = arith.maximumf %in, %out : f32
    linalg.yield %v : f32
  }
  linalg.exp ins(%y : memref<8x16xf32>) outs(%y : memref<8x16xf32>)
  return
}

// A sum along contiguous memory adds whole vectors; their lanes are added up in the end,
// to what was there. The place of a lane is a number of its own.
// CHECK-LABEL: func.func private @sums_kernel_0
// CHECK: %[[ZERO:.+]] = vector.broadcast %{{.+}} : f32 to vector<8xf32>
// CHECK: %[[SUMS:.+]]:4 = scf.for
// CHECK: arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xindex>
// CHECK: arith.addf {{.*}} fastmath<reassoc> : vector<8xf32>
// CHECK: %[[OLD:.+]] = memref.load
// CHECK: %[[SUM:.+]] = vector.reduction <add>, %{{.+}}, %[[OLD]] fastmath<reassoc>
// CHECK: memref.store %[[SUM]]
func.func @sums() {
  %a = rt.buffer batch[0] : memref<4x64xf32>
  %s = rt.buffer transient[0] : memref<4xf32>
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<4x64xf32>) outs(%s : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %column = linalg.index 1 : index
    %number = arith.index_cast %column : index to i32
    %factor = arith.sitofp %number : i32 to f32
    %product = arith.mulf %in, %factor : f32
    %v = arith.addf %out, %product fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}

// What a sum adds up is computed in its loops, vector by vector, and stored for others.
// CHECK-LABEL: func.func private @fed_kernel_0
// CHECK: scf.for
// CHECK: scf.for
// CHECK: math.exp {{.*}} : vector<8xf32>
// CHECK: vector.store
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: math.exp
// CHECK: vector.store
// CHECK: arith.addf
// CHECK: scf.yield
// CHECK: vector.reduction
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func @fed
func.func @fed() {
  %a = rt.buffer batch[0] : memref<4x64xf32>
  %e = rt.buffer transient[0] : memref<4x64xf32>
  %s = rt.buffer transient[1024] : memref<4xf32>
  linalg.exp ins(%a : memref<4x64xf32>) outs(%e : memref<4x64xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e : memref<4x64xf32>) outs(%s : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}

// The sum reads, of each row, the neighbour of what was stored: two nests.
// CHECK-LABEL: func.func private @fed_late_kernel_0
// CHECK: math.exp
// CHECK-NOT: arith.addf
// CHECK: scf.for
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK-LABEL: func.func @fed_late
func.func @fed_late() {
  %a = rt.buffer batch[0] : memref<4x64xf32>
  %wide = rt.buffer transient[0] : memref<4x72xf32>
  %e = memref.subview %wide[0, 0] [4, 64] [1, 1] : memref<4x72xf32> to memref<4x64xf32, strided<[72, 1]>>
  %late = memref.subview %wide[0, 8] [4, 64] [1, 1] : memref<4x72xf32> to memref<4x64xf32, strided<[72, 1], offset: 8>>
  %s = rt.buffer transient[2048] : memref<4xf32>
  linalg.exp ins(%a : memref<4x64xf32>) outs(%e : memref<4x64xf32, strided<[72, 1]>>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%late : memref<4x64xf32, strided<[72, 1], offset: 8>>) outs(%s : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}

// Vectors run along the large operand, whose columns are neighbours, however many small ones
// say otherwise.
// CHECK-LABEL: func.func private @large_operand_kernel_0
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: vector.store
// CHECK-LABEL: func.func @large_operand
func.func @large_operand() {
  %x = rt.buffer transient[0] : memref<32x16xf32, strided<[1, 32]>>
  %y = rt.buffer transient[2048] : memref<32x16xf32, strided<[1, 32]>>
  %p = rt.buffer batch[0] : memref<16xf32>
  %q = rt.buffer batch[64] : memref<16xf32>
  %r = rt.buffer batch[128] : memref<16xf32>
  linalg.generic {indexing_maps = [#all, #column, #column, #column, #all],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x, %p, %q, %r : memref<32x16xf32, strided<[1, 32]>>, memref<16xf32>, memref<16xf32>, memref<16xf32>)
      outs(%y : memref<32x16xf32, strided<[1, 32]>>) {
  ^bb0(%in: f32, %a: f32, %b: f32, %c: f32, %out: f32):
    %u = arith.mulf %in, %a : f32
    %v = arith.mulf %u, %b : f32
    %w = arith.addf %v, %c : f32
    linalg.yield %w : f32
  }
  return
}

// A sum whose order is fixed is not split into lanes.
// CHECK-LABEL: func.func private @exact_kernel_0
// CHECK-NOT: vector
// CHECK-LABEL: func.func @exact
func.func @exact() {
  %a = rt.buffer batch[0] : memref<4x64xf32>
  %s = rt.buffer transient[0] : memref<4xf32>
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<4x64xf32>) outs(%s : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  }
  return
}

// The second op has a loop more: it goes inside, and what it reads there does not move.
// CHECK-LABEL: func.func private @inside_kernel_0
// CHECK-COUNT-2: scf.for
// CHECK: math.exp
// CHECK: vector.store
// CHECK: scf.for
// CHECK: arith.negf
// CHECK: vector.store
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func @inside
func.func @inside() {
  %a = rt.buffer batch[0] : memref<4x64xf32>
  %b = rt.buffer transient[0] : memref<4x64xf32>
  %c = rt.buffer transient[2048] : memref<4x3x64xf32>
  linalg.exp ins(%a : memref<4x64xf32>) outs(%b : memref<4x64xf32>)
  linalg.generic {indexing_maps = [#first, #spread],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b : memref<4x64xf32>) outs(%c : memref<4x3x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  }
  return
}

// The second op reads a neighbour of what the first one writes in the same iteration: one
// kernel on one thread, but two nests.
// CHECK-LABEL: func.func private @neighbours_kernel_0
// CHECK: scf.for
// CHECK: math.exp
// CHECK: vector.store
// CHECK: }
// CHECK: scf.for
// CHECK: arith.negf
// CHECK-LABEL: func.func @neighbours
// CHECK-COUNT-1: rt.launch
func.func @neighbours() {
  %a = rt.buffer transient[0] : memref<80xf32>
  %v = memref.subview %a[0] [64] [1] : memref<80xf32> to memref<64xf32, strided<[1]>>
  %w = memref.subview %a[8] [64] [1] : memref<80xf32> to memref<64xf32, strided<[1], offset: 8>>
  %b = rt.buffer transient[512] : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%v : memref<64xf32, strided<[1]>>)
  linalg.negf ins(%w : memref<64xf32, strided<[1], offset: 8>>) outs(%b : memref<64xf32>)
  return
}

// What moves along the loops of a reduction is scattered and no sum: left to LLVM.
// CHECK-LABEL: func.func private @scattered_kernel_0
// CHECK-NOT: vector
// CHECK-LABEL: func.func @scattered
func.func @scattered() {
  %a = rt.buffer batch[0] : memref<4x16xf32>
  %taps = rt.buffer batch[1024] : memref<2xf32>
  %b = rt.buffer transient[0] : memref<8x16xf32>
  linalg.generic {indexing_maps = [#spread_in, #tap, #taps],
                  iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%a, %taps : memref<4x16xf32>, memref<2xf32>) outs(%b : memref<8x16xf32>) {
  ^bb0(%in: f32, %none: f32, %out: f32):
    %v = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}

// Elements that are no neighbours are left to LLVM.
// CHECK-LABEL: func.func private @strided_kernel_0
// CHECK-NOT: vector
// CHECK-LABEL: func.func @strided
func.func @strided() {
  %a = rt.buffer batch[0] : memref<4x32xf32>
  %b = rt.buffer transient[0] : memref<4x16xf32>
  linalg.generic {indexing_maps = [#every_second, #all],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x32xf32>) outs(%b : memref<4x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// A row whose length is not a multiple of the vectors: the last one touches the lanes that are there.
// CHECK-LABEL: func.func private @odd_kernel_0
// CHECK: scf.for %{{.+}} = %{{.+}} to
// CHECK: scf.for %[[FIRST:[^ ]+]] = %{{.+}} to
// CHECK: %[[LEFT:.+]] = arith.subi %{{.+}}, %[[FIRST]]
// CHECK: %[[NUMBER:.+]] = arith.index_cast %[[LEFT]]
// CHECK: %[[COUNT:.+]] = vector.broadcast %[[NUMBER]] : i32 to vector<8xi32>
// CHECK: %[[LANES:.+]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK: %[[MASK:.+]] = arith.cmpi slt, %[[LANES]], %[[COUNT]]
// CHECK: vector.maskedload %{{.*}}, %[[MASK]], %{{.+}}
// CHECK: math.exp {{.*}} : vector<8xf32>
// CHECK: vector.maskedstore %{{.*}}, %[[MASK]], %{{.+}}
// CHECK-LABEL: func.func @odd
func.func @odd() {
  %a = rt.buffer batch[0] : memref<4x50xf32>
  %b = rt.buffer transient[0] : memref<4x50xf32>
  linalg.exp ins(%a : memref<4x50xf32>) outs(%b : memref<4x50xf32>)
  return
}

// Without threads, rows that follow each other are one row, whatever their length.
// CHECK-LABEL: func.func private @rows_kernel_0
// CHECK-NOT: scf.for
// CHECK: vector.maskedstore %{{.*}} : memref<21xf32>
// CHECK-LABEL: func.func @rows
func.func @rows() {
  %a = rt.buffer batch[0] : memref<7x3xf32>
  %b = rt.buffer transient[0] : memref<7x3xf32>
  linalg.negf ins(%a : memref<7x3xf32>) outs(%b : memref<7x3xf32>)
  return
}

// Seven vectors are four twice, one of which is empty.
// CHECK-LABEL: func.func private @side_by_side_kernel_0
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c32
// CHECK-COUNT-4: vector.maskedstore
// CHECK-NOT: vector.maskedstore
// CHECK-LABEL: func.func @side_by_side
func.func @side_by_side() {
  %a = rt.buffer batch[0] : memref<50xf32>
  %b = rt.buffer transient[0] : memref<50xf32>
  linalg.exp ins(%a : memref<50xf32>) outs(%b : memref<50xf32>)
  return
}

// Taps of three elements fill no vector, all those of a filter do: what follows in memory is one
// loop. Threads have whole filters.
// CHECK-LABEL: func.func private @taps_kernel_0
// CHECK-SAME: (%[[BEGIN:[^:]+]]: index, %[[END:[^:]+]]: index
// CHECK: scf.for %{{.+}} = %[[BEGIN]] to %[[END]]
// CHECK: scf.for %{{.+}} = %{{.+}} to %c288 step %c32
// CHECK-NOT: scf.for
// CHECK-COUNT-4: vector.store
// CHECK-LABEL: func.func @taps
func.func @taps() {
  %a = rt.buffer batch[0] : memref<8x32x3x3xf32>
  %b = rt.buffer transient[0] : memref<8x32x3x3xf32>
  linalg.exp ins(%a : memref<8x32x3x3xf32>) outs(%b : memref<8x32x3x3xf32>)
  return
}

// The loops of a sum, too, and those of the op that it is fed by.
// CHECK-LABEL: func.func private @tap_sums_kernel_0
// CHECK: scf.for
// CHECK: scf.for %{{.+}} = %{{.+}} to %c288 step %c32
// CHECK-NOT: scf.for
// CHECK: math.exp {{.*}} : vector<8xf32>
// CHECK: vector.reduction <add>
// CHECK-LABEL: func.func @tap_sums
func.func @tap_sums() {
  %a = rt.buffer batch[0] : memref<8x32x3x3xf32>
  %b = rt.buffer transient[0] : memref<8x32x3x3xf32>
  %s = rt.buffer transient[16384] : memref<8xf32>
  linalg.exp ins(%a : memref<8x32x3x3xf32>) outs(%b : memref<8x32x3x3xf32>)
  linalg.generic {indexing_maps = [#weights, #filter],
                  iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%b : memref<8x32x3x3xf32>) outs(%s : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}

// What has a value for each channel can be one loop with its taps alone, and so does what shares
// the nest. An op that asks for the place of a tap has loops of its own.
// CHECK-LABEL: func.func private @channels_kernel_0
// CHECK: scf.for
// CHECK: scf.for %{{.+}} = %{{.+}} to %c32
// CHECK-NOT: scf.for
// CHECK: math.exp {{.*}} : vector<8xf32>
// CHECK: arith.mulf {{.*}} : vector<8xf32>
// CHECK-LABEL: func.func @channels
// CHECK-LABEL: func.func private @places_kernel_0
// CHECK-COUNT-3: scf.for
// CHECK-LABEL: func.func @places
func.func @channels() {
  %a = rt.buffer batch[0] : memref<8x32x3x3xf32>
  %c = rt.buffer batch[16384] : memref<32xf32>
  %b = rt.buffer transient[0] : memref<8x32x3x3xf32>
  linalg.exp ins(%a : memref<8x32x3x3xf32>) outs(%b : memref<8x32x3x3xf32>)
  linalg.generic {indexing_maps = [#channel, #weights],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : memref<32xf32>) outs(%b : memref<8x32x3x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.mulf %out, %in : f32
    linalg.yield %v : f32
  }
  return
}
func.func @places() {
  %b = rt.buffer transient[0] : memref<8x32x3x3xf32>
  linalg.generic {indexing_maps = [#weights],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%b : memref<8x32x3x3xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 2 : index
    %number = arith.index_cast %row : index to i32
    %factor = arith.sitofp %number : i32 to f32
    %v = arith.mulf %out, %factor : f32
    linalg.yield %v : f32
  }
  return
}

// Lanes of a sum's last vector that are not there stay what they were.
// CHECK-LABEL: func.func private @odd_sums_kernel_0
// CHECK-COUNT-2: vector.load
// CHECK: %[[MASK:.+]] = arith.constant dense<[true, true, false, false, false, false, false, false]>
// CHECK: %[[LAST:.+]] = vector.maskedload %{{.+}}[%{{.+}}], %[[MASK]]
// CHECK: %[[MORE:.+]] = arith.addf %[[SUM:.+]], %[[LAST]] fastmath<reassoc>
// CHECK: arith.select %[[MASK]], %[[MORE]], %[[SUM]]
// CHECK: vector.reduction <add>
// CHECK-LABEL: func.func @odd_sums
// A sum of less than a vector is left to LLVM, and so is a division by what such lanes hold, which may trap.
// CHECK-LABEL: func.func private @short_sums_kernel_0
// CHECK-NOT: vector
// CHECK-LABEL: func.func @short_sums
// CHECK-LABEL: func.func private @odd_division_kernel_0
// CHECK-NOT: vector
// CHECK-LABEL: func.func @odd_division
func.func @odd_sums() {
  %a = rt.buffer batch[0] : memref<4x18xf32>
  %s = rt.buffer transient[0] : memref<4xf32>
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<4x18xf32>) outs(%s : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}
func.func @short_sums() {
  %a = rt.buffer batch[0] : memref<4x7xf32>
  %s = rt.buffer transient[0] : memref<4xf32>
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<4x7xf32>) outs(%s : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}
func.func @odd_division() {
  %a = rt.buffer batch[0] : memref<3x9xi32>
  %b = rt.buffer transient[0] : memref<3x9xi32>
  linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : memref<3x9xi32>, memref<3x9xi32>) outs(%b : memref<3x9xi32>) {
  ^bb0(%p: i32, %q: i32, %out: i32):
    %v = arith.divsi %p, %q : i32
    linalg.yield %v : i32
  }
  return
}

// A long sum is one of sums of 64 vectors each: of blocks of one loop, here 64 * 4 * 8 elements, or
// of iterations of the outer one, here 64 / 4 of them.
// CHECK-LABEL: func.func private @long_sums_kernel_0
// CHECK: scf.for %[[BLOCK:.+]] = %{{.+}} to %[[ALL:.+]] step %[[SIZE:.+]] iter_args(%[[TOTAL:.+]] = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}})
// CHECK: %[[ELEMENTS:.+]] = arith.constant 2048 : index
// CHECK: %[[PAST:.+]] = arith.addi %[[BLOCK]], %[[ELEMENTS]]
// CHECK: %[[WHOLE:.+]] = arith.constant 10016 : index
// CHECK: %[[END:.+]] = arith.minsi %[[PAST]], %[[WHOLE]]
// CHECK: %[[OWN:.+]]:4 = scf.for %{{.+}} = %[[BLOCK]] to %[[END]] step
// CHECK: arith.addf %[[TOTAL]], %[[OWN]]#0 : vector<8xf32>
// CHECK: vector.reduction <add>
// CHECK-LABEL: func.func private @long_outer_sums_kernel_0
// CHECK: arith.constant 16 : index
// CHECK: arith.minsi
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.reduction <add>
// CHECK-LABEL: func.func @long_outer_sums
func.func @long_sums() {
  %a = rt.buffer batch[0] : memref<4x10016xf32>
  %s = rt.buffer transient[0] : memref<4xf32>
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<4x10016xf32>) outs(%s : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}
func.func @long_outer_sums() {
  %a = rt.buffer batch[0] : memref<100x4x128xf32>
  %s = rt.buffer transient[0] : memref<4xf32>
  linalg.generic {indexing_maps = [#spread, #middle],
                  iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%a : memref<100x4x128xf32>) outs(%s : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in fastmath<reassoc> : f32
    linalg.yield %v : f32
  }
  return
}
}
