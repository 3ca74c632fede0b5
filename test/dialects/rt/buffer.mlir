// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @buffer
// CHECK: rt.buffer parameter[4096] : memref<512x784xf32>
// CHECK: rt.buffer transient[0] : memref<f32>
func.func @buffer() -> (memref<512x784xf32>, memref<f32>) {
  %w = rt.buffer parameter[4096] : memref<512x784xf32>
  %s = rt.buffer transient[0] : memref<f32>
  return %w, %s : memref<512x784xf32>, memref<f32>
}

// -----

func.func @rt_buffer_c1() {
  // expected-error @+1 {{expected an offset that is a multiple of 64, found 32}}
  %w = rt.buffer state[32] : memref<8xf32>
  return
}

// -----

func.func @rt_buffer_c1_negative() {
  // expected-error @+1 {{expected an offset that is a multiple of 64, found -64}}
  %w = rt.buffer state[-64] : memref<8xf32>
  return
}

// -----

func.func @rt_buffer_c2() {
  // expected-error @+1 {{expected a static shape and memory without gaps, found 'memref<?xf32>'}}
  %w = rt.buffer gradient[0] : memref<?xf32>
  return
}

// -----

func.func @rt_buffer_c2_layout() {
  // expected-error @+1 {{expected a static shape and memory without gaps, found 'memref<2x3xf32, strided<[1, 3]>>'}}
  %w = rt.buffer batch[0] : memref<2x3xf32, strided<[1, 3]>>
  return
}
