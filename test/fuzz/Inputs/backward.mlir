// backward
train.program @m batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
train.input @x : tensor<2x3xf32>
train.input @y classes(2) : tensor<2xi32>
train.parameter @w weight <uniform, -0.57735026918962584 : f64, 0.57735026918962584 : f64> : tensor<2x3xf32>
train.parameter @b bias <uniform, -0.57735026918962584 : f64, 0.57735026918962584 : f64> : tensor<2xf32>
train.schedule @lr <constant, 1.000000e-01>
train.state @w.momentum "momentum" of @w : tensor<2x3xf32>
train.state @b.momentum "momentum" of @b : tensor<2xf32>
func.func @micro(%a0: tensor<2x3xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2xi32> {rt.binding = #rt.binding<input, "y">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<2x3xf32> {rt.binding = #rt.binding<parameter, "w">}, %a4: tensor<2xf32> {rt.binding = #rt.binding<parameter, "b">}) -> (tensor<2x3xf32> {rt.binding = #rt.binding<gradient, "w">}, tensor<2xf32> {rt.binding = #rt.binding<gradient, "b">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
  %cst = arith.constant dense<1.000000e+00> : tensor<f32>
  %0 = nn.dense %a0, %a3, %a4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>
  %sum, %count = nn.softmax_cross_entropy %0, %a1, %a2 : tensor<2x2xf32>, tensor<2xi32>
  %1 = nn.softmax_cross_entropy_grad %cst, %0, %a1, %a2 : tensor<2x2xf32>, tensor<2xi32>
  %2 = nn.dense_grad_weight %1, %a0 : tensor<2x2xf32>, tensor<2x3xf32>
  %3 = nn.bias_grad %1, %a2 axis 1 : tensor<2x2xf32>
  return %2, %3, %sum, %count : tensor<2x3xf32>, tensor<2xf32>, tensor<f32>, tensor<i64>
}
func.func @update(%a0: tensor<2x3xf32> {rt.binding = #rt.binding<gradient, "w">}, %a1: tensor<2xf32> {rt.binding = #rt.binding<gradient, "b">}, %a2: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %a3: tensor<i64> {rt.binding = #rt.binding<loss_count>}, %a4: tensor<2x3xf32> {rt.binding = #rt.binding<parameter, "w">}, %a5: tensor<2xf32> {rt.binding = #rt.binding<parameter, "b">}, %a6: tensor<i32> {rt.binding = #rt.binding<failed>}, %a7: tensor<f32> {rt.binding = #rt.binding<control, "lr">}, %a8: tensor<2x3xf32> {rt.binding = #rt.binding<state, "w.momentum">}, %a9: tensor<2xf32> {rt.binding = #rt.binding<state, "b.momentum">}) -> (tensor<2x3xf32> {rt.binding = #rt.binding<parameter, "w">}, tensor<2xf32> {rt.binding = #rt.binding<parameter, "b">}, tensor<2x3xf32> {rt.binding = #rt.binding<state, "w.momentum">}, tensor<2xf32> {rt.binding = #rt.binding<state, "b.momentum">}, tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
  %applied, %failed = train.commit count(%a3) after(%a6) finite(%a2, %a0, %a1 : tensor<f32>, tensor<2x3xf32>, tensor<2xf32>) on_nonfinite fail
  %0 = train.divide_gradient %a0 by %a3 : tensor<2x3xf32>
  %1 = train.divide_gradient %a1 by %a3 : tensor<2xf32>
  %result, %new_velocity = train.momentum %a4, %0, %a7, %a8 momentum 9.000000e-01 weight_decay 0.000000e+00 if %applied : tensor<2x3xf32>
  %result_0, %new_velocity_1 = train.momentum %a5, %1, %a7, %a9 momentum 9.000000e-01 weight_decay 0.000000e+00 if %applied : tensor<2xf32>
  return %result, %result_0, %new_velocity, %new_velocity_1, %applied, %failed : tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<i32>, tensor<i32>
}
func.func @eval(%a0: tensor<2x3xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2xi32> {rt.binding = #rt.binding<input, "y">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<2x3xf32> {rt.binding = #rt.binding<parameter, "w">}, %a4: tensor<2xf32> {rt.binding = #rt.binding<parameter, "b">}) -> (tensor<f32> {rt.binding = #rt.binding<metric_sum, "loss">}, tensor<i64> {rt.binding = #rt.binding<metric_count, "loss">}) {
  %0 = nn.dense %a0, %a3, %a4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>
  %sum, %count = nn.softmax_cross_entropy %0, %a1, %a2 : tensor<2x2xf32>, tensor<2xi32>
  return %sum, %count : tensor<f32>, tensor<i64>
}
}
