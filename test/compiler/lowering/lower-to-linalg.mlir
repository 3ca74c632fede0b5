// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-lower-to-linalg))" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,LIBRARY
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-lower-to-linalg{use-library=false}))" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,LOOPS

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {

// A contraction is the library's, its bias inside the call; without the library it is
// three loops, the last of them a reduction.
// CHECK-LABEL: func.func @dense
// CHECK-SAME: (%[[X:.+]]: tensor<4x3xf32>, %[[W:.+]]: tensor<5x3xf32>, %[[B:.+]]: tensor<5xf32>)
// LIBRARY: %[[E:.+]] = tensor.empty() : tensor<4x5xf32>
// LIBRARY: rt.matmul ins({{ ?}}%[[X]], transposed %[[W]] : {{.*}}) bias(%[[B]] : {{.*}}) outs(%[[E]] : {{.*}})
// LIBRARY-NOT: linalg
// LOOPS-NOT: rt.matmul
// LOOPS: linalg.fill
// LOOPS: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[W]]
// LOOPS: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %[[B]]
// CHECK: return
func.func @dense(%x: tensor<4x3xf32>, %w: tensor<5x3xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> {
  %y = nn.dense %x, %w, %b : tensor<4x3xf32>, tensor<5x3xf32>, tensor<5xf32>
  return %y : tensor<4x5xf32>
}

// The library has no such op, so that the option changes nothing.
// CHECK-LABEL: func.func @relu
// CHECK-NOT: nn.
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]}
// CHECK-NOT: nn.
// CHECK: return
func.func @relu(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %y = nn.relu %x : tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// An op with a library call only is not asked for loops.
// CHECK-LABEL: func.func @init
// CHECK: rt.fill "w" <uniform, -5.000000e-01 : f64, 5.000000e-01 : f64> seed(%{{.*}}) outs(%{{.*}}) -> tensor<5x3xf32>
func.func @init(%seed: tensor<i64>) -> tensor<5x3xf32> {
  %w = train.initialize "w" <uniform, -0.5, 0.5> seed(%seed) : tensor<5x3xf32>
  return %w : tensor<5x3xf32>
}

// A splat needs no global; what is not a tensor stays.
// CHECK-LABEL: func.func @constants
// CHECK-NOT: dense<
// CHECK-DAG: %[[C:.+]] = arith.constant 2.500000e+00 : f32
// CHECK-DAG: %[[I:.+]] = arith.constant 7 : i64
// CHECK-DAG: %[[F:.+]] = linalg.fill ins(%[[C]] : f32) outs(%{{.+}} : tensor<4xf32>) -> tensor<4xf32>
// CHECK: return %[[F]], %[[I]]
func.func @constants() -> (tensor<4xf32>, i64) {
  %c = arith.constant dense<2.5> : tensor<4xf32>
  %i = arith.constant 7 : i64
  return %c, %i : tensor<4xf32>, i64
}

}
