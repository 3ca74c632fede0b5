// DecodeCalls.cpp - functions that are called, copied into their callers
// (KernelDecoder).
#include "sim/DecodeImpl.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt::sim {

int64_t KernelDecoder::functionNamed(const std::string &name) const {
  auto found = module_.functionNamed.find(name);
  return found == module_.functionNamed.end() ? -1 : int64_t(found->second);
}

/// Gives the registers of `index` and of all it calls their places.
Status KernelDecoder::collect(uint32_t index, uint32_t line) {
  const Function &function = module_.functions[index];
  if (!function.defined)
    return text_.errorAt(line, fmt::format("function '{}' is called and has no "
                                           "body: an unresolved external",
                                           function.name));
  if (std::find(active_.begin(), active_.end(), index) != active_.end())
    return text_.errorAt(line, fmt::format("'{}' calls itself, which the "
                                           "simulator does not run",
                                           function.name));
  if (active_.size() >= kCallDepthCap)
    return text_.errorAt(line, fmt::format("'{}' is more than {} calls deep",
                                           function.name, kCallDepthCap));
  if (slots_.contains(index))
    return Status();
  std::vector<uint32_t> &slots = slots_[index];
  slots.reserve(function.registers.size());
  for (const Register &reg : function.registers) {
    slots.push_back(next_);
    next_ += std::max<uint32_t>(64, bytesOf(reg.type) * kLanes);
  }
  BOOSTRT_RETURN_IF_ERROR(checkRegisters(line));
  BOOSTRT_RETURN_IF_ERROR(layOut(function));
  active_.push_back(index);
  for (const Instruction &instruction : function.body) {
    if (!instruction.opcode.starts_with("call"))
      continue;
    for (const Operand &operand : instruction.operands) {
      if (operand.kind != Operand::Kind::Name)
        continue;
      int64_t callee = functionNamed(operand.name);
      if (callee < 0)
        return error(instruction, fmt::format("function '{}' is not declared",
                                              operand.name));
      BOOSTRT_RETURN_IF_ERROR(
          collect(static_cast<uint32_t>(callee), instruction.line));
    }
  }
  active_.pop_back();
  return Status();
}

/// `ret` of a function that was copied into its caller goes after the copy.
Status KernelDecoder::leave(Frame &frame, const Instruction &instruction) {
  Op op;
  op.kind = OpKind::Branch;
  if (instruction.guarded) {
    op.guard = (*frame.slots)[instruction.guard];
    op.guardNegated = instruction.guardNegated;
  }
  frame.jumps.emplace_back(static_cast<uint32_t>(kernel_.code.size()),
                           static_cast<uint32_t>(frame.function->body.size()));
  return push(op, nullptr, instruction);
}

/// `call (results), name, (arguments)`: the body of `name`, its parameters
/// being the caller's variables.
Status KernelDecoder::call(Frame &frame, const Instruction &instruction) {
  int64_t callee = -1;
  for (const Operand &operand : instruction.operands)
    if (operand.kind == Operand::Kind::Name)
      callee = functionNamed(operand.name);
  if (callee < 0)
    return error(instruction,
                 "a call names a function; calls through registers "
                 "are not supported by the simulator");
  auto index = static_cast<uint32_t>(callee);
  if (module_.functions[index].entry)
    return error(instruction, "a kernel cannot be called");
  BOOSTRT_RETURN_IF_ERROR(bind(frame, instruction, index));
  auto skip = static_cast<uint32_t>(kernel_.code.size());
  if (instruction.guarded) {
    Op op;
    op.kind = OpKind::Branch;
    op.guard = (*frame.slots)[instruction.guard];
    op.guardNegated = !instruction.guardNegated;
    BOOSTRT_RETURN_IF_ERROR(push(op, nullptr, instruction));
  }
  Frame inner;
  inner.index = index;
  inner.function = &module_.functions[index];
  inner.slots = &slots_[index];
  inner.places = &places_[index];
  inner.inlined = true;
  BOOSTRT_RETURN_IF_ERROR(emit(inner));
  if (instruction.guarded)
    kernel_.code[skip].target = static_cast<uint32_t>(kernel_.code.size());
  return Status();
}

Status KernelDecoder::bind(Frame &caller, const Instruction &instruction,
                           uint32_t callee) {
  const Function &function = module_.functions[callee];
  const Operand *lists[2] = {nullptr, nullptr}; // results, arguments
  bool afterName = false;
  for (const Operand &operand : instruction.operands) {
    if (operand.kind == Operand::Kind::Name && !afterName)
      afterName = true;
    else if (operand.kind == Operand::Kind::Vector && !lists[afterName])
      lists[afterName] = &operand;
    else
      return error(instruction, "expected (results), function, (arguments)");
  }
  for (bool arguments : {false, true}) {
    const auto &formals = arguments ? function.parameters : function.results;
    size_t given = lists[arguments] ? lists[arguments]->elements.size() : 0;
    if (given != formals.size())
      return error(instruction,
                   fmt::format("'{}' has {} {}, the call gives {}",
                               function.name, formals.size(),
                               arguments ? "parameters" : "results", given));
    for (size_t i = 0; i < given; ++i) {
      const Operand &operand = lists[arguments]->elements[i];
      if (operand.kind != Operand::Kind::Variable || operand.variable.module ||
          operand.offset)
        return error(instruction, "an argument of a call is a .param variable");
      auto place = placeOf(caller, instruction, operand.variable);
      if (!place.ok())
        return place.status();
      uint64_t bytes = caller.function->variables[operand.variable.index].bytes;
      const Variable &formal = function.variables[formals[i]];
      if (!place->callParameter || bytes != formal.bytes)
        return error(instruction,
                     fmt::format("'{}' wants a .param variable of {} bytes for "
                                 "'{}', found one of {}",
                                 function.name, formal.bytes, formal.name,
                                 bytes));
      places_[callee][formals[i]] = *place;
    }
  }
  return Status();
}

} // namespace boostrt::sim
