// input
train.program @m batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
train.input @x : tensor<2x2xf32>
train.input @y classes(2) : tensor<2xi32>
train.parameter @d.weight weight <uniform, -0.70710678118654746 : f64, 0.70710678118654746 : f64> : tensor<2x2xf32>
train.schedule @lr <constant, 1.000000e-01>
train.schedule @damping <constant, 3.000000e-02>
train.state @d.weight.momentum "momentum" of @d.weight : tensor<2x2xf32>
func.func @forward(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2xi32> {rt.binding = #rt.binding<input, "y">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}) -> (tensor<f32>, tensor<i64>) {
  %0 = nn.dense %a0, %a3 : tensor<2x2xf32>, tensor<2x2xf32>
  %sum, %count = nn.softmax_cross_entropy %0, %a1, %a2 : tensor<2x2xf32>, tensor<2xi32>
  return %sum, %count : tensor<f32>, tensor<i64>
}
func.func @micro(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2xi32> {rt.binding = #rt.binding<input, "y">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}) -> (tensor<2x2xf32> {rt.binding = #rt.binding<gradient, "d.weight">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
  %sum, %count, %values = train.value_and_grad @forward(%a0, %a1, %a2, %a3) wrt [3] : (tensor<2x2xf32>, tensor<2xi32>, tensor<i32>, tensor<2x2xf32>) -> (tensor<f32>, tensor<i64>, tensor<2x2xf32>)
  return %values, %sum, %count : tensor<2x2xf32>, tensor<f32>, tensor<i64>
}
func.func @update(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<gradient, "d.weight">}, %a1: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %a2: tensor<i64> {rt.binding = #rt.binding<loss_count>}, %a3: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}, %a4: tensor<i32> {rt.binding = #rt.binding<failed>}, %a5: tensor<f32> {rt.binding = #rt.binding<control, "lr">}, %a6: tensor<f32> {rt.binding = #rt.binding<control, "damping">}, %a7: tensor<2x2xf32> {rt.binding = #rt.binding<state, "d.weight.momentum">}) -> (tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}, tensor<2x2xf32> {rt.binding = #rt.binding<state, "d.weight.momentum">}, tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
  %applied, %failed = train.commit count(%a2) after(%a4) finite(%a1, %a0 : tensor<f32>, tensor<2x2xf32>) on_nonfinite fail
  %0 = train.divide_gradient %a0 by %a2 : tensor<2x2xf32>
  %1 = thor.natural_gradient %0 of @d.weight damping %a6 frequency 2 block_size 128 staggered : tensor<2x2xf32>
  %result, %new_velocity = train.momentum %a3, %1, %a5, %a7 momentum 9.000000e-01 weight_decay 0.000000e+00 if %applied : tensor<2x2xf32>
  return %result, %new_velocity, %applied, %failed : tensor<2x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>
}
func.func @eval(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2xi32> {rt.binding = #rt.binding<input, "y">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<2x2xf32> {rt.binding = #rt.binding<parameter, "d.weight">}) -> (tensor<f32> {rt.binding = #rt.binding<metric_sum, "loss">}, tensor<i64> {rt.binding = #rt.binding<metric_count, "loss">}) {
  %0:2 = train.evaluate @forward(%a0, %a1, %a2, %a3) : (tensor<2x2xf32>, tensor<2xi32>, tensor<i32>, tensor<2x2xf32>) -> (tensor<f32>, tensor<i64>)
  return %0#0, %0#1 : tensor<f32>, tensor<i64>
}
}
