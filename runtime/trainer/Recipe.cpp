#include "runtime/trainer/Recipe.h"

#include <fmt/format.h>

namespace boostrt {

Result<Recipe> parseRecipe(const char *json, const std::string &path) {
  auto fail = [&](const char *what) {
    return Status(ExitCode::Input,
                  fmt::format("'{}' has a defective recipe: {}; build it again "
                              "with boostc",
                              path, what));
  };
  Recipe recipe;
  recipe.all = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!recipe.all.is_object())
    return fail("not a JSON object");
  if (auto epochs = recipe.all.find("epochs"); epochs != recipe.all.end()) {
    if (!epochs->is_number_integer() || *epochs < 0)
      return fail("'epochs' is not a number of epochs");
    recipe.epochs = *epochs;
  }
  if (auto train = recipe.all.find("train"); train != recipe.all.end()) {
    if (!train->is_object())
      return fail("'train' is not an object");
    if (auto every = train->find("eval_every"); every != train->end()) {
      if (!every->is_number_integer() || *every < 0)
        return fail("'train.eval_every' is not a number of epochs");
      recipe.evalEvery = *every;
    }
  }
  auto data = recipe.all.find("data");
  if (data == recipe.all.end())
    return recipe;
  if (!data->is_object())
    return fail("'data' is not an object");
  if (auto source = data->find("source"); source != data->end()) {
    if (!source->is_string())
      return fail("'data.source' is not a text");
    recipe.dataSource = *source;
  }
  if (auto transforms = data->find("transforms"); transforms != data->end())
    recipe.transforms = *transforms;
  return recipe;
}

} // namespace boostrt
