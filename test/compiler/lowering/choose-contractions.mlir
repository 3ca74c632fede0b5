// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-choose-contractions{candidate=1}))" | FileCheck %s --check-prefix=ONE
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-choose-contractions{candidate=99}))" | FileCheck %s --check-prefix=LAST
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-choose-contractions{candidate=1}, boostc-choose-contractions))" | FileCheck %s --check-prefix=ZERO
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-choose-contractions{candidate=1}, boostc-reserve-scratch, boostc-plan-memory, boostc-outline-kernels))" | FileCheck %s --check-prefix=CODE

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "avx2,fma", 1>} {

// A product by the library or by one of the plans; the second one has no loop along which
// vectors could lie, so there is the library alone. A convolution is a plan in any case.
// ONE: rt.matmul ins(%{{.+}}, %{{.+}} : memref<8x16xf32>{{.*}} {rt.candidate = 1 : i64}
// ONE: rt.matmul {{.*}}strided
// ONE-NOT: rt.candidate
// ONE: rt.convolution {{.*}} {rt.candidate = 1 : i64}
// LAST: rt.matmul ins(%{{.+}}, %{{.+}} : memref<8x16xf32>{{.*}} {rt.candidate = 4 : i64}
// LAST-NOT: rt.candidate
// LAST: rt.convolution {{.*}} {rt.candidate = 3 : i64}
// ZERO-NOT: rt.candidate

// What is not computed by the library needs none of its memory and is a kernel whose sums
// start from the bias.
// CODE-LABEL: func.func private @f_kernel_0
// CODE-NOT: memref<{{[0-9]+}}xi8>
// CODE: vector.load %{{.+}} : memref<24xf32>, vector<8xf32>
// CODE: scf.for
// CODE: vector.fma
// CODE: vector.store
// CODE-LABEL: func.func @f
// CODE: rt.launch @f_kernel_0
// CODE: rt.matmul
// CODE: rt.launch @f_kernel_1
func.func @f() {
  %a = memref.alloc() : memref<8x16xf32>
  %b = memref.alloc() : memref<16x24xf32>
  %bias = memref.alloc() : memref<24xf32>
  %c = memref.alloc() : memref<8x24xf32>
  rt.matmul ins(%a, %b : memref<8x16xf32>, memref<16x24xf32>) bias(%bias : memref<24xf32>)
      outs(%c : memref<8x24xf32>)
  %d = memref.alloc() : memref<8x16xf32, strided<[1, 8]>>
  %e = memref.alloc() : memref<24x16xf32>
  rt.matmul ins(%d, transposed %e : memref<8x16xf32, strided<[1, 8]>>, memref<24x16xf32>)
      outs(%c : memref<8x24xf32>)
  %x = memref.alloc() : memref<8x1x6x6xf32, strided<[1, 288, 48, 8]>>
  %w = memref.alloc() : memref<6x1x3x3xf32>
  %y = memref.alloc() : memref<8x6x4x4xf32, strided<[1, 128, 32, 8]>>
  rt.convolution forward
      ins(%x, %w : memref<8x1x6x6xf32, strided<[1, 288, 48, 8]>>, memref<6x1x3x3xf32>)
      outs(%y : memref<8x6x4x4xf32, strided<[1, 128, 32, 8]>>)
      strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
  return
}
}
