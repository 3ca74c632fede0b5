// input
train.program @m batch_size(2) micro_batches(2) epochs(1) seed(1) recipe("{}") attributes {train.ema = #train.ema<decay = 9.999000e-01 : f64, evaluate = true>} {
train.input @x : tensor<2x2xf32>
train.input @t target : tensor<2x2xf32>
train.parameter @a.multiplier multiplier <constant, 1.000000e+00 : f64, 0.000000e+00 : f64> : tensor<1xf32>
train.schedule @lr <constant, 1.000000e-01>
func.func @forward(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2x2xf32> {rt.binding = #rt.binding<input, "t">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<1xf32> {rt.binding = #rt.binding<parameter, "a.multiplier">}) -> (tensor<f32>, tensor<i64>) {
  %0 = nn.multiplier %a0, %a3 : tensor<2x2xf32>, tensor<1xf32>
  %sum, %count = nn.mse %0, %a1, %a2 : tensor<2x2xf32>, tensor<2x2xf32>
  return %sum, %count : tensor<f32>, tensor<i64>
}
func.func @micro(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2x2xf32> {rt.binding = #rt.binding<input, "t">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<1xf32> {rt.binding = #rt.binding<parameter, "a.multiplier">}) -> (tensor<1xf32> {rt.binding = #rt.binding<gradient, "a.multiplier">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
  %sum, %count, %values = train.value_and_grad @forward(%a0, %a1, %a2, %a3) wrt [3] : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<1xf32>) -> (tensor<f32>, tensor<i64>, tensor<1xf32>)
  return %values, %sum, %count : tensor<1xf32>, tensor<f32>, tensor<i64>
}
func.func @update(%a0: tensor<1xf32> {rt.binding = #rt.binding<gradient, "a.multiplier">}, %a1: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %a2: tensor<i64> {rt.binding = #rt.binding<loss_count>}, %a3: tensor<1xf32> {rt.binding = #rt.binding<parameter, "a.multiplier">}, %a4: tensor<i32> {rt.binding = #rt.binding<failed>}, %a5: tensor<f32> {rt.binding = #rt.binding<control, "lr">}) -> (tensor<1xf32> {rt.binding = #rt.binding<parameter, "a.multiplier">}, tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
  %applied, %failed = train.commit count(%a2) after(%a4) finite(%a1, %a0 : tensor<f32>, tensor<1xf32>) on_nonfinite fail
  %0 = train.divide_gradient %a0 by %a2 : tensor<1xf32>
  %1 = train.squared_norm %0 : tensor<1xf32>
  %2 = train.global_norm %1
  %3 = train.clip_factor %2 limit 1.000000e+00
  %4 = train.scale_gradient %0 by %3 : tensor<1xf32>
  %5 = train.sgd %a3, %4, %a5 weight_decay 0.000000e+00 if %applied : tensor<1xf32>
  return %5, %applied, %failed : tensor<1xf32>, tensor<i32>, tensor<i32>
}
func.func @eval(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2x2xf32> {rt.binding = #rt.binding<input, "t">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<1xf32> {rt.binding = #rt.binding<parameter, "a.multiplier">}) -> (tensor<f32> {rt.binding = #rt.binding<metric_sum, "loss">}, tensor<i64> {rt.binding = #rt.binding<metric_count, "loss">}) {
  %0:2 = train.evaluate @forward(%a0, %a1, %a2, %a3) : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<1xf32>) -> (tensor<f32>, tensor<i64>)
  return %0#0, %0#1 : tensor<f32>, tensor<i64>
}
}
