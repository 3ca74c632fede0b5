#include "runtime/trainer/RankCollectives.h"

#include "runtime/program/ProgramCollectives.h"
#include "runtime/program/StepVariants.h"
#include "runtime/support/Plural.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace boostrt {
namespace {

/// "all_reduce 2 (fc1.weight, fc1.bias)"; "reduce_scatter 3" where it serves no
/// parameters.
std::string nameOf(const BoostCollective &collective, const Program &program) {
  std::string names;
  for (const BoostCollectiveOperand &operand : operandsOf(collective))
    if (operand.parameter != UINT32_MAX)
      names += (names.empty() ? "" : ", ") +
               std::string(program.parameters()[operand.parameter].tensor.name);
  if (names.empty() && collective.kind == BOOSTC_COLLECTIVE_ALL_REDUCE &&
      countOf(BOOSTC_F32, collective) > 0)
    names = "loss";
  return fmt::format("{} {}{}", kindName(collective.kind), collective.index,
                     names.empty() ? "" : " (" + names + ")");
}

/// Their offsets, in elements from the first in memory.
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
  std::span<const BoostCollective> schedule = program_.collectives();
  prepared_.resize(schedule.size());
  for (size_t i = 0; i < schedule.size(); ++i)
    prepared_[i].name = nameOf(schedule[i], program_);
  for (const BoostVariant &variant : variantsOf(program_.descriptor()))
    BOOSTRT_RETURN_IF_ERROR(chooseCarrier(variant));
  BOOSTRT_RETURN_IF_ERROR(makeGroups());
  for (size_t i = 0; i < schedule.size(); ++i)
    BOOSTRT_RETURN_IF_ERROR(reserve(schedule[i], prepared_[i]));
  // At once: a smaller piece would stay reserved as well.
  BOOSTRT_RETURN_IF_ERROR(memory_.reserve(scratchBytes_).status());
  return link_.vectors ? placeStop() : Status();
}

Status RankCollectives::chooseCarrier(const BoostVariant &variant) {
  const BoostCollective *carrier =
      stopCarrierOf(program_.descriptor(), variant);
  if (!carrier)
    return Status(ExitCode::Input,
                  fmt::format("'{}' has no all_reduce of integers over all "
                              "ranks, and so cannot be trained by {}; let "
                              "@update sum the number of samples, or compile "
                              "the model file with this version of boostc",
                              program_.path(), ranks_.size()));
  prepared_[carrier->index].carriesStop = true;
  return Status();
}

Status RankCollectives::makeGroups() {
  Transport &transport =
      link_.transport ? *link_.transport : ranks_.transport();
  all_.emplace(transport);
  auto isOfAll = [](const BoostCollective &collective) {
    return collective.ranks == BOOSTC_RANKS_ALL;
  };
  if (std::ranges::all_of(program_.collectives(), isOfAll))
    return Status();
  Result<Group> inner = ranks_.innerGroup(program_.descriptor().adasum_scope);
  if (inner.ok())
    inner_.emplace(inner->over(transport));
  return inner.status();
}

Status RankCollectives::placeStop() {
  Result<void *> stop =
      link_.memory->allocate(sizeof *stop_, "what ranks say of signals");
  if (stop.ok())
    stop_ = static_cast<int64_t *>(*stop);
  return stop.status();
}

Status RankCollectives::reserve(const BoostCollective &collective,
                                Prepared &prepared) {
  uint64_t bytes = 0;
  if (collective.kind == BOOSTC_COLLECTIVE_ADASUM) {
    BOOSTRT_RETURN_IF_ERROR(
        plan(prepared, tensorsOf(collective, spreadOffsets(collective))));
    bytes = prepared.adasum->scratchBytes();
  } else {
    if (collective.kind != BOOSTC_COLLECTIVE_ALL_REDUCE)
      prepared.exchange.emplace(collective);
    uint32_t members = groupOf(collective).size();
    bytes = allReduceScratchBytes(
        members, scratchFloats(collective, members, prepared.carriesStop),
        memory_.cuts());
  }
  scratchBytes_ = std::max(scratchBytes_, bytes);
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
  if (!inner_)
    return "";
  if (!combinesByAdasum())
    return fmt::format("Adasum has nothing to combine: it is across servers, "
                       "and there is one, whose {} average; start ranks on "
                       "several servers, or compile with --boost "
                       "adasum.across=ranks",
                       countOf(all_->size(), "rank"));
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
  return collective.ranks == BOOSTC_RANKS_INTRA_GROUP ? *inner_ : *all_;
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
  if (collective.kind == BOOSTC_COLLECTIVE_ADASUM)
    return combine(collective, prepared, operands);
  if (collective.kind == BOOSTC_COLLECTIVE_ALL_REDUCE)
    return allReduce(collective, prepared, operands);
  return prepared.exchange->run(groupOf(collective), operands,
                                ranks_.workspace(), memory_);
}

Status RankCollectives::combine(const BoostCollective &collective,
                                Prepared &prepared, void *const *operands) {
  if (!combinesByAdasum())
    return Status(); // the one group's mean is the result
  std::span addresses(operands, collective.operand_count);
  std::vector<AdasumTensor> tensors =
      tensorsOf(collective, offsetsOf(addresses));
  if (!areSame(tensors, prepared.tensors))
    BOOSTRT_RETURN_IF_ERROR(plan(prepared, std::move(tensors)));
  auto *bucket = static_cast<float *>(
      *std::min_element(addresses.begin(), addresses.end()));
  AdasumReport report, *logged = logsAdasum_ ? &report : nullptr;
  Adasum &adasum = *prepared.adasum;
  Workspace &workspace = ranks_.workspace();
  BOOSTRT_RETURN_IF_ERROR(
      link_.vectors ? adasum.run(*all_, bucket, workspace, memory_, logged)
                    : adasum.run(*all_, bucket, workspace, logged));
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

/// The host learns from a device only whether a signal has come.
Status RankCollectives::allReduce(const BoostCollective &collective,
                                  Prepared &prepared, void *const *operands) {
  Group &group = groupOf(collective);
  Workspace &workspace = ranks_.workspace();
  listOperands(collective, operands, prepared.floats);
  listOperands(collective, operands, prepared.integers);
  int64_t stop = Ranks::stopRequest();
  if (prepared.carriesStop) {
    BOOSTRT_RETURN_IF_ERROR(memory_.put(stop_, &stop, sizeof stop));
    prepared.integers.emplace_back(stop_, 1);
  }
  BOOSTRT_RETURN_IF_ERROR(
      allReduceSum(group, prepared.floats, workspace, memory_));
  BOOSTRT_RETURN_IF_ERROR(
      allReduceSum(group, prepared.integers, workspace, memory_));
  if (!prepared.carriesStop)
    return Status();
  BOOSTRT_RETURN_IF_ERROR(memory_.get(&stop, stop_, sizeof stop));
  ranks_.agreeOnStop(stop);
  return Status();
}

} // namespace boostrt
