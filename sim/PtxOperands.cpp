// PtxOperands.cpp - the operands of an instruction (BodyParser).
#include "sim/PtxBody.h"

#include <fmt/format.h>

namespace boostrt::sim {

Result<Operand> BodyParser::operand() {
  auto first = simpleOperand();
  if (!first.ok() || !cursor_.acceptPunct('|'))
    return first;
  auto second = simpleOperand();
  if (!second.ok())
    return second;
  Operand pair;
  pair.kind = Operand::Kind::Pair;
  pair.elements = {std::move(*first), std::move(*second)};
  return pair;
}

Result<Operand> BodyParser::simpleOperand() {
  if (cursor_.acceptPunct('['))
    return address();
  if (cursor_.acceptPunct('{'))
    return list('}');
  if (cursor_.acceptPunct('('))
    return list(')');
  if (cursor_.acceptPunct('!')) {
    auto inverted = named();
    if (inverted.ok() && inverted->kind != Operand::Kind::Register)
      return cursor_.expected("a predicate register after '!'");
    if (inverted.ok())
      inverted->negated = true;
    return inverted;
  }
  if (cursor_.peek().kind == TokenKind::Word)
    return named();
  auto literal = cursor_.expectLiteral("an operand");
  if (!literal.ok())
    return literal.status();
  Operand immediate;
  immediate.kind = Operand::Kind::Immediate;
  immediate.bits = literal->bits;
  immediate.isFloat = literal->floatBytes != 0;
  immediate.floatBytes = literal->floatBytes;
  return immediate;
}

Result<Operand> BodyParser::named() {
  auto word = cursor_.expectWord("a name");
  if (!word.ok())
    return word.status();
  std::string name(*word);
  Operand found;
  if (name == "_")
    return found;
  if (findRegister(name, found.reg)) {
    found.kind = Operand::Kind::Register;
    return found;
  }
  if (name[0] == '%')
    return special(name);
  if (findVariable(name, found.variable)) {
    found.kind = Operand::Kind::Variable;
    if (cursor_.acceptPunct('+')) {
      auto offset = this->offset();
      if (!offset.ok())
        return offset.status();
      found.offset = *offset;
    }
    return found;
  }
  found.kind = Operand::Kind::Name;
  found.name = std::move(name);
  return found;
}

namespace {
struct SpecialName {
  std::string_view name;
  Special special;
};
constexpr SpecialName kSpecials[] = {
    {"%tid.x", Special::TidX},
    {"%tid.y", Special::TidY},
    {"%tid.z", Special::TidZ},
    {"%ntid.x", Special::NtidX},
    {"%ntid.y", Special::NtidY},
    {"%ntid.z", Special::NtidZ},
    {"%ctaid.x", Special::CtaidX},
    {"%ctaid.y", Special::CtaidY},
    {"%ctaid.z", Special::CtaidZ},
    {"%nctaid.x", Special::NctaidX},
    {"%nctaid.y", Special::NctaidY},
    {"%nctaid.z", Special::NctaidZ},
    {"%laneid", Special::Laneid},
    {"%warpid", Special::Warpid},
    {"%nwarpid", Special::Nwarpid},
    {"%lanemask_eq", Special::LanemaskEq},
    {"%lanemask_lt", Special::LanemaskLt},
    {"%lanemask_le", Special::LanemaskLe},
    {"%lanemask_gt", Special::LanemaskGt},
    {"%lanemask_ge", Special::LanemaskGe},
    {"%dynamic_smem_size", Special::DynamicSmemSize},
    {"%total_smem_size", Special::TotalSmemSize},
};
} // namespace

Result<Operand> BodyParser::special(std::string_view name) {
  uint32_t line = cursor_.line();
  std::string full(name);
  while (cursor_.peek().kind == TokenKind::DotWord) {
    full += '.';
    full += cursor_.take().text;
  }
  for (const SpecialName &known : kSpecials)
    if (known.name == full) {
      Operand found;
      found.kind = Operand::Kind::Special;
      found.special = known.special;
      return found;
    }
  return cursor_.error(line,
                       fmt::format("register '{}' is not declared here, "
                                   "and no special register the simulator "
                                   "has",
                                   full));
}

/// What is added to an address.
Result<int64_t> BodyParser::offset() {
  uint32_t line = cursor_.line();
  auto literal = cursor_.expectLiteral("an offset");
  if (!literal.ok())
    return literal.status();
  if (literal->floatBytes)
    return cursor_.error(line, "an address has no fraction");
  return static_cast<int64_t>(literal->bits);
}

Result<Operand> BodyParser::address() {
  Operand found;
  found.kind = Operand::Kind::Address;
  uint32_t line = cursor_.line();
  if (cursor_.peek().kind == TokenKind::Word) {
    auto base = cursor_.expectWord("a base");
    std::string name(*base);
    found.hasRegister = findRegister(name, found.reg);
    found.hasVariable =
        !found.hasRegister && findVariable(name, found.variable);
    if (!found.hasRegister && !found.hasVariable)
      return cursor_.error(line, fmt::format("'{}' is neither a register nor a "
                                             "variable that is declared here",
                                             name));
  }
  bool based = found.hasRegister || found.hasVariable;
  if (!based || cursor_.isPunct('+') || cursor_.isPunct('-')) {
    auto offset = this->offset();
    if (!offset.ok())
      return offset.status();
    found.offset = *offset;
  }
  BOOSTRT_RETURN_IF_ERROR(cursor_.expectPunct(']'));
  return found;
}

Result<Operand> BodyParser::list(char close) {
  Operand found;
  found.kind = Operand::Kind::Vector;
  if (depth_ >= 2)
    return cursor_.expected("an operand; lists are not nested this deep");
  ++depth_;
  if (!cursor_.isPunct(close))
    do {
      auto element = simpleOperand();
      if (!element.ok())
        return element;
      found.elements.push_back(std::move(*element));
    } while (cursor_.acceptPunct(','));
  --depth_;
  BOOSTRT_RETURN_IF_ERROR(cursor_.expectPunct(close));
  return found;
}

} // namespace boostrt::sim
