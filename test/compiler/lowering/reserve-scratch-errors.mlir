// RUN: boost-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(train.program(boostc-reserve-scratch))"
// RUN: env OMP_THREAD_LIMIT=1 not boost-opt %S/Inputs/two-threads.mlir \
// RUN:   --pass-pipeline="builtin.module(train.program(boostc-reserve-scratch))" 2>&1 | FileCheck %s

// The library's answer depends on the number of threads.
// CHECK: error: 2 threads are needed, but OpenMP grants 1

// expected-error @+1 {{has no rt.cpu_target attribute; run boostc-set-cpu-target first}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
}
