// RUN: boost-opt %s --boostc-build-backward --mlir-print-debuginfo \
// RUN:   --mlir-print-local-scope | FileCheck %s

// A failure in a gradient points at the line of the model its forward op came from.
train.program @locations batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x4xf32>, %label: tensor<3xi32>,
                             %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %y = nn.relu %x : tensor<3x4xf32> loc("model.json":16:7)
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x4xf32>, tensor<3xi32> loc("model.json":21:3)
    return %sum, %count : tensor<f32>, tensor<i64>
  }
  // CHECK-LABEL: func.func @micro
  // CHECK: nn.relu {{.*}} loc("model.json":16:7)
  // CHECK: nn.softmax_cross_entropy {{.*}} loc("model.json":21:3)
  // CHECK: arith.constant {{.*}} loc(fused<"backward of">["model.json":1:1])
  // CHECK: nn.softmax_cross_entropy_grad {{.*}} loc(fused<"backward of">["model.json":21:3])
  // CHECK: nn.elementwise_grad {{.*}} loc(fused<"backward of">["model.json":16:7])
  func.func @micro(%x: tensor<3x4xf32>, %label: tensor<3xi32>,
                   %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<3x4xf32>) {
    %sum, %count, %dx = train.value_and_grad @forward(%x, %label, %valid) wrt [0]
        : (tensor<3x4xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x4xf32>) loc("model.json":1:1)
    return %sum, %dx : tensor<f32>, tensor<3x4xf32>
  }
}
