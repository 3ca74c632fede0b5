// RecipeText.h - values of a recipe as text for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace boostc::report {

/// `value` as lines of at most 80 characters, unless one word is longer: one
/// line where it fits there, else one for what it is and one for each of its
/// keys, and what is too long even then goes on in lines that begin with two
/// spaces. Keys without a value (null) are left out.
std::vector<std::string> describeValue(const nlohmann::json &value);

} // namespace boostc::report
