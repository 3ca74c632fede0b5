// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @on_tensors
// CHECK: rt.damped_inverse ins(%{{.*}} weight %{{.*}} damping %{{.*}} : tensor<2x4x4xf32>, tensor<2xf32>, tensor<f32>) outs(%{{.*}}, %{{.*}} : tensor<2x4x4xf32>, tensor<2xi32>) -> tensor<2x4x4xf32>, tensor<2xi32>
func.func @on_tensors(%m: tensor<2x4x4xf32>, %w: tensor<2xf32>, %s: tensor<f32>, %failed: tensor<2xi32>)
    -> (tensor<2x4x4xf32>, tensor<2xi32>) {
  %0, %1 = rt.damped_inverse ins(%m weight %w damping %s
        : tensor<2x4x4xf32>, tensor<2xf32>, tensor<f32>)
      outs(%m, %failed : tensor<2x4x4xf32>, tensor<2xi32>) -> tensor<2x4x4xf32>, tensor<2xi32>
  return %0, %1 : tensor<2x4x4xf32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @by_a_library
// CHECK: rt.damped_inverse ins({{.*}}) outs({{.*}} : memref<2x4x4xf32>, memref<2xi32>) scratch(%{{.*}} : memref<128xi8>)
func.func @by_a_library(%m: memref<2x4x4xf32>, %w: memref<2xf32>, %d: memref<f32>, %x: memref<2x4x4xf32>,
                        %failed: memref<2xi32>, %s: memref<128xi8>) {
  rt.damped_inverse ins(%m weight %w damping %d : memref<2x4x4xf32>, memref<2xf32>, memref<f32>)
      outs(%x, %failed : memref<2x4x4xf32>, memref<2xi32>) scratch(%s : memref<128xi8>)
  return
}

// -----

func.func @rt_damped_inverse_c1(%m: memref<2x4x4xf32>, %w: memref<2xf32>, %d: memref<f32>, %failed: memref<3xi32>) {
  // expected-error @+1 {{expected square matrices of static shape, as many inverses of their size, and a weight and a flag for each, found 'memref<2x4x4xf32>', 'memref<2x4x4xf32>', 'memref<2xf32>' and 'memref<3xi32>'}}
  rt.damped_inverse ins(%m weight %w damping %d : memref<2x4x4xf32>, memref<2xf32>, memref<f32>)
      outs(%m, %failed : memref<2x4x4xf32>, memref<3xi32>)
  return
}

// -----

func.func @rt_damped_inverse_c1_weights(%m: memref<2x4x4xf32>, %w: memref<f32>, %failed: memref<2xi32>) {
  // expected-error @+1 {{and a weight and a flag for each, found 'memref<2x4x4xf32>', 'memref<2x4x4xf32>', 'memref<f32>' and 'memref<2xi32>'}}
  rt.damped_inverse ins(%m weight %w damping %w : memref<2x4x4xf32>, memref<f32>, memref<f32>)
      outs(%m, %failed : memref<2x4x4xf32>, memref<2xi32>)
  return
}

// -----

func.func @rt_damped_inverse_c2(%m: memref<2x4x4xf32>, %w: tensor<2xf32>, %d: tensor<f32>, %failed: memref<2xi32>) {
  // expected-error @+1 {{expected operands all tensors or all memrefs}}
  rt.damped_inverse ins(%m weight %w damping %d : memref<2x4x4xf32>, tensor<2xf32>, tensor<f32>)
      outs(%m, %failed : memref<2x4x4xf32>, memref<2xi32>)
  return
}
