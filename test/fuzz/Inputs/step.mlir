// step
train.program @m batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
train.input @x : tensor<2x2xf32>
train.input @t target : tensor<2x2xf32>
train.parameter @k multiplier <constant, 1.000000e+00 : f64, 0.000000e+00 : f64> : tensor<1xf32>
train.schedule @lr <constant, 1.000000e-01>
func.func @micro(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2x2xf32> {rt.binding = #rt.binding<input, "t">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<1xf32> {rt.binding = #rt.binding<parameter, "k">}) -> (tensor<1xf32> {rt.binding = #rt.binding<gradient, "k">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
  %cst = arith.constant dense<1.000000e+00> : tensor<f32>
  %0 = nn.multiplier %a0, %a3 : tensor<2x2xf32>, tensor<1xf32>
  %sum, %count = nn.mse %0, %a1, %a2 : tensor<2x2xf32>, tensor<2x2xf32>
  %1 = nn.pointwise_loss_grad %cst, %0, %a1, %a2 of nn.mse : tensor<2x2xf32>, tensor<2x2xf32>
  %2 = nn.multiplier_grad %1, %a0, %a2 : tensor<2x2xf32>, tensor<2x2xf32>
  return %2, %sum, %count : tensor<1xf32>, tensor<f32>, tensor<i64>
}
func.func @update(%a0: tensor<1xf32> {rt.binding = #rt.binding<gradient, "k">}, %a1: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %a2: tensor<i64> {rt.binding = #rt.binding<loss_count>}, %a3: tensor<1xf32> {rt.binding = #rt.binding<parameter, "k">}, %a4: tensor<i32> {rt.binding = #rt.binding<failed>}, %a5: tensor<f32> {rt.binding = #rt.binding<control, "lr">}) -> (tensor<1xf32> {rt.binding = #rt.binding<parameter, "k">}, tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}, tensor<1xf32> {rt.binding = #rt.binding<gradient, "k">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
  %0:3 = coll.all_reduce index(0) over all parameters [@k](%a0, %a1, %a2 : tensor<1xf32>, tensor<f32>, tensor<i64>)
  %applied, %failed = train.commit count(%0#2) after(%a4) finite(%0#1, %0#0 : tensor<f32>, tensor<1xf32>) on_nonfinite fail
  %1 = train.divide_gradient %0#0 by %0#2 : tensor<1xf32>
  %2 = train.sgd %a3, %1, %a5 weight_decay 0.000000e+00 if %applied : tensor<1xf32>
  return %2, %applied, %failed, %0#0, %0#1, %0#2 : tensor<1xf32>, tensor<i32>, tensor<i32>, tensor<1xf32>, tensor<f32>, tensor<i64>
}
func.func @eval(%a0: tensor<2x2xf32> {rt.binding = #rt.binding<input, "x">}, %a1: tensor<2x2xf32> {rt.binding = #rt.binding<input, "t">}, %a2: tensor<i32> {rt.binding = #rt.binding<valid>}, %a3: tensor<1xf32> {rt.binding = #rt.binding<parameter, "k">}) -> (tensor<f32> {rt.binding = #rt.binding<metric_sum, "loss">}, tensor<i64> {rt.binding = #rt.binding<metric_count, "loss">}) {
  %0 = nn.multiplier %a0, %a3 : tensor<2x2xf32>, tensor<1xf32>
  %sum, %count = nn.mse %0, %a1, %a2 : tensor<2x2xf32>, tensor<2x2xf32>
  return %sum, %count : tensor<f32>, tensor<i64>
}
func.func @combine(%a0: tensor<1xf32> {rt.binding = #rt.binding<gradient, "k">}, %a1: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %a2: tensor<i64> {rt.binding = #rt.binding<loss_count>}, %a3: tensor<1xf32> {rt.binding = #rt.binding<gradient, "k", other>}, %a4: tensor<f32> {rt.binding = #rt.binding<loss_sum, other>}, %a5: tensor<i64> {rt.binding = #rt.binding<loss_count, other>}) -> (tensor<1xf32> {rt.binding = #rt.binding<gradient, "k">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
  %0 = train.combine %a0, %a3 : tensor<1xf32>
  %1 = train.combine %a1, %a4 : tensor<f32>
  %2 = train.combine %a2, %a5 : tensor<i64>
  return %0, %1, %2 : tensor<1xf32>, tensor<f32>, tensor<i64>
}
func.func @init(%a0: tensor<i64> {rt.binding = #rt.binding<seed>}) -> (tensor<1xf32> {rt.binding = #rt.binding<parameter, "k">}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
  %0 = train.initialize "k" <constant, 1.000000e+00 : f64, 0.000000e+00 : f64> seed(%a0) : tensor<1xf32>
  %cst = arith.constant dense<0> : tensor<i32>
  return %0, %cst : tensor<1xf32>, tensor<i32>
}
}
