// RUN: boost-interpret %s

// The first groups of the schedule that train-freeze-groups.test checks in full.
train.program @frozen batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
  func.func @main() {
    %s1 = arith.constant dense<1> : tensor<i64>
    %k1 = train.freeze_group %s1 groups 10 full_share 0.7 length 0 seed 1
    %x1 = arith.constant dense<0> : tensor<i32>
    check.expect_eq %k1, %x1 : tensor<i32>
    %s2 = arith.constant dense<2> : tensor<i64>
    %k2 = train.freeze_group %s2 groups 10 full_share 0.7 length 0 seed 1
    %x2 = arith.constant dense<2> : tensor<i32>
    check.expect_eq %k2, %x2 : tensor<i32>
    %s3 = arith.constant dense<3> : tensor<i64>
    %k3 = train.freeze_group %s3 groups 10 full_share 0.7 length 0 seed 1
    %x3 = arith.constant dense<0> : tensor<i32>
    check.expect_eq %k3, %x3 : tensor<i32>
    %s4 = arith.constant dense<4> : tensor<i64>
    %k4 = train.freeze_group %s4 groups 10 full_share 0.7 length 0 seed 1
    %x4 = arith.constant dense<0> : tensor<i32>
    check.expect_eq %k4, %x4 : tensor<i32>
    %s5 = arith.constant dense<5> : tensor<i64>
    %k5 = train.freeze_group %s5 groups 10 full_share 0.7 length 0 seed 1
    %x5 = arith.constant dense<2> : tensor<i32>
    check.expect_eq %k5, %x5 : tensor<i32>
    %s6 = arith.constant dense<6> : tensor<i64>
    %k6 = train.freeze_group %s6 groups 10 full_share 0.7 length 0 seed 1
    %x6 = arith.constant dense<0> : tensor<i32>
    check.expect_eq %k6, %x6 : tensor<i32>
    return
  }
}
