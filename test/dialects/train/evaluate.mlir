// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @evaluate
// CHECK: train.evaluate @forward(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<i32>) -> (tensor<f32>, tensor<i64>)
func.func private @forward(tensor<2x3xf32>, tensor<i32>) -> (tensor<f32>, tensor<i64>)
func.func @evaluate(%x: tensor<2x3xf32>, %valid: tensor<i32>)
    -> (tensor<f32>, tensor<i64>) {
  %loss:2 = train.evaluate @forward(%x, %valid)
      : (tensor<2x3xf32>, tensor<i32>) -> (tensor<f32>, tensor<i64>)
  return %loss#0, %loss#1 : tensor<f32>, tensor<i64>
}

// -----

func.func @evaluate_c1_missing(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'nothing' is not a function here}}
  %loss = train.evaluate @nothing(%x) : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

// expected-note @+1 {{the function is here}}
func.func private @forward(tensor<3x2xf32>) -> tensor<f32>
func.func @evaluate_c1_arguments(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected the function's type '(tensor<3x2xf32>) -> tensor<f32>', found ('tensor<2x3xf32>') -> ('tensor<f32>')}}
  %loss = train.evaluate @forward(%x) : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

// expected-note @+1 {{the function is here}}
func.func private @forward(tensor<2x3xf32>) -> tensor<i64>
func.func @evaluate_c1_results(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected the function's type '(tensor<2x3xf32>) -> tensor<i64>', found ('tensor<2x3xf32>') -> ('tensor<f32>')}}
  %loss = train.evaluate @forward(%x) : (tensor<2x3xf32>) -> tensor<f32>
  return
}
