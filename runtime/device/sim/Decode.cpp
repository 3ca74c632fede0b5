#include "runtime/device/sim/DecodeImpl.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt::sim {

namespace {
uint32_t alignUp(uint64_t value, uint64_t align) {
  return static_cast<uint32_t>((value + align - 1) / align * align);
}
} // namespace

Status KernelDecoder::error(const Instruction &instruction,
                            std::string_view message) const {
  return text_.errorAt(instruction.line, message);
}

int64_t KernelDecoder::functionNamed(const std::string &name) const {
  for (size_t i = 0; i < module_.functions.size(); ++i)
    if (module_.functions[i].name == name)
      return static_cast<int64_t>(i);
  return -1;
}

int64_t KernelDecoder::labelNamed(const Function &function,
                                  const std::string &name) const {
  for (const Label &label : function.labels)
    if (label.name == name)
      return label.instruction;
  return -1;
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
      kernel_.sharedBytes = alignUp(kernel_.sharedBytes, variable.align);
      if (kernel_.sharedBytes + variable.bytes > kStaticSharedCap)
        return text_.errorAt(
            variable.line,
            fmt::format("'{}' does not fit: a block has {} bytes "
                        "of static shared memory",
                        variable.name, kStaticSharedCap));
      place.space = Space::Shared;
      place.address = kernel_.sharedBytes;
      kernel_.shared.push_back({variable.name, place.address, variable.bytes});
      kernel_.sharedBytes += variable.bytes;
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
    kernel_.parameters.push_back({variable.name, static_cast<uint32_t>(at),
                                  static_cast<uint32_t>(variable.bytes)});
    at += variable.bytes;
  }
  kernel_.parameterBytes = static_cast<uint32_t>(at);
  // Local memory is cut into lanes at multiples of 16.
  kernel_.localBytes = alignUp(kernel_.localBytes, 16);
  return Status();
}

/// Special registers and constants come behind what programs write.
void KernelDecoder::placeConstants() {
  // Dynamic shared memory begins behind the static part, aligned for any type.
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

/// `ret` of a function that was copied into its caller goes behind the copy.
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
  bool behindName = false;
  for (const Operand &operand : instruction.operands) {
    if (operand.kind == Operand::Kind::Name && !behindName)
      behindName = true;
    else if (operand.kind == Operand::Kind::Vector && !lists[behindName])
      lists[behindName] = &operand;
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

Result<Kernel> decodeKernel(const PtxModule &module, const PtxText &text,
                            uint32_t index,
                            const std::vector<uint64_t> &addresses) {
  return KernelDecoder(module, text, addresses).run(index);
}

} // namespace boostrt::sim
