// RUN: boost-interpret %s --print | FileCheck %s
// RUN: not boost-interpret %s --function=nothing 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not boost-interpret %s --function=recursive 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: not boost-interpret %s --function=foreign 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not boost-interpret %s --function=branches 2>&1 | FileCheck %s --check-prefix=BRANCHES
// RUN: not boost-interpret %s --function=resource 2>&1 | FileCheck %s --check-prefix=RESOURCE
// RUN: not boost-interpret %s --function=dynamic_argument 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not boost-interpret %s --compare-after='builtin.module(boost-nothing)' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PASS
// RUN: not boost-interpret %s --compare-after='func.func(cse)' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ANCHOR

// Callees see their own values only, and results come in order.
// CHECK: [2] 3 4
// CHECK-NEXT: [] 0.10000000149011612
func.func @main() -> (tensor<2xf32>, tensor<f32>) {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = arith.constant dense<2.0> : tensor<2xf32>
  %s, %t = call @swap_sum(%a, %b)
      : (tensor<2xf32>, tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  return %t, %s : tensor<2xf32>, tensor<f32>
}
func.func private @swap_sum(%x: tensor<2xf32>, %y: tensor<2xf32>)
    -> (tensor<f32>, tensor<2xf32>) {
  %tenth = arith.constant dense<0.1> : tensor<f32>
  %s = arith.addf %x, %y : tensor<2xf32>
  return %tenth, %s : tensor<f32>, tensor<2xf32>
}

// NOTHING: error: no function 'nothing' in the file

// DEEP: [[#@LINE+1]]:1: error: {{.*}}is called 256 levels deep
func.func @recursive() {
  call @recursive() : () -> ()
  return
}

func.func @foreign() {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // FOREIGN: [[#@LINE+1]]:8: error: {{.*}}cannot be interpreted: it does not say what it computes (ReferenceOpInterface)
  %d = bufferization.to_buffer %a : tensor<2xf32> to memref<2xf32>
  return
}

// BRANCHES: [[#@LINE+1]]:1: error: {{.*}}cannot be interpreted: expected a function of one block
func.func @branches() {
  cf.br ^bb1
^bb1:
  return
}

func.func @resource() {
  // RESOURCE: [[#@LINE+1]]:8: error: {{.*}}cannot be interpreted: expected numbers spelled out
  %a = arith.constant dense_resource<blob> : tensor<2xf32>
  return
}

// DYNAMIC: [[#@LINE+1]]:1: error: {{.*}}expected arguments of static shape, found 'tensor<?xf32>'
func.func @dynamic_argument(%x: tensor<?xf32>) {
  return
}

// PASS: 'boost-nothing' does not refer to a registered pass or pass pipeline
// ANCHOR: error: expected a pipeline builtin.module(...)
