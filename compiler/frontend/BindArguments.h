// BindArguments.h - what one use of a block says against what the block
// declares.
#pragma once

#include "compiler/frontend/Blocks.h"
#include "compiler/frontend/ParameterReference.h"

namespace boostc::frontend {

/// The names in "inputs" of `use`, or `previous` without them; nothing, after
/// an error, when the block reads another number of values.
std::optional<std::vector<std::string>>
readUseInputs(const Node &use, const Block &block, const std::string &previous,
              ErrorList &errors);

/// Reports arguments that the block has no parameter for.
void checkArguments(const Node &use, const Block &block, ErrorList &errors);

/// Values of the block's parameters in the first or in the other repetitions;
/// nothing, after errors, when one is missing.
std::optional<Bindings> bindArguments(const Node &use, const Block &block,
                                      bool isFirst,
                                      std::deque<Expansion> &expansions,
                                      int64_t &budget, ErrorList &errors);

} // namespace boostc::frontend
