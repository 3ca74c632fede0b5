// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-plan-memory))" | FileCheck %s

#id = affine_map<(d0) -> (d0)>

train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {

// One slot per binding over all functions, each in the arena of its kind; 100 bytes take
// two of 64.
// CHECK: rt.slot <input, "x"> batch[0] : memref<25xf32>
// CHECK: rt.slot <valid> batch[128] : memref<i32>
// CHECK: rt.slot <parameter, "w"> parameter[0] : memref<25xf32>
// CHECK: rt.slot <parameter, "b"> parameter[128] : memref<25xf32>
// CHECK: rt.slot <gradient, "w"> gradient[0] : memref<25xf32>
// CHECK: rt.slot <loss_sum> gradient[128] : memref<f32>
// CHECK: rt.slot <loss_count> gradient[192] : memref<i64>
// CHECK: rt.slot <state, "w.momentum"> state[0] : memref<25xf32>
// CHECK: rt.slot <control, "learning_rate"> control[0] : memref<f32>
// CHECK: rt.slot <seed> control[64] : memref<i64>
// CHECK: rt.slot <failed> result[0] : memref<i32>
// CHECK: rt.slot <metric_sum, "loss"> result[64] : memref<f32>
// CHECK: rt.slot <metric_count, "loss"> result[128] : memref<i64>
// CHECK-NOT: rt.slot

// CHECK-LABEL: func.func @micro()
// CHECK-DAG: rt.buffer batch[0] : memref<25xf32>
// CHECK-DAG: rt.buffer parameter[128] : memref<25xf32>
// CHECK-DAG: rt.buffer gradient[0] : memref<25xf32>
func.func @micro(%x: memref<25xf32> {rt.binding = #rt.binding<input, "x">},
                 %valid: memref<i32> {rt.binding = #rt.binding<valid>},
                 %w: memref<25xf32> {rt.binding = #rt.binding<parameter, "w">},
                 %b: memref<25xf32> {rt.binding = #rt.binding<parameter, "b">},
                 %g: memref<25xf32> {rt.binding = #rt.binding<gradient, "w">},
                 %sum: memref<f32> {rt.binding = #rt.binding<loss_sum>},
                 %count: memref<i64> {rt.binding = #rt.binding<loss_count>}) {
  linalg.add ins(%x, %b : memref<25xf32>, memref<25xf32>) outs(%g : memref<25xf32>)
  return
}

// The second operand set lies where the first does, in an arena of its own.
// CHECK-LABEL: func.func @combine()
// CHECK-DAG: %[[OTHER:.+]] = rt.buffer gradient_other[0] : memref<25xf32>
// CHECK-DAG: %[[INTO:.+]] = rt.buffer gradient[0] : memref<25xf32>
// CHECK: linalg.add ins(%[[INTO]], %[[OTHER]] : {{.*}}) outs(%[[INTO]] :
func.func @combine(%g: memref<25xf32> {rt.binding = #rt.binding<gradient, "w">},
                   %o: memref<25xf32> {rt.binding = #rt.binding<gradient, "w", other>}) {
  linalg.add ins(%g, %o : memref<25xf32>, memref<25xf32>) outs(%g : memref<25xf32>)
  return
}

func.func @update(%s: memref<25xf32> {rt.binding = #rt.binding<state, "w.momentum">},
                  %lr: memref<f32> {rt.binding = #rt.binding<control, "learning_rate">},
                  %seed: memref<i64> {rt.binding = #rt.binding<seed>},
                  %f: memref<i32> {rt.binding = #rt.binding<failed>},
                  %m: memref<f32> {rt.binding = #rt.binding<metric_sum, "loss">},
                  %n: memref<i64> {rt.binding = #rt.binding<metric_count, "loss">}) {
  return
}

// Temporaries: %a and %b are alive together, %c only when %a is dead; a view keeps %b
// alive. The largest, %b, is placed first.
// CHECK-LABEL: func.func @temporaries()
// CHECK-NOT: memref.alloc
// CHECK-DAG: %[[A:.+]] = rt.buffer transient[256] : memref<25xf32>
// CHECK-DAG: %[[B:.+]] = rt.buffer transient[0] : memref<5x10xf32>
// CHECK-DAG: %[[C:.+]] = rt.buffer transient[256] : memref<16xf32>
// CHECK: outs(%[[A]] :
// CHECK: memref.collapse_shape %[[B]]
// CHECK: outs(%[[C]] :
// CHECK-NOT: memref.alloc
func.func @temporaries() {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<25xf32>
  %b = memref.alloc() : memref<5x10xf32>
  %c = memref.alloc() : memref<16xf32>
  %unused = memref.alloc() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<25xf32>)
  %v = memref.collapse_shape %b [[0, 1]] : memref<5x10xf32> into memref<50xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<5x10xf32>)
  linalg.exp ins(%a : memref<25xf32>) outs(%a : memref<25xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<16xf32>)
  linalg.exp ins(%v : memref<50xf32>) outs(%v : memref<50xf32>)
  return
}

}
