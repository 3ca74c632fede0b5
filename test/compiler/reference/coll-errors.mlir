// RUN: not boost-interpret %s --function=nested --ranks=2 2>&1 | FileCheck %s

// Ranks meet in the body of a function alone.
// CHECK: coll-nested.mlir:[[@LINE+6]]:10: error: 'coll.all_reduce' op cannot be interpreted on several ranks: expected in the body of @nested, found in a region
func.func @nested(%n: tensor<i64>) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %n) -> tensor<i64> {
    // Executed as often as each rank likes.
    %y = coll.all_reduce number(0) over all serves [] (%x : tensor<i64>)
    scf.yield %y : tensor<i64>
  }
  return %r : tensor<i64>
}
