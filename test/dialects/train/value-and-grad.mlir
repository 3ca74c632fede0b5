// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @value_and_grad
// CHECK: train.value_and_grad @forward(%{{.*}}, %{{.*}}, %{{.*}}) wrt [0, 2] : (tensor<2xf32>, tensor<i32>, tensor<3xf32>) -> (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<3xf32>)
func.func private @forward(tensor<2xf32>, tensor<i32>, tensor<3xf32>)
    -> (tensor<f32>, tensor<i64>)
func.func @value_and_grad(%a: tensor<2xf32>, %valid: tensor<i32>, %b: tensor<3xf32>)
    -> (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<3xf32>) {
  %sum, %count, %da, %db = train.value_and_grad @forward(%a, %valid, %b) wrt [0, 2]
      : (tensor<2xf32>, tensor<i32>, tensor<3xf32>)
      -> (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<3xf32>)
  return %sum, %count, %da, %db
      : tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<3xf32>
}

// -----

func.func @value_and_grad_c1_missing(%a: tensor<2xf32>) {
  // expected-error @+1 {{'nothing' is not a function here}}
  %sum, %count = train.value_and_grad @nothing(%a) wrt []
      : (tensor<2xf32>) -> (tensor<f32>, tensor<i64>)
  return
}

// -----

// expected-note @+1 {{the function is here}}
func.func private @forward(tensor<3xf32>) -> (tensor<f32>, tensor<i64>)
func.func @value_and_grad_c1(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected operands ('tensor<3xf32>'), found ('tensor<2xf32>')}}
  %sum, %count = train.value_and_grad @forward(%a) wrt []
      : (tensor<2xf32>) -> (tensor<f32>, tensor<i64>)
  return
}

// -----

// expected-note @+1 {{the function is here}}
func.func private @forward(tensor<2xf32>) -> tensor<f32>
func.func @value_and_grad_c2(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected a function that returns the loss as (tensor<f32>, tensor<i64>) first, found ('tensor<f32>')}}
  %sum, %count = train.value_and_grad @forward(%a) wrt []
      : (tensor<2xf32>) -> (tensor<f32>, tensor<i64>)
  return
}

// -----

// expected-note @+1 {{the function is here}}
func.func private @forward(tensor<2xf32>) -> (tensor<i64>, tensor<f32>)
func.func @value_and_grad_c2_order(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected a function that returns the loss as (tensor<f32>, tensor<i64>) first, found ('tensor<i64>', 'tensor<f32>')}}
  %sum, %count = train.value_and_grad @forward(%a) wrt []
      : (tensor<2xf32>) -> (tensor<f32>, tensor<i64>)
  return
}

// -----

func.func private @forward(tensor<2xf32>) -> (tensor<f32>, tensor<i64>)
func.func @value_and_grad_c3_number(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected one result for each of 0 outputs and 1 arguments in wrt, found 0}}
  %sum, %count = train.value_and_grad @forward(%a) wrt [0]
      : (tensor<2xf32>) -> (tensor<f32>, tensor<i64>)
  return
}

// -----

func.func private @forward(tensor<2xf32>, tensor<2xf32>) -> (tensor<f32>, tensor<i64>)
func.func @value_and_grad_c3_order(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected wrt in ascending order below 2, found 0 after 1}}
  %sum, %count, %db, %da = train.value_and_grad @forward(%a, %a) wrt [1, 0]
      : (tensor<2xf32>, tensor<2xf32>)
      -> (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func private @forward(tensor<2xf32>, tensor<2xf32>) -> (tensor<f32>, tensor<i64>)
func.func @value_and_grad_c3_twice(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected wrt in ascending order below 2, found 1 after 1}}
  %sum, %count, %db, %da = train.value_and_grad @forward(%a, %a) wrt [1, 1]
      : (tensor<2xf32>, tensor<2xf32>)
      -> (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func private @forward(tensor<2xf32>) -> (tensor<f32>, tensor<i64>)
func.func @value_and_grad_c3_range(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected wrt in ascending order below 1, found 1 after -1}}
  %sum, %count, %da = train.value_and_grad @forward(%a) wrt [1]
      : (tensor<2xf32>) -> (tensor<f32>, tensor<i64>, tensor<2xf32>)
  return
}

// -----

func.func private @forward(tensor<2xf32>) -> (tensor<f32>, tensor<i64>)
func.func @value_and_grad_c3_type(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected the gradient of argument 0 to have its type 'tensor<2xf32>', found 'tensor<3xf32>'}}
  %sum, %count, %da = train.value_and_grad @forward(%a) wrt [0]
      : (tensor<2xf32>) -> (tensor<f32>, tensor<i64>, tensor<3xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @outputs
// CHECK: train.value_and_grad @forward(%{{.*}}) outputs [2, 4] wrt [0] : (tensor<2xf32>) -> (tensor<f32>, tensor<i64>, tensor<3xf32>, tensor<i64>, tensor<2xf32>)
func.func private @forward(tensor<2xf32>)
    -> (tensor<f32>, tensor<i64>, tensor<3xf32>, tensor<f32>, tensor<i64>)
func.func @outputs(%a: tensor<2xf32>) -> tensor<3xf32> {
  %sum, %count, %values:3 = train.value_and_grad @forward(%a) outputs [2, 4] wrt [0]
      : (tensor<2xf32>) -> (tensor<f32>, tensor<i64>, tensor<3xf32>, tensor<i64>, tensor<2xf32>)
  return %values#0 : tensor<3xf32>
}

// -----

func.func private @forward(tensor<2xf32>) -> (tensor<f32>, tensor<i64>, tensor<3xf32>)
func.func @value_and_grad_c4(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected outputs in ascending order from 2 and below 3, found 1 after 1}}
  %sum, %count, %s = train.value_and_grad @forward(%a) outputs [1] wrt []
      : (tensor<2xf32>) -> (tensor<f32>, tensor<i64>, tensor<i64>)
  return
}

// -----

func.func private @forward(tensor<2xf32>) -> (tensor<f32>, tensor<i64>, tensor<3xf32>)
func.func @value_and_grad_c4_type(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected output 2 to have its type 'tensor<3xf32>', found 'tensor<2xf32>'}}
  %sum, %count, %s = train.value_and_grad @forward(%a) outputs [2] wrt []
      : (tensor<2xf32>) -> (tensor<f32>, tensor<i64>, tensor<2xf32>)
  return
}
