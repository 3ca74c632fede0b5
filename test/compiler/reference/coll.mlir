// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=0 \
// RUN:   --compare-after='builtin.module(train.program(boost-lowering-lower-to-linalg))'

// There is one rank here: collectives leave what they are given, in both forms.
train.program @coll batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %g = arith.constant dense<[1.0, -2.5]> : tensor<2xf32>
    %n = arith.constant dense<32> : tensor<i64>
    %r:2 = coll.all_reduce number(0) over all serves [] (%g, %n : tensor<2xf32>, tensor<i64>)
    %a = coll.adasum number(1) over across serves [] groups [0] (%r#0 : tensor<2xf32>)
    check.expect_eq %a, %g : tensor<2xf32>
    check.expect_eq %r#1, %n : tensor<i64>
    return
  }
  func.func @drawn(%g: tensor<4x3xf32>, %n: tensor<i64>) -> (tensor<4x3xf32>, tensor<i64>) {
    %r:2 = coll.all_reduce number(0) over all serves [] (%g, %n : tensor<4x3xf32>, tensor<i64>)
    %a = coll.adasum number(1) over across serves [] groups [0] (%r#0 : tensor<4x3xf32>)
    return %a, %r#1 : tensor<4x3xf32>, tensor<i64>
  }
}
