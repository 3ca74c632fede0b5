#include "sim/PtxBody.h"

#include <array>
#include <fmt/format.h>

namespace boostrt::sim {

BodyParser::BodyParser(
    PtxCursor &cursor, Function &function, const PtxModule &module,
    const std::unordered_map<std::string, uint32_t> &moduleVariables)
    : cursor_(cursor), function_(function), module_(module),
      moduleVariables_(moduleVariables) {
  scopes_.emplace_back();
  for (uint32_t i = 0; i < function.variables.size(); ++i)
    scopes_.back().variables[function.variables[i].name] = i;
}

Status BodyParser::run() {
  while (!scopes_.empty()) {
    if (cursor_.acceptPunct('{')) {
      if (scopes_.size() > 64)
        return cursor_.expected("a statement, not a 65th level of braces");
      scopes_.emplace_back();
    } else if (cursor_.acceptPunct('}')) {
      scopes_.pop_back();
    } else {
      BOOSTRT_RETURN_IF_ERROR(statement());
    }
  }
  return Status();
}

Status BodyParser::statement() {
  if (cursor_.acceptPunct(';'))
    return Status();
  if (cursor_.peek().kind == TokenKind::DotWord)
    return directive();
  if (cursor_.peek().kind == TokenKind::Word && cursor_.isPunct(':', 1))
    return label(cursor_.take().text);
  return instruction();
}

Status BodyParser::label(std::string_view name) {
  Label here{static_cast<uint32_t>(function_.body.size()), cursor_.line()};
  auto [known, fresh] = function_.labels.emplace(name, here);
  if (!fresh)
    return cursor_.error(here.line,
                         fmt::format("label '{}' is at line {} already", name,
                                     known->second.line));
  return cursor_.expectPunct(':');
}

Status BodyParser::directive() {
  if (cursor_.acceptDot("reg"))
    return registers();
  if (cursor_.acceptDot("loc"))
    return location();
  if (cursor_.acceptDot("pragma")) { // "nounroll": advice to ptxas
    if (cursor_.peek().kind != TokenKind::String)
      return cursor_.expected("a string");
    cursor_.take();
    return cursor_.expectPunct(';');
  }
  if (cursor_.acceptDot("local"))
    return variable(Space::Local);
  if (cursor_.acceptDot("shared"))
    return variable(Space::Shared);
  if (cursor_.acceptDot("param"))
    return variable(Space::Param);
  return cursor_.expected("a directive of a function (.reg, .local, .shared, "
                          ".param, .loc, .pragma) or an instruction");
}

Status BodyParser::declareRegister(std::string name, Type type) {
  auto index = static_cast<uint32_t>(function_.registers.size());
  Scope &scope = scopes_.back();
  if (!scope.registers.emplace(name, index).second)
    return cursor_.error(cursor_.line(),
                         fmt::format("register '{}' is declared twice", name));
  function_.registers.push_back({std::move(name), type});
  return Status();
}

Status BodyParser::registers() {
  Type type = cursor_.peek().kind == TokenKind::DotWord
                  ? typeNamed(cursor_.peek().text)
                  : Type::None;
  if (type == Type::None || bytesOf(type) == 1)
    return cursor_.expected("a register type (.pred, .b16, .b32, .b64, .f32, "
                            ".f64, ...)");
  cursor_.take();
  do {
    auto name = cursor_.expectWord("a register name");
    if (!name.ok())
      return name.status();
    uint64_t count = 1;
    uint32_t line = cursor_.line();
    bool range = cursor_.acceptPunct('<');
    if (range) {
      auto written =
          cursor_.expectCount("the number of registers", kRegisterCap);
      if (!written.ok())
        return written.status();
      count = *written;
      BOOSTRT_RETURN_IF_ERROR(cursor_.expectPunct('>'));
    }
    if (function_.registers.size() + count > kRegisterCap)
      return cursor_.error(line, fmt::format("more than {} registers in '{}'",
                                             kRegisterCap, function_.name));
    if (!range) {
      BOOSTRT_RETURN_IF_ERROR(declareRegister(std::string(*name), type));
      continue;
    }
    RegisterRange declared{static_cast<uint32_t>(function_.registers.size()),
                           static_cast<uint32_t>(count)};
    if (!scopes_.back().ranges.emplace(*name, declared).second)
      return cursor_.error(
          line, fmt::format("registers '{}' are declared twice", *name));
    for (uint64_t i = 0; i < count; ++i)
      function_.registers.push_back({fmt::format("{}{}", *name, i), type});
  } while (cursor_.acceptPunct(','));
  return cursor_.expectPunct(';');
}

bool BodyParser::findRegister(const std::string &name, uint32_t &index) const {
  size_t digits = name.find_last_not_of("0123456789") + 1;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (auto found = scope->registers.find(name);
        found != scope->registers.end()) {
      index = found->second;
      return true;
    }
    // %r07 is not %r7.
    if (digits == name.size() || name.size() - digits > 6 ||
        (name[digits] == '0' && digits + 1 < name.size()))
      continue;
    auto range = scope->ranges.find(name.substr(0, digits));
    if (range == scope->ranges.end())
      continue;
    uint32_t number = std::stoul(name.substr(digits));
    if (number < range->second.count) {
      index = range->second.first + number;
      return true;
    }
  }
  return false;
}

bool BodyParser::findVariable(const std::string &name, VariableRef &ref) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (auto found = scope->variables.find(name);
        found != scope->variables.end()) {
      ref = {false, found->second};
      return true;
    }
  auto found = moduleVariables_.find(name);
  if (found == moduleVariables_.end())
    return false;
  ref = {true, found->second};
  return true;
}

Status BodyParser::variable(Space space) {
  do {
    auto declared = parseVariable(cursor_, space);
    if (!declared.ok())
      return declared.status();
    if (declared->unsized)
      return cursor_.error(declared->line,
                           fmt::format("'{}' has no size", declared->name));
    auto index = static_cast<uint32_t>(function_.variables.size());
    if (!scopes_.back().variables.emplace(declared->name, index).second)
      return cursor_.error(declared->line, fmt::format("'{}' is declared twice",
                                                       declared->name));
    function_.variables.push_back(std::move(*declared));
  } while (cursor_.acceptPunct(','));
  return cursor_.expectPunct(';');
}

Status BodyParser::location() {
  std::array<uint64_t, 3> numbers{};
  for (uint64_t &number : numbers) {
    auto written = cursor_.expectCount("a number of .loc", UINT32_MAX);
    if (!written.ok())
      return written.status();
    number = *written;
  }
  // nvcc writes line 0 for code that belongs to no line.
  if (numbers[1] != 0)
    source_ = {static_cast<uint32_t>(numbers[0]),
               static_cast<uint32_t>(numbers[1]),
               static_cast<uint32_t>(numbers[2])};
  // `, function_name $L__info_string0, inlined_at 1 4 3`: where it was inlined
  // from is more than a report needs.
  uint32_t line = cursor_.peek(0).line;
  if (cursor_.isPunct(','))
    while (!cursor_.atEnd() && cursor_.line() == line)
      cursor_.take();
  return Status();
}

Status BodyParser::instruction() {
  Instruction parsed;
  parsed.line = cursor_.line();
  parsed.source = source_;
  if (cursor_.acceptPunct('@')) {
    parsed.guarded = true;
    parsed.guardNegated = cursor_.acceptPunct('!');
    auto name = cursor_.expectWord("a predicate register");
    if (!name.ok())
      return name.status();
    if (!findRegister(std::string(*name), parsed.guard) ||
        function_.registers[parsed.guard].type != Type::Pred)
      return cursor_.error(
          parsed.line,
          fmt::format("guard '{}' is not a predicate register that "
                      "is declared here",
                      *name));
  }
  auto opcodeText = opcode();
  if (!opcodeText.ok())
    return opcodeText.status();
  parsed.opcode = std::move(*opcodeText);
  if (!cursor_.isPunct(';'))
    do {
      auto next = operand();
      if (!next.ok())
        return next.status();
      parsed.operands.push_back(std::move(*next));
    } while (cursor_.acceptPunct(','));
  BOOSTRT_RETURN_IF_ERROR(cursor_.expectPunct(';'));
  function_.body.push_back(std::move(parsed));
  return Status();
}

Result<std::string> BodyParser::opcode() {
  auto name = cursor_.expectWord("an instruction");
  if (!name.ok())
    return name.status();
  std::string text(*name);
  while (cursor_.peek().kind == TokenKind::DotWord) {
    text += '.';
    text += cursor_.take().text;
  }
  return text;
}

} // namespace boostrt::sim
