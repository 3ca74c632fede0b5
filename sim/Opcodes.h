// Opcodes.h - the table of all opcodes: how their operands are decoded, and
// what executes them. There is no other list; what is not in it is refused at
// load.
#pragma once

#include "sim/Program.h"

#include <bit>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace boostrt::sim {

enum class Role : uint8_t {
  Def,       ///< a register written, as wide as the type
  DefLoose,  ///< it may be wider: the value is extended
  DefOrPair, ///< `d` or `d|p` with a predicate; two slots
  Use,       ///< a register read, or an immediate
  UseLoose,  ///< a register that may be wider: its low bytes are read
  Address,   ///< [a + offset]; one slot, Op::offset and Op::access
  Immediate, ///< a number known at load; Op::offset
  Label,     ///< Op::target
  CopyBytes, ///< 4, 8 or 16: Op::access
};

struct Rule {
  Role role;
  Type type = Type::None;
  uint8_t count = 1; ///< {a, b}: as many slots
};

struct Opcode {
  Handler run = nullptr;
  std::vector<Rule> rules;
  OpKind kind = OpKind::Plain;
  Access access;
  uint8_t selector = 0;
  bool ordered = false; ///< see Kernel::ordered
};

class OpcodeTable {
public:
  static const OpcodeTable &get();

  /// Null when there is none of this name.
  const Opcode *find(std::string_view text) const;
  /// Similar names for a message, or nothing.
  std::string nearest(std::string_view text) const;
  /// All names, sorted.
  std::vector<std::string> names() const;

  /// Used by the families below.
  Opcode &add(std::string text, Handler run, std::vector<Rule> rules);

private:
  OpcodeTable();
  std::unordered_map<std::string, Opcode> opcodes_;
};

/// A result and `sources` values of one type.
inline std::vector<Rule> sameType(Type t, size_t sources) {
  std::vector<Rule> rules(1 + sources, Rule{Role::Use, t});
  rules[0].role = Role::Def;
  return rules;
}

/// The arithmetic type of PTX that T stands for.
template <class T>
constexpr Type kTypeOf =
    std::is_same_v<T, float> ? Type::F32
    : std::is_same_v<T, double>
        ? Type::F64
        : Type(uint8_t(std::is_signed_v<T> ? Type::S8 : Type::U8) +
               std::countr_zero(sizeof(T)));

/// visit<T>(type) for bits, unsigned and signed integers of 16, 32 and 64 bits.
template <class Visit> void forIntegerTypes(Visit visit) {
  auto width = [&]<class U, class S>(Type bits) {
    visit.template operator()<U>(bits);
    visit.template operator()<U>(kTypeOf<U>);
    visit.template operator()<S>(kTypeOf<S>);
  };
  width.template operator()<uint16_t, int16_t>(Type::B16);
  width.template operator()<uint32_t, int32_t>(Type::B32);
  width.template operator()<uint64_t, int64_t>(Type::B64);
}

/// How an opcode names a space: ".global".
struct SpaceName {
  const char *text;
  Space space;
};

// Each file of Execute*.cpp adds its family.
void addIntegerOpcodes(OpcodeTable &table);
void addBitOpcodes(OpcodeTable &table);
void addFloatOpcodes(OpcodeTable &table);
void addHalfOpcodes(OpcodeTable &table);
void addRoundedOpcodes(OpcodeTable &table);
void addApproximateOpcodes(OpcodeTable &table);
void addCompareOpcodes(OpcodeTable &table);
void addConvertOpcodes(OpcodeTable &table);
void addMoveOpcodes(OpcodeTable &table);
void addMemoryOpcodes(OpcodeTable &table);
void addAtomicOpcodes(OpcodeTable &table);
void addWarpOpcodes(OpcodeTable &table);
void addControlOpcodes(OpcodeTable &table);

} // namespace boostrt::sim
