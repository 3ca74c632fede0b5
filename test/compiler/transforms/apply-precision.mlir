// RUN: boost-opt %s --split-input-file --boostc-apply-precision | FileCheck %s

// What each kind of op becomes. Parameters and what the function returns stay in f32.

#image = #rt.binding<input, "image">
train.program @o2 batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.amp = #train.amp<O2, bf16, keep_batchnorm_fp32 = true>} {
  // CHECK-LABEL: func.func @forward
  // CHECK-SAME: %[[X:.*]]: tensor<2x3x4x4xf32>, %[[W:[a-z0-9]*]]: tensor<5x3x3x3xf32>, %[[B:[a-z0-9]*]]: tensor<5xf32>
  func.func @forward(%x: tensor<2x3x4x4xf32>, %w: tensor<5x3x3x3xf32>, %b: tensor<5xf32>,
                     %g: tensor<5xf32>, %labels: tensor<2xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>, tensor<2x5xf32>) {
    // CHECK-DAG: %[[XL:.*]] = nn.cast %[[X]] : {{.*}} to tensor<2x3x4x4xbf16>
    // CHECK-DAG: %[[WL:.*]] = nn.cast %[[W]] : {{.*}} to tensor<5x3x3x3xbf16>
    // CHECK-DAG: %[[BL:.*]] = nn.cast %[[B]] : {{.*}} to tensor<5xbf16>
    // CHECK: %[[Y:.*]] = nn.conv2d %[[XL]], %[[WL]], %[[BL]] {{.*}} : tensor<2x3x4x4xbf16>, tensor<5x3x3x3xbf16>, tensor<5xbf16>
    %y = nn.conv2d %x, %w, %b strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
        : tensor<2x3x4x4xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>
    // CHECK: %[[N:.*]], %{{.*}}, %{{.*}} = nn.batch_norm %[[Y]], {{.*}} : tensor<2x5x2x2xbf16>, tensor<5xf32>
    %n, %m, %v = nn.batch_norm %y, %g, %b, %valid epsilon 1.0e-5 : tensor<2x5x2x2xf32>, tensor<5xf32>
    // CHECK: %[[P:.*]], %{{.*}} = nn.max_pool %[[N]] {{.*}} : tensor<2x5x2x2xbf16> -> tensor<2x5x1x1xbf16>, tensor<2x5x1x1xi32>
    %p, %tap = nn.max_pool %n kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]
        : tensor<2x5x2x2xf32> -> tensor<2x5x1x1xf32>, tensor<2x5x1x1xi32>
    // CHECK: %[[F:.*]] = nn.flatten %[[P]] : tensor<2x5x1x1xbf16>
    %f = nn.flatten %p : tensor<2x5x1x1xf32>
    // CHECK: %[[E:.*]] = nn.gelu %[[F]] : tensor<2x5xbf16>
    %e = nn.gelu %f : tensor<2x5xf32>
    // CHECK: %[[L:.*]] = nn.cast %[[E]] : tensor<2x5xbf16> to tensor<2x5xf32>
    // CHECK: nn.softmax_cross_entropy %[[L]], {{.*}} : tensor<2x5xf32>
    %sum, %count = nn.softmax_cross_entropy %e, %labels, %valid : tensor<2x5xf32>, tensor<2xi32>
    // CHECK: return %{{.*}}, %{{.*}}, %[[L]]
    return %sum, %count, %e : tensor<f32>, tensor<i64>, tensor<2x5xf32>
  }
  func.func @micro(%x: tensor<2x3x4x4xf32>, %w: tensor<5x3x3x3xf32>, %b: tensor<5xf32>,
                   %g: tensor<5xf32>, %labels: tensor<2xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    %sum, %count, %other = train.evaluate @forward(%x, %w, %b, %g, %labels, %valid)
        : (tensor<2x3x4x4xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<2x5xf32>)
    return %sum, %count : tensor<f32>, tensor<i64>
  }
}

// -----

// What only moves values is in the low precision where all of them are: with O1, here two of three.
train.program @o1 batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.amp = #train.amp<O1, bf16, keep_batchnorm_fp32 = true>} {
  // CHECK-LABEL: func.func @moves
  func.func @moves(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %labels: tensor<2xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    // CHECK: %[[A:.*]] = nn.dense {{.*}} : tensor<2x3xbf16>, tensor<4x3xbf16>
    %a = nn.dense %x, %w : tensor<2x3xf32>, tensor<4x3xf32>
    // CHECK: %[[TWICE:.*]] = nn.concat %[[A]], %[[A]] axis 1 : tensor<2x4xbf16>, tensor<2x4xbf16>
    %twice = nn.concat %a, %a axis 1 : tensor<2x4xf32>, tensor<2x4xf32>
    // CHECK: %[[WIDE:.*]] = nn.cast %[[TWICE]] : tensor<2x8xbf16> to tensor<2x8xf32>
    // CHECK: nn.concat %[[WIDE]], %{{.*}} axis 1 : tensor<2x8xf32>, tensor<2x3xf32>
    %c = nn.concat %twice, %x axis 1 : tensor<2x8xf32>, tensor<2x3xf32>
    %sum, %count = nn.softmax_cross_entropy %c, %labels, %valid : tensor<2x11xf32>, tensor<2xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }
  func.func @micro(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %labels: tensor<2xi32>, %valid: tensor<i32>)
      -> (tensor<f32>, tensor<i64>) {
    %sum, %count = train.evaluate @moves(%x, %w, %labels, %valid)
        : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2xi32>, tensor<i32>) -> (tensor<f32>, tensor<i64>)
    return %sum, %count : tensor<f32>, tensor<i64>
  }
}
