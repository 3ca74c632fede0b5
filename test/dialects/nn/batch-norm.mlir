// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @batch_norm
// CHECK: nn.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} epsilon 1.000000e-05 : tensor<4x3x5x5xf32>, tensor<3xf32>
// CHECK: nn.batch_norm_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} epsilon 1.000000e-05 : tensor<4x3x5x5xf32>, tensor<3xf32>
// CHECK: nn.batch_norm_inference %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} epsilon 1.000000e-05 : tensor<4x3x5x5xf32>, tensor<3xf32>
// CHECK: nn.batch_norm_sums %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} positions 25 : tensor<3xf32>
func.func @batch_norm(%x: tensor<4x3x5x5xf32>, %w: tensor<3xf32>, %b: tensor<3xf32>,
                      %k: tensor<3xf32>,
                      %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
    -> tensor<4x3x5x5xf32> {
  %y, %m, %v = nn.batch_norm %x, %w, %b, %valid epsilon 1.0e-5
      : tensor<4x3x5x5xf32>, tensor<3xf32>
  %dx, %dw, %db = nn.batch_norm_grad %y, %x, %w, %m, %v, %valid epsilon 1.0e-5
      : tensor<4x3x5x5xf32>, tensor<3xf32>
  %e = nn.batch_norm_inference %dx, %w, %b, %m, %v epsilon 1.0e-5
      : tensor<4x3x5x5xf32>, tensor<3xf32>
  %s, %q, %n = nn.batch_norm_sums %m, %v, %k, %valid positions 25 : tensor<3xf32>
  return %e : tensor<4x3x5x5xf32>
}

// -----

func.func @batch_norm_c1_rank(%x: tensor<4xf32>, %w: tensor<4xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected an input of rank 2 or more, found 'tensor<4xf32>'}}
  %y, %m, %v = nn.batch_norm %x, %w, %w, %valid epsilon 1.0e-5 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @batch_norm_c1(%x: tensor<4x3xf32>, %w: tensor<4xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected a weight of 3 elements for input 'tensor<4x3xf32>', found 'tensor<4xf32>'}}
  %y, %m, %v = nn.batch_norm %x, %w, %w, %valid epsilon 1.0e-5 : tensor<4x3xf32>, tensor<4xf32>
  return
}

// -----

func.func @batch_norm_grad_c1(%x: tensor<4x3xf32>, %w: tensor<4xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected a weight of 3 elements for input 'tensor<4x3xf32>', found 'tensor<4xf32>'}}
  %dx, %dw, %db = nn.batch_norm_grad %x, %x, %w, %w, %w, %valid epsilon 1.0e-5
      : tensor<4x3xf32>, tensor<4xf32>
  return
}

// -----

func.func @batch_norm_inference_c1(%x: tensor<4x3xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{expected a weight of 3 elements for input 'tensor<4x3xf32>', found 'tensor<4xf32>'}}
  %y = nn.batch_norm_inference %x, %w, %w, %w, %w epsilon 1.0e-5 : tensor<4x3xf32>, tensor<4xf32>
  return
}

// -----

func.func @batch_norm_sums_c1(%m: tensor<3xf32>, %valid: tensor<i32>) {
  // expected-error @+1 {{expected 1 or more positions, found 0}}
  %s, %q, %n = nn.batch_norm_sums %m, %m, %m, %valid positions 0 : tensor<3xf32>
  return
}
