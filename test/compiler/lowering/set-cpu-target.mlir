// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-set-cpu-target{cpu=x86-64-v3 threads=3}))" \
// RUN:   | FileCheck %s --check-prefix=V3
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-set-cpu-target))" \
// RUN:   | FileCheck %s --check-prefix=NATIVE
// RUN: boost-opt %s --pass-pipeline="builtin.module(train.program(boostc-set-cpu-target{winograd=auto}))" \
// RUN:   | FileCheck %s --check-prefix=WINOGRAD

// WINOGRAD: rt.winograd = #rt.winograd<auto>
// NATIVE-NOT: rt.winograd
// The features are those of the level, whatever else the machine has.
// V3: rt.cpu_target = #rt.cpu_target<"x86-64-v3", "sse4.2,avx,avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,popcnt", 3>
// NATIVE: rt.cpu_target = #rt.cpu_target<"x86-64-v{{[34]}}", "{{.*}}avx2,{{.*}}", {{[1-9][0-9]*}}>
train.program @p batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
}
