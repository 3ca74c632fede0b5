// RUN: boost-opt %s --boostc-centralize-gradients | FileCheck %s

// Weights of contractions of all channels are centralised: @dense, and LARS's rate with it. A
// weight of groups, one that something else reads too, a bias, and a weight that the forward
// normalises first are not.
// CHECK-LABEL: func.func @update
// CHECK-NEXT: %[[APPLIED:.+]], %{{.+}} = train.commit
// CHECK-NEXT: %[[D:.+]] = train.divide_gradient %arg0
// CHECK-NEXT: %[[M:.+]] = train.filter_means %[[D]] : tensor<4x12xf32>
// CHECK-NEXT: %[[C:.+]] = train.center_gradient %[[D]] by %[[M]] : tensor<4x12xf32>, tensor<4xf32>
// CHECK-NEXT: %[[GG:.+]] = train.squared_norm %[[C]]
// CHECK-NEXT: %[[N:.+]] = train.squared_norm %[[D]]
// CHECK-NEXT: %[[NORM:.+]] = train.global_norm %[[N]]
// CHECK-NEXT: %[[WW:.+]] = train.squared_norm %arg1
// CHECK-NEXT: %[[RATIO:.+]] = train.trust_ratio %[[WW]], %[[GG]]
// CHECK-NEXT: train.lars %arg1, %[[C]], %{{.+}}, %{{.+}} ratio(%[[RATIO]])
// CHECK-NOT: train.center_gradient
// CHECK: train.sgd
// CHECK-NOT: train.center_gradient
train.program @weights batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.centralize_gradients} {
  func.func @forward(%x: tensor<2x12xf32> {rt.binding = #rt.binding<input, "x">},
                     %label: tensor<2xi32> {rt.binding = #rt.binding<input, "y">},
                     %valid: tensor<i32> {rt.binding = #rt.binding<valid>},
                     %grouped: tensor<12x1x1x1xf32> {rt.binding = #rt.binding<parameter, "grouped">},
                     %dense: tensor<4x12xf32> {rt.binding = #rt.binding<parameter, "dense">},
                     %bias: tensor<4xf32> {rt.binding = #rt.binding<parameter, "bias">},
                     %twice: tensor<2x4xf32> {rt.binding = #rt.binding<parameter, "twice">},
                     %head: tensor<3x4xf32> {rt.binding = #rt.binding<parameter, "head">})
      -> (tensor<f32>, tensor<i64>) {
    %a = nn.reshape %x : tensor<2x12xf32> to tensor<2x12x1x1xf32>
    %b = nn.conv2d %a, %grouped strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 12
        : tensor<2x12x1x1xf32>, tensor<12x1x1x1xf32>
    %c = nn.flatten %b : tensor<2x12x1x1xf32>
    %d = nn.dense %c, %dense, %bias : tensor<2x12xf32>, tensor<4x12xf32>, tensor<4xf32>
    %e = nn.add %d, %twice : tensor<2x4xf32>
    %n = nn.l2_normalize %head epsilon 1.0e-4 : tensor<3x4xf32>
    %f = nn.dense %e, %n : tensor<2x4xf32>, tensor<3x4xf32>
    %sum, %count = nn.softmax_cross_entropy %f, %label, %valid : tensor<2x3xf32>, tensor<2xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }
  func.func @micro(%x: tensor<2x12xf32>, %label: tensor<2xi32>, %valid: tensor<i32>,
                   %grouped: tensor<12x1x1x1xf32>, %dense: tensor<4x12xf32>, %bias: tensor<4xf32>,
                   %twice: tensor<2x4xf32>, %head: tensor<3x4xf32>) -> (tensor<4x12xf32>) {
    %sum, %count, %g = train.value_and_grad
        @forward(%x, %label, %valid, %grouped, %dense, %bias, %twice, %head) wrt [4]
        : (tensor<2x12xf32>, tensor<2xi32>, tensor<i32>, tensor<12x1x1x1xf32>, tensor<4x12xf32>,
           tensor<4xf32>, tensor<2x4xf32>, tensor<3x4xf32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x12xf32>)
    return %g : tensor<4x12xf32>
  }
  func.func @update(%g: tensor<4x12xf32> {rt.binding = #rt.binding<gradient, "dense">},
                    %w: tensor<4x12xf32> {rt.binding = #rt.binding<parameter, "dense">},
                    %v: tensor<4x12xf32> {rt.binding = #rt.binding<state, "dense.momentum">},
                    %gb: tensor<4xf32> {rt.binding = #rt.binding<gradient, "bias">},
                    %b: tensor<4xf32> {rt.binding = #rt.binding<parameter, "bias">},
                    %gg: tensor<12x1x1x1xf32> {rt.binding = #rt.binding<gradient, "grouped">},
                    %gw: tensor<12x1x1x1xf32> {rt.binding = #rt.binding<parameter, "grouped">},
                    %gh: tensor<3x4xf32> {rt.binding = #rt.binding<gradient, "head">},
                    %h: tensor<3x4xf32> {rt.binding = #rt.binding<parameter, "head">},
                    %gt: tensor<2x4xf32> {rt.binding = #rt.binding<gradient, "twice">},
                    %t: tensor<2x4xf32> {rt.binding = #rt.binding<parameter, "twice">},
                    %count: tensor<i64> {rt.binding = #rt.binding<loss_count>},
                    %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">},
                    %before: tensor<i32> {rt.binding = #rt.binding<failed>})
      -> (tensor<4x12xf32> {rt.binding = #rt.binding<parameter, "dense">},
          tensor<4x12xf32> {rt.binding = #rt.binding<state, "dense.momentum">},
          tensor<4xf32> {rt.binding = #rt.binding<parameter, "bias">},
          tensor<12x1x1x1xf32> {rt.binding = #rt.binding<parameter, "grouped">},
          tensor<3x4xf32> {rt.binding = #rt.binding<parameter, "head">},
          tensor<2x4xf32> {rt.binding = #rt.binding<parameter, "twice">}, tensor<f32>) {
    %applied, %failed = train.commit count(%count) after(%before) finite(%g : tensor<4x12xf32>)
        on_nonfinite fail
    %d = train.divide_gradient %g by %count : tensor<4x12xf32>
    %n = train.squared_norm %d : tensor<4x12xf32>
    %norm = train.global_norm %n
    %ww = train.squared_norm %w : tensor<4x12xf32>
    %ratio = train.trust_ratio %ww, %n coefficient 0.001 weight_decay 0.5 epsilon 0.0
    %w1, %v1 = train.lars %w, %d, %lr, %v ratio(%ratio) momentum 0.9 weight_decay 0.5
        if %applied : tensor<4x12xf32>
    %b1 = train.sgd %b, %gb, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    %g1 = train.sgd %gw, %gg, %lr weight_decay 0.0 if %applied : tensor<12x1x1x1xf32>
    %h1 = train.sgd %h, %gh, %lr weight_decay 0.0 if %applied : tensor<3x4xf32>
    %t1 = train.sgd %t, %gt, %lr weight_decay 0.0 if %applied : tensor<2x4xf32>
    return %w1, %v1, %b1, %g1, %h1, %t1, %norm
        : tensor<4x12xf32>, tensor<4x12xf32>, tensor<4xf32>, tensor<12x1x1x1xf32>,
          tensor<3x4xf32>, tensor<2x4xf32>, tensor<f32>
  }
}
