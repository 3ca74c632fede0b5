// RUN: boost-opt %s --split-input-file --verify-diagnostics --verify-roundtrip > %t
// RUN: boost-opt %t --split-input-file | FileCheck %s

// CHECK-LABEL: train.program @mlp batch_size(32) micro_batches(4) epochs(10) seed(1) recipe("{}")
train.program @mlp batch_size(32) micro_batches(4) epochs(10) seed(1) recipe("{}") {
}
// CHECK-LABEL: train.program @hashed
// CHECK-SAME: recipe("{\22name\22: \22mlp\22}", "8f3c")
train.program @hashed batch_size(32) micro_batches(1) epochs(10) seed(-1)
    recipe("{\"name\": \"mlp\"}", "8f3c") {
}

// -----

// expected-error @+1 {{expected a batch size of 1 to 16777216, found 0}}
train.program @program_c1_batch batch_size(0) micro_batches(1) epochs(1) seed(1) recipe("{}") {
}

// -----

// expected-error @+1 {{expected micro-batches of 1 to 16777216, found -1}}
train.program @program_c1_micro batch_size(1) micro_batches(-1) epochs(1) seed(1) recipe("{}") {
}

// -----

// The program's descriptor has 32 bits for them.
// expected-error @+1 {{expected micro-batches of 1 to 16777216, found 4294967297}}
train.program @program_c1_many batch_size(1) micro_batches(4294967297) epochs(1) seed(1) recipe("{}") {
}

// -----

// expected-error @+1 {{expected epochs of 1 or more, found 0}}
train.program @program_c1_epochs batch_size(1) micro_batches(1) epochs(0) seed(1) recipe("{}") {
}

// -----

// CHECK-LABEL: train.program @mixed
// CHECK-SAME: train.amp = #train.amp<O3, f16, keep_batchnorm_fp32 = false>
train.program @mixed batch_size(1) micro_batches(1) epochs(1) seed(1) recipe("{}")
    attributes {train.amp = #train.amp<O3, f16, keep_batchnorm_fp32 = false>} {
}

// -----

// expected-error @+1 {{expected bf16 or f16, found 'f32'}}
module attributes {test.a = #train.amp<O2, f32, keep_batchnorm_fp32 = true>} {}
