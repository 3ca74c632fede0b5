#include "runtime/trainer/RankCollectives.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace boostrt {
namespace {

std::span<const BoostCollectiveOperand>
operandsOf(const BoostCollective &collective) {
  return {collective.operands, collective.operand_count};
}

int64_t integersOf(const BoostCollective &collective) {
  int64_t integers = 0;
  for (const BoostCollectiveOperand &operand : operandsOf(collective))
    if (operand.dtype == BOOST_I64)
      integers += static_cast<int64_t>(operand.elements);
  return integers;
}

/// "bucket 2 (fc1.weight, fc1.bias)".
std::string nameOf(const BoostCollective &collective, const Program &program) {
  std::string names;
  for (const BoostCollectiveOperand &operand : operandsOf(collective))
    if (operand.parameter != UINT32_MAX)
      names += (names.empty() ? "" : ", ") +
               std::string(program.parameters()[operand.parameter].tensor.name);
  return fmt::format("collective {} ({})", collective.number,
                     names.empty() ? "loss" : names);
}

} // namespace

Result<std::unique_ptr<RankCollectives>>
RankCollectives::create(Ranks &ranks, const Program &program) {
  std::unique_ptr<RankCollectives> result(new RankCollectives(ranks, program));
  Prepared *carrier = nullptr;
  for (const BoostCollective &collective : program.collectives()) {
    Prepared prepared;
    prepared.name = nameOf(collective, program);
    prepared.floats.reserve(collective.operand_count);
    prepared.integers.resize(integersOf(collective));
    result->prepared_.push_back(std::move(prepared));
  }
  for (size_t i = 0; i < result->prepared_.size(); ++i)
    if (program.collectives()[i].ranks == BOOST_RANKS_ALL &&
        !result->prepared_[i].integers.empty())
      carrier = &result->prepared_[i];
  if (!carrier)
    return Status(ExitCode::Input,
                  fmt::format("'{}' does not exchange what {} ranks compute; "
                              "compile it again with this version of boostc",
                              program.path(), ranks.size()));
  carrier->carriesStop = true;
  carrier->integers.push_back(0);
  result->all_.emplace(ranks.transport());
  return result;
}

RankCollectives::~RankCollectives() {
  // The names that the transport knows end here.
  ranks_.transport().setActivity({step_});
}

Group &RankCollectives::groupOf(const BoostCollective &) { return *all_; }

Status RankCollectives::run(uint32_t index, void *const *operands) {
  const BoostCollective &collective = program_.collectives()[index];
  Prepared &prepared = prepared_[index];
  ranks_.transport().setActivity(
      {step_, prepared.name.c_str(), collective.location});
  return allReduce(collective, prepared, operands);
}

Status RankCollectives::allReduce(const BoostCollective &collective,
                                  Prepared &prepared, void *const *operands) {
  Group &group = groupOf(collective);
  std::span<const BoostCollectiveOperand> table = operandsOf(collective);
  prepared.floats.clear();
  int64_t *integer = prepared.integers.data();
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i].dtype == BOOST_F32) {
      prepared.floats.emplace_back(static_cast<float *>(operands[i]),
                                   table[i].elements);
    } else {
      std::memcpy(integer, operands[i], table[i].elements * sizeof *integer);
      integer += table[i].elements;
    }
  if (prepared.carriesStop)
    *integer = Ranks::stopRequest();

  BOOSTRT_RETURN_IF_ERROR(
      allReduceSum(group, prepared.floats, ranks_.workspace()));
  if (prepared.integers.empty())
    return Status();
  BOOSTRT_RETURN_IF_ERROR(
      allReduceSum(group, std::span(prepared.integers), ranks_.workspace()));

  integer = prepared.integers.data();
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i].dtype == BOOST_I64) {
      std::memcpy(operands[i], integer, table[i].elements * sizeof *integer);
      integer += table[i].elements;
    }
  if (prepared.carriesStop)
    ranks_.agreeOnStop(*integer);
  return Status();
}

} // namespace boostrt
