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
  uint32_t across = program.descriptor().adasum_across;
  Result<Group> inner = ranks.innerGroup(across);
  if (!inner.ok())
    return inner.status();
  result->inner_.emplace(std::move(inner).value());
  Result<Group> groups = ranks.acrossGroup(across);
  if (!groups.ok())
    return groups.status();
  result->across_.emplace(std::move(groups).value());
  return result;
}

RankCollectives::~RankCollectives() {
  // The names that the transport knows end here.
  ranks_.transport().setActivity({step_});
}

Group &RankCollectives::groupOf(const BoostCollective &collective) {
  switch (static_cast<BoostRankGroup>(collective.ranks)) {
  case BOOST_RANKS_INNER:
    return *inner_;
  case BOOST_RANKS_ACROSS:
    return *across_;
  case BOOST_RANKS_ALL:
    break;
  }
  return *all_;
}

Status RankCollectives::run(uint32_t index, void *const *operands) {
  const BoostCollective &collective = program_.collectives()[index];
  Prepared &prepared = prepared_[index];
  ranks_.transport().setActivity(
      {step_, prepared.name.c_str(), collective.location});
  Status status = collective.kind == BOOST_COLLECTIVE_ADASUM
                      ? combine(collective, prepared, operands)
                      : allReduce(collective, prepared, operands);
  if (status.code() != ExitCode::RankLost)
    return status;
  // What others last said of themselves is older than what this rank knows.
  return Status(status.code(),
                fmt::format("{}; this rank was in step {}, {}",
                            status.message(), step_, prepared.name));
}

/// The operands as parts of one bucket, which begins with the first in memory.
static std::vector<AdasumTensor>
tensorsOf(std::span<const BoostCollectiveOperand> table, void *const *operands,
          const float *bucket) {
  std::vector<AdasumTensor> tensors;
  // Numbers of the program's vectors, in the order in which they appear.
  std::vector<uint32_t> numbers;
  for (size_t i = 0; i < table.size(); ++i) {
    auto found = std::find(numbers.begin(), numbers.end(), table[i].group);
    auto vector = static_cast<uint32_t>(found - numbers.begin());
    if (found == numbers.end())
      numbers.push_back(table[i].group);
    tensors.push_back(
        {static_cast<size_t>(static_cast<float *>(operands[i]) - bucket),
         table[i].elements, vector});
  }
  return tensors;
}

Status RankCollectives::combine(const BoostCollective &collective,
                                Prepared &prepared, void *const *operands) {
  Group &group = groupOf(collective);
  if (group.size() == 1)
    return Status();
  auto *bucket = static_cast<float *>(
      *std::min_element(operands, operands + collective.operand_count));
  std::vector<AdasumTensor> tensors =
      tensorsOf(operandsOf(collective), operands, bucket);
  auto sameAs = [](const AdasumTensor &a, const AdasumTensor &b) {
    return a.offset == b.offset && a.count == b.count && a.vector == b.vector;
  };
  if (!prepared.adasum ||
      !std::equal(tensors.begin(), tensors.end(), prepared.tensors.begin(),
                  prepared.tensors.end(), sameAs)) {
    Result<Adasum> adasum =
        Adasum::plan(group.size(), group.self(), tensors, {});
    if (!adasum.ok())
      return adasum.status();
    prepared.adasum.emplace(std::move(adasum).value());
    prepared.tensors = std::move(tensors);
  }
  if (!logsAdasum_)
    return prepared.adasum->run(group, bucket, ranks_.workspace());
  AdasumReport report;
  BOOSTRT_RETURN_IF_ERROR(
      prepared.adasum->run(group, bucket, ranks_.workspace(), &report));
  if (ranks_.isFirst())
    log(collective, prepared, report);
  return Status();
}

void RankCollectives::log(const BoostCollective &collective,
                          const Prepared &prepared,
                          const AdasumReport &report) {
  size_t first = adasumLog_.size();
  for (const AdasumVectorReport &vector : report.vectors)
    adasumLog_.push_back({{}, vector.coefficients, vector.orthogonality});
  std::span<const BoostCollectiveOperand> table = operandsOf(collective);
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i].parameter != UINT32_MAX)
      adasumLog_[first + prepared.tensors[i].vector].parameters.push_back(
          program_.parameters()[table[i].parameter].tensor.name);
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
