// linalg
#same = affine_map<(d0) -> (d0)>
#pixel = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
#one = affine_map<(d0) -> ()>
train.program @m batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {rt.cpu_target = #rt.cpu_target<"x86-64-v3", "sse4.2,avx,avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,popcnt", 1>} {
  train.input @x : tensor<2x1xf32>
  train.parameter @k multiplier <constant, 1.0, 0.0> : tensor<1xf32>
  train.schedule @lr <constant, 0.1>
  func.func @micro(%x: tensor<2x1xf32> {rt.binding = #rt.binding<input, "x">}, %v: tensor<i32> {rt.binding = #rt.binding<valid>}, %k: tensor<1xf32> {rt.binding = #rt.binding<parameter, "k">})
      -> (tensor<1xf32> {rt.binding = #rt.binding<gradient, "k">}, tensor<f32> {rt.binding = #rt.binding<loss_sum>}, tensor<i64> {rt.binding = #rt.binding<loss_count>}) {
    %zero = arith.constant 0.0 : f32
    %n = arith.constant dense<2> : tensor<i64>
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %s = linalg.generic {indexing_maps = [#pixel, #none, #none], iterator_types = ["reduction", "reduction"]} ins(%x, %v : tensor<2x1xf32>, tensor<i32>) outs(%f : tensor<f32>) {
    ^bb0(%in: f32, %valid: i32, %out: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i32
      %c = arith.cmpi slt, %j, %valid : i32
      %d = arith.select %c, %in, %zero : f32
      %a = arith.addf %out, %d fastmath<reassoc> : f32
      linalg.yield %a : f32
    } -> tensor<f32>
    %g = tensor.expand_shape %s [] output_shape [1] : tensor<f32> into tensor<1xf32>
    return %g, %s, %n : tensor<1xf32>, tensor<f32>, tensor<i64>
  }
  func.func @update(%g: tensor<1xf32> {rt.binding = #rt.binding<gradient, "k">}, %s: tensor<f32> {rt.binding = #rt.binding<loss_sum>}, %n: tensor<i64> {rt.binding = #rt.binding<loss_count>}, %k: tensor<1xf32> {rt.binding = #rt.binding<parameter, "k">}, %before: tensor<i32> {rt.binding = #rt.binding<failed>}, %lr: tensor<f32> {rt.binding = #rt.binding<control, "lr">})
      -> (tensor<1xf32> {rt.binding = #rt.binding<parameter, "k">}, tensor<i32> {rt.binding = #rt.binding<applied>}, tensor<i32> {rt.binding = #rt.binding<failed>}) {
    %r:3 = rt.collective all_reduce index(0) over all parameters [@k] groups [0, 1, 2] outs(%g, %s, %n : tensor<1xf32>, tensor<f32>, tensor<i64>) -> tensor<1xf32>, tensor<f32>, tensor<i64>
    %w = linalg.generic {indexing_maps = [#same, #one, #same], iterator_types = ["parallel"]} ins(%r#0, %lr : tensor<1xf32>, tensor<f32>) outs(%k : tensor<1xf32>) {
    ^bb0(%in: f32, %rate: f32, %out: f32):
      %a = arith.mulf %in, %rate : f32
      %b = arith.subf %out, %a : f32
      linalg.yield %b : f32
    } -> tensor<1xf32>
    return %w, %before, %before : tensor<1xf32>, tensor<i32>, tensor<i32>
  }
  func.func @eval(%x: tensor<2x1xf32> {rt.binding = #rt.binding<input, "x">}, %v: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<f32> {rt.binding = #rt.binding<metric_sum, "loss">}, tensor<i64> {rt.binding = #rt.binding<metric_count, "loss">}) {
    %s = arith.constant dense<0.0> : tensor<f32>
    %n = arith.constant dense<2> : tensor<i64>
    return %s, %n : tensor<f32>, tensor<i64>
  }
  func.func @combine(%g: tensor<1xf32> {rt.binding = #rt.binding<gradient, "k">}, %h: tensor<1xf32> {rt.binding = #rt.binding<gradient, "k", other>})
      -> (tensor<1xf32> {rt.binding = #rt.binding<gradient, "k">}) {
    return %h : tensor<1xf32>
  }
  func.func @init(%seed: tensor<i64> {rt.binding = #rt.binding<seed>}) -> (tensor<1xf32> {rt.binding = #rt.binding<parameter, "k">}) {
    %e = tensor.empty() : tensor<1xf32>
    %k = rt.fill "k" <constant, 1.0, 0.0> seed(%seed : tensor<i64>) outs(%e : tensor<1xf32>) -> tensor<1xf32>
    return %k : tensor<1xf32>
  }
}
