#include "sim/DecodeImpl.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt::sim {

Status KernelDecoder::error(const Instruction &instruction,
                            std::string_view message) const {
  return text_.errorAt(instruction.line, message);
}

int64_t KernelDecoder::labelNamed(const Function &function,
                                  const std::string &name) const {
  auto found = function.labels.find(name);
  return found == function.labels.end() ? -1
                                        : int64_t(found->second.instruction);
}

Result<Kernel> KernelDecoder::run(uint32_t index) {
  const Function &function = module_.functions[index];
  kernel_.name = function.name;
  std::copy_n(function.requiredThreads, 3, kernel_.requiredThreads);
  kernel_.maximalThreads = function.maximalThreads;
  kernel_.specials.fill(kNone);
  modulePlaces_.resize(module_.variables.size());
  BOOSTRT_RETURN_IF_ERROR(collect(index, function.line));
  BOOSTRT_RETURN_IF_ERROR(parameters(function));
  kernel_.registerBytes = next_;

  Frame frame;
  frame.index = index;
  frame.function = &function;
  frame.slots = &slots_[index];
  frame.places = &places_[index];
  BOOSTRT_RETURN_IF_ERROR(emit(frame));
  Op end; // a kernel may end without `ret`
  end.kind = OpKind::Exit;
  Instruction last;
  last.line = function.line;
  BOOSTRT_RETURN_IF_ERROR(push(end, nullptr, last));
  BOOSTRT_RETURN_IF_ERROR(checkRegisters(function.line));
  placeConstants();
  findReconvergence(kernel_.code);
  findParameters(kernel_, opcodes_);
  return std::move(kernel_);
}

Status KernelDecoder::checkRegisters(uint32_t line) const {
  if (next_ <= kRegisterBytesCap)
    return Status();
  return text_.errorAt(
      line, fmt::format("the registers and constants of this kernel and of "
                        "what it calls take more than {} bytes for a warp",
                        kRegisterBytesCap));
}

Status KernelDecoder::placeShared(const Variable &variable, uint32_t line,
                                  Place &place) {
  uint64_t at = alignUp(kernel_.sharedBytes, variable.align);
  if (at + variable.bytes > kStaticSharedCap)
    return text_.errorAt(line,
                         fmt::format("'{}' does not fit: a block has {} bytes "
                                     "of static shared memory",
                                     variable.name, kStaticSharedCap));
  place = {true, Space::Shared, at, false};
  kernel_.shared.push_back({variable.name, at, variable.bytes});
  kernel_.sharedBytes = static_cast<uint32_t>(at + variable.bytes);
  return Status();
}

/// Local, shared and call parameter variables of a function.
Status KernelDecoder::layOut(const Function &function) {
  std::vector<Place> &places =
      places_[static_cast<uint32_t>(&function - module_.functions.data())];
  places.resize(function.variables.size());
  size_t formal = function.parameters.size() + function.results.size();
  for (size_t i = formal; i < function.variables.size(); ++i) {
    const Variable &variable = function.variables[i];
    Place &place = places[i];
    place.known = true;
    if (variable.space == Space::Shared) {
      BOOSTRT_RETURN_IF_ERROR(placeShared(variable, variable.line, place));
      continue;
    }
    place.callParameter = variable.space == Space::Param;
    uint64_t at = alignUp(kernel_.localBytes, variable.align);
    if (at + variable.bytes > kLocalCap)
      return text_.errorAt(variable.line,
                           fmt::format("a thread would need more than {} bytes "
                                       "of local memory",
                                       kLocalCap));
    place.address = at;
    kernel_.local.push_back({variable.name, at, variable.bytes});
    kernel_.localBytes = static_cast<uint32_t>(at + variable.bytes);
  }
  return Status();
}

Status KernelDecoder::parameters(const Function &function) {
  std::vector<Place> &places =
      places_[static_cast<uint32_t>(&function - module_.functions.data())];
  uint64_t at = 0;
  for (uint32_t index : function.parameters) {
    const Variable &variable = function.variables[index];
    at = alignUp(at, variable.align);
    if (variable.unsized || at + variable.bytes > (32 << 10))
      return text_.errorAt(variable.line, "the parameters of a kernel have 32 "
                                          "KiB at most, each with a size");
    places[index] = {true, Space::Param, at, false};
    kernel_.parameters.push_back({variable.name, at, variable.bytes});
    at += variable.bytes;
  }
  kernel_.parameterBytes = static_cast<uint32_t>(at);
  // Local memory is cut into lanes at multiples of 16.
  kernel_.localBytes = alignUp(kernel_.localBytes, 16);
  return Status();
}

/// Special registers and constants come after what programs write.
void KernelDecoder::placeConstants() {
  // Dynamic shared memory begins after the static part, aligned for any type.
  kernel_.sharedBytes = alignUp(kernel_.sharedBytes, 16);
  for (size_t i = 0; i < module_.variables.size(); ++i) {
    Place &place = modulePlaces_[i];
    if (!place.known || !module_.variables[i].unsized)
      continue;
    for (Constant &constant : kernel_.constants)
      if (constant.slot == place.address ||
          constant.slot == place.address + 8 * kLanes)
        constant.bits += kernel_.sharedBytes;
  }
  kernel_.frameBytes = next_;
}

Status KernelDecoder::push(Op op, const Opcode *opcode,
                           const Instruction &instruction) {
  if (kernel_.code.size() >= kCodeCap)
    return error(instruction, fmt::format("kernel '{}' has more than {} "
                                          "instructions with all it calls",
                                          kernel_.name, kCodeCap));
  if (kernel_.origins.empty() ||
      kernel_.origins.back().line != instruction.line)
    kernel_.origins.push_back({instruction.line, instruction.source});
  op.origin = static_cast<uint32_t>(kernel_.origins.size() - 1);
  kernel_.code.push_back(op);
  opcodes_.push_back(opcode);
  return Status();
}

Status KernelDecoder::emit(Frame &frame) {
  const Function &function = *frame.function;
  for (const Instruction &instruction : function.body) {
    frame.starts.push_back(static_cast<uint32_t>(kernel_.code.size()));
    BOOSTRT_RETURN_IF_ERROR(this->instruction(frame, instruction));
  }
  auto end = static_cast<uint32_t>(kernel_.code.size());
  frame.starts.push_back(end);
  for (auto [pc, target] : frame.jumps)
    kernel_.code[pc].target = frame.starts[target];
  return Status();
}

std::string KernelDecoder::key(const Instruction &instruction) const {
  std::string text = instruction.opcode;
  if (text.starts_with("mov.") && instruction.operands.size() == 2) {
    const auto &operands = instruction.operands;
    if (operands[0].kind == Operand::Kind::Vector)
      text += fmt::format(".unpack{}", operands[0].elements.size());
    else if (operands[1].kind == Operand::Kind::Vector)
      text += fmt::format(".pack{}", operands[1].elements.size());
    return text;
  }
  // Advice to caches, which changes no value.
  for (size_t at; (at = text.find(".L1::")) != std::string::npos ||
                  (at = text.find(".L2::")) != std::string::npos;)
    text.erase(at, text.find('.', at + 1) - at);
  return text;
}

Status KernelDecoder::instruction(Frame &frame,
                                  const Instruction &instruction) {
  if (instruction.opcode == "call" || instruction.opcode == "call.uni")
    return call(frame, instruction);
  std::string text = key(instruction);
  const Opcode *opcode = OpcodeTable::get().find(text);
  if (!opcode)
    return error(instruction,
                 fmt::format("the simulator has no opcode '{}'{}", text,
                             OpcodeTable::get().nearest(text)));
  if (opcode->kind == OpKind::Exit && frame.inlined &&
      instruction.opcode != "exit")
    return leave(frame, instruction);
  Op op;
  op.run = opcode->run;
  op.kind = opcode->kind;
  op.access = opcode->access;
  op.selector = opcode->selector;
  if (instruction.guarded) {
    op.guard = (*frame.slots)[instruction.guard];
    op.guardNegated = instruction.guardNegated;
  }
  BOOSTRT_RETURN_IF_ERROR(operands(frame, instruction, *opcode, op));
  kernel_.ordered |= opcode->ordered;
  return push(op, opcode, instruction);
}

Result<Kernel> decodeKernel(const PtxModule &module, const PtxText &text,
                            uint32_t index,
                            const std::vector<uint64_t> &addresses) {
  return KernelDecoder(module, text, addresses).run(index);
}

} // namespace boostrt::sim
