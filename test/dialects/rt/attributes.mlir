// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// Every binding and every initialiser.
// CHECK-LABEL: func.func private @bindings
func.func private @bindings(
    // CHECK-SAME: #rt.binding<parameter, "fc1.weight">
    tensor<f32> {rt.binding = #rt.binding<parameter, "fc1.weight">},
    // CHECK-SAME: #rt.binding<state, "fc1.weight.momentum">
    tensor<f32> {rt.binding = #rt.binding<state, "fc1.weight.momentum">},
    // CHECK-SAME: #rt.binding<gradient, "fc1.weight", other>
    tensor<f32> {rt.binding = #rt.binding<gradient, "fc1.weight", other>},
    // CHECK-SAME: #rt.binding<loss_sum, other>
    tensor<f32> {rt.binding = #rt.binding<loss_sum, other>},
    // CHECK-SAME: #rt.binding<loss_count>
    tensor<i64> {rt.binding = #rt.binding<loss_count>},
    // CHECK-SAME: #rt.binding<input, "an \22odd\22 name">
    tensor<f32> {rt.binding = #rt.binding<input, "an \"odd\" name">},
    // CHECK-SAME: #rt.binding<valid>
    tensor<i32> {rt.binding = #rt.binding<valid>},
    // CHECK-SAME: #rt.binding<control, "learning_rate">
    tensor<f32> {rt.binding = #rt.binding<control, "learning_rate">},
    // CHECK-SAME: #rt.binding<seed>
    tensor<i64> {rt.binding = #rt.binding<seed>})
    // CHECK-SAME: #rt.binding<metric_sum, "top_1">
    -> (tensor<f32> {rt.binding = #rt.binding<metric_sum, "top_1">},
    // CHECK-SAME: #rt.binding<metric_count, "top_1">
        tensor<i64> {rt.binding = #rt.binding<metric_count, "top_1">},
    // CHECK-SAME: #rt.binding<failed>
        tensor<i32> {rt.binding = #rt.binding<failed>})

// CHECK: module attributes
// CHECK-SAME: test.a = #rt.initializer<constant, 1.000000e+00 : f64, 0.000000e+00 : f64>
// CHECK-SAME: test.b = #rt.initializer<uniform, -1.000000e+00 : f64, 1.000000e+00 : f64>
// CHECK-SAME: test.c = #rt.initializer<normal, 0.000000e+00 : f64, 1.000000e+00 : f64>
module attributes {test.a = #rt.initializer<constant, 1.0, 0.0>,
                   test.b = #rt.initializer<uniform, -1.0, 1.0>,
                   test.c = #rt.initializer<normal, 0.0, 1.0>} {}

// CHECK: module attributes
// CHECK-SAME: test.a = #rt.reproducible<on>, test.b = #rt.reproducible<off>, test.c = #rt.reproducible<strict>
module attributes {test.a = #rt.reproducible<on>, test.b = #rt.reproducible<off>,
                   test.c = #rt.reproducible<strict>} {}

// CHECK: module attributes
// CHECK-SAME: test.a = #rt.matmul_precision<float32>, test.b = #rt.matmul_precision<tf32>
module attributes {test.a = #rt.matmul_precision<float32>,
                   test.b = #rt.matmul_precision<tf32>} {}

// -----

// expected-error @+1 {{unknown binding 'weight'}}
func.func private @binding_kind(tensor<f32> {rt.binding = #rt.binding<weight, "w">})

// -----

// expected-error @+1 {{expected 'other'}}
func.func private @binding_flag(tensor<f32> {rt.binding = #rt.binding<valid, second>})

// -----

// expected-error @+1 {{expected f64 numbers, found 'f32' and 'f64'}}
module attributes {test.a = #rt.initializer<constant, 1.0 : f32, 0.0>} {}

// -----

// expected-error @+1 {{expected finite numbers}}
module attributes {test.a = #rt.initializer<constant, 0x7FF0000000000000 : f64, 0.0>} {}

// -----

// expected-error @+1 {{expected a uniform range [a, b) with a <= b, found [1.000000e+00, -1.000000e+00)}}
module attributes {test.a = #rt.initializer<uniform, 1.0, -1.0>} {}

// -----

// expected-error @+1 {{expected a standard deviation of 0 or more, found -1.000000e+00}}
module attributes {test.a = #rt.initializer<normal, 0.0, -1.0>} {}
