// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @freeze_group
// CHECK: train.freeze_group %{{.*}} groups 10 full_share 0.69999999999999996 length 0 seed 1
func.func @freeze_group(%step: tensor<i64>) -> tensor<i32> {
  %k = train.freeze_group %step groups 10 full_share 0.7 length 0 seed 1
  return %k : tensor<i32>
}

// -----

func.func @freeze_group_c1(%step: tensor<i64>) {
  // expected-error @+1 {{expected 2 to 256 groups, a share from 0 to 1 and a length of 0 or more, found 1, 5.0}}
  %k = train.freeze_group %step groups 1 full_share 0.5 length 0 seed 1
  return
}

// -----

func.func @freeze_group_c1_share(%step: tensor<i64>) {
  // expected-error @+1 {{found 3, 1.5}}
  %k = train.freeze_group %step groups 3 full_share 1.5 length 0 seed 1
  return
}

// -----

func.func @freeze_group_c1_length(%step: tensor<i64>) {
  // expected-error @+1 {{and -1}}
  %k = train.freeze_group %step groups 3 full_share 0.5 length -1 seed 1
  return
}

// -----

// expected-error @+1 {{expected 1 to 256 groups, a share from 0 to 1 and a length of 0 or more, found 0, 5.0}}
module attributes {train.freeze = #train.freeze<groups = 0, schedule = interleaved, full_share = 0.5 : f64, length = 0>} {}
