// EvalInput.h - how compiler and runtime call what an evaluation reads in the
// place of an input, where its shape is another one.
//
// It is an input of its own with the same address. Only one of the two is in a
// batch. The input of a model file has no '.' in its name.
#pragma once

#include <string_view>

namespace boostrt {

inline constexpr std::string_view kEvalSuffix = ".eval";

/// X of "X.eval"; empty for other names.
constexpr std::string_view evaluatedInput(std::string_view name) {
  return name.ends_with(kEvalSuffix)
             ? name.substr(0, name.size() - kEvalSuffix.size())
             : std::string_view();
}

} // namespace boostrt
