// RUN: boost-interpret %s

// The library's product in the interpreter, read plainly and transposed; what the output
// held before does not matter.
func.func @main() {
  %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = arith.constant dense<[[1.0, 0.0], [0.0, 1.0], [-1.0, 2.0]]> : tensor<3x2xf32>
  %bias = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %c = rt.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x2xf32>)
      outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %c_x = arith.constant dense<[[-2.0, 8.0], [-2.0, 17.0]]> : tensor<2x2xf32>
  check.expect_eq %c, %c_x : tensor<2x2xf32>
  %d = rt.matmul ins(%a, transposed %a : tensor<2x3xf32>, tensor<2x3xf32>)
      bias(%bias : tensor<2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %d_x = arith.constant dense<[[24.0, 52.0], [42.0, 97.0]]> : tensor<2x2xf32>
  check.expect_eq %d, %d_x : tensor<2x2xf32>
  %f = rt.matmul ins(transposed %b, %b : tensor<3x2xf32>, tensor<3x2xf32>)
      outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %f_x = arith.constant dense<[[2.0, -2.0], [-2.0, 5.0]]> : tensor<2x2xf32>
  check.expect_eq %f, %f_x : tensor<2x2xf32>
  %g = rt.matmul ins(transposed %b, transposed %a : tensor<3x2xf32>, tensor<2x3xf32>)
      outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %g_x = arith.constant dense<[[-2.0, -2.0], [8.0, 17.0]]> : tensor<2x2xf32>
  check.expect_eq %g, %g_x : tensor<2x2xf32>
  return
}
