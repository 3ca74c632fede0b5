#include "sim/Ptx.h"

#include <array>

namespace boostrt::sim {

namespace {
struct TypeFacts {
  std::string_view name;
  TypeKind kind;
  uint32_t bytes;
};
constexpr std::array<TypeFacts, 18> kTypes = {{
    {"", TypeKind::None, 0},
    {"pred", TypeKind::Pred, 4},
    {"b8", TypeKind::Bits, 1},
    {"b16", TypeKind::Bits, 2},
    {"b32", TypeKind::Bits, 4},
    {"b64", TypeKind::Bits, 8},
    {"u8", TypeKind::Unsigned, 1},
    {"u16", TypeKind::Unsigned, 2},
    {"u32", TypeKind::Unsigned, 4},
    {"u64", TypeKind::Unsigned, 8},
    {"s8", TypeKind::Signed, 1},
    {"s16", TypeKind::Signed, 2},
    {"s32", TypeKind::Signed, 4},
    {"s64", TypeKind::Signed, 8},
    {"f16", TypeKind::Float, 2},
    {"bf16", TypeKind::Float, 2},
    {"f32", TypeKind::Float, 4},
    {"f64", TypeKind::Float, 8},
}};
const TypeFacts &factsOf(Type type) {
  return kTypes[static_cast<size_t>(type)];
}
} // namespace

TypeKind kindOf(Type type) { return factsOf(type).kind; }
uint32_t bytesOf(Type type) { return factsOf(type).bytes; }
std::string_view nameOf(Type type) { return factsOf(type).name; }

Type typeNamed(std::string_view word) {
  for (size_t i = 1; i < kTypes.size(); ++i)
    if (kTypes[i].name == word)
      return static_cast<Type>(i);
  return Type::None;
}

std::string_view nameOf(Space space) {
  constexpr std::array<std::string_view, 6> names = {
      "generic", "global", "const", "shared", "local", "param"};
  return names[static_cast<size_t>(space)];
}

} // namespace boostrt::sim
