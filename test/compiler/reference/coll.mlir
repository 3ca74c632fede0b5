// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=0 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=0 --ranks=3 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=identities --ranks=1
// RUN: boost-interpret %s --function=identities --ranks=2
// RUN: boost-interpret %s --function=identities --ranks=3
// RUN: boost-interpret %s --function=identities --ranks=5
// RUN: boost-interpret %s --function=identities --ranks=20
// RUN: boost-interpret %s --function=three --ranks=3 --print | FileCheck %s
// RUN: boost-interpret %s --function=rows --ranks=3 --print | FileCheck %s --check-prefix=ROWS
// RUN: boost-interpret %s --function=adasum --ranks=2 --print | FileCheck %s --check-prefix=ADASUM

// With one rank collectives leave what they are given, in both forms.
train.program @coll batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %g = arith.constant dense<[1.0, -2.5]> : tensor<2xf32>
    %n = arith.constant dense<32> : tensor<i64>
    %r:2 = coll.all_reduce index(0) over all parameters [] (%g, %n : tensor<2xf32>, tensor<i64>)
    %a = coll.adasum index(1) over inter_group parameters [] groups [0] (%r#0 : tensor<2xf32>)
    check.expect_eq %a, %g : tensor<2xf32>
    check.expect_eq %r#1, %n : tensor<i64>
    return
  }
  func.func @drawn(%g: tensor<4x3xf32>, %n: tensor<5xi64>) -> (tensor<4x3xf32>, tensor<5xi64>) {
    %r:2 = coll.all_reduce index(0) over all parameters [] (%g, %n : tensor<4x3xf32>, tensor<5xi64>)
    %a = coll.adasum index(1) over inter_group parameters [] groups [0] (%r#0 : tensor<4x3xf32>)
    %b:2 = coll.reduce_scatter index(2) over all parameters [] (%g, %n : tensor<4x3xf32>, tensor<5xi64>)
    %c:2 = coll.all_gather index(3) over all parameters [] (%b#0, %n : tensor<4x3xf32>, tensor<5xi64>)
    %f:2 = coll.broadcast index(4) over all parameters [] root(2) (%a, %n : tensor<4x3xf32>, tensor<5xi64>)
    %s = train.combine %c#0, %f#0 : tensor<4x3xf32>
    %i = coll.reduce_scatter index(5) over intra_group parameters [] (%s : tensor<4x3xf32>)
    check.expect_eq %i, %s : tensor<4x3xf32>
    return %s, %f#1 : tensor<4x3xf32>, tensor<5xi64>
  }
  func.func @identities(%g: tensor<4x3xf32>, %n: tensor<7xi64>) {
    %sum:2 = coll.all_reduce index(0) over all parameters [] (%g, %n : tensor<4x3xf32>, tensor<7xi64>)
    %s:2 = coll.reduce_scatter index(1) over all parameters [] (%g, %n : tensor<4x3xf32>, tensor<7xi64>)
    %r:2 = coll.all_gather index(2) over all parameters [] (%s#0, %s#1 : tensor<4x3xf32>, tensor<7xi64>)
    check.expect_eq %r#0, %sum#0 : tensor<4x3xf32>
    check.expect_eq %r#1, %sum#1 : tensor<7xi64>
    %x = coll.broadcast index(3) over all parameters [] root(-1) (%sum#0 : tensor<4x3xf32>)
    check.expect_eq %x, %sum#0 : tensor<4x3xf32>
    // What all ranks keep of what all have is all of it.
    %o:2 = coll.own_slice index(4) over all parameters [] (%sum#0, %sum#1 : tensor<4x3xf32>, tensor<7xi64>)
    %back:2 = coll.all_reduce index(5) over all parameters [] (%o#0, %o#1 : tensor<4x3xf32>, tensor<7xi64>)
    check.expect_eq %back#0, %sum#0 : tensor<4x3xf32>
    check.expect_eq %back#1, %sum#1 : tensor<7xi64>
    return
  }
  // First what ranks 0, 1 and 2 bring; the rest is computed by hand.
  // CHECK: [5] 2 2 2 1 1
  // CHECK-NEXT: [5] 3 3 2 1 1
  // CHECK-NEXT: [5] 2 2 1 2 0
  // CHECK-NEXT: [5] 0 0 1 2 1
  // CHECK-NEXT: [5] 0 0 1 2 1
  // CHECK-NEXT: [5] 0 0 3 3 1
  // CHECK-NEXT: [5] 2 2 1 2 0
  // CHECK-NEXT: [5] 0 0 1 2 1
  // CHECK-NEXT: [5] 1 1 0 0 0
  // CHECK-NEXT: [5] 1 1 0 0 2
  // CHECK-NEXT: [5] 2 2 1 2 0
  // CHECK-NEXT: [5] 0 0 1 2 1
  // Of two rows ranks 0 and 1 have one each, of the next two ranks 2 and 0, in their order, then rank 1.
  // ROWS: [2x2] 1 2 0 0
  // ROWS-NEXT: [2] 5 0
  // ROWS-NEXT: [] 0
  // ROWS-NEXT: [2x2] 0 0 3 4
  // ROWS-NEXT: [2] 0 0
  // ROWS-NEXT: [] 7
  // ROWS-NEXT: [2x2] 0 0 0 0
  // ROWS-NEXT: [2] 0 6
  // ROWS-NEXT: [] 0
  func.func @rows() -> (tensor<2x2xf32>, tensor<2xi64>, tensor<i64>) {
    %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %b = arith.constant dense<[5, 6]> : tensor<2xi64>
    %c = arith.constant dense<7> : tensor<i64>
    %o:3 = coll.own_slice index(0) over all parameters [] (%a, %b, %c : tensor<2x2xf32>, tensor<2xi64>, tensor<i64>)
    return %o#0, %o#1, %o#2 : tensor<2x2xf32>, tensor<2xi64>, tensor<i64>
  }
  func.func @three(%n: tensor<5xi64>)
      -> (tensor<5xi64>, tensor<5xi64>, tensor<5xi64>, tensor<5xi64>) {
    %s = coll.reduce_scatter index(0) over all parameters [] (%n : tensor<5xi64>)
    %g = coll.all_gather index(1) over all parameters [] (%n : tensor<5xi64>)
    %b = coll.broadcast index(2) over all parameters [] root(4) (%n : tensor<5xi64>)
    return %n, %s, %g, %b : tensor<5xi64>, tensor<5xi64>, tensor<5xi64>, tensor<5xi64>
  }
  // The result of ranks whose vectors are equal is their mean: the vector.
  // ADASUM-COUNT-2: [2] 3 4
  func.func @adasum() -> tensor<2xf32> {
    %g = arith.constant dense<[3.0, 4.0]> : tensor<2xf32>
    %a = coll.adasum index(0) over inter_group parameters [] groups [0] (%g : tensor<2xf32>)
    return %a : tensor<2xf32>
  }
}
