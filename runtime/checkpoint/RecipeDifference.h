// RecipeDifference.h - in which keys two recipes differ, for users whose
// checkpoint is of another program.
#pragma once

#include <string>

namespace boostrt {

/// "optimizer.learning_rate.value is 0.1, expected 0.2, and seed is 3, expected
/// 4": the keys in which what decides about weights differs
/// (RecipeIdentity.h), as `boostc --set` names them, with both values, those
/// that both have first. Only the first few of many. Empty where a text is not
/// a recipe or no key differs.
std::string recipeDifference(const std::string &found,
                             const std::string &expected);

} // namespace boostrt
