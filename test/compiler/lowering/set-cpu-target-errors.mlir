// RUN: boost-opt %s --verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(train.program(boostc-set-cpu-target{cpu=pentium}))"

// RUN: not boost-opt %s 2>&1 \
// RUN:   --pass-pipeline="builtin.module(train.program(boostc-set-cpu-target{winograd=yes}))" \
// RUN:   | FileCheck %s

// CHECK: error: expected winograd to be off, auto or always, found 'yes'

// expected-error @+1 {{unknown CPU 'pentium'; expected native, x86-64-v3 or x86-64-v4}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
}
