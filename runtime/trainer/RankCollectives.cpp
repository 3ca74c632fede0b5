#include "runtime/trainer/RankCollectives.h"

#include "runtime/comm/HostVectors.h"
#include "runtime/program/ProgramCollectives.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <numeric>

namespace boostrt {
namespace {

/// "all_reduce 2 (fc1.weight, fc1.bias)".
std::string nameOf(const BoostCollective &collective, const Program &program) {
  std::string names;
  for (const BoostCollectiveOperand &operand : operandsOf(collective))
    if (operand.parameter != UINT32_MAX)
      names += (names.empty() ? "" : ", ") +
               std::string(program.parameters()[operand.parameter].tensor.name);
  return fmt::format("{} {} ({})", kindName(collective.kind), collective.number,
                     names.empty() ? "loss" : names);
}

/// Where operands lie that follow one another with a gap between any two: no
/// other places take more scratch memory.
std::vector<size_t> spreadOffsets(const BoostCollective &collective) {
  constexpr size_t step = BOOST_ALIGNMENT / sizeof(float);
  std::vector<size_t> offsets;
  size_t next = 0;
  for (const BoostCollectiveOperand &operand : operandsOf(collective)) {
    offsets.push_back(next);
    next += (operand.elements / step + 1) * step;
  }
  return offsets;
}

/// Where they lie, in elements from the first in memory.
std::vector<size_t> offsetsOf(std::span<void *const> operands) {
  auto *bucket = static_cast<const float *>(
      *std::min_element(operands.begin(), operands.end()));
  std::vector<size_t> offsets;
  for (void *operand : operands)
    offsets.push_back(
        static_cast<size_t>(static_cast<float *>(operand) - bucket));
  return offsets;
}

bool areSame(const std::vector<AdasumTensor> &a,
             const std::vector<AdasumTensor> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const AdasumTensor &x, const AdasumTensor &y) {
                      return x.offset == y.offset && x.count == y.count &&
                             x.vector == y.vector;
                    });
}

} // namespace

Result<std::unique_ptr<RankCollectives>>
RankCollectives::create(Ranks &ranks, const Program &program,
                        const DeviceLink &link) {
  std::unique_ptr<RankCollectives> result(
      new RankCollectives(ranks, program, link));
  BOOSTRT_RETURN_IF_ERROR(result->prepare());
  return result;
}

Status RankCollectives::prepare() {
  Prepared *carrier = nullptr;
  std::span<const BoostCollective> schedule = program_.collectives();
  prepared_.resize(schedule.size());
  for (size_t i = 0; i < schedule.size(); ++i) {
    prepared_[i].name = nameOf(schedule[i], program_);
    prepared_[i].floats.reserve(schedule[i].operand_count);
    if (schedule[i].kind != BOOST_COLLECTIVE_ALL_REDUCE)
      continue;
    prepared_[i].integers.resize(countOf(BOOST_I64, schedule[i]));
    if (schedule[i].ranks == BOOST_RANKS_ALL && !prepared_[i].integers.empty())
      carrier = &prepared_[i];
  }
  if (!carrier)
    return Status(ExitCode::Input,
                  fmt::format("'{}' has no all_reduce of integers over all "
                              "ranks, and so cannot be trained by {}; let "
                              "@update sum the number of samples, or compile "
                              "the model file with this version of boostc",
                              program_.path(), ranks_.size()));
  carrier->carriesStop = true;
  carrier->integers.push_back(0);

  all_.emplace(ranks_.transport());
  for (size_t i = 0; i < schedule.size(); ++i) {
    if (schedule[i].ranks != BOOST_RANKS_ALL && !inner_) {
      Result<Group> inner =
          ranks_.innerGroup(program_.descriptor().adasum_across);
      if (!inner.ok())
        return inner.status();
      inner_.emplace(std::move(inner).value());
    }
    BOOSTRT_RETURN_IF_ERROR(reserve(schedule[i], prepared_[i]));
  }
  if (!link_.vectors)
    return Status();
  // At once: a smaller piece would stay reserved beside it.
  BOOSTRT_RETURN_IF_ERROR(link_.vectors->reserve(deviceScratchBytes_).status());
  Result<void *> stop =
      link_.memory->allocate(sizeof *deviceStop_, "what ranks say of signals");
  if (!stop.ok())
    return stop.status();
  deviceStop_ = static_cast<int64_t *>(*stop);
  return Status();
}

Status RankCollectives::reserve(const BoostCollective &collective,
                                Prepared &prepared) {
  if (collective.kind == BOOST_COLLECTIVE_ADASUM) {
    BOOSTRT_RETURN_IF_ERROR(
        plan(prepared, tensorsOf(collective, spreadOffsets(collective))));
    if (link_.vectors)
      deviceScratchBytes_ = std::max<uint64_t>(deviceScratchBytes_,
                                               prepared.adasum->scratchBytes());
    else
      ranks_.workspace().reserve(prepared.adasum->scratchBytes());
    return Status();
  }
  uint32_t members = groupOf(collective).size();
  size_t floats = countOf(BOOST_F32, collective);
  if (collective.kind != BOOST_COLLECTIVE_ALL_REDUCE) {
    prepared.exchange.emplace(collective, members);
    floats = prepared.exchange->scratchElements();
  }
  if (!link_.vectors) {
    ranks_.workspace().reserve(allReduceScratchBytes(members, floats));
    return Status();
  }
  // An integer takes the room of two.
  size_t elements = std::max(floats, 2 * prepared.integers.size());
  deviceScratchBytes_ = std::max<uint64_t>(
      deviceScratchBytes_,
      allReduceScratchBytes(members, elements, link_.vectors->cuts()));
  return Status();
}

Status RankCollectives::plan(Prepared &prepared,
                             std::vector<AdasumTensor> tensors) const {
  Result<Adasum> adasum = Adasum::plan(all_->size(), all_->self(), tensors,
                                       adasumOptions(inner_->size()));
  if (!adasum.ok())
    return adasum.status();
  prepared.adasum.emplace(std::move(adasum).value());
  prepared.tensors = std::move(tensors);
  return Status();
}

std::string RankCollectives::describeAdasum() const {
  if (!inner_ || inner_->size() == all_->size())
    return "";
  std::string text;
  for (const Prepared &prepared : prepared_)
    if (prepared.adasum)
      if (std::string own = prepared.adasum->describe();
          text.find(own) == std::string::npos)
        text += (text.empty() ? "" : "; ") + own;
  if (inner_->size() > 1)
    return fmt::format("each {} neighbouring ranks average; {}", inner_->size(),
                       text);
  return text;
}

RankCollectives::~RankCollectives() {
  // The names that the transport knows end here.
  ranks_.transport().setActivity({step_});
}

/// Adasum combines the inner groups' vectors, and all ranks share the work.
Group &RankCollectives::groupOf(const BoostCollective &collective) {
  return collective.ranks == BOOST_RANKS_INNER ? *inner_ : *all_;
}

Status RankCollectives::run(uint32_t index, void *const *operands) {
  const BoostCollective &collective = program_.collectives()[index];
  Prepared &prepared = prepared_[index];
  ranks_.transport().setActivity(
      {step_, prepared.name.c_str(), collective.location});
  Status status = carryOut(collective, prepared, operands);
  if (status.code() != ExitCode::RankLost)
    return status;
  // What others last said of themselves is older than what this rank knows.
  return Status(status.code(),
                fmt::format("{}; this rank was in step {}, {}",
                            status.message(), step_, prepared.name));
}

Status RankCollectives::carryOut(const BoostCollective &collective,
                                 Prepared &prepared, void *const *operands) {
  if (collective.kind == BOOST_COLLECTIVE_ADASUM)
    return combine(collective, prepared, operands);
  if (collective.kind != BOOST_COLLECTIVE_ALL_REDUCE)
    return exchange(collective, prepared, operands);
  if (worksOnDevice())
    return allReduceOnDevice(collective, prepared, operands);
  return allReduce(collective, prepared, operands);
}

/// Where the operands lie: on the device where devices are linked.
Status RankCollectives::exchange(const BoostCollective &collective,
                                 Prepared &prepared, void *const *operands) {
  Workspace &workspace = ranks_.workspace();
  if (worksOnDevice()) {
    Group group = groupOf(collective).over(*link_.transport);
    return prepared.exchange->run(group, operands, workspace, *link_.vectors);
  }
  HostVectors host(workspace);
  return prepared.exchange->run(groupOf(collective), operands, workspace, host);
}

Status RankCollectives::combine(const BoostCollective &collective,
                                Prepared &prepared, void *const *operands) {
  if (inner_->size() == all_->size())
    return Status(); // one group: its mean is what there is
  std::span addresses(operands, collective.operand_count);
  std::vector<AdasumTensor> tensors =
      tensorsOf(collective, offsetsOf(addresses));
  if (!areSame(tensors, prepared.tensors))
    BOOSTRT_RETURN_IF_ERROR(plan(prepared, std::move(tensors)));
  auto *bucket = static_cast<float *>(
      *std::min_element(addresses.begin(), addresses.end()));
  AdasumReport report, *logged = logsAdasum_ ? &report : nullptr;
  if (worksOnDevice()) {
    Group group = all_->over(*link_.transport);
    BOOSTRT_RETURN_IF_ERROR(prepared.adasum->run(
        group, bucket, ranks_.workspace(), *link_.vectors, logged));
  } else {
    BOOSTRT_RETURN_IF_ERROR(
        prepared.adasum->run(*all_, bucket, ranks_.workspace(), logged));
  }
  if (logged && ranks_.isFirst())
    log(collective, prepared, report);
  return Status();
}

void RankCollectives::log(const BoostCollective &collective,
                          const Prepared &prepared,
                          const AdasumReport &report) {
  size_t first = adasumLog_.size(), inGroup = inner_->size();
  for (const AdasumVectorReport &vector : report.vectors) {
    AdasumEntry &entry = adasumLog_.emplace_back();
    entry.orthogonality = vector.orthogonality;
    // Its ranks' coefficients are of the same vector.
    for (size_t rank = 0; rank < vector.coefficients.size(); rank += inGroup)
      entry.coefficients.push_back(
          std::accumulate(&vector.coefficients[rank],
                          &vector.coefficients[rank] + inGroup, 0.0));
  }
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

/// As allReduce(), with addresses of the device. The host learns only whether a
/// signal has come.
Status RankCollectives::allReduceOnDevice(const BoostCollective &collective,
                                          Prepared &prepared,
                                          void *const *operands) {
  Group group = groupOf(collective).over(*link_.transport);
  std::span<const BoostCollectiveOperand> table = operandsOf(collective);
  prepared.floats.clear();
  prepared.deviceIntegers.clear();
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i].dtype == BOOST_F32)
      prepared.floats.emplace_back(static_cast<float *>(operands[i]),
                                   table[i].elements);
    else
      prepared.deviceIntegers.emplace_back(static_cast<int64_t *>(operands[i]),
                                           table[i].elements);
  int64_t stop = Ranks::stopRequest();
  std::span<std::byte> stopBytes = std::as_writable_bytes(std::span(&stop, 1));
  if (prepared.carriesStop) {
    BOOSTRT_RETURN_IF_ERROR(link_.memory->copyIn(deviceStop_, stopBytes));
    prepared.deviceIntegers.emplace_back(deviceStop_, 1);
  }
  BOOSTRT_RETURN_IF_ERROR(
      allReduceSum(group, prepared.floats, ranks_.workspace(), *link_.vectors));
  BOOSTRT_RETURN_IF_ERROR(allReduceSum(group, prepared.deviceIntegers,
                                       ranks_.workspace(), *link_.vectors));
  if (!prepared.carriesStop)
    return Status();
  DeviceCopy sum{stopBytes, deviceStop_};
  BOOSTRT_RETURN_IF_ERROR(link_.memory->copyOut({&sum, 1}));
  ranks_.agreeOnStop(stop);
  return Status();
}

} // namespace boostrt
