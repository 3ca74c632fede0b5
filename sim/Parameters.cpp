// Parameters.cpp - which pointer argument an address is computed from.
//
// Registers take the argument of what they are computed from; two different
// arguments, or a value loaded from memory, make the origin unknown. The order
// of instructions does not matter, so the answer holds on every way; where it
// is unknown, the machine checks against all arguments together.
#include "sim/Decode.h"

#include <unordered_map>

namespace boostrt::sim {

namespace {
constexpr int32_t kNoPointer = -1;
constexpr int32_t kUnknown = -2;

int32_t join(int32_t a, int32_t b) {
  if (a == kNoPointer)
    return b;
  if (b == kNoPointer || a == b)
    return a;
  return kUnknown;
}

class Origins {
public:
  Origins(Kernel &kernel, const std::vector<const Opcode *> &opcodes)
      : kernel_(kernel), opcodes_(opcodes) {
    for (const Constant &constant : kernel.constants)
      constants_.emplace(constant.slot, constant.bits);
  }

  void run() {
    while (sweep()) {
    }
    for (size_t pc = 0; pc < kernel_.code.size(); ++pc)
      mark(pc);
  }

private:
  int32_t of(uint32_t slot) const {
    auto found = of_.find(slot);
    return found == of_.end() ? kNoPointer : found->second;
  }

  /// The parameter that ld.param of 8 bytes reads, if it reads one.
  int32_t loaded(const Op &op) const {
    auto base = constants_.find(op.operand[op.access.count]);
    if (op.access.space != Space::Param || base == constants_.end())
      return kUnknown;
    uint64_t at = base->second + static_cast<uint64_t>(op.offset);
    for (size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const PlacedVariable &parameter = kernel_.parameters[i];
      if (parameter.offset == at && parameter.bytes == 8 &&
          op.access.count == 1)
        return static_cast<int32_t>(i);
    }
    return kUnknown;
  }

  bool sweep() {
    bool changed = false;
    for (size_t pc = 0; pc < kernel_.code.size(); ++pc) {
      const Opcode *opcode = opcodes_[pc];
      if (!opcode || opcode->kind != OpKind::Plain)
        continue;
      changed |= step(kernel_.code[pc], *opcode);
    }
    return changed;
  }

  bool step(const Op &op, const Opcode &opcode) {
    bool memory = op.access.space != Space::Generic || op.access.elementBytes;
    int32_t result = kNoPointer;
    uint32_t slot = 0;
    // Sources first; results are what is written below.
    for (const Rule &rule : opcode.rules) {
      bool source = rule.role == Role::Use || rule.role == Role::UseLoose;
      uint32_t count = rule.role == Role::DefOrPair ? 2 : rule.count;
      if (rule.role == Role::Immediate || rule.role == Role::CopyBytes)
        continue;
      for (uint32_t i = 0; i < count; ++i, ++slot)
        if (source && bytesOf(rule.type) == 8)
          result = join(result, of(op.operand[slot]));
    }
    if (memory)
      result = loaded(op);
    bool changed = false;
    slot = 0;
    for (const Rule &rule : opcode.rules) {
      if (rule.role != Role::Def && rule.role != Role::DefLoose)
        break;
      for (uint32_t i = 0; i < rule.count; ++i, ++slot) {
        if (bytesOf(rule.type) != 8 || result == kNoPointer)
          continue;
        int32_t &known =
            of_.try_emplace(op.operand[slot], kNoPointer).first->second;
        int32_t next = join(known, result);
        changed |= next != known;
        known = next;
      }
    }
    return changed;
  }

  void mark(size_t pc) {
    Op &op = kernel_.code[pc];
    const Opcode *opcode = opcodes_[pc];
    if (!opcode || !op.access.elementBytes)
      return;
    uint32_t slot = 0;
    uint32_t last = 0; // of two addresses, the second is global
    for (const Rule &rule : opcode->rules) {
      if (rule.role == Role::Address)
        last = slot;
      slot += rule.count;
    }
    int32_t origin = of(op.operand[last]);
    if (origin >= 0 && origin <= INT16_MAX)
      op.access.parameter = static_cast<int16_t>(origin);
  }

  Kernel &kernel_;
  const std::vector<const Opcode *> &opcodes_;
  std::unordered_map<uint32_t, int32_t> of_;         ///< by register place
  std::unordered_map<uint32_t, uint64_t> constants_; ///< by register place
};
} // namespace

void findParameters(Kernel &kernel,
                    const std::vector<const Opcode *> &opcodes) {
  Origins(kernel, opcodes).run();
}

} // namespace boostrt::sim
