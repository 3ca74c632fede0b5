// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @launch
// CHECK: rt.launch @relu(%{{.*}}, %{{.*}}) extent(32) grain(8) : memref<32x4xf32>, memref<32x4xf32>{{$}}
// CHECK: rt.launch @relu({{.*}} : memref<32x4xf32>, memref<32x4xf32> work <flops = 128, read = 512, written = 512>{{$}}
func.func private @relu(index, index, memref<32x4xf32>, memref<32x4xf32>)
func.func @launch(%z: memref<32x4xf32>, %y: memref<32x4xf32>) {
  rt.launch @relu(%z, %y) extent(32) grain(8) : memref<32x4xf32>, memref<32x4xf32>
  rt.launch @relu(%z, %y) extent(32) grain(8) : memref<32x4xf32>, memref<32x4xf32>
      work <flops = 128, read = 512, written = 512>
  return
}

// -----

func.func @rt_launch_c1_missing(%z: memref<32x4xf32>) {
  // expected-error @+1 {{kernel 'nothing' is not a function here}}
  rt.launch @nothing(%z) extent(32) grain(8) : memref<32x4xf32>
  return
}

// -----

// expected-note @+1 {{the kernel is here}}
func.func private @one_index(index, memref<32x4xf32>)
func.func @rt_launch_c1_arguments(%z: memref<32x4xf32>) {
  // expected-error @+1 {{kernel 'one_index' expected arguments (index, index, 'memref<32x4xf32>') and no results}}
  rt.launch @one_index(%z) extent(32) grain(8) : memref<32x4xf32>
  return
}

// -----

// expected-note @+1 {{the kernel is here}}
func.func private @returns(index, index, memref<32x4xf32>) -> i32
func.func @rt_launch_c1_results(%z: memref<32x4xf32>) {
  // expected-error @+1 {{kernel 'returns' expected arguments (index, index, 'memref<32x4xf32>') and no results}}
  rt.launch @returns(%z) extent(32) grain(8) : memref<32x4xf32>
  return
}

// -----

func.func private @kernel(index, index, memref<32x4xf32>)
func.func @rt_launch_c2_extent(%z: memref<32x4xf32>) {
  // expected-error @+1 {{expected extent and grain of 1 or more, found 0 and 8}}
  rt.launch @kernel(%z) extent(0) grain(8) : memref<32x4xf32>
  return
}

// -----

func.func private @kernel(index, index, memref<32x4xf32>)
func.func @rt_launch_c2_grain(%z: memref<32x4xf32>) {
  // expected-error @+1 {{expected extent and grain of 1 or more, found 32 and -1}}
  rt.launch @kernel(%z) extent(32) grain(-1) : memref<32x4xf32>
  return
}
