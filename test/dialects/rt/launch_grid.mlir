// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @launch_grid
// CHECK: rt.launch_grid @kernels::@relu(%{{.*}}, %{{.*}}) blocks(4) threads(32) writes [false, true]
// CHECK-SAME: : memref<32x4xf32>, memref<32x4xf32>
gpu.module @kernels {
  gpu.func @relu(%z: memref<32x4xf32>, %y: memref<32x4xf32>) kernel {
    gpu.return
  }
}
func.func @launch_grid(%z: memref<32x4xf32>, %y: memref<32x4xf32>) {
  rt.launch_grid @kernels::@relu(%z, %y) blocks(4) threads(32) writes [false, true]
      : memref<32x4xf32>, memref<32x4xf32>
  return
}

// -----

func.func @rt_launch_grid_c1_missing(%z: memref<32x4xf32>) {
  // expected-error @+1 {{kernel '@kernels::@nothing' is not a kernel in this module}}
  rt.launch_grid @kernels::@nothing(%z) blocks(4) threads(32) writes [true] : memref<32x4xf32>
  return
}

// -----

gpu.module @kernels {
  gpu.func @helper(%z: memref<32x4xf32>) {
    gpu.return
  }
}
func.func @rt_launch_grid_c1_no_kernel(%z: memref<32x4xf32>) {
  // expected-error @+1 {{kernel '@kernels::@helper' is not a kernel in this module}}
  rt.launch_grid @kernels::@helper(%z) blocks(4) threads(32) writes [true] : memref<32x4xf32>
  return
}

// -----

gpu.module @kernels {
  // expected-note @+1 {{the kernel is here}}
  gpu.func @relu(%z: memref<4xf32>) kernel {
    gpu.return
  }
}
func.func @rt_launch_grid_c1_arguments(%z: memref<32x4xf32>) {
  // expected-error @+1 {{kernel '@kernels::@relu' expected arguments ('memref<32x4xf32>')}}
  rt.launch_grid @kernels::@relu(%z) blocks(4) threads(32) writes [true] : memref<32x4xf32>
  return
}

// -----

gpu.module @kernels {
  gpu.func @relu(%z: memref<4xf32>) kernel {
    gpu.return
  }
}
func.func @rt_launch_grid_c2_blocks(%z: memref<4xf32>) {
  // expected-error @+1 {{expected 1 to 2^31 - 1 blocks of 1 to 1024 threads, found 0 of 32}}
  rt.launch_grid @kernels::@relu(%z) blocks(0) threads(32) writes [true] : memref<4xf32>
  return
}

// -----

gpu.module @kernels {
  gpu.func @relu(%z: memref<4xf32>) kernel {
    gpu.return
  }
}
func.func @rt_launch_grid_c2_threads(%z: memref<4xf32>) {
  // expected-error @+1 {{expected 1 to 2^31 - 1 blocks of 1 to 1024 threads, found 1 of 1025}}
  rt.launch_grid @kernels::@relu(%z) blocks(1) threads(1025) writes [true] : memref<4xf32>
  return
}

// -----

gpu.module @kernels {
  gpu.func @relu(%z: memref<4xf32>) kernel {
    gpu.return
  }
}
func.func @rt_launch_grid_c3(%z: memref<4xf32>) {
  // expected-error @+1 {{expected a value in 'writes' for each of 1 buffers, found 0}}
  rt.launch_grid @kernels::@relu(%z) blocks(1) threads(32) writes [] : memref<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @fallback
// CHECK: rt.matmul
// CHECK-NEXT: rt.launch_grid @kernels::@product(%{{.*}}) blocks(1) threads(32) writes [false, false, true] fallback :
gpu.module @kernels {
  gpu.func @product(%a: memref<4x3xf32>, %b: memref<3x2xf32>, %c: memref<4x2xf32>) kernel {
    gpu.return
  }
}
func.func @fallback(%a: memref<4x3xf32>, %b: memref<3x2xf32>, %c: memref<4x2xf32>, %s: memref<64xi8>) {
  rt.matmul ins(%a, %b : memref<4x3xf32>, memref<3x2xf32>) outs(%c : memref<4x2xf32>)
      scratch(%s : memref<64xi8>)
  rt.launch_grid @kernels::@product(%a, %b, %c) blocks(1) threads(32)
      writes [false, false, true] fallback : memref<4x3xf32>, memref<3x2xf32>, memref<4x2xf32>
  return
}

// -----

gpu.module @kernels {
  gpu.func @relu(%z: memref<4xf32>) kernel {
    gpu.return
  }
}
func.func @rt_launch_grid_c4_nothing(%z: memref<4xf32>) {
  // expected-error @+1 {{is a fallback; expected a library call with scratch memory right before it}}
  rt.launch_grid @kernels::@relu(%z) blocks(1) threads(32) writes [true] fallback : memref<4xf32>
  return
}

// -----

gpu.module @kernels {
  gpu.func @product(%a: memref<4x3xf32>, %b: memref<3x2xf32>, %c: memref<4x2xf32>) kernel {
    gpu.return
  }
}
func.func @rt_launch_grid_c4_no_scratch(%a: memref<4x3xf32>, %b: memref<3x2xf32>, %c: memref<4x2xf32>) {
  rt.matmul ins(%a, %b : memref<4x3xf32>, memref<3x2xf32>) outs(%c : memref<4x2xf32>)
  // expected-error @+1 {{is a fallback; expected a library call with scratch memory right before it}}
  rt.launch_grid @kernels::@product(%a, %b, %c) blocks(1) threads(32)
      writes [false, false, true] fallback : memref<4x3xf32>, memref<3x2xf32>, memref<4x2xf32>
  return
}

// -----

// CHECK-LABEL: func.func @fallback_of_convolution
// CHECK: rt.convolution
// CHECK-NEXT: rt.launch_grid @kernels::@convolution(%{{.*}}) blocks(1) threads(32) writes [false, false, true] fallback :
gpu.module @kernels {
  gpu.func @convolution(%x: memref<2x1x5x5xf32>, %w: memref<6x1x3x3xf32>, %y: memref<2x6x3x3xf32>) kernel {
    gpu.return
  }
}
func.func @fallback_of_convolution(%x: memref<2x1x5x5xf32>, %w: memref<6x1x3x3xf32>,
                                   %y: memref<2x6x3x3xf32>, %s: memref<64xi8>) {
  rt.convolution forward ins(%x, %w : memref<2x1x5x5xf32>, memref<6x1x3x3xf32>)
      outs(%y : memref<2x6x3x3xf32>) scratch(%s : memref<64xi8>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  rt.launch_grid @kernels::@convolution(%x, %w, %y) blocks(1) threads(32)
      writes [false, false, true] fallback
      : memref<2x1x5x5xf32>, memref<6x1x3x3xf32>, memref<2x6x3x3xf32>
  return
}

// -----

gpu.module @kernels {
  gpu.func @convolution(%x: memref<2x1x5x5xf32>, %w: memref<6x1x3x3xf32>, %y: memref<2x6x3x3xf32>) kernel {
    gpu.return
  }
}
func.func @rt_launch_grid_c4_convolution(%x: memref<2x1x5x5xf32>, %w: memref<6x1x3x3xf32>,
                                         %y: memref<2x6x3x3xf32>) {
  rt.convolution forward ins(%x, %w : memref<2x1x5x5xf32>, memref<6x1x3x3xf32>)
      outs(%y : memref<2x6x3x3xf32>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  // expected-error @+1 {{is a fallback; expected a library call with scratch memory right before it}}
  rt.launch_grid @kernels::@convolution(%x, %w, %y) blocks(1) threads(32)
      writes [false, false, true] fallback
      : memref<2x1x5x5xf32>, memref<6x1x3x3xf32>, memref<2x6x3x3xf32>
  return
}
