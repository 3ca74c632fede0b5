// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @ops
// CHECK: thor.precondition %{{.*}}, %{{.*}}, %{{.*}} if %{{.*}} groups 1 positions 64 : tensor<16x16x3x3xf32>, tensor<2x128x128xf32>, tensor<1x16x16xf32>
// CHECK: thor.precondition_diagonal %{{.*}} by %{{.*}} damping %{{.*}} : tensor<16x16x3x3xf32>
// CHECK: thor.natural_gradient %{{.*}} of @w damping %{{.*}} frequency 100 block_size 128 : tensor<16x16x3x3xf32>
// CHECK: thor.natural_gradient %{{.*}} of @w damping %{{.*}} frequency 100 block_size 128 staggered factor_decay 0.94999999999999996 balanced kl_clip 1.000000e-03 rate %{{.*}} : tensor<16x16x3x3xf32>
// CHECK: thor.natural_gradient %{{.*}} of @w damping %{{.*}} frequency 100 block_size 128 refresh_above 5.000000e-01 stop_below 2.500000e-01 : tensor<16x16x3x3xf32>
func.func @ops(%w: tensor<16x16x3x3xf32>, %a: tensor<2x128x128xf32>, %g: tensor<1x16x16xf32>,
               %ready: tensor<i32>, %n: tensor<i64>, %lambda: tensor<f32>) {
  %0 = thor.precondition %w, %a, %g if %ready groups 1 positions 64
      : tensor<16x16x3x3xf32>, tensor<2x128x128xf32>, tensor<1x16x16xf32>
  %d = thor.precondition_diagonal %w by %n damping %lambda : tensor<16x16x3x3xf32>
  %1 = thor.natural_gradient %w of @w damping %lambda frequency 100 block_size 128
      : tensor<16x16x3x3xf32>
  %2 = thor.natural_gradient %w of @w damping %lambda frequency 100 block_size 128 staggered
      factor_decay 0.95 balanced kl_clip 1.0e-3 rate %lambda : tensor<16x16x3x3xf32>
  %3 = thor.natural_gradient %w of @w damping %lambda frequency 100 block_size 128
      refresh_above 0.5 stop_below 0.25 : tensor<16x16x3x3xf32>
  return
}

// -----

func.func @precondition_c1(%w: tensor<6x8xf32>, %a: tensor<2x3x3xf32>, %g: tensor<1x6x6xf32>,
                           %ready: tensor<i32>) {
  // expected-error @+1 {{expected square blocks of a that cover 8 in each of 1 groups, found 'tensor<2x3x3xf32>'}}
  %0 = thor.precondition %w, %a, %g if %ready groups 1 positions 1
      : tensor<6x8xf32>, tensor<2x3x3xf32>, tensor<1x6x6xf32>
  return
}

// -----

func.func @precondition_c1(%w: tensor<6x8xf32>, %a: tensor<4x4x4xf32>, %g: tensor<2x6x6xf32>,
                           %ready: tensor<i32>) {
  // expected-error @+1 {{expected square blocks of g that cover 3 in each of 2 groups, found 'tensor<2x6x6xf32>'}}
  %0 = thor.precondition %w, %a, %g if %ready groups 2 positions 1
      : tensor<6x8xf32>, tensor<4x4x4xf32>, tensor<2x6x6xf32>
  return
}

// -----

func.func @precondition_c1(%w: tensor<6x8xf32>, %a: tensor<1x8x8xf32>, %g: tensor<1x6x6xf32>,
                           %ready: tensor<i32>) {
  // expected-error @+1 {{expected groups that divide 6 outputs, found 4}}
  %0 = thor.precondition %w, %a, %g if %ready groups 4 positions 1
      : tensor<6x8xf32>, tensor<1x8x8xf32>, tensor<1x6x6xf32>
  return
}

// -----

func.func @rank(%w: tensor<6xf32>, %a: tensor<1x8x8xf32>, %g: tensor<1x6x6xf32>,
                %ready: tensor<i32>) {
  // expected-error @+1 {{expected the gradient of a matrix or of more dimensions, found 'tensor<6xf32>'}}
  %0 = thor.precondition %w, %a, %g if %ready groups 1 positions 1
      : tensor<6xf32>, tensor<1x8x8xf32>, tensor<1x6x6xf32>
  return
}

// -----

func.func @positions(%w: tensor<6x8xf32>, %a: tensor<1x8x8xf32>, %g: tensor<1x6x6xf32>,
                     %ready: tensor<i32>) {
  // expected-error @+1 {{expected positions of 1 or more, found 0}}
  %0 = thor.precondition %w, %a, %g if %ready groups 1 positions 0
      : tensor<6x8xf32>, tensor<1x8x8xf32>, tensor<1x6x6xf32>
  return
}

// -----

func.func @natural_gradient_c1(%w: tensor<6x8xf32>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected a frequency of 1 or more, found 0}}
  %0 = thor.natural_gradient %w of @w damping %lambda frequency 0 block_size 128 : tensor<6x8xf32>
  return
}

// -----

func.func @natural_gradient_c1(%w: tensor<6x8xf32>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected a block_size of 1 or more, found 0}}
  %0 = thor.natural_gradient %w of @w damping %lambda frequency 1 block_size 0 : tensor<6x8xf32>
  return
}

// -----

func.func @natural_gradient_c2(%w: tensor<6x8xf32>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected a factor_decay of at least 0 and below 1, found 1.000000e+00}}
  %0 = thor.natural_gradient %w of @w damping %lambda frequency 1 block_size 1 factor_decay 1.0 : tensor<6x8xf32>
  return
}

// -----

func.func @natural_gradient_c3(%w: tensor<6x8xf32>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected a positive kl_clip, found 0.000000e+00}}
  %0 = thor.natural_gradient %w of @w damping %lambda frequency 1 block_size 1 kl_clip 0.0 rate %lambda : tensor<6x8xf32>
  return
}

// -----

func.func @natural_gradient_c4(%w: tensor<6x8xf32>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected no averages of factors that are of one rank}}
  %0 = thor.natural_gradient %w of @w damping %lambda frequency 1 block_size 1 factor_decay 0.5 by_rank : tensor<6x8xf32>
  return
}

// -----

func.func @natural_gradient_c5(%w: tensor<6x8xf32>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected a rate with kl_clip, and only there}}
  %0 = "thor.natural_gradient"(%w, %lambda) <{parameter = @w, frequency = 1 : i64, block_size = 1 : i64, kl_clip = 1.0e-3 : f64}>
      : (tensor<6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @natural_gradient_c5(%w: tensor<6x8xf32>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected a rate with kl_clip, and only there}}
  %0 = "thor.natural_gradient"(%w, %lambda, %lambda) <{parameter = @w, frequency = 1 : i64, block_size = 1 : i64}>
      : (tensor<6x8xf32>, tensor<f32>, tensor<f32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @natural_gradient_c6(%w: tensor<6x8xf32>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected a positive refresh_above, found 0.000000e+00}}
  %0 = thor.natural_gradient %w of @w damping %lambda frequency 1 block_size 1 refresh_above 0.0 : tensor<6x8xf32>
  return
}

// -----

func.func @natural_gradient_c6(%w: tensor<6x8xf32>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected no refresh_above of factors that are of one rank}}
  %0 = thor.natural_gradient %w of @w damping %lambda frequency 1 block_size 1 by_rank refresh_above 0.5 : tensor<6x8xf32>
  return
}

// -----

func.func @natural_gradient_c6(%w: tensor<6x8xf32>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected a stop_below above 0 and up to 5.000000e-01, the refresh_above, found 1.000000e+00}}
  %0 = thor.natural_gradient %w of @w damping %lambda frequency 1 block_size 1 refresh_above 0.5 stop_below 1.0 : tensor<6x8xf32>
  return
}

// -----

func.func @natural_gradient_c6(%w: tensor<6x8xf32>, %lambda: tensor<f32>) {
  // expected-error @+1 {{expected a stop_below above 0 and up to 0.000000e+00, the refresh_above, found 1.000000e+00}}
  %0 = thor.natural_gradient %w of @w damping %lambda frequency 1 block_size 1 stop_below 1.0 : tensor<6x8xf32>
  return
}
