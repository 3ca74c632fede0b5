// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @changes
// CHECK: thor.trace_change %{{.*}}, %{{.*}} by %{{.*}} rows 1, 2 positions 64 sizes 7, 3 damping %{{.*}}, %{{.*}} since %{{.*}} above 1.000000e-01 below 0.000000e+00 : tensor<2x4x4xf32>, tensor<1x3x3xf32>
// CHECK: thor.trace_change %{{.*}}, %{{.*}} by %{{.*}} rows 1, 1 positions 1 sizes 7, 3 scale %{{.*}} damping %{{.*}}, %{{.*}} since %{{.*}} above 5.000000e-01 below 5.000000e-01 : tensor<2x4x4xf32>, tensor<1x3x3xf32>
// CHECK: thor.trace_change %{{.*}}, %{{.*}} by %{{.*}} mean rows 1, 1 positions 1
func.func @changes(%a: tensor<2x4x4xf32>, %g: tensor<1x3x3xf32>, %n: tensor<i64>, %s: tensor<f32>)
    -> (tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) {
  %0, %kept, %settled = thor.trace_change %a, %g by %n rows 1, 2 positions 64 sizes 7, 3
      damping %s, %s since %s above 0.1 below 0.0 : tensor<2x4x4xf32>, tensor<1x3x3xf32>
  %1, %k1, %s1 = thor.trace_change %a, %g by %n rows 1, 1 positions 1 sizes 7, 3 scale %s
      damping %s, %s since %s above 0.5 below 0.5 : tensor<2x4x4xf32>, tensor<1x3x3xf32>
  %2, %k2, %s2 = thor.trace_change %a, %g by %n mean rows 1, 1 positions 1 sizes 7, 3
      damping %s, %s since %s above 0.5 below 0.5 : tensor<2x4x4xf32>, tensor<1x3x3xf32>
  return %0, %kept, %settled, %1, %2 : tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>
}

// -----

func.func @trace_change_c1(%a: tensor<2x4x4xf32>, %g: tensor<1x3x4xf32>, %n: tensor<i64>, %s: tensor<f32>) {
  // expected-error @+1 {{expected square blocks, found 'tensor<1x3x4xf32>'}}
  %0, %kept, %settled = thor.trace_change %a, %g by %n rows 1, 1 positions 1 sizes 7, 3
      damping %s, %s since %s above 0.1 below 0.0 : tensor<2x4x4xf32>, tensor<1x3x4xf32>
  return
}

// -----

func.func @trace_change_c1(%a: tensor<2x4x4xf32>, %n: tensor<i64>, %s: tensor<f32>) {
  // expected-error @+1 {{expected rows of 1 or more, found 0}}
  %0, %kept, %settled = thor.trace_change %a, %a by %n rows 1, 0 positions 1 sizes 7, 3
      damping %s, %s since %s above 0.1 below 0.0 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
  return
}

// -----

func.func @trace_change_c1(%a: tensor<2x4x4xf32>, %n: tensor<i64>, %s: tensor<f32>) {
  // expected-error @+1 {{expected sizes of 1 or more, found 0}}
  %0, %kept, %settled = thor.trace_change %a, %a by %n rows 1, 1 positions 1 sizes 0, 3
      damping %s, %s since %s above 0.1 below 0.0 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
  return
}

// -----

func.func @trace_change_c1(%a: tensor<2x4x4xf32>, %n: tensor<i64>, %s: tensor<f32>) {
  // expected-error @+1 {{expected means without a scale}}
  %0, %kept, %settled = thor.trace_change %a, %a by %n mean rows 1, 1 positions 1 sizes 7, 3 scale %s
      damping %s, %s since %s above 0.1 below 0.0 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
  return
}

// -----

func.func @trace_change_c2(%a: tensor<2x4x4xf32>, %n: tensor<i64>, %s: tensor<f32>) {
  // expected-error @+1 {{expected a positive limit, found 0.000000e+00}}
  %0, %kept, %settled = thor.trace_change %a, %a by %n rows 1, 1 positions 1 sizes 7, 3
      damping %s, %s since %s above 0.0 below 0.0 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
  return
}

// -----

func.func @trace_change_c2(%a: tensor<2x4x4xf32>, %n: tensor<i64>, %s: tensor<f32>) {
  // expected-error @+1 {{expected a lower limit from 0 to 1.250000e-01, found 2.500000e-01}}
  %0, %kept, %settled = thor.trace_change %a, %a by %n rows 1, 1 positions 1 sizes 7, 3
      damping %s, %s since %s above 0.125 below 0.25 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
  return
}
