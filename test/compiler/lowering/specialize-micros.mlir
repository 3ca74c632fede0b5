// RUN: boost-opt %s --boostc-specialize-micros | FileCheck %s

// Two layers; variant @late trains the last one. Its micro computes the gradient that its update
// takes, and what leads there: the activation of the first layer, in %h, and the gradient of the
// second, which begins as the loss's. The rest goes: the gradient of %w, and of what lies before
// it, %dh, with its memory. %t is written over after the last op that @late needs.
// CHECK-LABEL: train.program @two_layers
// CHECK: train.variant @late micro(@micro_late) combine(@combine_late) update(@update_late)
// CHECK: train.variant @full micro(@micro) combine(@combine) update(@update)

// CHECK: func.func @micro_late(%[[X:[a-z0-9]+]]: {{.*}}, %[[W:[a-z0-9]+]]: {{.*}}, %[[GW:[a-z0-9]+]]: {{.*}}, %[[GV:[a-z0-9]+]]: {{.*}}, %[[N:[a-z0-9]+]]: {{.*}})
// CHECK-NEXT: %[[ZERO:.+]] = arith.constant 0.0
// CHECK-NEXT: %[[H:.+]] = memref.alloc() : memref<2x4xf32>
// CHECK-NEXT: %[[T:.+]] = memref.alloc() : memref<2x4xf32>
// CHECK-NEXT: linalg.fill ins(%{{.+}} : f32) outs(%[[N]] : memref<f32>)
// CHECK-NEXT: rt.matmul ins(%[[X]], transposed %[[W]] : {{.*}}) outs(%[[H]] : memref<2x4xf32>)
// CHECK-NEXT: memref.copy %[[H]], %[[T]]
// CHECK-NEXT: rt.matmul ins(transposed %[[T]], %[[H]] : {{.*}}) outs(%[[GV]] : memref<4x4xf32>)
// CHECK-NEXT: return

// CHECK: func.func @micro(
// CHECK-COUNT-4: rt.matmul

// CHECK: func.func @combine_late(
// CHECK: linalg.generic {{.*}} outs(%arg1 : memref<4x4xf32>)
// CHECK-NOT: linalg.generic
// CHECK: func.func @combine(
// CHECK-COUNT-2: linalg.generic

// An update that takes all gradients keeps the micro, whatever else differs.
// CHECK-LABEL: train.program @same
// CHECK: train.variant @some micro(@micro) update(@update_some)
// CHECK-NOT: @micro_some
#map = affine_map<(d0, d1) -> (d0, d1)>
train.program @two_layers batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @late micro(@micro) combine(@combine) update(@update_late) on [#train.steps<every = 2>]
  train.variant @full micro(@micro) combine(@combine) update(@update)
  func.func @micro(%x: memref<2x3xf32> {rt.binding = #rt.binding<input, "x">},
                   %w: memref<4x3xf32> {rt.binding = #rt.binding<parameter, "w">},
                   %gw: memref<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                   %gv: memref<4x4xf32> {rt.binding = #rt.binding<gradient, "v">},
                   %n: memref<f32> {rt.binding = #rt.binding<loss_sum>}) {
    %zero = arith.constant 0.0 : f32
    %h = memref.alloc() : memref<2x4xf32>
    %t = memref.alloc() : memref<2x4xf32>
    %dh = memref.alloc() : memref<2x4xf32>
    linalg.fill ins(%zero : f32) outs(%n : memref<f32>)
    rt.matmul ins(%x, transposed %w : memref<2x3xf32>, memref<4x3xf32>) outs(%h : memref<2x4xf32>)
    memref.copy %h, %t : memref<2x4xf32> to memref<2x4xf32>
    rt.matmul ins(transposed %t, %h : memref<2x4xf32>, memref<2x4xf32>) outs(%gv : memref<4x4xf32>)
    rt.matmul ins(%t, %gv : memref<2x4xf32>, memref<4x4xf32>) outs(%dh : memref<2x4xf32>)
    memref.copy %dh, %t : memref<2x4xf32> to memref<2x4xf32>
    rt.matmul ins(transposed %t, %x : memref<2x4xf32>, memref<2x3xf32>) outs(%gw : memref<4x3xf32>)
    return
  }
  func.func @combine(%a: memref<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                     %b: memref<4x4xf32> {rt.binding = #rt.binding<gradient, "v">},
                     %c: memref<4x3xf32> {rt.binding = #rt.binding<gradient, "w", other>},
                     %d: memref<4x4xf32> {rt.binding = #rt.binding<gradient, "v", other>}) {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%c : memref<4x3xf32>) outs(%a : memref<4x3xf32>) {
      ^bb0(%in: f32, %out: f32):
        %s = arith.addf %in, %out : f32
        linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%d : memref<4x4xf32>) outs(%b : memref<4x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %s = arith.addf %in, %out : f32
        linalg.yield %s : f32
    }
    return
  }
  func.func @update_late(%gv: memref<4x4xf32> {rt.binding = #rt.binding<gradient, "v">}) {
    return
  }
  func.func @update(%gw: memref<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %gv: memref<4x4xf32> {rt.binding = #rt.binding<gradient, "v">}) {
    return
  }
}

train.program @same batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.variant @some micro(@micro) update(@update_some) on [#train.steps<every = 2>]
  train.variant @usual micro(@micro) update(@update)
  func.func @micro(%gw: memref<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}) {
    return
  }
  func.func @update_some(%gw: memref<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}) {
    return
  }
  func.func @update(%gw: memref<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}) {
    return
  }
}
