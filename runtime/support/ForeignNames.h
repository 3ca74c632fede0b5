// ForeignNames.h - what PyTorch, Keras and MindSpore call things, and what they
// are called here.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace boostrt {

/// What a name is a name of.
enum class NameKind {
  Layer,
  Loss,
  Metric,
  Optimizer,
  Initializer,
  Schedule,
  Transform,
  DataScheme,
  Key,          ///< of an object in a model file
  Boost,        ///< a boost or one of its keys
  RecipeFlag,   ///< a flag that changes the recipe; `ours` is a path of --set
  CompilerFlag, ///< of boostc
  RunFlag,      ///< of boost-run
};

/// A row of ForeignNames.def.
struct ForeignName {
  NameKind kind;
  std::string_view theirs;
  std::string_view ours; ///< empty: boostc has none
  std::string_view note;
};

/// The whole table, in the order of the file.
std::span<const ForeignName> foreignNames();

/// What was probably meant by `word`, which is not one of `legal`: "; did you
/// mean 'dense'?", "; boostc does not have it", or nothing. A spelling that
/// differs in case or separators alone comes first, then what other systems
/// call it, then what is near.
std::string suggestName(NameKind kind, std::string_view word,
                        std::span<const std::string_view> legal);

/// The same for a flag, with its dashes, of boostc (NameKind::CompilerFlag) or
/// boost-run (NameKind::RunFlag): what changes the recipe is pointed at --set.
std::string suggestFlag(NameKind program, std::string_view flag,
                        std::span<const std::string_view> legal);

} // namespace boostrt
