// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=0 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// train.evaluate gives what its function gives.
train.program @evaluate batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>)
      -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %sum = nn.add %a, %b : tensor<2x2xf32>
    %positive = nn.relu %sum : tensor<2x2xf32>
    return %positive, %sum : tensor<2x2xf32>, tensor<2x2xf32>
  }
  func.func @main() {
    %a = arith.constant dense<[[1.0, -2.0], [3.0, -4.0]]> : tensor<2x2xf32>
    %b = arith.constant dense<1.0> : tensor<2x2xf32>
    %r:2 = train.evaluate @forward(%a, %b)
        : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
    %positive = arith.constant dense<[[2.0, 0.0], [4.0, 0.0]]> : tensor<2x2xf32>
    %sum = arith.constant dense<[[2.0, -1.0], [4.0, -3.0]]> : tensor<2x2xf32>
    check.expect_eq %r#0, %positive : tensor<2x2xf32>
    check.expect_eq %r#1, %sum : tensor<2x2xf32>
    return
  }
  func.func @drawn(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>)
      -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %r:2 = train.evaluate @forward(%a, %b)
        : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
    return %r#0, %r#1 : tensor<2x2xf32>, tensor<2x2xf32>
  }
}
