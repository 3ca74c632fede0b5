#include "runtime/comm/adasum/PassLoops.h"

constinit const boostrt::adasum::Passes boostrt::adasum::kAvx512Passes =
    makePasses<8, 4>("avx512");
