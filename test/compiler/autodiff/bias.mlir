// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// A bias is summed over the real samples and all dimensions but its own.
train.program @bias batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x2x2x3xf32>, %b: tensor<2xf32>,
    %c: tensor<12xf32>, %e: tensor<3xf32>, %label: tensor<3xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    %a = nn.bias %x, %e axis 3 : tensor<3x2x2x3xf32>, tensor<3xf32>
    %z = nn.bias %a, %b axis 1 : tensor<3x2x2x3xf32>, tensor<2xf32>
    %y = nn.flatten %z : tensor<3x2x2x3xf32>
    %logits = nn.bias %y, %c axis 1 : tensor<3x12xf32>, tensor<12xf32>
    %sum, %count = nn.softmax_cross_entropy %logits, %label, %valid
        : tensor<3x12xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK-SAME: %[[VALID:[a-z0-9]+]]: tensor<i32>
  // CHECK: %[[DY:.+]] = nn.softmax_cross_entropy_grad
  // CHECK: %[[DC:.+]] = nn.bias_grad %[[DY]], %[[VALID]] axis 1 : tensor<3x12xf32>
  // CHECK: %[[DZ:.+]] = nn.reshape %[[DY]]
  // CHECK: %[[DB:.+]] = nn.bias_grad %[[DZ]], %[[VALID]] axis 1 : tensor<3x2x2x3xf32>
  // CHECK: %[[DE:.+]] = nn.bias_grad %[[DZ]], %[[VALID]] axis 3 : tensor<3x2x2x3xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %[[DZ]], %[[DB]], %[[DC]], %[[DE]]
  func.func @micro(%x: tensor<3x2x2x3xf32>, %b: tensor<2xf32>, %c: tensor<12xf32>,
    %e: tensor<3xf32>, %label: tensor<3xi32>, %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x2x2x3xf32>, tensor<2xf32>,
          tensor<12xf32>, tensor<3xf32>) {
    %sum, %count, %dx, %db, %dc, %de =
        train.value_and_grad @forward(%x, %b, %c, %e, %label, %valid)
        wrt [0, 1, 2, 3]
        : (tensor<3x2x2x3xf32>, tensor<2xf32>, tensor<12xf32>, tensor<3xf32>,
            tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x2x2x3xf32>, tensor<2xf32>,
            tensor<12xf32>, tensor<3xf32>)
    return %sum, %count, %dx, %db, %dc, %de
        : tensor<f32>, tensor<i64>, tensor<3x2x2x3xf32>, tensor<2xf32>, tensor<12xf32>,
          tensor<3xf32>
  }
}
