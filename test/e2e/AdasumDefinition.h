// AdasumDefinition.h - Adasum as coll.adasum defines it, and the interpreter.
#pragma once

#include "dialects/rt/CollectiveForm.h"

namespace boostc::e2e {

using Vector = std::vector<double>;
using rt::combineByAdasum;

} // namespace boostc::e2e
