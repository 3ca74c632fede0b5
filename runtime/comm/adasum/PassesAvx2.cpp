#include "runtime/comm/adasum/PassLoops.h"

constinit const boostrt::adasum::Passes boostrt::adasum::kAvx2Passes =
    makePasses<4, 2>("avx2");
