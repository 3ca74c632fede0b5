#include "runtime/device/cuda/CallPlanner.h"

#include "runtime/device/cuda/CallShape.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

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

/// The largest difference; infinite where one is not finite.
double distance(const std::vector<float> &a, const std::vector<float> &b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double difference = std::fabs(static_cast<double>(a[i]) - b[i]);
    if (!(difference <= largest))
      largest = std::isfinite(difference)
                    ? difference
                    : std::numeric_limits<double>::infinity();
  }
  return largest;
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
  CallBench::Operands operands = bench_.operandsOf(call);
  CallBench::Work kernel = fallback(call);
  Result<std::vector<float>> expected = bench_.runOnce(call, kernel);
  if (!expected.ok())
    return expected.status();
  Result<std::vector<std::string>> candidates =
      subject.operation.candidates(operands);
  if (!candidates.ok()) {
    note(call, candidates.status().message());
    return LibraryPlan();
  }
  Result<std::vector<LibraryPlan>> plans = measure(subject, *candidates);
  if (!plans.ok())
    return plans.status();
  double kernelTime = 0;
  if (!isUnmeasured_) {
    Result<double> time = bench_.time(kernel);
    if (!time.ok())
      return time.status();
    kernelTime = *time;
  }
  for (LibraryPlan &plan : *plans) {
    plan.kernelMicroseconds = kernelTime;
    plan.usesLibrary = isUnmeasured_ || settings_.use == LibraryUse::On ||
                       plan.libraryMicroseconds < kernelTime;
    if (!plan.usesLibrary)
      return plan;
    if (subject.operation.choose(plan.candidate, operands).ok() &&
        isSound(subject, plan.candidate, *expected))
      return plan;
  }
  return LibraryPlan();
}

/// Usable candidates, the fastest first; in the library's order, without times,
/// once the time budget is spent. Comparing results takes longer than
/// measuring, so choose() does it from the fastest on.
Result<std::vector<LibraryPlan>>
CallPlanner::measure(const Subject &subject,
                     const std::vector<std::string> &candidates) {
  std::vector<LibraryPlan> plans;
  for (const std::string &candidate : candidates) {
    isUnmeasured_ |= Clock::now() >= settings_.end;
    LibraryPlan plan{true, candidate, 0, 0};
    if (!isUnmeasured_) {
      if (!subject.operation.choose(candidate, bench_.operandsOf(subject.call))
               .ok() ||
          !library(subject)().ok())
        continue; // the library has others
      Result<double> time = bench_.time(library(subject));
      if (!time.ok())
        return time.status();
      plan.libraryMicroseconds = *time;
    }
    plans.push_back(plan);
  }
  if (isUnmeasured_)
    for (LibraryPlan &plan : plans)
      plan.libraryMicroseconds = 0;
  std::ranges::stable_sort(plans, {}, &LibraryPlan::libraryMicroseconds);
  return plans;
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

/// Whether `candidate`, which is chosen, gives the same bits twice, and numbers
/// as they should be.
bool CallPlanner::isSound(const Subject &subject, const std::string &candidate,
                          const std::vector<float> &expected) {
  const BoostLibraryCall &call = subject.call;
  CallBench::Work work = library(subject);
  Result<std::vector<float>> once = bench_.runOnce(call, work);
  if (!once.ok())
    return false; // the library has others
  Result<std::vector<float>> twice = bench_.runOnce(call, work);
  if (!twice.ok() || !sameBits(*once, *twice))
    return false;
  double bound = boundOf(call), difference = distance(*once, expected);
  if (difference <= bound)
    return true;
  if (unsound_++ == 0)
    firstUnsound_ = fmt::format(
        "{}: {} does not compute what the generated kernel does by its '{}', "
        "which is not used: off by {:.3g}, where rounding explains {:.3g}",
        call.location, subject.library, candidate, difference, bound);
  return false;
}

std::string CallPlanner::describeUnsound() const {
  return unsound_ > 1 ? fmt::format("{}; likewise {} others", firstUnsound_,
                                    unsound_ - 1)
                      : firstUnsound_;
}

void CallPlanner::note(const BoostLibraryCall &call, const std::string &what) {
  notes_.push_back(fmt::format("{}: {}", call.location, what));
}

} // namespace boostrt::cuda
