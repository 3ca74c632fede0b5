// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK: rt.slot <parameter, "fc1.weight"> parameter[4096] : memref<512x784xf32>
rt.slot <parameter, "fc1.weight"> parameter[4096] : memref<512x784xf32>
// CHECK: rt.slot <gradient, "fc1.weight", other> gradient_other[0] : memref<512x784xf32>
rt.slot #rt.binding<gradient, "fc1.weight", other> gradient_other[0] : memref<512x784xf32>
// CHECK: rt.slot <valid> batch[64] : memref<i32>
rt.slot <valid> batch[64] : memref<i32>

// -----

// expected-error @+1 {{expected an offset that is a multiple of 64, found 4}}
rt.slot <valid> batch[4] : memref<i32>

// -----

// expected-error @+1 {{expected an offset that is a multiple of 64, found -128}}
rt.slot <valid> batch[-128] : memref<i32>
