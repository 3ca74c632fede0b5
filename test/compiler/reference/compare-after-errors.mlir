// RUN: not boost-interpret %s 2>&1 \
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))' | FileCheck %s

// CHECK: compare-after-errors.mlir:{{[0-9]+:[0-9]+}}: error: the passes change nothing, so there is nothing to compare; expected what the pipeline is for, such as a train.program
func.func @main() {
  return
}
