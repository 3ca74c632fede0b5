// A whole step of several ranks in the interpreter: what the runtime's
// StepWindow does, phase by phase.
#include "compiler/reference/ReferenceTrainer.h"

using namespace mlir;
using namespace boostc;

FailureOr<ReferenceTrainer::Partial>
ReferenceTrainer::sumWindow(ArrayRef<MicroBatch> window,
                            const Partial &before) {
  if (window.empty()) {
    FailureOr<func::FuncOp> function = find(train::kMicro);
    if (failed(function))
      return failure();
    RankValues zeros;
    for (Type type : function->getResultTypes())
      zeros.push_back(ReferenceValue::zeros(type));
    FailureOr<Bound> nothing = bindResults(*function, std::move(zeros));
    if (failed(nothing))
      return failure();
    Partial sums = before;
    assignSums(*nothing, sums);
    return sums;
  }
  Partial first = before;
  if (program.accumulatesInPlace())
    first.lossCount = 0; // the set is empty
  FailureOr<Partial> sums = micro(window[0].inputs, window[0].valid, first);
  for (const MicroBatch &batch : window.drop_front()) {
    if (failed(sums))
      return failure();
    if (program.accumulatesInPlace()) {
      sums = micro(batch.inputs, batch.valid, *sums);
      continue;
    }
    FailureOr<Partial> next = micro(batch.inputs, batch.valid, before);
    if (failed(next))
      return failure();
    sums = combine(*sums, *next);
  }
  return sums;
}

FailureOr<ReferenceTrainer::StepDone>
ReferenceTrainer::takeStep(MutableArrayRef<ReferenceTrainer> ranks,
                           ArrayRef<std::vector<MicroBatch>> windows,
                           const std::map<std::string, double> &controls,
                           int64_t maxTimes) {
  StepDone done;
  train::StepVariant variant = ranks.front().getVariant();
  std::vector<Partial> sums(ranks.size());
  auto sumPhase = [&](std::optional<size_t> phase) -> LogicalResult {
    for (auto [rank, window, own] : llvm::zip_equal(ranks, windows, sums)) {
      rank.phase = phase;
      FailureOr<Partial> summed = rank.sumWindow(window, own);
      if (failed(summed))
        return failure();
      own = std::move(*summed);
    }
    return success();
  };
  for (size_t i = 0; i < variant.probes.size(); ++i) {
    int64_t times = 0;
    for (bool repeats = true; repeats; ++times) {
      if (times == maxTimes)
        return variant.op->emitOpError("does phase ")
               << i + 1 << " of step " << ranks.front().step << " " << times
               << " times and asks for more";
      if (failed(sumPhase(i)))
        return failure();
      FailureOr<std::vector<Probed>> probed =
          probeOnRanks(ranks, sums, controls);
      if (failed(probed))
        return failure();
      for (auto [own, left] : llvm::zip_equal(sums, *probed))
        own = std::move(left.sums);
      repeats = probed->front().repeats;
    }
    done.times.push_back(times);
  }
  for (ReferenceTrainer &rank : ranks)
    rank.phase.reset();
  if (variant.micro && failed(sumPhase(std::nullopt)))
    return failure();
  FailureOr<std::vector<bool>> isApplied = updateOnRanks(ranks, sums, controls);
  if (failed(isApplied))
    return failure();
  done.isApplied = std::move(*isApplied);
  return done;
}
