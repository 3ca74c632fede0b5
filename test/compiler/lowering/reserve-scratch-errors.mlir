// RUN: boost-opt %s --verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(train.program(boostc-reserve-scratch))"

// expected-error @+1 {{has no rt.cpu_target attribute; run boostc-set-cpu-target first}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
}
