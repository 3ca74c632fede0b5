// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward,boostc-lower-to-linalg))'

// On a value of three dimensions and on logits; a sample that pads the batch adds nothing.
train.program @multiplier batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x2x4xf32>, %m: tensor<1xf32>, %n: tensor<1xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %a = nn.multiplier %x, %m : tensor<3x2x4xf32>, tensor<1xf32>
    %f = nn.flatten %a : tensor<3x2x4xf32>
    %y = nn.multiplier %f, %n : tensor<3x8xf32>, tensor<1xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x8xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: nn.multiplier_grad
  // CHECK: nn.multiplier_grad
  func.func @micro(%x: tensor<3x2x4xf32>, %m: tensor<1xf32>, %n: tensor<1xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x2x4xf32>, tensor<1xf32>, tensor<1xf32>) {
    %sum, %count, %dx, %dm, %dn = train.value_and_grad @forward(%x, %m, %n, %label, %valid)
        wrt [0, 1, 2]
        : (tensor<3x2x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x2x4xf32>, tensor<1xf32>, tensor<1xf32>)
    return %sum, %count, %dx, %dm, %dn
        : tensor<f32>, tensor<i64>, tensor<3x2x4xf32>, tensor<1xf32>, tensor<1xf32>
  }
}
