#include "runtime/device/cuda/LibraryCalls.h"

#include "runtime/device/cuda/CallPlanner.h"
#include "runtime/device/cuda/CallShape.h"
#include "runtime/device/cuda/CublasLt.h"
#include "runtime/device/cuda/Cudnn.h"
#include "runtime/support/Clock.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace boostrt::cuda {
namespace {

/// How numbers are multiplied follows from the program. The environment, by
/// which NVIDIA's libraries could be told to use tf32 everywhere or nowhere, or
/// to make products of f32 out of those of bf16, is told the same before one of
/// them is opened.
void setPrecision(const BoostTarget &target) {
  setenv("CUBLAS_EMULATE_SINGLE_PRECISION", "0", /*overwrite=*/1);
  constexpr const char *kName = "NVIDIA_TF32_OVERRIDE";
  bool isAllowed = std::any_of(target.library_calls,
                               target.library_calls + target.library_call_count,
                               [](const BoostLibraryCall &call) {
                                 return call.precision == BOOSTC_PRECISION_TF32;
                               });
  if (isAllowed)
    unsetenv(kName);
  else
    setenv(kName, "0", /*overwrite=*/1);
}

/// Opens and starts a library.
template <class Library, class Api>
Result<std::unique_ptr<GpuLibrary>> start(const SearchContext &context,
                                          Stream stream) {
  Result<Api> api = Api::open(context);
  if (!api.ok())
    return api.status();
  Result<std::unique_ptr<Library>> library = Library::create(*api, stream);
  if (!library.ok())
    return library.status();
  return std::unique_ptr<GpuLibrary>(std::move(library).value());
}

} // namespace

/// Calls that no library takes are left to their kernels.
LibraryCalls::LibraryCalls(Gpu gpu, const BoostTarget &target)
    : gpu_(std::move(gpu)), target_(target),
      parts_{{"matmuls", isMatmul, start<CublasLt, CublasLtApi>},
             {"convolutions", isConvolution, start<Cudnn, CudnnApi>}},
      calls_(target.library_call_count) {
  for (Part &part : parts_)
    for (uint32_t i = 0; i < target.library_call_count; ++i)
      if (part.takes(target.library_calls[i]))
        part.calls.push_back(i);
}

std::unique_ptr<LibraryCalls>
LibraryCalls::create(Gpu gpu, const SearchContext &context,
                     const BoostTarget &target, const LibrarySettings &settings,
                     std::vector<std::string> &notes,
                     std::chrono::nanoseconds budget) {
  std::unique_ptr<LibraryCalls> calls(new LibraryCalls(std::move(gpu), target));
  calls->openLibraries(context, notes);
  calls->describeAll(notes);
  if (calls->operations_.empty())
    return calls;
  // A fault that lasts shows in what the program does next.
  if (Status status = calls->plan(settings, notes, budget); !status.ok())
    for (Part &part : calls->parts_)
      if (part.library)
        calls->leave(part, status, notes);
  return calls;
}

void LibraryCalls::openLibraries(const SearchContext &context,
                                 std::vector<std::string> &notes) {
  setPrecision(target_);
  for (Part &part : parts_) {
    if (part.calls.empty())
      continue;
    Result<std::unique_ptr<GpuLibrary>> library =
        part.start(context, gpu_.stream);
    if (library.ok())
      part.library = std::move(library).value();
    else
      leave(part, library.status(), notes);
  }
}

void LibraryCalls::describeAll(std::vector<std::string> &notes) {
  for (Part &part : parts_)
    for (uint32_t index : part.calls) {
      if (!part.library)
        break;
      const BoostLibraryCall &call = target_.library_calls[index];
      std::unique_ptr<LibraryOperation> &operation =
          operations_[describeCall(call)];
      if (!operation) {
        Result<std::unique_ptr<LibraryOperation>> described =
            part.library->describe(call);
        if (!described.ok()) {
          leave(part, described.status(), notes);
          break;
        }
        operation = std::move(described).value();
      }
      calls_[index].operation = operation.get();
    }
}

void LibraryCalls::leave(Part &part, const Status &why,
                         std::vector<std::string> &notes) {
  notes.push_back(fmt::format("generated kernels compute all {}: {}",
                              part.computes, why.message()));
  for (uint32_t index : part.calls) {
    calls_[index] = {};
    operations_.erase(describeCall(target_.library_calls[index]));
  }
  part.library = nullptr;
}

Status LibraryCalls::plan(const LibrarySettings &settings,
                          std::vector<std::string> &notes,
                          std::chrono::nanoseconds budget) {
  Clock::time_point begin = Clock::now();
  Result<std::unique_ptr<CallBench>> bench =
      CallBench::create(gpu_.api, gpu_.stream, target_);
  if (!bench.ok())
    return bench.status();
  PlanKey key{gpu_.name, gpu_.driverVersion, "", settings.use,
              settings.programHash};
  for (const Part &part : parts_)
    if (part.library)
      key.libraries +=
          (key.libraries.empty() ? "" : ", ") + part.library->name();
  std::string file;
  LibraryPlans known = readPlans(settings.planFiles, key, file, notes), plans;
  CallPlanner planner(**bench, {settings.use, begin + budget, gpu_.launch},
                      notes);
  bool isNew = false;
  for (const Part &part : parts_) {
    if (!part.library)
      continue;
    for (uint32_t index : part.calls) {
      const BoostLibraryCall &call = target_.library_calls[index];
      CallPlanner::Subject subject{call, *calls_[index].operation,
                                   part.library->name()};
      std::string name = describeCall(call);
      if (!plans.contains(name)) {
        auto found = known.find(name);
        if (found != known.end() && planner.confirm(subject, found->second)) {
          plans[name] = found->second;
        } else {
          Result<LibraryPlan> plan = planner.choose(subject);
          if (!plan.ok())
            return plan.status();
          plans[name] = *plan;
          isNew = true;
        }
      }
      calls_[index].usesLibrary = plans[name].usesLibrary;
    }
  }

  if (std::string unsound = planner.describeUnsound(); !unsound.empty())
    notes.push_back(unsound);
  std::string note = summary();
  if (isNew) {
    std::chrono::duration<double> spent = Clock::now() - begin;
    note += fmt::format("; measured in {:.1f} s", spent.count());
    // The next run goes on with those for which there was no time.
    if (size_t unmeasured = std::erase_if(
            plans, [](const auto &plan) { return !plan.second.isMeasured(); }))
      note += fmt::format(", which was not enough for {} of them", unmeasured);
    file =
        plans.empty() ? "" : writePlans(settings.planFiles, key, plans, notes);
  }
  if (!file.empty())
    note +=
        fmt::format("{} '{}'", isNew ? ", kept in" : ", as is kept in", file);
  notes.push_back(note);
  return Status();
}

std::string LibraryCalls::summary() const {
  std::string text;
  for (const Part &part : parts_)
    if (part.library)
      text +=
          fmt::format("{} computes {} of {} large {}, ", part.library->name(),
                      std::count_if(part.calls.begin(), part.calls.end(),
                                    [&](uint32_t index) {
                                      return calls_[index].usesLibrary;
                                    }),
                      part.calls.size(), part.computes);
  return text + "generated kernels the others";
}

Status LibraryCalls::call(uint32_t index, std::span<const uint64_t> operands) {
  Status status = calls_[index].operation->run(operands);
  if (status.ok())
    return status;
  return Status(status.code(),
                fmt::format("{}: {}", target_.library_calls[index].location,
                            status.message()));
}

} // namespace boostrt::cuda
