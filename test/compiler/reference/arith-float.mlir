// RUN: boost-interpret %s

// 0x7FC00000 is a NaN, 0x7F800000 infinity.
func.func @main() {
  %a = arith.constant dense<[1.0, -2.0, 0.5, 3.0]> : tensor<4xf32>
  %b = arith.constant dense<[4.0, 0.5, 0.5, -1.5]> : tensor<4xf32>

  %sum = arith.addf %a, %b : tensor<4xf32>
  %sum_x = arith.constant dense<[5.0, -1.5, 1.0, 1.5]> : tensor<4xf32>
  check.expect_eq %sum, %sum_x : tensor<4xf32>
  %difference = arith.subf %a, %b : tensor<4xf32>
  %difference_x = arith.constant dense<[-3.0, -2.5, 0.0, 4.5]> : tensor<4xf32>
  check.expect_eq %difference, %difference_x : tensor<4xf32>
  %product = arith.mulf %a, %b : tensor<4xf32>
  %product_x = arith.constant dense<[4.0, -1.0, 0.25, -4.5]> : tensor<4xf32>
  check.expect_eq %product, %product_x : tensor<4xf32>
  %quotient = arith.divf %a, %b : tensor<4xf32>
  %quotient_x = arith.constant dense<[0.25, -4.0, 1.0, -2.0]> : tensor<4xf32>
  check.expect_eq %quotient, %quotient_x : tensor<4xf32>
  %negative = arith.negf %a : tensor<4xf32>
  %negative_x = arith.constant dense<[-1.0, 2.0, -0.5, -3.0]> : tensor<4xf32>
  check.expect_eq %negative, %negative_x : tensor<4xf32>

  // f32 does not round: 2^-30 survives next to 1.
  %one = arith.constant 1.0 : f32
  %tiny = arith.constant 9.313225746154785e-10 : f32
  %near = arith.addf %one, %tiny : f32
  %back = arith.subf %near, %one : f32
  %double = arith.extf %back : f32 to f64
  %wide = arith.truncf %double : f64 to f32
  %wide_t = tensor.from_elements %wide : tensor<1xf32>
  %tiny_t = tensor.from_elements %tiny : tensor<1xf32>
  check.expect_eq %wide_t, %tiny_t : tensor<1xf32>
  // bf16 and f16 do, where a number becomes one; infinite where it is too large.
  %third = arith.constant 0.333333343 : f32
  %large = arith.constant 65520.0 : f32
  %third_b = arith.truncf %third : f32 to bf16
  %third_h = arith.truncf %third : f32 to f16
  %large_h = arith.truncf %large : f32 to f16
  %third_b32 = arith.extf %third_b : bf16 to f32
  %third_h32 = arith.extf %third_h : f16 to f32
  %large_h32 = arith.extf %large_h : f16 to f32
  %low_t = tensor.from_elements %third_b32, %third_h32, %large_h32 : tensor<3xf32>
  %low_x = arith.constant dense<[0.333984375, 0.333251953125, 0x7F800000]> : tensor<3xf32>
  check.expect_eq %low_t, %low_x : tensor<3xf32>
  // An f32 constant is the f32 number, not the decimal one.
  %tenth = arith.constant dense<0.1> : tensor<1xf32>
  %tenth_f64 = arith.constant dense<0.10000000149011612> : tensor<1xf64>
  %tenth_wide = arith.extf %tenth : tensor<1xf32> to tensor<1xf64>
  check.expect_eq %tenth_wide, %tenth_f64 : tensor<1xf64>

  func.call @extrema() : () -> ()
  func.call @comparisons() : () -> ()
  return
}

func.func @extrema() {
  // Both numbers, a NaN on the left, on the right, zeros of both signs.
  %a = arith.constant dense<[1.0, 0x7FC00000, 2.0, -0.0, 0.0]> : tensor<5xf32>
  %b = arith.constant dense<[3.0, 1.0, 0x7FC00000, 0.0, -0.0]> : tensor<5xf32>
  // A NaN wins in maximumf, and +0 is above -0: 1 / x tells them apart.
  %maximum = arith.maximumf %a, %b : tensor<5xf32>
  %minimum = arith.minimumf %a, %b : tensor<5xf32>
  %maxnum = arith.maxnumf %a, %b : tensor<5xf32>
  %minnum = arith.minnumf %a, %b : tensor<5xf32>
  %ones = arith.constant dense<1.0> : tensor<5xf32>
  %maxnum_i = arith.divf %ones, %maxnum : tensor<5xf32>
  %most = arith.constant dense<[3.0, 1.0, 2.0, 0.0, 0.0]> : tensor<5xf32>
  check.expect_eq %maxnum, %most : tensor<5xf32>
  %least = arith.constant dense<[1.0, 1.0, 2.0, 0.0, 0.0]> : tensor<5xf32>
  check.expect_eq %minnum, %least : tensor<5xf32>
  %infinite = arith.constant 0x7F800000 : f32
  %minus_infinite = arith.negf %infinite : f32
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %up3 = tensor.extract %maxnum_i[%c3] : tensor<5xf32>
  %up4 = tensor.extract %maxnum_i[%c4] : tensor<5xf32>
  %minnum_i = arith.divf %ones, %minnum : tensor<5xf32>
  %down3 = tensor.extract %minnum_i[%c3] : tensor<5xf32>
  %down4 = tensor.extract %minnum_i[%c4] : tensor<5xf32>
  %signs = tensor.from_elements %up3, %up4, %down3, %down4 : tensor<4xf32>
  %signs_x = tensor.from_elements %infinite, %infinite, %minus_infinite, %minus_infinite
      : tensor<4xf32>
  check.expect_eq %signs, %signs_x : tensor<4xf32>

  // maximumf and minimumf: NaN in places 1 and 2, numbers elsewhere.
  %max_nan = arith.cmpf uno, %maximum, %maximum : tensor<5xf32>
  %min_nan = arith.cmpf uno, %minimum, %minimum : tensor<5xf32>
  %nan_x = arith.constant dense<[false, true, true, false, false]> : tensor<5xi1>
  check.expect_eq %max_nan, %nan_x : tensor<5xi1>
  check.expect_eq %min_nan, %nan_x : tensor<5xi1>
  %max_numbers = arith.select %max_nan, %ones, %maximum : tensor<5xi1>, tensor<5xf32>
  %max_x = arith.constant dense<[3.0, 1.0, 1.0, 0.0, 0.0]> : tensor<5xf32>
  check.expect_eq %max_numbers, %max_x : tensor<5xf32>
  %min_numbers = arith.select %min_nan, %ones, %minimum : tensor<5xi1>, tensor<5xf32>
  %min_x = arith.constant dense<[1.0, 1.0, 1.0, 0.0, 0.0]> : tensor<5xf32>
  check.expect_eq %min_numbers, %min_x : tensor<5xf32>
  return
}

func.func @comparisons() {
  // Less, equal, greater, unordered.
  %a = arith.constant dense<[1.0, 2.0, 3.0, 0x7FC00000]> : tensor<4xf32>
  %b = arith.constant dense<2.0> : tensor<4xf32>
  %false = arith.cmpf false, %a, %b : tensor<4xf32>
  %false_x = arith.constant dense<[false, false, false, false]> : tensor<4xi1>
  check.expect_eq %false, %false_x : tensor<4xi1>
  %oeq = arith.cmpf oeq, %a, %b : tensor<4xf32>
  %oeq_x = arith.constant dense<[false, true, false, false]> : tensor<4xi1>
  check.expect_eq %oeq, %oeq_x : tensor<4xi1>
  %ogt = arith.cmpf ogt, %a, %b : tensor<4xf32>
  %ogt_x = arith.constant dense<[false, false, true, false]> : tensor<4xi1>
  check.expect_eq %ogt, %ogt_x : tensor<4xi1>
  %oge = arith.cmpf oge, %a, %b : tensor<4xf32>
  %oge_x = arith.constant dense<[false, true, true, false]> : tensor<4xi1>
  check.expect_eq %oge, %oge_x : tensor<4xi1>
  %olt = arith.cmpf olt, %a, %b : tensor<4xf32>
  %olt_x = arith.constant dense<[true, false, false, false]> : tensor<4xi1>
  check.expect_eq %olt, %olt_x : tensor<4xi1>
  %ole = arith.cmpf ole, %a, %b : tensor<4xf32>
  %ole_x = arith.constant dense<[true, true, false, false]> : tensor<4xi1>
  check.expect_eq %ole, %ole_x : tensor<4xi1>
  %one = arith.cmpf one, %a, %b : tensor<4xf32>
  %one_x = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
  check.expect_eq %one, %one_x : tensor<4xi1>
  %ord = arith.cmpf ord, %a, %b : tensor<4xf32>
  %ord_x = arith.constant dense<[true, true, true, false]> : tensor<4xi1>
  check.expect_eq %ord, %ord_x : tensor<4xi1>
  %ueq = arith.cmpf ueq, %a, %b : tensor<4xf32>
  %ueq_x = arith.constant dense<[false, true, false, true]> : tensor<4xi1>
  check.expect_eq %ueq, %ueq_x : tensor<4xi1>
  %ugt = arith.cmpf ugt, %a, %b : tensor<4xf32>
  %ugt_x = arith.constant dense<[false, false, true, true]> : tensor<4xi1>
  check.expect_eq %ugt, %ugt_x : tensor<4xi1>
  %uge = arith.cmpf uge, %a, %b : tensor<4xf32>
  %uge_x = arith.constant dense<[false, true, true, true]> : tensor<4xi1>
  check.expect_eq %uge, %uge_x : tensor<4xi1>
  %ult = arith.cmpf ult, %a, %b : tensor<4xf32>
  %ult_x = arith.constant dense<[true, false, false, true]> : tensor<4xi1>
  check.expect_eq %ult, %ult_x : tensor<4xi1>
  %ule = arith.cmpf ule, %a, %b : tensor<4xf32>
  %ule_x = arith.constant dense<[true, true, false, true]> : tensor<4xi1>
  check.expect_eq %ule, %ule_x : tensor<4xi1>
  %une = arith.cmpf une, %a, %b : tensor<4xf32>
  %une_x = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
  check.expect_eq %une, %une_x : tensor<4xi1>
  %uno = arith.cmpf uno, %a, %b : tensor<4xf32>
  %uno_x = arith.constant dense<[false, false, false, true]> : tensor<4xi1>
  check.expect_eq %uno, %uno_x : tensor<4xi1>
  %true = arith.cmpf true, %a, %b : tensor<4xf32>
  %true_x = arith.constant dense<[true, true, true, true]> : tensor<4xi1>
  check.expect_eq %true, %true_x : tensor<4xi1>

  // A scalar condition chooses between whole tensors.
  %on = arith.constant true
  %chosen = arith.select %on, %b, %a : tensor<4xf32>
  check.expect_eq %chosen, %b : tensor<4xf32>
  return
}
