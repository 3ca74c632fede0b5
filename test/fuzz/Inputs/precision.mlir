// input
train.program @m batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") attributes {train.amp = #train.amp<O2, bf16, keep_batchnorm_fp32 = true>} {
train.input @x : tensor<2x2xf32>
train.input @y classes(2) : tensor<2xi32>
train.parameter @d.weight weight <uniform, -0.70710678118654746 : f64, 0.70710678118654746 : f64> : tensor<2x2xf32>
train.state @loss_scale "loss_scale" init <constant, 0x4170000000000000 : f64, 0.000000e+00 : f64> : tensor<f32>
train.state @loss_scale.steps "loss_scale.steps" : tensor<i64>
train.schedule @lr <constant, 1.000000e-01>
func.func @forward(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2xi32> {rt.binding = #rt.binding<input, "y">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}) -> (tensor<f32>, tensor<i64>) {
  %0 = nn.dense %a0, %a3 : tensor<2x2xf32>, tensor<2x2xf32>
  %sum, %count = nn.softmax_cross_entropy %0, %a1, %a2 : tensor<2x2xf32>, tensor<2xi32>
  return %sum, %count : tensor<f32>, tensor<i64>
}
func.func @micro(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2xi32> {rt.binding = #rt.binding<input, "y">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}, %a4: tensor<f32> {rt.binding = #rt.binding<state, "loss_scale">}) -> (tensor<2x2xf32> {rt.binding = #rt.binding<gradient, "d.weight">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
  %sum, %count, %values = train.value_and_grad @forward(%a0, %a1, %a2, %a3) scale(%a4) wrt [3] : (tensor<2x2xf32>, tensor<2xi32>, tensor<i32>, tensor<2x2xf32>) -> (tensor<f32>, tensor<i64>, tensor<2x2xf32>)
  return %values, %sum, %count : tensor<2x2xf32>, tensor<f32>, tensor<i64>
}
func.func @update(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<gradient, "d.weight">}, %a1: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %a2: tensor<i64> {rt.binding = #rt.binding<loss_count>}, %a3: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}, %a4: tensor<i32> {rt.binding = #rt.binding<failed>}, %a5: tensor<f32> {rt.binding = #rt.binding<state, "loss_scale">}, %a6: tensor<i64> {rt.binding = #rt.binding<state, "loss_scale.steps">}, %a7: tensor<f32> {rt.binding = #rt.binding<control, "lr">}) -> (tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}, tensor<f32> {rt.binding = #rt.binding<state, "loss_scale">}, tensor<i64> {rt.binding = #rt.binding<state, "loss_scale.steps">}, tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}, tensor<f32> {rt.binding = #rt.binding<loss_scale>}) {
  %applied, %failed = train.commit count(%a2) after(%a4) finite(%a1, %a0 : tensor<f32>, tensor<2x2xf32>) on_nonfinite skip
  %0 = train.divide_gradient %a0 by %a2 : tensor<2x2xf32>
  %1 = train.unscale_gradient %0 by %a5 : tensor<2x2xf32>
  %2 = train.sgd %a3, %1, %a7 weight_decay 0.000000e+00 if %applied : tensor<2x2xf32>
  %scale, %steps, %used = train.adjust_loss_scale %a5, %a6 of %a2 if %applied factor 2.000000e+00 window 2000
  return %2, %scale, %steps, %applied, %failed, %used : tensor<2x2xf32>, tensor<f32>, tensor<i64>, tensor<i32>, tensor<i32>, tensor<f32>
}
func.func @eval(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2xi32> {rt.binding = #rt.binding<input, "y">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}) -> (tensor<f32> {rt.binding = #rt.binding<metric_sum, "loss">}, tensor<i64> {rt.binding = #rt.binding<metric_count, "loss">}) {
  %0:2 = train.evaluate @forward(%a0, %a1, %a2, %a3) : (tensor<2x2xf32>, tensor<2xi32>, tensor<i32>, tensor<2x2xf32>) -> (tensor<f32>, tensor<i64>)
  return %0#0, %0#1 : tensor<f32>, tensor<i64>
}
}
