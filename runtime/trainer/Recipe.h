// Recipe.h - what the runtime takes from the resolved recipe in a program: the
// JSON text that boostc wrote down (docs/model-format.md).
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace boostrt {

struct Recipe {
  int64_t epochs = 1;
  int64_t evalEvery = 1;  ///< epochs; 0: only at the end
  std::string dataSource; ///< "mnist:MNIST_Data"; empty when it names none
  nlohmann::json transforms = nlohmann::json::array();
  nlohmann::json all; ///< everything, for `boost-run info`
};

/// `path` is the program's, for messages. Fails with ExitCode::Input.
Result<Recipe> parseRecipe(const char *json, const std::string &path);

} // namespace boostrt
