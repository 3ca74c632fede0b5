// RUN: boost-opt %s --canonicalize --boostc-assign-collective-indices | FileCheck %s
// RUN: boost-opt %s --boostc-assign-collective-indices | FileCheck %s --check-prefix=ALL

// An unused collective is removed, and its index is not missing.
// CHECK: func.func @update(%[[W:.+]]: {{.*}}, %[[B:.+]]: {{.*}}) ->
// CHECK-NEXT: %[[X:.+]] = rt.collective all_reduce index(0) over all parameters [@w] groups [0] outs(%[[W]] :
// CHECK-NEXT: %[[Y:.+]] = rt.collective all_reduce index(1) over all parameters [@b] groups [0] outs(%[[B]] :
// CHECK-NEXT: return %[[X]], %[[Y]] :
// ALL: all_reduce index(0) over all parameters []
// ALL: all_reduce index(1) over all parameters [@w]
// ALL: all_reduce index(2) over all parameters []
// ALL: all_reduce index(3) over all parameters [@b]
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  train.parameter @w weight <uniform, -0.5, 0.5> : tensor<4xf32>
  train.parameter @b bias <uniform, -0.5, 0.5> : tensor<4xf32>
  func.func @update(%w: tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">},
                    %b: tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">})
      -> (tensor<4xf32> {rt.binding = #rt.binding<gradient, "w">},
          tensor<4xf32> {rt.binding = #rt.binding<gradient, "b">}) {
    %0 = rt.collective all_reduce index(0) over all parameters [] groups [0]
        outs(%b : tensor<4xf32>) -> tensor<4xf32>
    %1 = rt.collective all_reduce index(1) over all parameters [@w] groups [0]
        outs(%w : tensor<4xf32>) -> tensor<4xf32>
    %2 = rt.collective all_reduce index(2) over all parameters [] groups [0]
        outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    %3 = rt.collective all_reduce index(3) over all parameters [@b] groups [0]
        outs(%b : tensor<4xf32>) -> tensor<4xf32>
    return %1, %3 : tensor<4xf32>, tensor<4xf32>
  }
}
