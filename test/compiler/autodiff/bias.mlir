// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// A bias is summed over the real samples and the trailing dimensions.
train.program @bias batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x2x2x3xf32>, %b: tensor<2xf32>,
    %c: tensor<12xf32>, %label: tensor<3xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    %z = nn.bias %x, %b : tensor<3x2x2x3xf32>, tensor<2xf32>
    %y = nn.flatten %z : tensor<3x2x2x3xf32>
    %logits = nn.bias %y, %c : tensor<3x12xf32>, tensor<12xf32>
    %sum, %count = nn.softmax_cross_entropy %logits, %label, %valid
        : tensor<3x12xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK-SAME: %[[VALID:[a-z0-9]+]]: tensor<i32>
  // CHECK: %[[DY:.+]] = nn.softmax_cross_entropy_grad
  // CHECK: %[[DC:.+]] = nn.bias_grad %[[DY]], %[[VALID]] : tensor<3x12xf32>
  // CHECK: %[[DZ:.+]] = nn.reshape %[[DY]]
  // CHECK: %[[DB:.+]] = nn.bias_grad %[[DZ]], %[[VALID]] : tensor<3x2x2x3xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %[[DZ]], %[[DB]], %[[DC]]
  func.func @micro(%x: tensor<3x2x2x3xf32>, %b: tensor<2xf32>, %c: tensor<12xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x2x2x3xf32>, tensor<2xf32>,
          tensor<12xf32>) {
    %sum, %count, %dx, %db, %dc =
        train.value_and_grad @forward(%x, %b, %c, %label, %valid)
        wrt [0, 1, 2]
        : (tensor<3x2x2x3xf32>, tensor<2xf32>, tensor<12xf32>, tensor<3xi32>,
            tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x2x2x3xf32>, tensor<2xf32>,
            tensor<12xf32>)
    return %sum, %count, %dx, %db, %dc
        : tensor<f32>, tensor<i64>, tensor<3x2x2x3xf32>, tensor<2xf32>, tensor<12xf32>
  }
}
