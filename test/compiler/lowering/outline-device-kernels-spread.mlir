// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-outline-device-kernels{tiling=never}))" | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#first = affine_map<(d0) -> (0)>
#first2 = affine_map<(d0, d1) -> (0)>
#corner = affine_map<(d0) -> (0, 0)>

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cuda_target = #rt.cuda_target<80>} {

// What a single block would do after something else, and a later kernel can do, is done there: the
// copies to %s have a block of their own next to the 64 that copy to %c.
// CHECK-LABEL: func.func @spread
// CHECK: rt.launch_grid {{.*}} blocks(64) threads(128)
// CHECK-NEXT: rt.launch_grid @kernels::@spread_kernel_1({{.*}}) blocks(1) threads(128)
// CHECK-NEXT: rt.launch_grid @kernels::@spread_kernel_2({{.*}}) blocks(65) threads(128)
// CHECK-NEXT: return
func.func @spread() {
  %a = rt.buffer batch[0] : memref<64x512xf32>
  %b = rt.buffer transient[0] : memref<64x512xf32>
  %f = rt.buffer transient[131072] : memref<1xf32>
  %g = rt.buffer transient[131136] : memref<1xf32>
  %s = rt.buffer transient[131200] : memref<100xf32>
  %c = rt.buffer transient[131648] : memref<64x512xf32>
  linalg.exp ins(%a : memref<64x512xf32>) outs(%b : memref<64x512xf32>)
  linalg.generic {indexing_maps = [#corner, #id], iterator_types = ["parallel"]}
      ins(%b : memref<64x512xf32>) outs(%f : memref<1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.log ins(%f : memref<1xf32>) outs(%g : memref<1xf32>)
  linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel"]}
      ins(%g : memref<1xf32>) outs(%s : memref<100xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#first2, #all], iterator_types = ["parallel", "parallel"]}
      ins(%g : memref<1xf32>) outs(%c : memref<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

}
