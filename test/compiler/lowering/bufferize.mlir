// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-bufferize),canonicalize,cse)" \
// RUN:   | FileCheck %s --implicit-check-not=tensor --implicit-check-not=bufferization.

#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#none = affine_map<() -> ()>
#sum = affine_map<(d0) -> ()>

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {

// The new weights are the old ones' memory: nothing is allocated, nothing copied.
// CHECK-LABEL: func.func @update
// CHECK-SAME: (%[[G:.+]]: memref<8xf32> {rt.binding = #rt.binding<gradient, "w">}, %[[W:.+]]: memref<8xf32> {rt.binding = #rt.binding<parameter, "w">}) {
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: linalg.generic {{.*}} ins(%[[G]] : {{.*}}) outs(%[[W]] :
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: return{{$}}
func.func @update(%g: tensor<8xf32> {rt.binding = #rt.binding<gradient, "w">},
                  %w: tensor<8xf32> {rt.binding = #rt.binding<parameter, "w">})
    -> (tensor<8xf32> {rt.binding = #rt.binding<parameter, "w">}) {
  %new = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%g : tensor<8xf32>) outs(%w : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.subf %out, %in : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %new : tensor<8xf32>
}

// Sums over ranks are computed where the parts are, and read there.
// CHECK-LABEL: func.func @reduced
// CHECK-SAME: (%[[G:[^:]+]]: memref<8xf32> {{.*}}, %[[N:[^:]+]]: memref<i64> {{.*}}, %[[W:[^:]+]]: memref<8xf32>
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: rt.collective all_reduce index(0) over all parameters [] groups [0, 1] outs(%[[G]], %[[N]] : memref<8xf32>, memref<i64>)
// CHECK: linalg.generic {{.*}} ins(%[[G]] : {{.*}}) outs(%[[W]] :
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: return{{$}}
func.func @reduced(%g: tensor<8xf32> {rt.binding = #rt.binding<gradient, "w">},
                   %n: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                   %w: tensor<8xf32> {rt.binding = #rt.binding<parameter, "w">})
    -> (tensor<8xf32> {rt.binding = #rt.binding<parameter, "w">},
        tensor<8xf32> {rt.binding = #rt.binding<gradient, "w">},
        tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
  %r:2 = rt.collective all_reduce index(0) over all parameters [] groups [0, 1]
      outs(%g, %n : tensor<8xf32>, tensor<i64>) -> tensor<8xf32>, tensor<i64>
  %new = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%r#0 : tensor<8xf32>) outs(%w : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.subf %out, %in : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %new, %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>, tensor<i64>
}

// What is needed as it was before is copied: a collective reads what it writes.
// CHECK-LABEL: func.func @needed_twice
// CHECK-SAME: (%[[G:[^:]+]]: memref<8xf32>
// CHECK: memref.copy
// CHECK: rt.collective
func.func @needed_twice(%g: tensor<8xf32> {rt.binding = #rt.binding<gradient, "w">})
    -> (tensor<8xf32> {rt.binding = #rt.binding<gradient, "w">},
        tensor<8xf32> {rt.binding = #rt.binding<state, "w">}) {
  %r = rt.collective all_reduce index(0) over all parameters [] groups [0]
      outs(%g : tensor<8xf32>) -> tensor<8xf32>
  return %r, %g : tensor<8xf32>, tensor<8xf32>
}

// What is needed as it was before is written last, also where the first op that writes the result
// would have had the argument's memory from the start.
// CHECK-LABEL: func.func @read_later
// CHECK-SAME: (%[[N:[^:]+]]: memref<i64> {{.*}}, %[[AGAIN:[^:]+]]: memref<i32>
// CHECK: %[[NEXT:.+]] = memref.alloc() {{.*}}: memref<i64>
// CHECK: linalg.generic {{.*}} ins(%[[N]] : memref<i64>) outs(%[[NEXT]] : memref<i64>)
// CHECK: linalg.generic {{.*}} ins(%[[N]] : memref<i64>) outs(%[[AGAIN]] : memref<i32>)
// CHECK: memref.copy %[[NEXT]], %[[N]]
// CHECK: return{{$}}
func.func @read_later(%n: tensor<i64> {rt.binding = #rt.binding<state, "n">})
    -> (tensor<i64> {rt.binding = #rt.binding<state, "n">},
        tensor<i32> {rt.binding = #rt.binding<repeat>}) {
  %e = tensor.empty() : tensor<i64>
  %next = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
      ins(%n : tensor<i64>) outs(%e : tensor<i64>) {
  ^bb0(%in: i64, %out: i64):
    %v = arith.addi %in, %in : i64
    linalg.yield %v : i64
  } -> tensor<i64>
  %f = tensor.empty() : tensor<i32>
  %again = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
      ins(%n : tensor<i64>) outs(%f : tensor<i32>) {
  ^bb0(%in: i64, %out: i32):
    %v = arith.trunci %in : i64 to i32
    linalg.yield %v : i32
  } -> tensor<i32>
  return %next, %again : tensor<i64>, tensor<i32>
}

// Elements that are read elsewhere than they are written: the argument is whole until all are.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: (%[[W:[^:]+]]: memref<4x4xf32>
// CHECK: %[[NEW:.+]] = memref.alloc() {{.*}}: memref<4x4xf32>
// CHECK: linalg.generic {{.*}} ins(%[[W]] : {{.*}}) outs(%[[NEW]] :
// CHECK: memref.copy %[[NEW]], %[[W]]
func.func @transposed(%w: tensor<4x4xf32> {rt.binding = #rt.binding<state, "w">})
    -> (tensor<4x4xf32> {rt.binding = #rt.binding<state, "w">}) {
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.generic {indexing_maps = [#swapped, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  return %t : tensor<4x4xf32>
}

// Every element is read where it is written: nothing is copied.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME: (%[[W:[^:]+]]: memref<4x4xf32>
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic {{.*}} ins(%[[W]] : {{.*}}) outs(%[[W]] :
// CHECK-NOT: memref.copy
// CHECK: return{{$}}
func.func @in_place(%w: tensor<4x4xf32> {rt.binding = #rt.binding<state, "w">})
    -> (tensor<4x4xf32> {rt.binding = #rt.binding<state, "w">}) {
  %e = tensor.empty() : tensor<4x4xf32>
  %unused = tensor.empty() : tensor<4xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  return %t : tensor<4x4xf32>
}

// States that change places are copied before either is written.
// CHECK-LABEL: func.func @swapped
// CHECK-SAME: (%[[A:[^:]+]]: memref<4xf32> {{.*}}, %[[B:[^:]+]]: memref<4xf32>
// CHECK-DAG: memref.copy %[[A]], %[[OLDA:.+]] :
// CHECK-DAG: memref.copy %[[B]], %[[OLDB:.+]] :
// CHECK-DAG: memref.copy %[[OLDA]], %[[B]] :
// CHECK-DAG: memref.copy %[[OLDB]], %[[A]] :
// CHECK: return{{$}}
func.func @swapped(%a: tensor<4xf32> {rt.binding = #rt.binding<state, "a">},
                   %b: tensor<4xf32> {rt.binding = #rt.binding<state, "b">})
    -> (tensor<4xf32> {rt.binding = #rt.binding<state, "a">},
        tensor<4xf32> {rt.binding = #rt.binding<state, "b">}) {
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}

// A part of a buffer is copied for it, and back.
// CHECK-LABEL: func.func @part
// CHECK: %[[PART:.+]] = memref.subview
// CHECK: %[[COPY:.+]] = memref.alloc() : memref<4x3xf32>
// CHECK: memref.copy %[[PART]], %[[COPY]]
// CHECK: rt.collective {{.*}} outs(%[[COPY]] :
// CHECK: memref.copy %[[COPY]], %[[PART]]
func.func @part(%g: tensor<4x8xf32> {rt.binding = #rt.binding<gradient, "w">})
    -> (tensor<4x8xf32> {rt.binding = #rt.binding<gradient, "w">}) {
  %p = tensor.extract_slice %g[0, 2] [4, 3] [1, 1] : tensor<4x8xf32> to tensor<4x3xf32>
  %r = rt.collective all_reduce index(0) over all parameters [] groups [0]
      outs(%p : tensor<4x3xf32>) -> tensor<4x3xf32>
  %s = tensor.insert_slice %r into %g[0, 2] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

// A result without an argument of its binding gets one, and is computed there.
// CHECK-LABEL: func.func @fresh
// CHECK-SAME: (%[[X:.+]]: memref<8xf32> {rt.binding = #rt.binding<input, "x">}, %[[R:.+]]: memref<8xf32> {rt.binding = #rt.binding<gradient, "w">}) {
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%[[R]] :
// CHECK-NOT: memref.copy
// CHECK: return{{$}}
func.func @fresh(%x: tensor<8xf32> {rt.binding = #rt.binding<input, "x">})
    -> (tensor<8xf32> {rt.binding = #rt.binding<gradient, "w">}) {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// A parameter that no result is bound to is read-only, even where an op would write it
// in place.
// CHECK-LABEL: func.func @micro
// CHECK-SAME: (%[[W:.+]]: memref<8xf32> {rt.binding = #rt.binding<parameter, "w">}, %[[R:.+]]: memref<8xf32>
// CHECK-NOT: outs(%[[W]]
// CHECK: memref.copy %[[W]], %[[COPY:.+]] :
// CHECK-NOT: outs(%[[W]]
// CHECK: outs(%[[COPY]] :
// CHECK-NOT: outs(%[[W]]
// CHECK: return{{$}}
func.func @micro(%w: tensor<8xf32> {rt.binding = #rt.binding<parameter, "w">})
    -> (tensor<8xf32> {rt.binding = #rt.binding<gradient, "w">}) {
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%w : tensor<8xf32>) {
  ^bb0(%out: f32):
    %v = arith.mulf %out, %out : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Two sums started from one fill, which CSE made of two: each starts from its own.
// CHECK-LABEL: func.func @shared_fill
// CHECK-SAME: %[[R0:[^ ]+]]: memref<4xf32> {rt.binding = #rt.binding<gradient, "a">}, %[[R1:[^ ]+]]: memref<4xf32> {rt.binding = #rt.binding<gradient, "b">}
// CHECK-NOT: memref.alloc
// CHECK: linalg.fill {{.*}} outs(%[[FIRST:.+]] : memref<4xf32>)
// CHECK-NOT: outs(%[[FIRST]]
// CHECK: linalg.fill
// CHECK-DAG: linalg.generic {{.*}} outs(%[[R0]] :
// CHECK-DAG: linalg.generic {{.*}} outs(%[[R1]] :
// CHECK-NOT: memref.copy
// CHECK: return{{$}}
func.func @shared_fill(%x: tensor<4x8xf32> {rt.binding = #rt.binding<input, "x">},
                       %y: tensor<4x8xf32> {rt.binding = #rt.binding<input, "y">})
    -> (tensor<4xf32> {rt.binding = #rt.binding<gradient, "a">},
        tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<4x8xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// One empty tensor under two values that live at the same time: two places.
// CHECK-LABEL: func.func @shared_empty
// CHECK-SAME: %[[R0:[^ ]+]]: memref<8xf32> {rt.binding = #rt.binding<gradient, "a">}, %[[R1:[^ ]+]]: memref<8xf32> {rt.binding = #rt.binding<gradient, "b">}
// CHECK: math.exp
// CHECK: arith.negf
// CHECK: linalg.generic {{.*}} ins(%[[R0]] : {{.*}}) outs(%[[R1]] :
// CHECK-NOT: memref.copy
// CHECK: return{{$}}
func.func @shared_empty(%x: tensor<8xf32> {rt.binding = #rt.binding<input, "x">})
    -> (tensor<8xf32> {rt.binding = #rt.binding<gradient, "a">},
        tensor<8xf32> {rt.binding = #rt.binding<gradient, "b">}) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.exp %in : f32
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %in : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// One value under two bindings: computed into one of them and copied to the other.
// CHECK-LABEL: func.func @twice
// CHECK-SAME: %[[R0:[^ ]+]]: memref<8xf32> {rt.binding = #rt.binding<gradient, "a">}, %[[R1:[^ ]+]]: memref<8xf32> {rt.binding = #rt.binding<gradient, "b">}
// CHECK: outs(%[[AT:.+]] : memref<8xf32>)
// CHECK: memref.copy %[[AT]], %[[OTHER:.+]] :
// CHECK: return{{$}}
func.func @twice(%x: tensor<8xf32> {rt.binding = #rt.binding<input, "x">})
    -> (tensor<8xf32> {rt.binding = #rt.binding<gradient, "a">},
        tensor<8xf32> {rt.binding = #rt.binding<gradient, "b">}) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %a, %a : tensor<8xf32>, tensor<8xf32>
}

// A reduction reads what it starts from, so that the same fill serves as start of one sum
// and as result of its own without one seeing the other.
// CHECK-LABEL: func.func @fill_is_result
// CHECK-SAME: %[[ZEROS:[^ ]+]]: memref<4xf32> {rt.binding = #rt.binding<gradient, "zeros">}, %[[SUM:[^ ]+]]: memref<4xf32> {rt.binding = #rt.binding<gradient, "sum">}
// CHECK-DAG: linalg.fill {{.*}} outs(%[[ZEROS]] :
// CHECK-DAG: linalg.fill {{.*}} outs(%[[SUM]] :
// CHECK: linalg.generic {{.*}} outs(%[[SUM]] :
// CHECK-NOT: memref.copy
// CHECK: return{{$}}
func.func @fill_is_result(%x: tensor<4x8xf32> {rt.binding = #rt.binding<input, "x">})
    -> (tensor<4xf32> {rt.binding = #rt.binding<gradient, "zeros">},
        tensor<4xf32> {rt.binding = #rt.binding<gradient, "sum">}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %start, %a : tensor<4xf32>, tensor<4xf32>
}

// A library call writes the place of its result.
// CHECK-LABEL: func.func @product
// CHECK-SAME: %[[R:[^ ]+]]: memref<4x5xf32> {rt.binding = #rt.binding<gradient, "y">}
// CHECK-NOT: memref.alloc
// CHECK: rt.matmul {{.*}} outs(%[[R]] : memref<4x5xf32>)
// CHECK-NOT: memref.copy
// CHECK: return{{$}}
func.func @product(%a: tensor<4x3xf32> {rt.binding = #rt.binding<input, "x">},
                   %b: tensor<3x5xf32> {rt.binding = #rt.binding<parameter, "w">})
    -> (tensor<4x5xf32> {rt.binding = #rt.binding<gradient, "y">}) {
  %e = tensor.empty() : tensor<4x5xf32>
  %c = rt.matmul ins(%a, %b : tensor<4x3xf32>, tensor<3x5xf32>) outs(%e : tensor<4x5xf32>)
      -> tensor<4x5xf32>
  return %c : tensor<4x5xf32>
}

// Views of the same memory: a reshape costs nothing.
// CHECK-LABEL: func.func @view
// CHECK-SAME: %[[X:[^ ]+]]: memref<4x2x3xf32>
// CHECK-NOT: memref.copy
// CHECK: %[[V:.+]] = memref.collapse_shape %[[X]]
// CHECK: ins(%[[V]] :
// CHECK-NOT: memref.copy
// CHECK: return{{$}}
func.func @view(%x: tensor<4x2x3xf32> {rt.binding = #rt.binding<input, "x">})
    -> (tensor<4x6xf32> {rt.binding = #rt.binding<gradient, "y">}) {
  %v = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x2x3xf32> into tensor<4x6xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// A long chain of sums shares one buffer, as a short one does; a result that leaves is
// computed where it is to be.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[X:[^ ]+]]: memref<4xf32>
// CHECK-SAME: %[[Y:[^ ]+]]: memref<f32> {rt.binding = #rt.binding<gradient, "y">}
// CHECK: %[[SUM:.+]] = memref.alloc() {alignment = 64 : i64} : memref<f32>
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: linalg.fill {{.*}} outs(%[[SUM]] : memref<f32>)
// CHECK-COUNT-8: linalg.generic {{.*}} ins(%[[X]] : memref<4xf32>) outs(%[[SUM]] : memref<f32>)
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] : memref<f32>) outs(%[[Y]] : memref<f32>)
// CHECK-NOT: memref.copy
// CHECK: return{{$}}
func.func @chain(%x: tensor<4xf32> {rt.binding = #rt.binding<input, "x">})
    -> (tensor<f32> {rt.binding = #rt.binding<gradient, "y">}) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %t0 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%f : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t1 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t0 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t2 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t1 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t3 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t2 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t4 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t3 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t5 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t4 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t6 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t5 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t7 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t6 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %e2 = tensor.empty() : tensor<f32>
  %y = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
      ins(%t7 : tensor<f32>) outs(%e2 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @chain_is_result
// CHECK-SAME: %[[Y:[^ ]+]]: memref<f32> {rt.binding = #rt.binding<gradient, "y">}
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK-COUNT-8: linalg.generic {{.*}} outs(%[[Y]] : memref<f32>)
// CHECK-NOT: memref.copy
// CHECK: return{{$}}
func.func @chain_is_result(%x: tensor<4xf32> {rt.binding = #rt.binding<input, "x">})
    -> (tensor<f32> {rt.binding = #rt.binding<gradient, "y">}) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %t0 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%f : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t1 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t0 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t2 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t1 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t3 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t2 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t4 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t3 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t5 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t4 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t6 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t5 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %t7 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%t6 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  return %t7 : tensor<f32>
}

// A concatenation that another takes twice has memory of its own, which is filled from what it
// concatenates: nothing is copied from places that have no value yet.
// CHECK-LABEL: func.func @concatenate_twice
// CHECK-SAME: (%[[X:[^:]+]]: memref<2x4xf32> {{.*}}, %[[R:[^:]+]]: memref<2x18xf32>
// CHECK: %[[INNER:.+]] = memref.alloc() {{.*}} : memref<2x8xf32>
// CHECK-NEXT: %[[LEFT:.+]] = memref.subview %[[INNER]][0, 0] [2, 4]
// CHECK-NEXT: memref.copy %[[X]], %[[LEFT]]
// CHECK-NEXT: %[[RIGHT:.+]] = memref.subview %[[INNER]][0, 4] [2, 4]
// CHECK-NEXT: memref.copy %[[X]], %[[RIGHT]]
// CHECK: %[[FIRST:.+]] = memref.subview %[[R]][0, 2] [2, 8]
// CHECK-NEXT: memref.copy %[[INNER]], %[[FIRST]]
// CHECK-NEXT: %[[SECOND:.+]] = memref.subview %[[R]][0, 10] [2, 8]
// CHECK-NEXT: memref.copy %[[INNER]], %[[SECOND]]
// CHECK-NEXT: return
func.func @concatenate_twice(%x: tensor<2x4xf32> {rt.binding = #rt.binding<input, "x">})
    -> (tensor<2x18xf32> {rt.binding = #rt.binding<accumulator, "r">}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8xf32>
  %left = tensor.insert_slice %x into %e[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x8xf32>
  %inner = tensor.insert_slice %x into %left[0, 4] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x8xf32>
  %f = tensor.empty() : tensor<2x18xf32>
  %p = tensor.empty() : tensor<2x2xf32>
  %pad = linalg.fill ins(%zero : f32) outs(%p : tensor<2x2xf32>) -> tensor<2x2xf32>
  %r0 = tensor.insert_slice %pad into %f[0, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<2x18xf32>
  %r1 = tensor.insert_slice %inner into %r0[0, 2] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<2x18xf32>
  %r2 = tensor.insert_slice %inner into %r1[0, 10] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<2x18xf32>
  return %r2 : tensor<2x18xf32>
}

}
