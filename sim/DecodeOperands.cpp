// DecodeOperands.cpp - operands to places in the register file (KernelDecoder).
#include "sim/DecodeImpl.h"

#include <bit>
#include <fmt/format.h>

namespace boostrt::sim {

uint32_t KernelDecoder::constant(uint32_t bytes, uint64_t bits) {
  if (bytes < 8)
    bits &= (1ull << (8 * bytes)) - 1;
  auto [entry, fresh] = constants_.emplace(std::pair(bytes, bits), next_);
  if (fresh) {
    kernel_.constants.push_back({next_, bytes, bits});
    next_ += std::max<uint32_t>(64, bytes * kLanes);
  }
  return entry->second;
}

uint32_t KernelDecoder::special(Special special) {
  uint32_t &slot = kernel_.specials[static_cast<size_t>(special)];
  if (slot == kNone) {
    slot = next_;
    next_ += 4 * kLanes;
  }
  return slot;
}

Status KernelDecoder::operands(Frame &frame, const Instruction &instruction,
                               const Opcode &opcode, Op &op) {
  const auto &given = instruction.operands;
  if (given.size() != opcode.rules.size())
    return error(instruction, fmt::format("'{}' has {} operands, found {}",
                                          instruction.opcode,
                                          opcode.rules.size(), given.size()));
  uint32_t slot = 0, addresses = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    const Rule &rule = opcode.rules[i];
    const Operand &operand = given[i];
    switch (rule.role) {
    case Role::Address:
      BOOSTRT_RETURN_IF_ERROR(
          address(frame, instruction, operand, op, slot, addresses++ > 0));
      continue;
    case Role::Immediate:
      BOOSTRT_RETURN_IF_ERROR(immediate(instruction, operand, op.offset));
      continue;
    case Role::CopyBytes: {
      // The address' offsets move away from Op::offset (see copyAsync()).
      int64_t bytes = 0;
      BOOSTRT_RETURN_IF_ERROR(immediate(instruction, operand, bytes));
      if (bytes != 4 && bytes != 8 && bytes != 16)
        return error(instruction,
                     fmt::format("cp.async copies 4, 8 or 16 bytes, "
                                 "not {}",
                                 bytes));
      op.access.elementBytes = static_cast<uint8_t>(bytes);
      continue;
    }
    case Role::Label:
      BOOSTRT_RETURN_IF_ERROR(label(frame, instruction, operand));
      continue;
    case Role::DefOrPair: {
      bool pair = operand.kind == Operand::Kind::Pair;
      op.operand[1] = kNone;
      BOOSTRT_RETURN_IF_ERROR(definition(frame, instruction, rule,
                                         pair ? operand.elements[0] : operand,
                                         op, slot));
      if (pair)
        BOOSTRT_RETURN_IF_ERROR(definition(frame, instruction,
                                           {Role::Def, Type::Pred},
                                           operand.elements[1], op, slot));
      slot = 2;
      continue;
    }
    default:
      break;
    }
    bool defines = rule.role == Role::Def || rule.role == Role::DefLoose;
    bool vector = rule.count > 1;
    if (vector != (operand.kind == Operand::Kind::Vector) ||
        (vector && operand.elements.size() != rule.count))
      return error(instruction,
                   fmt::format("operand {} of '{}' is {}", i + 1,
                               instruction.opcode,
                               vector ? fmt::format("a list of {}", rule.count)
                                      : "a single one"));
    // Registers of a list agree in width, and immediates follow them.
    if (rule.role == Role::UseLoose || rule.role == Role::DefLoose) {
      uint8_t &width = rule.role == Role::UseLoose &&
                               opcode.access.count == 1 &&
                               opcode.rules[0].role == Role::DefLoose
                           ? op.access.addressBytes
                           : op.access.registerBytes;
      width = 0;
      for (size_t e = 0; e < rule.count; ++e) {
        const Operand &each = vector ? operand.elements[e] : operand;
        if (each.kind != Operand::Kind::Register)
          continue;
        Type type = frame.function->registers[each.reg].type;
        auto bytes = static_cast<uint8_t>(bytesOf(type));
        if (width && width != bytes)
          return error(instruction,
                       "the registers of a list must be of one size");
        width = bytes;
      }
      if (!width)
        width = static_cast<uint8_t>(std::max(2u, bytesOf(rule.type)));
    }
    for (size_t e = 0; e < rule.count; ++e) {
      const Operand &each = vector ? operand.elements[e] : operand;
      BOOSTRT_RETURN_IF_ERROR(
          defines ? definition(frame, instruction, rule, each, op, slot)
                  : use(frame, instruction, rule, each, op, slot));
    }
  }
  return Status();
}

Status KernelDecoder::registerFits(Frame &frame, const Instruction &instruction,
                                   const Rule &rule, uint32_t reg, bool loose) {
  const Register &found = frame.function->registers[reg];
  TypeKind want = kindOf(rule.type), have = kindOf(found.type);
  uint32_t wantBytes = bytesOf(rule.type), haveBytes = bytesOf(found.type);
  bool sizes = loose && want != TypeKind::Float ? haveBytes >= wantBytes
                                                : haveBytes == wantBytes;
  bool kinds = want == have || want == TypeKind::Bits ||
               have == TypeKind::Bits ||
               (want != TypeKind::Float && have != TypeKind::Float);
  bool preds = (want == TypeKind::Pred) == (have == TypeKind::Pred);
  if (sizes && kinds && preds)
    return Status();
  return error(instruction,
               fmt::format("register '{}' is .{}; '{}' needs .{} here",
                           found.name, nameOf(found.type), instruction.opcode,
                           nameOf(rule.type)));
}

Status KernelDecoder::definition(Frame &frame, const Instruction &instruction,
                                 const Rule &rule, const Operand &operand,
                                 Op &op, uint32_t &slot) {
  if (operand.kind == Operand::Kind::Sink) {
    op.operand[slot++] = kSinkSlot;
    return Status();
  }
  if (operand.kind != Operand::Kind::Register || operand.negated)
    return error(instruction, fmt::format("'{}' writes a register here",
                                          instruction.opcode));
  BOOSTRT_RETURN_IF_ERROR(registerFits(frame, instruction, rule, operand.reg,
                                       rule.role == Role::DefLoose));
  op.operand[slot++] = (*frame.slots)[operand.reg];
  return Status();
}

Status KernelDecoder::bitsOf(const Instruction &instruction, Type type,
                             const Operand &operand, uint64_t &bits) {
  uint32_t bytes = bytesOf(type);
  bits = operand.bits;
  if (kindOf(type) == TypeKind::Pred) {
    bits = bits != 0;
    return Status();
  }
  if (operand.isFloat) {
    bool sizes = operand.floatBytes == bytes;
    if (kindOf(type) == TypeKind::Float && operand.floatBytes == 8 &&
        bytes == 4) {
      // A decimal.
      bits = std::bit_cast<uint32_t>(
          static_cast<float>(std::bit_cast<double>(bits)));
      sizes = true;
    }
    if (sizes && kindOf(type) != TypeKind::Signed &&
        kindOf(type) != TypeKind::Unsigned)
      return Status();
    return error(
        instruction,
        fmt::format("a floating-point immediate of {} bytes where '{}' "
                    "needs .{}",
                    operand.floatBytes, instruction.opcode, nameOf(type)));
  }
  if (kindOf(type) == TypeKind::Float)
    return error(instruction,
                 fmt::format("an integer immediate where '{}' needs "
                             ".{}; write 0f... or 0d...",
                             instruction.opcode, nameOf(type)));
  auto value = static_cast<int64_t>(bits);
  if (bytes < 8 && bits >> (8 * bytes) != 0 &&
      (value > 0 || value < -(int64_t(1) << (8 * bytes - 1))))
    return error(instruction, fmt::format("immediate {} does not fit in .{}",
                                          value, nameOf(type)));
  return Status();
}

Status KernelDecoder::use(Frame &frame, const Instruction &instruction,
                          const Rule &rule, const Operand &operand, Op &op,
                          uint32_t &slot) {
  bool loose = rule.role == Role::UseLoose;
  switch (operand.kind) {
  case Operand::Kind::Register: {
    BOOSTRT_RETURN_IF_ERROR(
        registerFits(frame, instruction, rule, operand.reg, loose));
    uint32_t from = (*frame.slots)[operand.reg];
    if (operand.negated) {
      if (rule.type != Type::Pred)
        return error(instruction, "'!' inverts a predicate only");
      Op invert;
      invert.run = OpcodeTable::get().find("not.pred")->run;
      invert.operand[0] = kInvertedSlot;
      invert.operand[1] = from;
      BOOSTRT_RETURN_IF_ERROR(push(invert, nullptr, instruction));
      from = kInvertedSlot;
    }
    op.operand[slot++] = from;
    return Status();
  }
  case Operand::Kind::Immediate: {
    uint64_t bits = 0;
    BOOSTRT_RETURN_IF_ERROR(bitsOf(instruction, rule.type, operand, bits));
    uint32_t bytes = bytesOf(rule.type);
    if (loose) // st keeps the width in registerBytes, cvt in addressBytes
      bytes = std::max<uint32_t>(bytes, op.access.registerBytes &&
                                                instruction.opcode[0] == 's'
                                            ? op.access.registerBytes
                                            : 2);
    op.operand[slot++] = constant(bytes, bits);
    return Status();
  }
  case Operand::Kind::Special:
    if (bytesOf(rule.type) != 4 || kindOf(rule.type) == TypeKind::Float ||
        rule.type == Type::Pred)
      return error(instruction, "special registers have 32 bits");
    op.operand[slot++] = special(operand.special);
    return Status();
  case Operand::Kind::Variable: {
    if (!instruction.opcode.starts_with("mov."))
      return error(instruction, "the address of a variable is taken by mov");
    uint32_t bytes = bytesOf(rule.type);
    if (bytes < 4 || rule.type == Type::Pred ||
        kindOf(rule.type) == TypeKind::Float)
      return error(instruction, "an address has 32 or 64 bits");
    auto place = placeOf(frame, instruction, operand.variable);
    if (!place.ok())
      return place.status();
    if (place->callParameter)
      return error(instruction, "the address of a call's parameter is not "
                                "supported by the simulator");
    bool dynamic = operand.variable.module &&
                   module_.variables[operand.variable.index].unsized;
    if (dynamic && operand.offset == 0)
      op.operand[slot++] =
          static_cast<uint32_t>(place->address) + (bytes == 4 ? 8 * kLanes : 0);
    else if (dynamic)
      return error(instruction, "an offset into dynamic shared memory is added "
                                "by an instruction of its own");
    else
      op.operand[slot++] = constant(
          bytes, place->address + static_cast<uint64_t>(operand.offset));
    return Status();
  }
  default:
    return error(instruction,
                 operand.kind == Operand::Kind::Name
                     ? fmt::format("'{}' is not declared here", operand.name)
                     : fmt::format("'{}' reads a register or an immediate here",
                                   instruction.opcode));
  }
}

Status KernelDecoder::immediate(const Instruction &instruction,
                                const Operand &operand, int64_t &value) {
  if (operand.kind != Operand::Kind::Immediate || operand.isFloat)
    return error(instruction,
                 fmt::format("'{}' needs a number here", instruction.opcode));
  value = static_cast<int64_t>(operand.bits);
  return Status();
}

Status KernelDecoder::label(Frame &frame, const Instruction &instruction,
                            const Operand &operand) {
  if (operand.kind != Operand::Kind::Name)
    return error(instruction, "a branch needs a label");
  int64_t target = labelNamed(*frame.function, operand.name);
  if (target < 0)
    return error(instruction, fmt::format("there is no label '{}' in '{}'",
                                          operand.name, frame.function->name));
  frame.jumps.emplace_back(static_cast<uint32_t>(kernel_.code.size()),
                           static_cast<uint32_t>(target));
  return Status();
}

} // namespace boostrt::sim
