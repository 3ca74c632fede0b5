// CheckModel.h - a document against the table.
#pragma once

#include "compiler/frontend/ErrorList.h"
#include "compiler/frontend/ModelTable.h"
#include <deque>

namespace boostc::frontend {

/// Checks documents and makes resolved ones: every key that the table gives a
/// default is set, short forms are written out ("zeros" as { "type": "zeros"
/// }), numbers have the type that the table says, and what is only for editors
/// is gone. A resolved document is good for anything only when no error was
/// found.
class Checker {
public:
  Checker(mlir::MLIRContext *context, ErrorList &errors)
      : context(context), errors(errors) {}

  /// `subject` names the value in messages: "'optimizer'".
  Node check(const Node &node, const ValueTable &table,
             const std::string &subject);
  /// `noun` names the object: "layer 'fc1'".
  Node checkObject(const Node &node, const ObjectTable &table,
                   const std::string &noun, llvm::StringRef selector = {});

private:
  Node checkScalar(const Node &node, const ValueTable &table,
                   const std::string &subject);
  Node checkText(const Node &node, const ValueTable &table,
                 const std::string &subject);
  Node checkList(const Node &node, const ValueTable &table,
                 const std::string &subject);
  Node checkMap(const Node &node, const ValueTable &table,
                const std::string &subject);
  Node checkVariant(const Node &node, const VariantTable &table,
                    const std::string &subject);
  const ObjectTable *chooseCase(const Node &node, const VariantTable &table,
                                const std::string &subject);
  Node makeDefault(const KeyTable &key, Extent extent);
  Node wrongType(const Node &node, const ValueTable &table,
                 const std::string &subject);

  mlir::MLIRContext *context;
  ErrorList &errors;
  std::deque<Source> defaults; ///< texts of defaults, while they are read
};

/// Whether `text` may name a model, layer or input.
bool isLegalName(llvm::StringRef text);
/// Whether `text` may name a parameter of a block.
bool isLegalWord(llvm::StringRef text);
/// What isLegalName() asks for, for messages.
constexpr llvm::StringLiteral kNameRule =
    "1 to 200 letters, digits and characters of '_./-'";

/// "an integer from 1 to 16": what the table expects.
std::string describeExpected(const ValueTable &table);

} // namespace boostc::frontend
