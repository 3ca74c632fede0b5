// RUN: boost-interpret %s
// RUN: not boost-interpret %s --function=reads_empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not boost-interpret %s --function=outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not boost-interpret %s --function=dynamic 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not boost-interpret %s --function=moved 2>&1 | FileCheck %s --check-prefix=MOVED

func.func @main() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %flat_x = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  check.expect_eq %flat, %flat_x : tensor<6xf32>
  %tall = tensor.expand_shape %flat [[0, 1]] output_shape [3, 2]
      : tensor<6xf32> into tensor<3x2xf32>
  %tall_x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  check.expect_eq %tall, %tall_x : tensor<3x2xf32>

  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.extract %x[%c1, %c0] : tensor<2x3xf32>
  %f = tensor.extract %x[%c0, %c2] : tensor<2x3xf32>
  %both = tensor.from_elements %e, %f : tensor<2xf32>
  %both_x = arith.constant dense<[4.0, 3.0]> : tensor<2xf32>
  check.expect_eq %both, %both_x : tensor<2xf32>
  %scalar = tensor.from_elements %e : tensor<f32>
  %g = tensor.extract %scalar[] : tensor<f32>
  %splat = tensor.splat %g : tensor<2x2xf32>
  %splat_x = arith.constant dense<4.0> : tensor<2x2xf32>
  check.expect_eq %splat, %splat_x : tensor<2x2xf32>

  // The same rank, and a lower one.
  %part = tensor.extract_slice %x[0, 1] [2, 2] [1, 1] : tensor<2x3xf32> to tensor<2x2xf32>
  %part_x = arith.constant dense<[[2.0, 3.0], [5.0, 6.0]]> : tensor<2x2xf32>
  check.expect_eq %part, %part_x : tensor<2x2xf32>
  %column = tensor.extract_slice %x[0, 2] [2, 1] [1, 1] : tensor<2x3xf32> to tensor<2xf32>
  %column_x = arith.constant dense<[3.0, 6.0]> : tensor<2xf32>
  check.expect_eq %column, %column_x : tensor<2xf32>
  %inserted = tensor.insert_slice %column into %part[0, 0] [2, 1] [1, 1] : tensor<2xf32> into tensor<2x2xf32>
  %inserted_x = arith.constant dense<[[3.0, 3.0], [6.0, 6.0]]> : tensor<2x2xf32>
  check.expect_eq %inserted, %inserted_x : tensor<2x2xf32>
  return
}

// Contents that are not written are NaN.
func.func @reads_empty() {
  %e = tensor.empty() : tensor<2xf32>
  // EMPTY: [[#@LINE+1]]:3: error: {{.*}}element 0 is nan
  check.expect_finite %e : tensor<2xf32>
  return
}

func.func @outside() {
  %x = arith.constant dense<1.0> : tensor<2x3xf32>
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  // OUTSIDE: [[#@LINE+1]]:8: error: {{.*}}index 3 of dimension 1 is not in [0, 3)
  %e = tensor.extract %x[%c0, %c3] : tensor<2x3xf32>
  return
}

func.func @dynamic() {
  %c3 = arith.constant 3 : index
  // DYNAMIC: [[#@LINE+1]]:8: error: {{.*}}cannot be interpreted: expected a static shape
  %e = tensor.empty(%c3) : tensor<?xf32>
  return
}

func.func @moved() {
  %x = arith.constant dense<1.0> : tensor<2x3xf32>
  %c1 = arith.constant 1 : index
  // MOVED: [[#@LINE+1]]:8: error: {{.*}}cannot be interpreted: expected a static slice
  %s = tensor.extract_slice %x[%c1, 0] [1, 3] [1, 1] : tensor<2x3xf32> to tensor<1x3xf32>
  return
}
