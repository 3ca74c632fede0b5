#include "runtime/device/cuda/LibraryCalls.h"
#include "runtime/support/Clock.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace boostrt::cuda {
namespace {

/// Whether two ways to add up the same terms, of at most 1 each, may differ as
/// `a` and `b` do: each is off by no more than (terms + 1) roundings of a sum
/// of magnitudes below terms + 1.
bool agree(const std::vector<float> &a, const std::vector<float> &b,
           int64_t terms) {
  double most = static_cast<double>(terms) + 1;
  double bound = 2 * most * most * std::ldexp(1.0, -24);
  return std::equal(a.begin(), a.end(), b.begin(), [&](float x, float y) {
    return std::fabs(static_cast<double>(x) - y) <= bound;
  });
}

bool sameBits(const std::vector<float> &a, const std::vector<float> &b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

} // namespace

/// Finds out how each call is executed best.
class LibraryCalls::Planner {
public:
  Planner(LibraryCalls &calls, CallBench &bench, LibraryUse use,
          Clock::time_point end, std::vector<std::string> &notes)
      : calls_(calls), gpu_(calls.gpu_), bench_(bench), use_(use), end_(end),
        notes_(notes) {}

  /// Whether `plan`, from a file, can be had; it is then as good as run.
  bool confirm(const BoostLibraryCall &call, const LibraryPlan &plan,
               LtMatmul &matmul) {
    CallBench::Operands operands = bench_.operandsOf(call);
    return !plan.usesLibrary ||
           (matmul.accepts(plan.algorithm, operands) &&
            bench_.runOnce(call, library(matmul, plan.algorithm, operands))
                .ok());
  }

  Result<LibraryPlan> choose(const BoostLibraryCall &call, LtMatmul &matmul) {
    CallBench::Operands operands = bench_.operandsOf(call);
    CallBench::Work kernel = fallback(call, operands);
    Result<std::vector<float>> expected = bench_.runOnce(call, kernel);
    if (!expected.ok())
      return expected.status();
    LibraryPlan plan;
    Result<std::vector<LtAlgorithm>> candidates = matmul.candidates(operands);
    if (!candidates.ok()) {
      note(call, candidates.status().message());
      return plan;
    }
    for (const LtAlgorithm &candidate : *candidates) {
      if (isUnmeasured && plan.usesLibrary)
        break;
      CallBench::Work work = library(matmul, candidate, operands);
      if (!isSound(call, work, *expected))
        continue;
      isUnmeasured |= Clock::now() >= end_;
      if (isUnmeasured) {
        plan.usesLibrary = true;
        plan.algorithm = candidate;
        break;
      }
      Result<double> time = bench_.time(work);
      if (!time.ok())
        return time.status();
      if (!plan.usesLibrary || *time < plan.libraryMicroseconds) {
        plan.usesLibrary = true;
        plan.algorithm = candidate;
        plan.libraryMicroseconds = *time;
      }
    }
    if (!plan.usesLibrary || isUnmeasured)
      return plan;
    Result<double> time = bench_.time(kernel);
    if (!time.ok())
      return time.status();
    plan.kernelMicroseconds = *time;
    plan.usesLibrary =
        use_ == LibraryUse::On || plan.libraryMicroseconds < *time;
    return plan;
  }

  /// Set when there was no time left for one of the calls.
  bool isUnmeasured = false;

private:
  CallBench::Work library(LtMatmul &matmul, const LtAlgorithm &algorithm,
                          const CallBench::Operands &operands) const {
    return [this, &matmul, algorithm, operands] {
      return matmul.run(algorithm, operands, gpu_.stream);
    };
  }

  CallBench::Work fallback(const BoostLibraryCall &call,
                           const CallBench::Operands &operands) const {
    std::vector<uint64_t> present;
    std::copy_if(operands.begin(), operands.end() - 1,
                 std::back_inserter(present),
                 [](uint64_t operand) { return operand != 0; });
    return [this, &call, present] {
      return gpu_.launch(call.fallback_launch, present);
    };
  }

  /// Whether `work` gives the same bits twice, and numbers as they should be.
  bool isSound(const BoostLibraryCall &call, const CallBench::Work &work,
               const std::vector<float> &expected) {
    Result<std::vector<float>> once = bench_.runOnce(call, work);
    if (!once.ok())
      return false; // the library has others
    Result<std::vector<float>> twice = bench_.runOnce(call, work);
    if (twice.ok() && !sameBits(*once, *twice))
      return false;
    if (twice.ok() && agree(*once, expected, call.matmul.k))
      return true;
    note(call, calls_.library_->name() +
                   " does not compute what the generated kernel does; please "
                   "report this");
    return false;
  }

  void note(const BoostLibraryCall &call, const std::string &what) {
    notes_.push_back(fmt::format("{}: {}", call.location, what));
  }

  LibraryCalls &calls_;
  const Gpu &gpu_;
  CallBench &bench_;
  LibraryUse use_;
  Clock::time_point end_;
  std::vector<std::string> &notes_;
};

Result<std::unique_ptr<LibraryCalls>>
LibraryCalls::create(Gpu gpu, const CublasLtApi &api, const BoostTarget &target,
                     const LibrarySettings &settings,
                     std::vector<std::string> &notes,
                     std::chrono::nanoseconds budget) {
  Clock::time_point begin = Clock::now();
  std::unique_ptr<LibraryCalls> calls(new LibraryCalls(std::move(gpu), target));
  Result<std::unique_ptr<CublasLt>> library = CublasLt::create(api);
  if (!library.ok())
    return library.status();
  calls->library_ = std::move(library).value();
  Result<std::unique_ptr<CallBench>> bench =
      CallBench::create(calls->gpu_.api, calls->gpu_.stream, target);
  if (!bench.ok())
    return bench.status();

  PlanKey key{calls->gpu_.name, calls->gpu_.driverVersion,
              calls->library_->version(), settings.use, settings.programHash};
  std::string file;
  LibraryPlans known = readPlans(settings.planFiles, key, file, notes), plans;
  Planner planner(*calls, **bench, settings.use, begin + budget, notes);
  bool isNew = false;
  for (const BoostLibraryCall &call :
       std::span(target.library_calls, target.library_call_count)) {
    std::string name = describeCall(call);
    std::unique_ptr<LtMatmul> &matmul = calls->matmuls_[name];
    if (!matmul) {
      Result<std::unique_ptr<LtMatmul>> made =
          LtMatmul::create(*calls->library_, call);
      if (!made.ok())
        return made.status();
      matmul = std::move(made).value();
      auto found = known.find(name);
      if (found != known.end() &&
          planner.confirm(call, found->second, *matmul)) {
        plans[name] = found->second;
      } else {
        Result<LibraryPlan> plan = planner.choose(call, *matmul);
        if (!plan.ok())
          return plan.status();
        plans[name] = *plan;
        isNew = true;
      }
    }
    const LibraryPlan &plan = plans[name];
    calls->calls_.push_back({matmul.get(), plan.algorithm, plan.usesLibrary});
  }

  auto count = std::count_if(calls->calls_.begin(), calls->calls_.end(),
                             [](const Call &call) { return call.usesLibrary; });
  std::string note =
      fmt::format("{} computes {} of {} large matrix products, generated "
                  "kernels the others",
                  calls->library_->name(), count, calls->calls_.size());
  if (isNew) {
    std::chrono::duration<double> spent = Clock::now() - begin;
    note += fmt::format("; measured in {:.1f} s", spent.count());
    // Another run may have the time.
    file = planner.isUnmeasured
               ? ""
               : writePlans(settings.planFiles, key, plans, notes);
    if (planner.isUnmeasured)
      note += ", which was not enough for all of them";
  }
  if (!file.empty())
    note +=
        fmt::format("{} '{}'", isNew ? ", kept in" : ", as is kept in", file);
  notes.push_back(note);
  return calls;
}

Status LibraryCalls::call(uint32_t index, std::span<const uint64_t> operands) {
  const Call &call = calls_[index];
  Status status = call.matmul->run(call.algorithm, operands, gpu_.stream);
  if (status.ok())
    return status;
  return Status(status.code(),
                fmt::format("{}: {}", target_.library_calls[index].location,
                            status.message()));
}

} // namespace boostrt::cuda
