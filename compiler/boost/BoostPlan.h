// BoostPlan.h - the boosts there are, the levels that turn them on, and what
// cannot be combined: the one table that the frontend, its documentation, its
// schema and the tests read.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace boostc::boost {

/// A boost: an algorithm that a level or a key turns on.
struct Boost {
  llvm::StringLiteral name;    ///< its switch, and its section
  llvm::StringLiteral summary; ///< what it does, to be read after its name
  /// The lowest -O level that turns it on; 0: none does.
  int level;
};

/// All boosts, in the order in which they change a step.
llvm::ArrayRef<Boost> getBoosts();

inline constexpr llvm::StringLiteral kLossScaleGroup = "loss_scale_group";

/// Parts of a recipe besides boosts that a boost may not go with: keys of the
/// model file.
inline constexpr llvm::StringLiteral kMixedPrecision = "amp";
inline constexpr llvm::StringLiteral kLossScale = "amp.loss_scale";
/// An optimizer that is as much of a boost as the others.
inline constexpr llvm::StringLiteral kThor = "thor";

/// What the legality matrix is about: the boosts, then the other parts.
llvm::ArrayRef<llvm::StringLiteral> getFeatures();

/// Two features that are refused together.
struct Conflict {
  llvm::StringLiteral first, second;
  llvm::StringLiteral reason; ///< a sentence without its full stop
};

llvm::ArrayRef<Conflict> getConflicts();
/// The conflict of two features; null: they can be combined.
const Conflict *findConflict(llvm::StringRef a, llvm::StringRef b);

} // namespace boostc::boost
