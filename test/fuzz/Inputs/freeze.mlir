// input
train.program @m batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") attributes {train.freeze = #train.freeze<groups = 2, schedule = interleaved, full_share = 0.69999999999999996 : f64, length = 0>} {
train.input @x : tensor<2x2xf32>
train.input @t target : tensor<2x2xf32>
train.parameter @c.weight weight <uniform, -0.70710678118654746 : f64, 0.70710678118654746 : f64> : tensor<2x2xf32>
train.parameter @d.weight weight <uniform, -0.70710678118654746 : f64, 0.70710678118654746 : f64> : tensor<2x2xf32>
train.schedule @lr <constant, 1.000000e-01>
func.func @forward(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2x2xf32> {rt.binding = #rt.binding<input, "t">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "c.weight">}, %a4: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}) -> (tensor<f32>, tensor<i64>) {
  %0 = nn.dense %a0, %a3 : tensor<2x2xf32>, tensor<2x2xf32>
  %1 = nn.dense %0, %a4 : tensor<2x2xf32>, tensor<2x2xf32>
  %sum, %count = nn.mse %1, %a1, %a2 : tensor<2x2xf32>, tensor<2x2xf32>
  return %sum, %count : tensor<f32>, tensor<i64>
}
func.func @micro(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2x2xf32> {rt.binding = #rt.binding<input, "t">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "c.weight">}, %a4: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}) -> (tensor<2x2xf32> {rt.binding = #rt.binding<gradient, "c.weight">}, tensor<2x2xf32> {rt.binding = #rt.binding<gradient, "d.weight">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
  %sum, %count, %values:2 = train.value_and_grad @forward(%a0, %a1, %a2, %a3, %a4) wrt [3, 4] : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<f32>, tensor<i64>, tensor<2x2xf32>, tensor<2x2xf32>)
  return %values#0, %values#1, %sum, %count : tensor<2x2xf32>, tensor<2x2xf32>, tensor<f32>, tensor<i64>
}
func.func @update(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<gradient, "c.weight">}, %a1: tensor<2x2xf32> {rt.binding = #rt.binding<gradient, "d.weight">}, %a2: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %a3: tensor<i64> {rt.binding = #rt.binding<loss_count>}, %a4: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "c.weight">}, %a5: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}, %a6: tensor<i32> {rt.binding = #rt.binding<failed>}, %a7: tensor<f32> {rt.binding = #rt.binding<control, "lr">}) -> (tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "c.weight">}, tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}, tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
  %applied, %failed = train.commit count(%a3) after(%a6) finite(%a2, %a0, %a1 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) on_nonfinite fail
  %0 = train.divide_gradient %a0 by %a3 : tensor<2x2xf32>
  %1 = train.divide_gradient %a1 by %a3 : tensor<2x2xf32>
  %2 = train.sgd %a4, %0, %a7 weight_decay 0.000000e+00 if %applied : tensor<2x2xf32>
  %3 = train.sgd %a5, %1, %a7 weight_decay 0.000000e+00 if %applied : tensor<2x2xf32>
  return %2, %3, %applied, %failed : tensor<2x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>
}
func.func @eval(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2x2xf32> {rt.binding = #rt.binding<input, "t">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "c.weight">}, %a4: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}) -> (tensor<f32> {rt.binding = #rt.binding<metric_sum, "loss">}, tensor<i64> {rt.binding = #rt.binding<metric_count, "loss">}) {
  %0:2 = train.evaluate @forward(%a0, %a1, %a2, %a3, %a4) : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<f32>, tensor<i64>)
  return %0#0, %0#1 : tensor<f32>, tensor<i64>
}
}
