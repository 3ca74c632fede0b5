// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @update
// CHECK: %[[APPLIED:.+]], %{{.+}} = train.commit count(%{{.*}}) after(%{{.*}}) finite(%{{.*}}, %{{.*}} : tensor<f32>, tensor<4xf32>) on_nonfinite fail
// CHECK: %[[MEAN:.+]] = train.divide_gradient
// CHECK: train.momentum %{{.*}}, %[[MEAN]], %{{.*}}, %{{.*}} momentum {{.*}} weight_decay {{.*}} if %[[APPLIED]] : tensor<4xf32>
func.func @update(%loss: tensor<f32>, %count: tensor<i64>, %before: tensor<i32>, %g: tensor<4xf32>,
                  %w: tensor<4xf32>, %v: tensor<4xf32>, %lr: tensor<f32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<i32>) {
  %applied, %failed = train.commit count(%count) after(%before)
      finite(%loss, %g : tensor<f32>, tensor<4xf32>) on_nonfinite fail
  %mean = train.divide_gradient %g by %count : tensor<4xf32>
  %w1, %v1 = train.momentum %w, %mean, %lr, %v momentum 0.9 weight_decay 0.0 if %applied
      : tensor<4xf32>
  return %w1, %v1, %failed : tensor<4xf32>, tensor<4xf32>, tensor<i32>
}

// CHECK-LABEL: func.func @weighted
// CHECK: train.commit count(%{{.*}}) weight(%{{.*}}) after(%{{.*}}) finite(%{{.*}} : tensor<f32>) on_nonfinite fail
func.func @weighted(%loss: tensor<f32>, %count: tensor<i64>, %weight: tensor<f32>,
                    %before: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %applied, %failed = train.commit count(%count) weight(%weight) after(%before)
      finite(%loss : tensor<f32>) on_nonfinite fail
  return %applied, %failed : tensor<i32>, tensor<i32>
}

// CHECK-LABEL: func.func @deltas
// CHECK: train.commit count(%{{.*}}) after(%{{.*}}) nonfinite_ranks(%{{.*}}) on_nonfinite skip
// CHECK: train.sgd {{.*}} if %{{.*}} delta : tensor<4xf32>
func.func @deltas(%count: tensor<i64>, %ranks: tensor<i64>, %before: tensor<i32>, %g: tensor<4xf32>,
                  %w: tensor<4xf32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<i32>) {
  %applied, %failed = train.commit count(%count) after(%before) nonfinite_ranks(%ranks)
      on_nonfinite skip
  %d = train.sgd %w, %g, %lr weight_decay 0.0 if %applied delta : tensor<4xf32>
  return %d, %failed : tensor<4xf32>, tensor<i32>
}

// -----

func.func @policy(%count: tensor<i64>, %before: tensor<i32>) {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'on_nonfinite' [fail, skip]}}
  %applied, %failed = train.commit count(%count) after(%before) on_nonfinite ignore
  return
}
