// Token.h - what the ranks of a job show each other, and nobody else knows.
#pragma once

#include "runtime/support/Status.h"

#include <string>

namespace boostrt::control {

/// 128 random bits as hexadecimal digits.
Result<std::string> drawToken();

} // namespace boostrt::control
