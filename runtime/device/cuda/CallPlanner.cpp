#include "runtime/device/cuda/CallPlanner.h"

#include "runtime/device/cuda/CallShape.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace boostrt::cuda {
namespace {

/// By how much a library's result may differ from that of the generated kernel,
/// which is always in f32: two ways to add up the same terms, of at most 1
/// each. Each rounds terms + 1 times, sums of magnitudes below terms + 1, so it
/// is off by (terms + 1)^2 half units at most. Of both factors the square root
/// counts, 8 sqrt(terms + 1), but for a probability of 2 exp(-32): the errors
/// cancel like random ones (Higham and Mary, "A new approach to probabilistic
/// rounding error analysis", 2019), and so do the terms, for the bench's
/// numbers are independent and lie around zero (Hoeffding, "Probability
/// inequalities for sums of bounded random variables", 1963). That is some
/// 2^-15 sqrt(terms) of what results are, and little of the longest sums too.
///
/// In tf32 the library's factors have 10 bits after the leading one. NVIDIA
/// says both that they are rounded and that the other bits are not read, so
/// they may be cut off: a term is off by 2^-9 of itself at most. Errors of
/// terms have either sign, and their sum is above 8 sqrt(terms) of them with
/// the same probability. Products are exact. Additions in tensor cores cut off
/// as well, what is added and what comes out (Fasi et al., "Numerical behavior
/// of NVIDIA tensor cores", 2021): twice a whole unit of a sum, which does not
/// cancel.
///
/// Factors of 16 bits are multiplied as they are, products have 22 bits at
/// most, and tensor cores add them up likewise. A result of 16 bits is rounded
/// once, by the library and by the kernel: by half a unit of what it is.
double boundOf(const BoostLibraryCall &call) {
  double most = static_cast<double>(countTerms(call)) + 1;
  double cancelled = std::min(most, 8 * std::sqrt(most));
  double oneSum = cancelled * cancelled * 0x1p-24;
  double factors =
      call.precision == BOOSTC_PRECISION_TF32 ? cancelled * 0x1p-9 : 0;
  double sums = allowsTensorCores(call)
                    ? oneSum + 4 * most * cancelled * 0x1p-24
                    : 2 * oneSum;
  double halfUnit = call.result_type == BOOSTC_FLOAT_BF16  ? 0x1p-9
                    : call.result_type == BOOSTC_FLOAT_F16 ? 0x1p-12
                                                           : 0;
  return factors + sums + 2 * halfUnit * cancelled;
}

bool agree(const std::vector<float> &a, const std::vector<float> &b,
           double bound) {
  return std::equal(a.begin(), a.end(), b.begin(), [&](float x, float y) {
    return std::fabs(static_cast<double>(x) - y) <= bound;
  });
}

bool sameBits(const std::vector<float> &a, const std::vector<float> &b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

} // namespace

bool CallPlanner::confirm(const Subject &subject, const LibraryPlan &plan) {
  return !plan.usesLibrary ||
         (subject.operation
              .choose(plan.candidate, bench_.operandsOf(subject.call))
              .ok() &&
          bench_.runOnce(subject.call, library(subject)).ok());
}

Result<LibraryPlan> CallPlanner::choose(const Subject &subject) {
  const BoostLibraryCall &call = subject.call;
  LibraryOperation &operation = subject.operation;
  CallBench::Operands operands = bench_.operandsOf(call);
  CallBench::Work kernel = fallback(call), work = library(subject);
  Result<std::vector<float>> expected = bench_.runOnce(call, kernel);
  if (!expected.ok())
    return expected.status();
  LibraryPlan plan;
  Result<std::vector<std::string>> candidates = operation.candidates(operands);
  if (!candidates.ok()) {
    note(call, candidates.status().message());
    return plan;
  }
  for (const std::string &candidate : *candidates) {
    if (isUnmeasured_ && plan.usesLibrary)
      break;
    if (!operation.choose(candidate, operands).ok() ||
        !isSound(subject, *expected))
      continue;
    double time = 0;
    isUnmeasured_ |= Clock::now() >= settings_.end;
    if (!isUnmeasured_) {
      Result<double> measured = bench_.time(work);
      if (!measured.ok())
        return measured.status();
      time = *measured;
    }
    if (!plan.usesLibrary ||
        (!isUnmeasured_ && time < plan.libraryMicroseconds))
      plan = {true, candidate, time, 0};
  }
  if (!plan.usesLibrary)
    return plan;
  BOOSTRT_RETURN_IF_ERROR(operation.choose(plan.candidate, operands));
  if (isUnmeasured_)
    return plan;
  Result<double> time = bench_.time(kernel);
  if (!time.ok())
    return time.status();
  plan.kernelMicroseconds = *time;
  plan.usesLibrary =
      settings_.use == LibraryUse::On || plan.libraryMicroseconds < *time;
  return plan;
}

CallBench::Work CallPlanner::library(const Subject &subject) const {
  return [&operation = subject.operation,
          operands = bench_.operandsOf(subject.call)] {
    return operation.run(operands);
  };
}

CallBench::Work CallPlanner::fallback(const BoostLibraryCall &call) const {
  return [this, &call, operands = fallbackOperands(bench_.operandsOf(call))] {
    return settings_.launch(call.fallback_launch, operands);
  };
}

/// Whether what is chosen gives the same bits twice, and numbers as they
/// should be.
bool CallPlanner::isSound(const Subject &subject,
                          const std::vector<float> &expected) {
  const BoostLibraryCall &call = subject.call;
  CallBench::Work work = library(subject);
  Result<std::vector<float>> once = bench_.runOnce(call, work);
  if (!once.ok())
    return false; // the library has others
  Result<std::vector<float>> twice = bench_.runOnce(call, work);
  if (!twice.ok() || !sameBits(*once, *twice))
    return false;
  if (agree(*once, expected, boundOf(call)))
    return true;
  note(call, subject.library + " does not compute what the generated kernel "
                               "does; please report this");
  return false;
}

void CallPlanner::note(const BoostLibraryCall &call, const std::string &what) {
  notes_.push_back(fmt::format("{}: {}", call.location, what));
}

} // namespace boostrt::cuda
