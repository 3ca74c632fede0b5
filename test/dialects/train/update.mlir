// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @update
// CHECK: train.update loss(%{{.*}}) count(%{{.*}}) after(%{{.*}}) gradients(%{{.*}} : tensor<4xf32>) current(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>) {
// CHECK: ^bb0(%[[MEAN:.+]]: tensor<4xf32>):
// CHECK: train.momentum %{{.*}}, %[[MEAN]]
// CHECK: train.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
func.func @update(%loss: tensor<f32>, %count: tensor<i64>, %before: tensor<i32>, %g: tensor<4xf32>,
                  %w: tensor<4xf32>, %v: tensor<4xf32>, %lr: tensor<f32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<i32>) {
  %w1, %v1, %finite = train.update loss(%loss) count(%count) after(%before)
      gradients(%g : tensor<4xf32>) current(%w, %v : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%mean: tensor<4xf32>):
    %new, %velocity = train.momentum %w, %mean, %lr, %v momentum 0.9 weight_decay 0.0
        : tensor<4xf32>
    train.yield %new, %velocity : tensor<4xf32>, tensor<4xf32>
  }
  return %w1, %v1, %finite : tensor<4xf32>, tensor<4xf32>, tensor<i32>
}

// CHECK-LABEL: func.func @changes
// CHECK: train.update loss(%{{.*}}) count(%[[COUNT:.+]]) after(%{{.*}}) divisor(%[[COUNT]]) nonfinite_ranks(%[[COUNT]]) gradients(%{{.*}} : tensor<4xf32>) current(%{{.*}} : tensor<4xf32>) deltas {
func.func @changes(%loss: tensor<f32>, %count: tensor<i64>, %before: tensor<i32>, %g: tensor<4xf32>,
                   %w: tensor<4xf32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<i32>) {
  %d, %finite = train.update loss(%loss) count(%count) after(%before) divisor(%count) nonfinite_ranks(%count)
      gradients(%g : tensor<4xf32>) current(%w : tensor<4xf32>) deltas {
  ^bb0(%mean: tensor<4xf32>):
    %new = train.sgd %w, %mean, %lr weight_decay 0.0 : tensor<4xf32>
    train.yield %new : tensor<4xf32>
  }
  return %d, %finite : tensor<4xf32>, tensor<i32>
}

// Nothing to update: a model without parameters.
// CHECK-LABEL: func.func @update_nothing
// CHECK: train.update loss(%{{.*}}) count(%{{.*}}) after(%{{.*}}) gradients() current() {
func.func @update_nothing(%loss: tensor<f32>, %count: tensor<i64>, %before: tensor<i32>) -> tensor<i32> {
  %finite = train.update loss(%loss) count(%count) after(%before) gradients() current() {
    train.yield
  }
  return %finite : tensor<i32>
}

// -----

func.func @update_c1(%loss: tensor<f32>, %count: tensor<i64>, %before: tensor<i32>, %g: tensor<4xf32>,
                     %w: tensor<4xf32>) {
  // expected-error @+1 {{expected the region's arguments to have the gradients' types ('tensor<4xf32>'), found ('tensor<3xf32>')}}
  %w1, %finite = train.update loss(%loss) count(%count) after(%before)
      gradients(%g : tensor<4xf32>) current(%w : tensor<4xf32>) {
  ^bb0(%mean: tensor<3xf32>):
    train.yield %w : tensor<4xf32>
  }
  return
}

// -----

func.func @update_c2(%loss: tensor<f32>, %count: tensor<i64>, %before: tensor<i32>, %g: tensor<4xf32>,
                     %w: tensor<4xf32>) {
  // expected-error @+1 {{expected the region to yield the types of the current values ('tensor<4xf32>'), found ()}}
  %w1, %finite = train.update loss(%loss) count(%count) after(%before)
      gradients(%g : tensor<4xf32>) current(%w : tensor<4xf32>) {
  ^bb0(%mean: tensor<4xf32>):
    train.yield
  }
  return
}

// -----

func.func @update_c2_results(%loss: tensor<f32>, %count: tensor<i64>, %before: tensor<i32>, %g: tensor<4xf32>,
                             %w: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<4xf32>', 'tensor<i32>' are incompatible with return type(s) of operation 'tensor<3xf32>', 'tensor<i32>'}}
  %w1, %finite = "train.update"(%loss, %count, %before, %g, %w)
      <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 1>}> ({
  ^bb0(%mean: tensor<4xf32>):
    "train.yield"(%w) : (tensor<4xf32>) -> ()
  }) : (tensor<f32>, tensor<i64>, tensor<i32>, tensor<4xf32>, tensor<4xf32>)
      -> (tensor<3xf32>, tensor<i32>)
  return
}

// -----

func.func @update_c3(%loss: tensor<f32>, %count: tensor<i64>, %before: tensor<i32>, %g: tensor<4xf32>,
                     %w: tensor<4xf32>) {
  %w1, %finite = train.update loss(%loss) count(%count) after(%before)
      gradients(%g : tensor<4xf32>) current(%w : tensor<4xf32>) {
  ^bb0(%mean: tensor<4xf32>):
    // expected-error @+1 {{is not a first-order rule, does not transform a gradient and computes no scalar; the region of train.update holds nothing else}}
    %sum = train.combine %mean, %w : tensor<4xf32>
    train.yield %sum : tensor<4xf32>
  }
  return
}

// -----

func.func @update_c4(%loss: tensor<f32>, %count: tensor<i64>, %before: tensor<i32>, %g: tensor<4xf32>,
                     %w: tensor<4xf32>, %lr: tensor<f32>) {
  %d, %finite = train.update loss(%loss) count(%count) after(%before)
      gradients(%g : tensor<4xf32>) current(%w : tensor<4xf32>) deltas {
  ^bb0(%mean: tensor<4xf32>):
    // expected-error @+1 {{expected a mean gradient of the region, whose memory the delta reuses}}
    %new = train.sgd %w, %g, %lr weight_decay 0.0 : tensor<4xf32>
    train.yield %new : tensor<4xf32>
  }
  return
}

// -----

func.func @update_c4_twice(%loss: tensor<f32>, %count: tensor<i64>, %before: tensor<i32>, %g: tensor<4xf32>,
                           %w: tensor<4xf32>, %lr: tensor<f32>) {
  %d:2, %finite = train.update loss(%loss) count(%count) after(%before)
      gradients(%g : tensor<4xf32>) current(%w, %w : tensor<4xf32>, tensor<4xf32>) deltas {
  ^bb0(%mean: tensor<4xf32>):
    %new = train.sgd %w, %mean, %lr weight_decay 0.0 : tensor<4xf32>
    // expected-error @+1 {{reads gradient 0, whose memory the delta of another rule reuses}}
    %other = train.sgd %w, %mean, %lr weight_decay 0.0 : tensor<4xf32>
    train.yield %new, %other : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @yield_parent(%w: tensor<4xf32>) {
  // expected-error @+1 {{expects parent op 'train.update'}}
  train.yield %w : tensor<4xf32>
}
