// ParameterReference.h - texts of a block that refer to values of its
// parameters: "$units", "$units * 4", "$units / 4", "$units * $factor".
#pragma once

#include "compiler/frontend/ErrorList.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <deque>

namespace boostc::frontend {

/// A text that begins with '$', taken apart.
struct ParameterReference {
  llvm::StringRef name;
  char operation = 0; ///< '*' or '/', of integers; 0 for the value itself
  llvm::StringRef otherName; ///< of the right operand, or
  int64_t factor = 0;        ///< its value

  /// Whether `text` is meant to be a reference.
  static bool isMeant(llvm::StringRef text) { return text.starts_with("$"); }
  /// What follows a '$' in `text`, whatever the rest is.
  static llvm::SmallVector<llvm::StringRef> namesIn(llvm::StringRef text);
  /// Nothing when `text` is none.
  static std::optional<ParameterReference> parse(llvm::StringRef text);
};

/// Values of the parameters of one use of a block.
using Bindings = llvm::StringMap<Node>;

/// Makes the layers of a block out of its text.
class Substitution {
public:
  /// `inputs` are the names of the block's inputs: "inputs" of its layers may
  /// name them with a '$', and these texts stay. `expansion` is the use.
  /// Every value costs 1 of `budget`; nothing is made when it is spent.
  Substitution(const std::string &block, const Bindings &bindings,
               llvm::ArrayRef<std::string> inputs, const Expansion *expansion,
               std::deque<Expansion> &expansions, int64_t &budget,
               ErrorList &errors)
      : block(block), bindings(bindings), inputs(inputs), expansion(expansion),
        expansions(expansions), budget(budget), errors(errors) {}

  /// `node`, a value of a layer at `key`, with all references replaced.
  Node substitute(const Node &node, llvm::StringRef key = {});

private:
  Node evaluate(const Node &text);
  Node copy(const Node &value, const Expansion *origin);
  std::optional<int64_t> integer(llvm::StringRef name, const Node &text);
  Node fail(const Node &text, std::string message);

  const std::string &block;
  const Bindings &bindings;
  llvm::ArrayRef<std::string> inputs;
  const Expansion *expansion;
  std::deque<Expansion> &expansions;
  int64_t &budget;
  ErrorList &errors;
};

/// Calls `visit` on every text of `node` that is meant to be a reference, and
/// on its key.
void forEachReference(
    const Node &node,
    llvm::function_ref<void(const Node &text, llvm::StringRef key)> visit,
    llvm::StringRef key = {});

} // namespace boostc::frontend
