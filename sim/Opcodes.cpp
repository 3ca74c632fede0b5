#include "sim/Opcodes.h"

#include "runtime/support/Suggest.h"

#include <algorithm>
#include <cassert>

namespace boostrt::sim {

OpcodeTable::OpcodeTable() {
  opcodes_.reserve(8192);
  addIntegerOpcodes(*this);
  addBitOpcodes(*this);
  addFloatOpcodes(*this);
  addHalfOpcodes(*this);
  addRoundedOpcodes(*this);
  addApproximateOpcodes(*this);
  addCompareOpcodes(*this);
  addConvertOpcodes(*this);
  addMoveOpcodes(*this);
  addMemoryOpcodes(*this);
  addAtomicOpcodes(*this);
  addWarpOpcodes(*this);
  addControlOpcodes(*this);
}

const OpcodeTable &OpcodeTable::get() {
  static const OpcodeTable table;
  return table;
}

Opcode &OpcodeTable::add(std::string text, Handler run,
                         std::vector<Rule> rules) {
  auto [entry, fresh] = opcodes_.try_emplace(std::move(text));
  assert(fresh && "two families have this opcode");
  (void)fresh;
  entry->second.run = run;
  entry->second.rules = std::move(rules);
  return entry->second;
}

const Opcode *OpcodeTable::find(std::string_view text) const {
  auto found = opcodes_.find(std::string(text));
  return found == opcodes_.end() ? nullptr : &found->second;
}

std::vector<std::string> OpcodeTable::names() const {
  std::vector<std::string> names;
  names.reserve(opcodes_.size());
  for (const auto &[name, opcode] : opcodes_)
    names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string OpcodeTable::nearest(std::string_view text) const {
  std::vector<std::string> all = names();
  std::vector<std::string_view> legal(all.begin(), all.end());
  return didYouMean(text, legal);
}

} // namespace boostrt::sim
