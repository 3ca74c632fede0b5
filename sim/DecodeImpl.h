// DecodeImpl.h - the decoder's state; Decode.cpp walks a function, with
// DecodeCalls.cpp those it calls, DecodeOperands.cpp turns operands into places
// of the register file, DecodeAddress.cpp variables into addresses.
#pragma once

#include "sim/Decode.h"

#include <map>
#include <set>
#include <unordered_map>

namespace boostrt::sim {

inline uint32_t alignUp(uint64_t value, uint64_t align) {
  return static_cast<uint32_t>((value + align - 1) / align * align);
}

class KernelDecoder {
public:
  KernelDecoder(const PtxModule &module, const PtxText &text,
                const std::vector<uint64_t> &addresses)
      : module_(module), text_(text), addresses_(addresses) {}

  Result<Kernel> run(uint32_t index);

private:
  /// Where a variable lies for this kernel.
  struct Place {
    bool known = false;
    Space space = Space::Local;
    uint64_t address = 0;
    bool callParameter = false;
  };
  /// What decoding of a function's instructions refers to.
  struct Frame {
    uint32_t index = 0;
    const Function *function = nullptr;
    std::vector<uint32_t> *slots = nullptr; ///< of its registers
    std::vector<Place> *places = nullptr;   ///< of its variables
    bool inlined = false;
    std::vector<uint32_t> starts; ///< pc of each instruction
    std::vector<std::pair<uint32_t, uint32_t>> jumps; ///< pc, instruction
  };

  // Decode.cpp
  Status collect(uint32_t index, uint32_t line);
  /// After the shared variables there are.
  Status placeShared(const Variable &variable, uint32_t line, Place &place);
  Status layOut(const Function &function);
  Status parameters(const Function &function);
  Status emit(Frame &frame);
  Status instruction(Frame &frame, const Instruction &instruction);
  Status call(Frame &frame, const Instruction &instruction);
  Status bind(Frame &caller, const Instruction &instruction, uint32_t callee);
  Status leave(Frame &frame, const Instruction &instruction);
  Status push(Op op, const Opcode *opcode, const Instruction &instruction);
  /// For line `line`'s function: whether its registers and constants fit.
  Status checkRegisters(uint32_t line) const;
  void placeConstants();
  int64_t functionNamed(const std::string &name) const;
  int64_t labelNamed(const Function &function, const std::string &name) const;
  std::string key(const Instruction &instruction) const;

  // DecodeOperands.cpp
  Status operands(Frame &frame, const Instruction &instruction,
                  const Opcode &opcode, Op &op);
  Status definition(Frame &frame, const Instruction &instruction,
                    const Rule &rule, const Operand &operand, Op &op,
                    uint32_t &slot);
  Status use(Frame &frame, const Instruction &instruction, const Rule &rule,
             const Operand &operand, Op &op, uint32_t &slot);
  Status address(Frame &frame, const Instruction &instruction,
                 const Operand &operand, Op &op, uint32_t &slot, bool second);
  Status label(Frame &frame, const Instruction &instruction,
               const Operand &operand);
  Status immediate(const Instruction &instruction, const Operand &operand,
                   int64_t &value);
  Status registerFits(Frame &frame, const Instruction &instruction,
                      const Rule &rule, uint32_t reg, bool loose);
  Status bitsOf(const Instruction &instruction, Type type,
                const Operand &operand, uint64_t &bits);
  Result<Place> placeOf(Frame &frame, const Instruction &instruction,
                        const VariableRef &ref);
  std::string nameOfVariable(const Frame &frame, const VariableRef &ref) const;
  uint32_t constant(uint32_t bytes, uint64_t bits);
  uint32_t special(Special special);
  Status error(const Instruction &instruction, std::string_view message) const;

  const PtxModule &module_;
  const PtxText &text_;
  const std::vector<uint64_t> &addresses_;
  Kernel kernel_;
  std::vector<const Opcode *> opcodes_; ///< of kernel_.code
  std::vector<uint32_t> active_;        ///< functions being inlined
  std::unordered_map<uint32_t, std::vector<uint32_t>> slots_;
  std::unordered_map<uint32_t, std::vector<Place>> places_;
  std::vector<Place> modulePlaces_; ///< shared variables of the module
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> constants_;
  uint32_t next_ = kFirstSlot; ///< free place in the register file
};

} // namespace boostrt::sim
