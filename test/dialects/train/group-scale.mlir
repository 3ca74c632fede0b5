// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK: module attributes {train.loss_scale_groups = #train.loss_scale_groups<initial = [4.096000e+03, 1.000000e+00], cuts = [2]>}
module attributes {train.loss_scale_groups = #train.loss_scale_groups<initial = [4096.0, 1.0], cuts = [2]>} {
  // CHECK-LABEL: func.func @group_scale
  // CHECK: train.adjust_group_scale %{{.*}}, %{{.*}} of %{{.*}} nonfinite %{{.*}}
  // CHECK: train.adjust_group_scale %{{.*}}, %{{.*}} of weight %{{.*}} nonfinite %{{.*}}
  // CHECK: train.stack %{{.*}}, %{{.*}} : tensor<f32>, tensor<f32>
  // CHECK: train.stack %{{.*}} : tensor<i64>
  func.func @group_scale(%s: tensor<f32>, %o: tensor<i64>, %count: tensor<i64>, %w: tensor<f32>, %n: tensor<i64>)
      -> (tensor<2xf32>, tensor<1xi64>) {
    %s1, %o1 = train.adjust_group_scale %s, %o of %count nonfinite %n
    %s2, %o2 = train.adjust_group_scale %s1, %o1 of weight %w nonfinite %n
    %v = train.stack %s1, %s2 : tensor<f32>, tensor<f32>
    %u = train.stack %o2 : tensor<i64>
    return %v, %u : tensor<2xf32>, tensor<1xi64>
  }
}

// -----

func.func @stack_c1(%s: tensor<f32>) {
  // expected-error @+1 {{expected 1 to 32 operands, found 33}}
  %v = train.stack %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s
    : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  return
}

// -----

// expected-error @+1 {{expected 1 to 32 scales and a cut between any two, found 2 and 0}}
module attributes {train.loss_scale_groups_c1 = #train.loss_scale_groups<initial = [4.0, 4.0], cuts = []>} {}

// -----

// expected-error @+1 {{expected 1 to 32 scales and a cut between any two, found 0 and 0}}
module attributes {train.loss_scale_groups_c1 = #train.loss_scale_groups<initial = [], cuts = []>} {}

// -----

// expected-error @+1 {{expected scales from 1 to 2^24, found 5.0}}
module attributes {train.loss_scale_groups_c2 = #train.loss_scale_groups<initial = [4.0, 0.5], cuts = [1]>} {}

// -----

// expected-error @+1 {{expected cuts that rise from 1 on, found 2 after 2}}
module attributes {train.loss_scale_groups_c3 = #train.loss_scale_groups<initial = [4.0, 4.0, 4.0], cuts = [2, 2]>} {}

// -----

// expected-error @+1 {{expected cuts that rise from 1 on, found 0 after 0}}
module attributes {train.loss_scale_groups_c3 = #train.loss_scale_groups<initial = [4.0, 4.0], cuts = [0]>} {}
