// Ptx.h - a PTX module as it was written: what the parser makes and the decoder
// reads. Names are resolved as far as scopes decide them (registers,
// variables); opcodes are still text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace boostrt::sim {

/// Fundamental types. Values are grouped so that kindOf() and bytesOf() stay
/// tables of a line each.
enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  BF16,
  F32,
  F64,
};

enum class TypeKind : uint8_t { None, Pred, Bits, Unsigned, Signed, Float };

TypeKind kindOf(Type type);
/// Bytes of one value; a predicate counts as 4, which is how a warp keeps it.
uint32_t bytesOf(Type type);
/// "f32"; Type::None for a word that names no type.
std::string_view nameOf(Type type);
Type typeNamed(std::string_view word);

enum class Space : uint8_t { Generic, Global, Const, Shared, Local, Param };

std::string_view nameOf(Space space);

/// Registers the machine fills in.
enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  Laneid,
  Warpid,
  Nwarpid,
  LanemaskEq,
  LanemaskLt,
  LanemaskLe,
  LanemaskGt,
  LanemaskGe,
  DynamicSmemSize,
  TotalSmemSize,
  Count,
};

/// A named piece of memory. Sizes are bytes.
struct Variable {
  std::string name;
  Space space = Space::Global;
  uint32_t align = 1;
  uint64_t bytes = 0;
  uint32_t elementBytes = 1;
  bool unsized = false;           ///< `.extern .shared x[]`: all dynamic memory
  std::vector<std::byte> initial; ///< empty: zero (global), undefined (shared)
  uint32_t line = 0;
};

struct Register {
  std::string name;
  Type type = Type::None;
};

/// Where a variable is declared: its index alone does not say.
struct VariableRef {
  bool module = false; ///< else of the function
  uint32_t index = 0;
};

struct Operand {
  enum class Kind : uint8_t {
    Register,  ///< reg, perhaps negated
    Immediate, ///< bits
    Special,   ///< special
    Variable,  ///< variable + offset: its address
    Address,   ///< [base + offset]; hasRegister or hasVariable, else absolute
    Vector,    ///< {a, b}; also the lists of a call
    Pair,      ///< a|b
    Name,      ///< a label or a function
    Sink,      ///< _
  };
  Kind kind = Kind::Sink;
  bool negated = false;
  bool hasRegister = false;
  bool hasVariable = false;
  bool isFloat = false;   ///< Immediate: bits are of floatBytes
  uint8_t floatBytes = 0; ///< 4 for 0f, 8 for 0d and decimals
  Special special = Special::TidX;
  uint32_t reg = 0;
  VariableRef variable;
  int64_t offset = 0;
  uint64_t bits = 0;
  std::string name;
  std::vector<Operand> elements;
};

/// A position of the source the PTX was made from (`.loc`).
struct SourcePosition {
  uint32_t file = 0; ///< as in `.file`; 0: none
  uint32_t line = 0;
  uint32_t column = 0;
};

struct Instruction {
  std::string opcode; ///< with its modifiers: "ld.global.v4.b32"
  bool guarded = false;
  bool guardNegated = false;
  uint32_t guard = 0; ///< register
  std::vector<Operand> operands;
  uint32_t line = 0;
  SourcePosition source;
};

/// Comes before an instruction.
struct Label {
  uint32_t instruction = 0;
  uint32_t line = 0;
};

struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;
  uint32_t line = 0;
  std::vector<uint32_t> parameters; ///< indices into variables
  std::vector<uint32_t> results;
  std::vector<Register> registers;
  std::vector<Variable> variables;
  std::vector<Instruction> body;
  std::unordered_map<std::string, Label> labels;
  uint32_t requiredThreads[3] = {0, 0, 0}; ///< .reqntid; 0: any
  uint32_t maximalThreads = 0;             ///< product of .maxntid; 0: any
};

struct SourceFile {
  uint32_t number = 0;
  std::string name;
};

struct PtxModule {
  std::vector<SourceFile> files;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::unordered_map<std::string, uint32_t> functionNamed;
};

} // namespace boostrt::sim
