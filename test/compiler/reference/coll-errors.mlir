// RUN: not boost-interpret %s --function=nested --ranks=2 2>&1 | FileCheck %s
// RUN: not boost-interpret %s --function=calling --ranks=2 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: boost-interpret %s --function=calling --ranks=1
// RUN: not boost-interpret %s --function=called --ranks=0 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: for the --ranks option: expected 1 or more, found 0; without the option it is 1

// Ranks meet in the body of a function alone.
// CHECK: coll-errors.mlir:[[@LINE+6]]:10: error: 'coll.all_reduce' op cannot be interpreted on several ranks: expected in the body of @nested, found in a region
func.func @nested(%n: tensor<i64>) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %n) -> tensor<i64> {
    // Executed as often as each rank likes.
    %y = coll.all_reduce index(0) over all parameters [] (%x : tensor<i64>)
    scf.yield %y : tensor<i64>
  }
  return %r : tensor<i64>
}

// CALLED: coll-errors.mlir:[[@LINE+2]]:8: error: 'coll.all_reduce' op cannot be interpreted on several ranks: expected in the body of @calling, found in @called, which it calls
func.func @called(%n: tensor<i64>) -> tensor<i64> {
  %r = coll.all_reduce index(0) over all parameters [] (%n : tensor<i64>)
  return %r : tensor<i64>
}

func.func @calling(%n: tensor<i64>) -> tensor<i64> {
  %r = func.call @called(%n) : (tensor<i64>) -> tensor<i64>
  return %r : tensor<i64>
}
