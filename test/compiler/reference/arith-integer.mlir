// RUN: boost-interpret %s

func.func @main() {
  // Arithmetic wraps around at the width of the type.
  %a = arith.constant dense<[7, -3, 2147483647, -2147483648]> : tensor<4xi32>
  %b = arith.constant dense<[5, 2, 1, -1]> : tensor<4xi32>
  %sum = arith.addi %a, %b : tensor<4xi32>
  %sum_x = arith.constant dense<[12, -1, -2147483648, 2147483647]> : tensor<4xi32>
  check.expect_eq %sum, %sum_x : tensor<4xi32>
  %difference = arith.subi %a, %b : tensor<4xi32>
  %difference_x = arith.constant dense<[2, -5, 2147483646, -2147483647]> : tensor<4xi32>
  check.expect_eq %difference, %difference_x : tensor<4xi32>
  %product = arith.muli %a, %b : tensor<4xi32>
  %product_x = arith.constant dense<[35, -6, 2147483647, -2147483648]> : tensor<4xi32>
  check.expect_eq %product, %product_x : tensor<4xi32>
  %larger = arith.maxsi %a, %b : tensor<4xi32>
  %larger_x = arith.constant dense<[7, 2, 2147483647, -1]> : tensor<4xi32>
  check.expect_eq %larger, %larger_x : tensor<4xi32>
  %smaller = arith.minsi %a, %b : tensor<4xi32>
  %smaller_x = arith.constant dense<[5, -3, 1, -2147483648]> : tensor<4xi32>
  check.expect_eq %smaller, %smaller_x : tensor<4xi32>

  %c = arith.constant dense<[12, -1]> : tensor<2xi32>
  %d = arith.constant dense<[10, 6]> : tensor<2xi32>
  %and = arith.andi %c, %d : tensor<2xi32>
  %and_x = arith.constant dense<[8, 6]> : tensor<2xi32>
  check.expect_eq %and, %and_x : tensor<2xi32>
  %or = arith.ori %c, %d : tensor<2xi32>
  %or_x = arith.constant dense<[14, -1]> : tensor<2xi32>
  check.expect_eq %or, %or_x : tensor<2xi32>
  %parts = arith.divui %c, %d : tensor<2xi32>
  %parts_x = arith.constant dense<[1, 715827882]> : tensor<2xi32>
  check.expect_eq %parts, %parts_x : tensor<2xi32>
  %rest = arith.remui %c, %d : tensor<2xi32>
  %rest_x = arith.constant dense<[2, 3]> : tensor<2xi32>
  check.expect_eq %rest, %rest_x : tensor<2xi32>
  %xor = arith.xori %c, %d : tensor<2xi32>
  %xor_x = arith.constant dense<[6, -7]> : tensor<2xi32>
  check.expect_eq %xor, %xor_x : tensor<2xi32>

  func.call @conditions() : () -> ()
  func.call @comparisons() : () -> ()
  func.call @casts() : () -> ()
  return
}

// i1 is 0 or 1 as a value, 0 or -1 as a signed number.
func.func @conditions() {
  %p = arith.constant dense<[false, false, true, true]> : tensor<4xi1>
  %q = arith.constant dense<[false, true, false, true]> : tensor<4xi1>
  %and = arith.andi %p, %q : tensor<4xi1>
  %and_x = arith.constant dense<[false, false, false, true]> : tensor<4xi1>
  check.expect_eq %and, %and_x : tensor<4xi1>
  %sum = arith.addi %p, %q : tensor<4xi1>
  %sum_x = arith.constant dense<[false, true, true, false]> : tensor<4xi1>
  check.expect_eq %sum, %sum_x : tensor<4xi1>
  %signed = arith.extsi %p : tensor<4xi1> to tensor<4xi32>
  %signed_x = arith.constant dense<[0, 0, -1, -1]> : tensor<4xi32>
  check.expect_eq %signed, %signed_x : tensor<4xi32>
  %unsigned = arith.extui %p : tensor<4xi1> to tensor<4xi32>
  %unsigned_x = arith.constant dense<[0, 0, 1, 1]> : tensor<4xi32>
  check.expect_eq %unsigned, %unsigned_x : tensor<4xi32>
  %minus = arith.sitofp %p : tensor<4xi1> to tensor<4xf32>
  %minus_x = arith.constant dense<[0.0, 0.0, -1.0, -1.0]> : tensor<4xf32>
  check.expect_eq %minus, %minus_x : tensor<4xf32>
  %plus = arith.uitofp %p : tensor<4xi1> to tensor<4xf32>
  %plus_x = arith.constant dense<[0.0, 0.0, 1.0, 1.0]> : tensor<4xf32>
  check.expect_eq %plus, %plus_x : tensor<4xf32>
  return
}

func.func @comparisons() {
  %a = arith.constant dense<[1, 2, 3, -1]> : tensor<4xi32>
  %b = arith.constant dense<2> : tensor<4xi32>
  %eq = arith.cmpi eq, %a, %b : tensor<4xi32>
  %eq_x = arith.constant dense<[false, true, false, false]> : tensor<4xi1>
  check.expect_eq %eq, %eq_x : tensor<4xi1>
  %ne = arith.cmpi ne, %a, %b : tensor<4xi32>
  %ne_x = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
  check.expect_eq %ne, %ne_x : tensor<4xi1>
  %slt = arith.cmpi slt, %a, %b : tensor<4xi32>
  %slt_x = arith.constant dense<[true, false, false, true]> : tensor<4xi1>
  check.expect_eq %slt, %slt_x : tensor<4xi1>
  %sle = arith.cmpi sle, %a, %b : tensor<4xi32>
  %sle_x = arith.constant dense<[true, true, false, true]> : tensor<4xi1>
  check.expect_eq %sle, %sle_x : tensor<4xi1>
  %sgt = arith.cmpi sgt, %a, %b : tensor<4xi32>
  %sgt_x = arith.constant dense<[false, false, true, false]> : tensor<4xi1>
  check.expect_eq %sgt, %sgt_x : tensor<4xi1>
  %sge = arith.cmpi sge, %a, %b : tensor<4xi32>
  %sge_x = arith.constant dense<[false, true, true, false]> : tensor<4xi1>
  check.expect_eq %sge, %sge_x : tensor<4xi1>
  // -1 is the largest unsigned number.
  %ult = arith.cmpi ult, %a, %b : tensor<4xi32>
  %ult_x = arith.constant dense<[true, false, false, false]> : tensor<4xi1>
  check.expect_eq %ult, %ult_x : tensor<4xi1>
  %ule = arith.cmpi ule, %a, %b : tensor<4xi32>
  %ule_x = arith.constant dense<[true, true, false, false]> : tensor<4xi1>
  check.expect_eq %ule, %ule_x : tensor<4xi1>
  %ugt = arith.cmpi ugt, %a, %b : tensor<4xi32>
  %ugt_x = arith.constant dense<[false, false, true, true]> : tensor<4xi1>
  check.expect_eq %ugt, %ugt_x : tensor<4xi1>
  %uge = arith.cmpi uge, %a, %b : tensor<4xi32>
  %uge_x = arith.constant dense<[false, true, true, true]> : tensor<4xi1>
  check.expect_eq %uge, %uge_x : tensor<4xi1>
  return
}

func.func @casts() {
  %a = arith.constant dense<[-1, 300, 127]> : tensor<3xi32>
  %narrow = arith.trunci %a : tensor<3xi32> to tensor<3xi8>
  %narrow_x = arith.constant dense<[-1, 44, 127]> : tensor<3xi8>
  check.expect_eq %narrow, %narrow_x : tensor<3xi8>
  %bit = arith.trunci %a : tensor<3xi32> to tensor<3xi1>
  %bit_x = arith.constant dense<[true, false, true]> : tensor<3xi1>
  check.expect_eq %bit, %bit_x : tensor<3xi1>
  %signed = arith.extsi %narrow : tensor<3xi8> to tensor<3xi64>
  %signed_x = arith.constant dense<[-1, 44, 127]> : tensor<3xi64>
  check.expect_eq %signed, %signed_x : tensor<3xi64>
  %unsigned = arith.extui %narrow : tensor<3xi8> to tensor<3xi64>
  %unsigned_x = arith.constant dense<[255, 44, 127]> : tensor<3xi64>
  check.expect_eq %unsigned, %unsigned_x : tensor<3xi64>
  %index = arith.index_cast %a : tensor<3xi32> to tensor<3xindex>
  %index_x = arith.constant dense<[-1, 300, 127]> : tensor<3xindex>
  check.expect_eq %index, %index_x : tensor<3xindex>
  %uindex = arith.index_castui %narrow : tensor<3xi8> to tensor<3xindex>
  %uindex_x = arith.constant dense<[255, 44, 127]> : tensor<3xindex>
  check.expect_eq %uindex, %uindex_x : tensor<3xindex>
  %float = arith.sitofp %a : tensor<3xi32> to tensor<3xf32>
  %float_x = arith.constant dense<[-1.0, 300.0, 127.0]> : tensor<3xf32>
  check.expect_eq %float, %float_x : tensor<3xf32>
  %ufloat = arith.uitofp %narrow : tensor<3xi8> to tensor<3xf32>
  %ufloat_x = arith.constant dense<[255.0, 44.0, 127.0]> : tensor<3xf32>
  check.expect_eq %ufloat, %ufloat_x : tensor<3xf32>
  // Toward zero; what does not fit has no meaning and reads as 0.
  %g = arith.constant dense<[-2.75, 2.75, 1.0e10, 0x7FC00000]> : tensor<4xf32>
  %whole = arith.fptosi %g : tensor<4xf32> to tensor<4xi32>
  %whole_x = arith.constant dense<[-2, 2, 0, 0]> : tensor<4xi32>
  check.expect_eq %whole, %whole_x : tensor<4xi32>
  return
}
