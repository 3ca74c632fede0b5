#include "runtime/checkpoint/ChangedRecipe.h"

#include "runtime/support/Plural.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace boostrt {
namespace {

constexpr size_t kMaxShown = 3;

/// "2 tensors ('a', 'b')".
std::string countAndName(const std::vector<std::string> &names) {
  std::vector<std::string> shown;
  for (const std::string &name :
       std::span(names).first(std::min(names.size(), kMaxShown)))
    shown.push_back(fmt::format("'{}'", printable(name)));
  if (names.size() > kMaxShown)
    shown.push_back("...");
  return fmt::format("{} ({})", countOf(names.size(), "tensor"),
                     fmt::join(shown, ", "));
}

/// What becomes of the state, for the user.
std::string describeState(const SafetensorsFile &file,
                          std::span<const TensorTarget> state) {
  std::vector<std::string> fresh, unused;
  std::vector<std::string_view> kept;
  for (const TensorTarget &target : state)
    if (file.find(target.name))
      kept.push_back(target.name);
    else
      fresh.push_back(target.name);
  std::ranges::sort(kept);
  for (const TensorEntry &tensor : file.tensors())
    if (!std::ranges::binary_search(kept, std::string_view(tensor.name)))
      unused.push_back(tensor.name);
  std::string text =
      fmt::format("optimizer state kept: {}", countOf(kept.size(), "tensor"));
  if (!fresh.empty())
    text += fmt::format("; new: {}", countAndName(fresh));
  if (!unused.empty())
    text += fmt::format("; not used: {}", countAndName(unused));
  return text;
}

} // namespace

std::vector<std::string> changeRecipe(LoadedCheckpoint &checkpoint,
                                      const CheckpointPosition &expected,
                                      const std::string &expectedRecipe,
                                      std::span<const TensorTarget> state) {
  CheckpointPosition &position = checkpoint.position;
  if (position.recipeHash == expected.recipeHash)
    return {};
  std::vector<std::string> notes = {
      fmt::format("the recipe changes: {}",
                  describeRecipes(position, checkpoint.recipe, expected,
                                  expectedRecipe)),
      describeState(checkpoint.state, state)};
  position.recipeHash = expected.recipeHash;
  position.programName = expected.programName;
  position.choices.clear();
  position.basisFingerprint = 0;
  checkpoint.recipe = expectedRecipe;
  checkpoint.rankStates = 1;
  return notes;
}

Status restoreShared(const LoadedCheckpoint &checkpoint,
                     std::span<const TensorTarget> weights,
                     std::span<const TensorTarget> state) {
  std::vector<TensorTarget> shared;
  // What has another shape here is an error: other states say of it how it came
  // to be, and would be kept.
  std::ranges::copy_if(state, std::back_inserter(shared),
                       [&](const TensorTarget &target) {
                         return checkpoint.state.find(target.name);
                       });
  return restore(checkpoint, weights, shared,
                 [](std::string_view) { return true; });
}

} // namespace boostrt
