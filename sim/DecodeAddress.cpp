// DecodeAddress.cpp - variables and addresses of operands (KernelDecoder).
#include "sim/DecodeImpl.h"

#include <fmt/format.h>

namespace boostrt::sim {

std::string KernelDecoder::nameOfVariable(const Frame &frame,
                                          const VariableRef &ref) const {
  return ref.module ? module_.variables[ref.index].name
                    : frame.function->variables[ref.index].name;
}

Result<KernelDecoder::Place>
KernelDecoder::placeOf(Frame &frame, const Instruction &instruction,
                       const VariableRef &ref) {
  if (!ref.module) {
    const Place &place = (*frame.places)[ref.index];
    if (!place.known)
      return error(instruction, fmt::format("'{}' is bound to nothing here",
                                            nameOfVariable(frame, ref)));
    return place;
  }
  const Variable &variable = module_.variables[ref.index];
  if (variable.space != Space::Shared)
    return Place{true, variable.space, addresses_[ref.index], false};
  // Shared memory holds the variables that the kernel names. One without a size
  // stands for all dynamic memory, which begins after the last of the others.
  Place &place = modulePlaces_[ref.index];
  if (!place.known && variable.unsized) {
    place = {true, Space::Shared, 0, false};
    uint32_t slot = next_;
    kernel_.constants.push_back({slot, 8, 0});
    kernel_.constants.push_back({slot + 8 * kLanes, 4, 0});
    next_ += 12 * kLanes;
    place.address = slot;
  } else if (!place.known) {
    BOOSTRT_RETURN_IF_ERROR(placeShared(variable, instruction.line, place));
  }
  return place;
}

Status KernelDecoder::address(Frame &frame, const Instruction &instruction,
                              const Operand &operand, Op &op, uint32_t &slot,
                              bool second) {
  if (operand.kind != Operand::Kind::Address)
    return error(instruction,
                 fmt::format("'{}' needs an address in brackets here",
                             instruction.opcode));
  uint8_t bytes = 8;
  uint32_t base = 0;
  if (operand.hasRegister) {
    const Register &reg = frame.function->registers[operand.reg];
    bytes = static_cast<uint8_t>(bytesOf(reg.type));
    if (bytes < 4 || kindOf(reg.type) == TypeKind::Float ||
        reg.type == Type::Pred)
      return error(instruction,
                   fmt::format("register '{}' is .{}; an address has "
                               "32 or 64 bits",
                               reg.name, nameOf(reg.type)));
    base = (*frame.slots)[operand.reg];
  } else if (operand.hasVariable) {
    auto place = placeOf(frame, instruction, operand.variable);
    if (!place.ok())
      return place.status();
    bool dynamic = operand.variable.module &&
                   module_.variables[operand.variable.index].unsized;
    // What a call passes is memory of the thread.
    Space named = place->callParameter ? Space::Param : place->space;
    bool generic = op.access.space == Space::Generic &&
                   (named == Space::Global || named == Space::Const);
    Space wanted = instruction.opcode.starts_with("cp.async")
                       ? (second ? Space::Global : Space::Shared)
                       : op.access.space;
    if (named != wanted && !generic)
      return error(instruction,
                   fmt::format("'{}' lies in .{}, '{}' accesses .{}",
                               nameOfVariable(frame, operand.variable),
                               nameOf(named), instruction.opcode,
                               nameOf(wanted)));
    if (op.access.space == Space::Param)
      op.access.space = place->space;
    base = dynamic ? static_cast<uint32_t>(place->address)
                   : constant(8, place->address);
  } else {
    base = constant(8, 0);
  }
  if (op.access.space == Space::Param && instruction.opcode.starts_with("st"))
    return error(instruction, "the parameters of a kernel are only read");
  if (operand.offset != static_cast<int32_t>(operand.offset))
    return error(instruction, "an offset of an address has 32 bits");
  op.operand[slot++] = base;
  if (!instruction.opcode.starts_with("cp.async")) {
    op.offset = operand.offset;
    op.access.addressBytes = bytes;
    return Status();
  }
  op.operand[second ? 3 : 2] = static_cast<uint32_t>(operand.offset);
  (second ? op.access.addressBytes : op.access.registerBytes) = bytes;
  return Status();
}

} // namespace boostrt::sim
