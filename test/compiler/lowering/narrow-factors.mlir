// RUN: boost-opt %s --boostc-narrow-factors | FileCheck %s
// RUN: sed 's/,avx512bf16,amx-tile,amx-bf16//' %s | boost-opt --boostc-narrow-factors \
// RUN:   | FileCheck %s --check-prefix=PLAIN

#rows = affine_map<(h, i, j, k) -> (h, i, k)>
#columns = affine_map<(h, i, j, k) -> (h, j, k)>
#result = affine_map<(h, i, j, k) -> (h, i, j)>
#all = affine_map<(h, i, j) -> (h, i, j)>

// PLAIN-NOT: bf16>
train.program @p batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v4", "avx512f,avx512bf16,amx-tile,amx-bf16", 1>} {

// Both factors are stored as they are rounded. What else reads one of them extends it, too.
// CHECK-LABEL: func.func @scores
// CHECK: %[[Q:.+]] = linalg.generic {{.*}} ins(%arg0 {{.*}} outs(%{{.+}} : tensor<4x64x64xbf16>)
// CHECK: %[[LOW:.+]] = arith.truncf
// CHECK-NEXT: linalg.yield %[[LOW]] : bf16
// CHECK: %[[K:.+]] = linalg.generic {{.*}} ins(%arg1 {{.*}} outs(%{{.+}} : tensor<4x64x64xbf16>)
// CHECK: linalg.generic {{.*}} ins(%[[Q]], %[[K]] : tensor<4x64x64xbf16>, tensor<4x64x64xbf16>) outs(%{{.+}} : tensor<4x64x64xf32>)
// CHECK-NEXT: ^bb0(%[[A:.+]]: bf16, %[[B:.+]]: bf16, %{{.+}}: f32):
// CHECK-DAG: %[[X:.+]] = arith.extf %[[A]] :
// CHECK-DAG: %[[Y:.+]] = arith.extf %[[B]] :
// CHECK: arith.mulf %[[X]], %[[Y]] : f32
// CHECK: linalg.generic {{.*}} ins(%[[Q]] : tensor<4x64x64xbf16>) outs(%{{.+}} : tensor<4x64x64xf32>)
// CHECK: arith.extf
// CHECK: math.exp
func.func @scores(%x: tensor<4x64x64xf32>, %y: tensor<4x64x64xf32>)
    -> (tensor<4x64x64xf32>, tensor<4x64x64xf32>) {
  %e = tensor.empty() : tensor<4x64x64xf32>
  %zero = arith.constant 0.0 : f32
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x64x64xf32>) outs(%e : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %l = arith.truncf %a : f32 to bf16
    %w = arith.extf %l : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<4x64x64xf32>
  %k = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<4x64x64xf32>) outs(%e : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    %l = arith.truncf %s : f32 to bf16
    %w = arith.extf %l : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<4x64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %s = linalg.generic {indexing_maps = [#rows, #columns, #result],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x64x64xf32>, tensor<4x64x64xf32>) outs(%f : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m fastmath<reassoc> : f32
    linalg.yield %t : f32
  } -> tensor<4x64x64xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<4x64x64xf32>) outs(%e : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<4x64x64xf32>
  return %s, %p : tensor<4x64x64xf32>, tensor<4x64x64xf32>
}

// A factor that is both.
// CHECK-LABEL: func.func @square
// CHECK: linalg.generic {{.*}} ins(%[[S:.+]], %[[S]] : tensor<4x64x64xbf16>, tensor<4x64x64xbf16>)
func.func @square(%x: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  %e = tensor.empty() : tensor<4x64x64xf32>
  %zero = arith.constant 0.0 : f32
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x64x64xf32>) outs(%e : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %l = arith.truncf %a : f32 to bf16
    %w = arith.extf %l : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<4x64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %s = linalg.generic {indexing_maps = [#rows, #columns, #result],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %q : tensor<4x64x64xf32>, tensor<4x64x64xf32>) outs(%f : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m fastmath<reassoc> : f32
    linalg.yield %t : f32
  } -> tensor<4x64x64xf32>
  return %s : tensor<4x64x64xf32>
}

// A factor that is not rounded, or that the function returns, stays, and so does the other.
// CHECK-LABEL: func.func @exact
// CHECK-NOT: bf16>
// CHECK: return
func.func @exact(%x: tensor<4x64x64xf32>, %y: tensor<4x64x64xf32>)
    -> (tensor<4x64x64xf32>, tensor<4x64x64xf32>, tensor<4x64x64xf32>) {
  %e = tensor.empty() : tensor<4x64x64xf32>
  %zero = arith.constant 0.0 : f32
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x64x64xf32>) outs(%e : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %l = arith.truncf %a : f32 to bf16
    %w = arith.extf %l : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<4x64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %s = linalg.generic {indexing_maps = [#rows, #columns, #result],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %y : tensor<4x64x64xf32>, tensor<4x64x64xf32>) outs(%f : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m fastmath<reassoc> : f32
    linalg.yield %t : f32
  } -> tensor<4x64x64xf32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, #result],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %q : tensor<4x64x64xf32>, tensor<4x64x64xf32>) outs(%f : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m fastmath<reassoc> : f32
    linalg.yield %t : f32
  } -> tensor<4x64x64xf32>
  return %s, %q, %r : tensor<4x64x64xf32>, tensor<4x64x64xf32>, tensor<4x64x64xf32>
}

// Too little for a kernel of its own.
// CHECK-LABEL: func.func @small
// CHECK-NOT: bf16>
// CHECK: return
func.func @small(%x: tensor<4x8x8xf32>) -> tensor<4x8x8xf32> {
  %e = tensor.empty() : tensor<4x8x8xf32>
  %zero = arith.constant 0.0 : f32
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x8x8xf32>) outs(%e : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %l = arith.truncf %a : f32 to bf16
    %w = arith.extf %l : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<4x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %s = linalg.generic {indexing_maps = [#rows, #columns, #result],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %q : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%f : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m fastmath<reassoc> : f32
    linalg.yield %t : f32
  } -> tensor<4x8x8xf32>
  return %s : tensor<4x8x8xf32>
}
}
