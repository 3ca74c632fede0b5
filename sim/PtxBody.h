// PtxBody.h - the statements of one function.
#pragma once

#include "sim/PtxCursor.h"

#include <string>
#include <unordered_map>

namespace boostrt::sim {

/// Parses what is between the braces of a function. Registers and variables
/// are resolved here, because their names depend on the braces they stand in.
class BodyParser {
public:
  BodyParser(PtxCursor &cursor, Function &function, const PtxModule &module,
             const std::unordered_map<std::string, uint32_t> &moduleVariables);

  /// From after the opening brace to after the closing one.
  Status run();

private:
  struct RegisterRange {
    uint32_t first = 0;
    uint32_t count = 0;
  };
  /// The names between two braces.
  struct Scope {
    std::unordered_map<std::string, uint32_t> registers;
    std::unordered_map<std::string, RegisterRange> ranges; ///< `%r<70>` as "%r"
    std::unordered_map<std::string, uint32_t> variables;
  };

  Status statement();
  Status directive();
  Status registers();
  Status variable(Space space);
  Status location();
  Status instruction();
  Status label(std::string_view name);
  Result<std::string> opcode();
  Result<Operand> operand();
  Result<Operand> simpleOperand();
  Result<int64_t> offset();
  Result<Operand> address();
  Result<Operand> list(char close);
  Result<Operand> named();
  Result<Operand> special(std::string_view name);
  bool findRegister(const std::string &name, uint32_t &index) const;
  bool findVariable(const std::string &name, VariableRef &found) const;
  Status declareRegister(std::string name, Type type);

  PtxCursor &cursor_;
  Function &function_;
  const PtxModule &module_;
  const std::unordered_map<std::string, uint32_t> &moduleVariables_;
  std::vector<Scope> scopes_;
  SourcePosition source_;
  uint32_t depth_ = 0; ///< of operand lists
};

/// `.align 16 .b8 name[256]` after the space's directive, without initialiser.
Result<Variable> parseVariable(PtxCursor &cursor, Space space);

} // namespace boostrt::sim
