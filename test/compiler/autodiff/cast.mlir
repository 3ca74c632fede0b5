// RUN: boost-opt %s --boostc-build-backward | FileCheck %s

// The gradient of an activation is rounded to its type. That of a parameter comes as a sum in
// f32 and is never rounded; two such sums are added before anything is.
train.program @cast batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %0 = nn.cast %x : tensor<3x4xf32> to tensor<3x4xbf16>
    %1 = nn.cast %w : tensor<4x4xf32> to tensor<4x4xbf16>
    %2 = nn.dense %0, %1 : tensor<3x4xbf16>, tensor<4x4xbf16>
    %3 = nn.dense %2, %1 : tensor<3x4xbf16>, tensor<4x4xbf16>
    %4 = nn.cast %3 : tensor<3x4xbf16> to tensor<3x4xf32>
    %sum, %count = nn.softmax_cross_entropy %4, %label, %valid
        : tensor<3x4xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: %[[DLOGITS:.*]] = nn.softmax_cross_entropy_grad
  // CHECK-NEXT: %[[DY:.*]] = nn.cast %[[DLOGITS]] : tensor<3x4xf32> to tensor<3x4xbf16>
  // CHECK-NEXT: %[[DX2:.*]] = nn.dense_grad_input %[[DY]], {{.*}} : tensor<3x4xbf16>, tensor<4x4xbf16>
  // CHECK-NEXT: %[[DW2:.*]] = nn.dense_grad_weight %[[DY]], {{.*}} : tensor<3x4xbf16>, tensor<3x4xbf16>
  // CHECK-NEXT: %[[DX1:.*]] = nn.dense_grad_input %[[DX2]], {{.*}} : tensor<3x4xbf16>, tensor<4x4xbf16>
  // CHECK-NEXT: %[[DW1:.*]] = nn.dense_grad_weight %[[DX2]], {{.*}} : tensor<3x4xbf16>, tensor<3x4xbf16>
  // CHECK-NEXT: %[[DW:.*]] = nn.add %[[DW2]], %[[DW1]] : tensor<4x4xf32>
  // CHECK-NEXT: %[[DX:.*]] = nn.cast %[[DX1]] : tensor<3x4xbf16> to tensor<3x4xf32>
  // CHECK-NEXT: return %{{.*}}, %{{.*}}, %[[DX]], %[[DW]]
  func.func @micro(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<4x4xf32>) {
    %sum, %count, %dx, %dw =
        train.value_and_grad @forward(%x, %w, %label, %valid)
        wrt [0, 1]
        : (tensor<3x4xf32>, tensor<4x4xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<4x4xf32>)
    return %sum, %count, %dx, %dw
        : tensor<f32>, tensor<i64>, tensor<3x4xf32>, tensor<4x4xf32>
  }
}
