// RUN: boost-interpret %s
// RUN: not boost-interpret %s --function=no_scalar_form 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not boost-interpret %s --function=buffers 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: not boost-interpret %s --function=in_place 2>&1 | FileCheck %s --check-prefix=PLACE

func.func @main() {
  func.call @broadcasts() : () -> ()
  func.call @reductions() : () -> ()
  func.call @indices() : () -> ()
  func.call @maps() : () -> ()
  func.call @named() : () -> ()
  func.call @empty() : () -> ()
  return
}

// A row, a column, a scalar operand and a scalar from outside, with two results.
func.func @broadcasts() {
  %row = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %column = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %scalar = arith.constant dense<100.0> : tensor<f32>
  %outside = arith.constant 1000.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>,
                       affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>,
                       affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%row, %column, %scalar, %outside : tensor<3xf32>, tensor<2xf32>, tensor<f32>, f32)
      outs(%e, %e : tensor<2x3xf32>, tensor<2x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %old0: f32, %old1: f32):
    %ab = arith.addf %a, %b : f32
    %abc = arith.addf %ab, %c : f32
    %abcd = arith.addf %abc, %outside : f32
    %minus = arith.subf %d, %a : f32
    linalg.yield %abcd, %minus : f32, f32
  } -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %x0 = arith.constant dense<[[1111.0, 1112.0, 1113.0], [1121.0, 1122.0, 1123.0]]>
      : tensor<2x3xf32>
  check.expect_eq %r#0, %x0 : tensor<2x3xf32>
  %x1 = arith.constant dense<[[999.0, 998.0, 997.0], [999.0, 998.0, 997.0]]>
      : tensor<2x3xf32>
  check.expect_eq %r#1, %x1 : tensor<2x3xf32>
  return
}

// The output's contents are where a reduction starts, and elements go in order.
func.func @reductions() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %start = arith.constant dense<[100.0, 200.0]> : tensor<2xf32>
  %rows = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x3xf32>) outs(%start : tensor<2xf32>) {
  ^bb0(%a: f32, %old: f32):
    %s = arith.addf %old, %a : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  %rows_x = arith.constant dense<[106.0, 215.0]> : tensor<2xf32>
  check.expect_eq %rows, %rows_x : tensor<2xf32>

  // Horner's rule: ((((((0 * 10 + 1) * 10 + 2) ... 6.
  %ten = arith.constant 10.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %digits = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<2x3xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %old: f32):
    %shifted = arith.mulf %old, %ten : f32
    %s = arith.addf %shifted, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %digits_x = arith.constant dense<123456.0> : tensor<f32>
  check.expect_eq %digits, %digits_x : tensor<f32>
  return
}

func.func @indices() {
  %e = tensor.empty() : tensor<2x3xi32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} outs(%e : tensor<2x3xi32>) {
  ^bb0(%old: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ten = arith.constant 10 : index
    %tens = arith.muli %i, %ten : index
    %both = arith.addi %tens, %j : index
    %n = arith.index_cast %both : index to i32
    linalg.yield %n : i32
  } -> tensor<2x3xi32>
  %x = arith.constant dense<[[0, 1, 2], [10, 11, 12]]> : tensor<2x3xi32>
  check.expect_eq %r, %x : tensor<2x3xi32>
  return
}

// Maps that are no projections: a window, a constant, a modulus and divisions.
func.func @maps() {
  %x = arith.constant dense<[1.0, 2.0, 4.0, 8.0, 16.0]> : tensor<5xf32>
  %window = arith.constant dense<0.0> : tensor<2xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %sums = linalg.generic {
      indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>,
                       affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %window : tensor<5xf32>, tensor<2xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.addf %old, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %sums_x = arith.constant dense<[3.0, 6.0, 12.0, 24.0]> : tensor<4xf32>
  check.expect_eq %sums, %sums_x : tensor<4xf32>

  %y = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %e = tensor.empty() : tensor<4xf32>
  %r:3 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i floordiv 2, i mod 2)>,
                       affine_map<(i) -> (1, i ceildiv 4)>,
                       affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                       affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%y, %y : tensor<2x2xf32>, tensor<2x2xf32>)
      outs(%e, %e, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %old0: f32, %old1: f32, %old2: f32):
    linalg.yield %a, %b, %a : f32, f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  check.expect_eq %r#0, %r0 : tensor<4xf32>
  %r1 = arith.constant dense<[3.0, 4.0, 4.0, 4.0]> : tensor<4xf32>
  check.expect_eq %r#1, %r1 : tensor<4xf32>
  check.expect_eq %r#2, %r0 : tensor<4xf32>
  return
}

func.func @named() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %twos = linalg.fill ins(%two : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %twos_x = arith.constant dense<2.0> : tensor<3x2xf32>
  check.expect_eq %twos, %twos_x : tensor<3x2xf32>

  %t = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>)
      permutation = [1, 0]
  %t_x = arith.constant dense<[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]> : tensor<3x2xf32>
  check.expect_eq %t, %t_x : tensor<3x2xf32>

  %ones = arith.constant dense<1.0> : tensor<2x2xf32>
  %product = linalg.matmul ins(%x, %t : tensor<2x3xf32>, tensor<3x2xf32>)
      outs(%ones : tensor<2x2xf32>) -> tensor<2x2xf32>
  %product_x = arith.constant dense<[[15.0, 33.0], [33.0, 78.0]]> : tensor<2x2xf32>
  check.expect_eq %product, %product_x : tensor<2x2xf32>

  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %columns = linalg.reduce ins(%x : tensor<2x3xf32>) outs(%zero : tensor<3xf32>)
      dimensions = [0] (%a: f32, %sum: f32) {
    %s = arith.addf %a, %sum : f32
    linalg.yield %s : f32
  }
  %columns_x = arith.constant dense<[5.0, 7.0, 9.0]> : tensor<3xf32>
  check.expect_eq %columns, %columns_x : tensor<3xf32>

  %wide = tensor.empty() : tensor<2x3xf32>
  %b = linalg.broadcast ins(%columns : tensor<3xf32>) outs(%wide : tensor<2x3xf32>)
      dimensions = [0]
  %b_x = arith.constant dense<[[5.0, 7.0, 9.0], [5.0, 7.0, 9.0]]> : tensor<2x3xf32>
  check.expect_eq %b, %b_x : tensor<2x3xf32>
  %m = linalg.map { arith.subf } ins(%b, %x : tensor<2x3xf32>, tensor<2x3xf32>)
      outs(%wide : tensor<2x3xf32>)
  %m_x = arith.constant dense<[[4.0, 5.0, 6.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>
  check.expect_eq %m, %m_x : tensor<2x3xf32>
  return
}

// No elements: the output stays.
func.func @empty() {
  %x = tensor.empty() : tensor<2x0xf32>
  %start = arith.constant dense<[7.0, 8.0]> : tensor<2xf32>
  %rows = linalg.reduce ins(%x : tensor<2x0xf32>) outs(%start : tensor<2xf32>)
      dimensions = [1] (%a: f32, %sum: f32) {
    %s = arith.addf %a, %sum : f32
    linalg.yield %s : f32
  }
  check.expect_eq %rows, %start : tensor<2xf32>
  return
}

func.func @no_scalar_form() {
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%x : tensor<2xf32>) {
  ^bb0(%old: f32):
    // FORM: [[#@LINE+1]]:10: error: {{.*}}cannot be interpreted inside a linalg op: it has no scalar form
    %s = arith.remf %old, %old : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return
}

func.func @buffers() {
  // BUFFERS: [[#@LINE+1]]:8: error: {{.*}}cannot be interpreted: it does not say what it computes
  %m = memref.alloc() : memref<2xf32>
  return
}

func.func @in_place(%m: memref<2xf32>) {
  // PLACE: [[#@LINE+1]]:3: error: {{.*}}cannot be interpreted: expected tensors of static shape
  linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%m : memref<2xf32>) {
  ^bb0(%old: f32):
    linalg.yield %old : f32
  }
  return
}
