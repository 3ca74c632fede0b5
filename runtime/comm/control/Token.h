// Token.h - a secret that only the ranks of a job know.
#pragma once

#include "runtime/support/Status.h"

#include <string>

namespace boostrt::control {

/// 128 random bits as hexadecimal digits.
Result<std::string> drawToken();

} // namespace boostrt::control
