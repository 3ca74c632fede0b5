// UNSUPPORTED: avx512
// RUN: boost-opt %s --verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(train.program(boostc-set-cpu-target{cpu=x86-64-v4}))"

// expected-error @+1 {{CPU 'x86-64-v4' has features this machine lacks}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
}
