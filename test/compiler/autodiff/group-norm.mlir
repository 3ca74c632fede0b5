// RUN: boost-opt %s --boostc-build-backward | FileCheck %s
// RUN: boost-interpret %s --function=micro --tolerance=1e-6 \
// RUN:   --compare-after='builtin.module(train.program(boostc-build-backward))'

// As many groups as channels, some, one; without parameters and without a
// dimension after the channels.
train.program @group_norm batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func private @forward(%x: tensor<3x6x2x3xf32>, %w: tensor<6xf32>, %b: tensor<6xf32>, %v: tensor<6xf32>, %c: tensor<6xf32>,
    %label: tensor<3xi32>, %valid: tensor<i32>) -> (tensor<f32>, tensor<i64>) {
    %m = nn.group_norm %x groups 6 epsilon 1.0e-3 : tensor<3x6x2x3xf32>
    %n = nn.group_norm %m, %w, %b groups 2 epsilon 1.0e-5 : tensor<3x6x2x3xf32>, tensor<6xf32>, tensor<6xf32>
    %o = nn.group_norm %n, %v, %c groups 1 epsilon 1.0e-2 : tensor<3x6x2x3xf32>, tensor<6xf32>, tensor<6xf32>
    %f = nn.flatten %o : tensor<3x6x2x3xf32>
    %y = nn.group_norm %f groups 4 epsilon 1.0e-5 : tensor<3x36xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<3x36xf32>, tensor<3xi32>
    return %sum, %count : tensor<f32>, tensor<i64>
  }

  // CHECK-LABEL: func.func @micro
  // CHECK: nn.group_norm_grad_input %{{.*}}, %{{.*}} groups 4
  // CHECK: nn.group_norm_grad_input %{{.*}}, %{{.*}}, %{{.*}} groups 1
  // CHECK: nn.group_norm_grad_parameters {{.*}} groups 1
  // CHECK: nn.group_norm_grad_input %{{.*}}, %{{.*}}, %{{.*}} groups 2
  // CHECK: nn.group_norm_grad_parameters {{.*}} groups 2
  // CHECK: nn.group_norm_grad_input %{{.*}}, %{{.*}} groups 6
  // CHECK-NOT: nn.group_norm_grad_parameters
  func.func @micro(%x: tensor<3x6x2x3xf32>, %w: tensor<6xf32>, %b: tensor<6xf32>, %v: tensor<6xf32>, %c: tensor<6xf32>, %label: tensor<3xi32>,
    %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32>, tensor<i64>, tensor<3x6x2x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
    %sum, %count, %dx, %dw, %db, %dv, %dc =
        train.value_and_grad @forward(%x, %w, %b, %v, %c, %label, %valid)
        wrt [0, 1, 2, 3, 4]
        : (tensor<3x6x2x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<3xi32>, tensor<i32>)
        -> (tensor<f32>, tensor<i64>, tensor<3x6x2x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>)
    return %sum, %count, %dx, %dw, %db, %dv, %dc
        : tensor<f32>, tensor<i64>, tensor<3x6x2x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  }
}
