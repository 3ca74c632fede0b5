#include "runtime/support/ForeignNames.h"

#include "runtime/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt {
namespace {

constexpr ForeignName kForeignNames[] = {
#define FOREIGN_NAME(KIND, SYSTEMS, THEIRS, OURS, NOTE)                        \
  {NameKind::KIND, THEIRS, OURS, NOTE},
#include "runtime/support/ForeignNames.def"
#undef FOREIGN_NAME
};

/// "torch.nn.Linear" is Linear.
std::string_view dropModule(std::string_view word) {
  size_t dot = word.find_last_of('.');
  return dot == std::string_view::npos ? word : word.substr(dot + 1);
}

std::string offer(std::string_view ours, std::string_view note) {
  return note.empty() ? fmt::format("; did you mean '{}'?", ours)
                      : fmt::format("; did you mean '{}' ({})?", ours, note);
}

/// Where the recipe is set, as a clause.
std::string pointAtRecipe(NameKind program, std::string_view path) {
  if (program == NameKind::CompilerFlag)
    return fmt::format("; the recipe is changed by --set {}=VALUE", path);
  return fmt::format("; the recipe is part of the program: compile it with "
                     "boostc --set {}=VALUE",
                     path);
}

/// The first row for `word` whose name here is one of `legal`, the path of a
/// key from the model's root, or which boostc does not have; null without one.
const ForeignName *findForeignName(NameKind kind, std::string_view word,
                                   std::span<const std::string_view> legal) {
  for (const ForeignName &name : kForeignNames)
    if (name.kind == kind && isSameSpelling(name.theirs, dropModule(word)) &&
        (name.ours.empty() || legal.empty() ||
         name.ours.find('.') != name.ours.npos ||
         std::ranges::find(legal, name.ours) != legal.end()))
      return &name;
  return nullptr;
}

} // namespace

std::span<const ForeignName> foreignNames() { return kForeignNames; }

std::string suggestName(NameKind kind, std::string_view word,
                        std::span<const std::string_view> legal) {
  if (word.size() > kLongestWord)
    return {};
  for (std::string_view candidate : legal)
    if (isSameSpelling(candidate, dropModule(word)))
      return offer(candidate, "");
  if (const ForeignName *name = findForeignName(kind, word, legal))
    return name->ours.empty() ? "; boostc does not have it"
                              : offer(name->ours, name->note);
  return didYouMean(word, legal);
}

std::string suggestFlag(NameKind program, std::string_view flag,
                        std::span<const std::string_view> legal) {
  if (flag.size() > kLongestWord)
    return {};
  std::string_view word =
      flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  for (std::string_view candidate : legal)
    if (isSameSpelling(candidate, flag))
      return offer(candidate, "");
  if (const ForeignName *name = findForeignName(program, word, {}))
    return name->ours.empty() ? "; this flag does not exist"
                              : offer(name->ours, name->note);
  if (const ForeignName *recipe =
          findForeignName(NameKind::RecipeFlag, word, {})) {
    // Some of the recipe is a flag of the program too.
    std::string own = fmt::format("--{}", recipe->ours);
    return std::ranges::find(legal, own) != legal.end()
               ? offer(own, "")
               : pointAtRecipe(program, recipe->ours);
  }
  return didYouMean(flag, legal);
}

} // namespace boostrt
