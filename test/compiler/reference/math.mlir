// RUN: boost-interpret %s

// Expected values to double precision (bc -l, 20 digits).
func.func @main() {
  %x = arith.constant dense<[0.5, 2.0]> : tensor<2xf64>
  %exp = math.exp %x : tensor<2xf64>
  %exp_x = arith.constant dense<[1.6487212707001281468, 7.3890560989306502272]> : tensor<2xf64>
  check.expect_close %exp, %exp_x atol 0.0 rtol 1.0e-15 : tensor<2xf64>
  %exp2 = math.exp2 %x : tensor<2xf64>
  %exp2_x = arith.constant dense<[1.4142135623730950488, 4.0]> : tensor<2xf64>
  check.expect_close %exp2, %exp2_x atol 0.0 rtol 1.0e-15 : tensor<2xf64>
  %expm1 = math.expm1 %x : tensor<2xf64>
  %expm1_x = arith.constant dense<[0.6487212707001281468, 6.3890560989306502272]> : tensor<2xf64>
  check.expect_close %expm1, %expm1_x atol 0.0 rtol 1.0e-15 : tensor<2xf64>
  %log = math.log %x : tensor<2xf64>
  %log_x = arith.constant dense<[-0.69314718055994530942, 0.69314718055994530942]> : tensor<2xf64>
  check.expect_close %log, %log_x atol 0.0 rtol 1.0e-15 : tensor<2xf64>
  %log2 = math.log2 %x : tensor<2xf64>
  %log2_x = arith.constant dense<[-1.0, 1.0]> : tensor<2xf64>
  check.expect_close %log2, %log2_x atol 0.0 rtol 1.0e-15 : tensor<2xf64>
  %log1p = math.log1p %x : tensor<2xf64>
  %log1p_x = arith.constant dense<[0.40546510810816438198, 1.0986122886681096914]> : tensor<2xf64>
  check.expect_close %log1p, %log1p_x atol 0.0 rtol 1.0e-15 : tensor<2xf64>
  %sqrt = math.sqrt %x : tensor<2xf64>
  %sqrt_x = arith.constant dense<[0.70710678118654752440, 1.4142135623730950488]> : tensor<2xf64>
  check.expect_close %sqrt, %sqrt_x atol 0.0 rtol 1.0e-15 : tensor<2xf64>
  %rsqrt = math.rsqrt %x : tensor<2xf64>
  %rsqrt_x = arith.constant dense<[1.4142135623730950488, 0.70710678118654752440]> : tensor<2xf64>
  check.expect_close %rsqrt, %rsqrt_x atol 0.0 rtol 1.0e-15 : tensor<2xf64>
  %tanh = math.tanh %x : tensor<2xf64>
  %tanh_x = arith.constant dense<[0.46211715726000975850, 0.96402758007581688395]> : tensor<2xf64>
  check.expect_close %tanh, %tanh_x atol 0.0 rtol 1.0e-15 : tensor<2xf64>
  %erf = math.erf %x : tensor<2xf64>
  %erf_x = arith.constant dense<[0.52049987781304653768, 0.99532226501895273416]> : tensor<2xf64>
  check.expect_close %erf, %erf_x atol 0.0 rtol 1.0e-15 : tensor<2xf64>
  %sin = math.sin %x : tensor<2xf64>
  %sin_x = arith.constant dense<[0.47942553860420300027, 0.90929742682568169540]> : tensor<2xf64>
  check.expect_close %sin, %sin_x atol 0.0 rtol 1.0e-15 : tensor<2xf64>
  %cos = math.cos %x : tensor<2xf64>
  %cos_x = arith.constant dense<[0.87758256189037271612, -0.41614683654714238700]> : tensor<2xf64>
  check.expect_close %cos, %cos_x atol 0.0 rtol 1.0e-15 : tensor<2xf64>

  %y = arith.constant dense<[-1.5, 2.25]> : tensor<2xf64>
  %absf = math.absf %y : tensor<2xf64>
  %absf_x = arith.constant dense<[1.5, 2.25]> : tensor<2xf64>
  check.expect_eq %absf, %absf_x : tensor<2xf64>
  %floor = math.floor %y : tensor<2xf64>
  %floor_x = arith.constant dense<[-2.0, 2.0]> : tensor<2xf64>
  check.expect_eq %floor, %floor_x : tensor<2xf64>
  %ceil = math.ceil %y : tensor<2xf64>
  %ceil_x = arith.constant dense<[-1.0, 3.0]> : tensor<2xf64>
  check.expect_eq %ceil, %ceil_x : tensor<2xf64>
  %powf = math.powf %x, %y : tensor<2xf64>
  %powf_x = arith.constant dense<[2.8284271247461900976, 4.7568284600108842669]> : tensor<2xf64>
  check.expect_close %powf, %powf_x atol 0.0 rtol 1.0e-15 : tensor<2xf64>
  %fma = math.fma %x, %y, %x : tensor<2xf64>
  %fma_x = arith.constant dense<[-0.25, 6.5]> : tensor<2xf64>
  check.expect_eq %fma, %fma_x : tensor<2xf64>

  // Scalars work as tensors do; log(0) and sqrt(-1) do as IEEE 754 says.
  %zero = arith.constant 0.0 : f32
  %log0 = math.log %zero : f32
  %minus = arith.constant -1.0 : f32
  %root = math.sqrt %minus : f32
  %isnan = arith.cmpf uno, %root, %root : f32
  %log0_t = tensor.from_elements %log0 : tensor<1xf32>
  %infinity = arith.constant dense<0xFF800000> : tensor<1xf32>
  check.expect_eq %log0_t, %infinity : tensor<1xf32>
  %isnan_t = tensor.from_elements %isnan : tensor<1xi1>
  %true = arith.constant dense<true> : tensor<1xi1>
  check.expect_eq %isnan_t, %true : tensor<1xi1>
  return
}
