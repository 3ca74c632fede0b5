// RUN: boost-opt %s --verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(train.program(boostc-choose-device-library{library=often}))"

// expected-error @+1 {{library 'often': expected auto, always or never}}
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
}
