#include "compiler/pipeline/MemoryBudget.h"
#include "compiler/lowering/buffers/Passes.h"
#include "compiler/lowering/buffers/Recomputation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <list>

using namespace mlir;
using namespace boostc;

/// Where no plan fits, sizes are planned in full whose forecast is less than
/// this times the smallest one.
constexpr double kForecastTolerance = 1.1;

namespace {

/// A module in phase `buffers`.
struct Planned {
  OwningOpRef<ModuleOp> module = {};
  uint64_t bytes = 0; ///< of a training run

  /// The one for the kind of device that reserves most.
  train::ProgramOp program = {};
};

/// A size of micro-batches.
struct Option {
  int64_t size = 0, microBatches = 0;
  OwningOpRef<ModuleOp> module = {}; ///< in phase `linalg`
  RecomputeTrace trace = {};
  ComputeCost micro = {}; ///< of a micro-batch that keeps every value
  double combining = 0;   ///< weight of adding two micro-batches
  /// By forecast: the fewest values to compute again, those with which least is
  /// needed where that is too much, and bytes then.
  uint64_t recomputed = 0, forecast = 0;
  bool isTried = false;

  /// Weight of a step.
  double weigh() const {
    double once = micro.weigh() + trace.steps[recomputed].cost.weigh();
    return static_cast<double>(microBatches) * once +
           static_cast<double>(microBatches - 1) * combining;
  }
};

} // namespace

static train::ProgramOp getProgram(ModuleOp module) {
  return *module.getOps<train::ProgramOp>().begin();
}

/// What a step calls for each micro-batch, and between them.
static void estimate(Option &option) {
  train::ProgramOp program = getProgram(*option.module);
  option.microBatches = program.getMicroBatches();
  for (const train::StepPhase &phase :
       program.getVariants().back().getPhases()) {
    if (phase.micro)
      option.micro += estimateCost(phase.micro);
    if (phase.combine)
      option.combining += estimateCost(phase.combine).weigh();
  }
  OwningOpRef<ModuleOp> copy = option.module->clone();
  option.trace =
      recompute(getProgram(*copy), std::numeric_limits<uint64_t>::max());
}

namespace {

class Search {
public:
  explicit Search(const BudgetRequest &request) : request(request) {}

  FailureOr<BudgetedPlan> run() {
    if (failed(addOption(request.microBatches.sizes.front())))
      return failure();
    Option &first = options.front();
    FailureOr<Planned> keepsAll = plan(first, 0);
    if (failed(keepsAll))
      return failure();
    if (keepsAll->bytes <= request.bytes)
      return finish(first, 0, std::move(*keepsAll));
    before = std::move(*keepsAll);
    calibrate();
    // A smaller size than one with which all can be kept costs more.
    while (options.back().recomputed > 0 || !isForecast(options.back()))
      if (!addNext())
        break;
    std::vector<Option *> promising;
    for (Option &option : options)
      if (isForecast(option))
        promising.push_back(&option);
    llvm::stable_sort(promising, [](const Option *a, const Option *b) {
      return a->weigh() < b->weigh();
    });
    for (Option *option : promising)
      if (FailureOr<bool> fits = attempt(*option); failed(fits))
        return failure();
      else if (*fits)
        return std::move(result);
    return tryRest();
  }

private:
  /// `size` must work for the first one only.
  LogicalResult addOption(int64_t size) {
    FailureOr<OwningOpRef<ModuleOp>> module = request.lower(size);
    if (failed(module))
      return failure();
    Option &option = options.emplace_back();
    option.size = size;
    option.module = std::move(*module);
    estimate(option);
    return success();
  }

  /// Adds the next smaller size; false where there is none.
  bool addNext() {
    ArrayRef<int64_t> sizes = request.microBatches.sizes;
    if (isExhausted || options.size() == sizes.size() ||
        failed(addOption(sizes[options.size()]))) {
      isExhausted = true; // what is too small for a model stays so
      return false;
    }
    forecast(options.back());
    return true;
  }

  FailureOr<Planned> plan(Option &option, uint64_t recomputed) {
    Planned planned{option.module->clone()};
    if (failed(request.plan(*planned.module, recomputed)))
      return failure();
    planned.program = report::getLargestProgram(*planned.module, request.job);
    planned.bytes = report::measureTotal(planned.program, request.job);
    return planned;
  }

  /// How much larger a planned arena is than the values alive in it.
  void calibrate() {
    int64_t transient = 0;
    for (auto function : before.program.getOps<func::FuncOp>())
      transient = std::max(transient, report::measureTransient(function));
    if (int64_t peak = options.front().trace.steps.front().peak)
      ratio = static_cast<double>(transient) / static_cast<double>(peak);
    forecast(options.front());
  }

  void forecast(Option &option) const {
    auto bytesWith = [&](uint64_t recomputed) {
      double transient =
          ratio * static_cast<double>(option.trace.steps[recomputed].peak);
      return report::forecastTotal(before.program, request.job, option.size,
                                   option.microBatches,
                                   static_cast<uint64_t>(transient));
    };
    option.recomputed = 0;
    uint64_t lowest = option.trace.findLowest();
    while (option.recomputed < lowest &&
           bytesWith(option.recomputed) > request.bytes)
      ++option.recomputed;
    option.forecast = bytesWith(option.recomputed);
  }

  bool isForecast(const Option &option) const {
    return option.forecast <= request.bytes;
  }

  /// Plans with the fewest values computed again that suffice. The forecast is
  /// close, so the search goes away from it in growing steps; between two known
  /// numbers it halves.
  FailureOr<bool> attempt(Option &option) {
    option.isTried = true;
    // What is known not to suffice; -1: nothing is.
    int64_t tooFew = &option == &options.front() ? 0 : -1;
    int64_t enough = -1;
    Planned best;
    auto guess = static_cast<int64_t>(option.recomputed);
    SmallVector<uint64_t> counts = {option.recomputed};
    llvm::append_range(counts, getLowCounts(option.trace));
    llvm::SmallSet<uint64_t, 4> tried;
    for (uint64_t number : counts) {
      auto count = static_cast<int64_t>(number);
      if (count == tooFew || !tried.insert(number).second)
        continue;
      FailureOr<Planned> planned = plan(option, count);
      if (failed(planned))
        return failure();
      if (planned->bytes <= request.bytes) {
        best = std::move(*planned);
        enough = count;
        break;
      }
      keepSmallest(option, std::move(*planned));
    }
    if (enough < 0)
      return false;
    // Whether the search begins at what suffices, and not at what does not.
    bool isBelow = enough <= guess;
    if (!isBelow)
      tooFew = std::max(tooFew, guess);
    bool isNear = true; // no end of the interval but the forecast is known well
    for (int64_t step = 1; enough - tooFew > 1; step *= 2) {
      int64_t middle = tooFew + (enough - tooFew) / 2;
      if (isNear)
        middle = isBelow ? std::max(enough - step, tooFew + 1)
                         : std::min(tooFew + step, enough - 1);
      FailureOr<Planned> planned = plan(option, middle);
      if (failed(planned))
        return failure();
      bool fits = planned->bytes <= request.bytes;
      isNear &= fits == isBelow;
      if (fits) {
        best = std::move(*planned);
        enough = middle;
      } else {
        tooFew = middle;
      }
    }
    result = finish(option, enough, std::move(best));
    return true;
  }

  /// Numbers of values with which about the least bytes are alive, and none:
  /// GPUs keep small values apart. Which has the smallest plan shows only when
  /// it is made.
  static SmallVector<uint64_t> getLowCounts(const RecomputeTrace &trace) {
    uint64_t last = trace.findLowest(), first = last;
    auto peak = static_cast<double>(trace.steps[last].peak);
    while (first > 0 &&
           static_cast<double>(trace.steps[first - 1].peak) <= 1.05 * peak)
      --first;
    return {last, first, first + (last - first) / 2, 0};
  }

  void keepSmallest(const Option &option, Planned planned) {
    if (smallestOption && planned.bytes >= smallest.bytes)
      return;
    smallest = std::move(planned);
    smallestOption = &option;
  }

  /// No plan of a promising size fits. What is the smallest possible does not
  /// depend on the budget.
  FailureOr<BudgetedPlan> tryRest() {
    while (addNext()) {
    }
    double least = std::numeric_limits<double>::max();
    for (const Option &option : options)
      least = std::min(least, static_cast<double>(option.forecast));
    for (Option &option : options)
      if (!option.isTried &&
          static_cast<double>(option.forecast) <= kForecastTolerance * least) {
        FailureOr<bool> fits = attempt(option);
        if (failed(fits))
          return failure();
        if (*fits)
          return std::move(result);
      }
    if (!smallestOption || before.bytes < smallest.bytes) {
      smallest = std::move(before);
      smallestOption = &options.front();
    }
    std::string remedy = "and a smaller batch_size needs less, or smaller "
                         "micro-batches, which train.micro_batch allows";
    if (request.microBatches.loc)
      remedy =
          llvm::formatv("with micro-batches of {0} {1}", smallestOption->size,
                        smallestOption->size == 1 ? "sample" : "samples");
    return report::checkMemoryBudget(smallest.program, request.bytes,
                                     request.job, remedy);
  }

  BudgetedPlan finish(const Option &option, uint64_t recomputed,
                      Planned planned) {
    const MicroBatchSizes &allowed = request.microBatches;
    BudgetedPlan plan;
    report::BudgetChoice &choice = plan.choice;
    choice.budget = request.bytes;
    choice.bytes = planned.bytes;
    choice.bytesBefore = before.module ? before.bytes : planned.bytes;
    choice.largestMicroBatch = allowed.sizes.front();
    choice.microBatch = option.size;
    choice.microBatches = option.microBatches;
    choice.batchSize = allowed.batchSize;
    choice.recomputed = recomputed;
    choice.extraFlops =
        100.0 * static_cast<double>(option.trace.steps[recomputed].cost.flops) /
        std::max(static_cast<double>(option.micro.flops), 1.0);
    if (std::string text = report::describeBudgetChoice(choice); !text.empty())
      planned.program.emitRemark() << text;
    if (choice.microBatch != choice.batchSize && allowed.statisticLayers > 0)
      emitRemark(*allowed.loc)
          << describeStatistics(allowed) << " by the statistics of "
          << choice.microBatch
          << (choice.microBatch == 1 ? " sample" : " samples") << " instead of "
          << choice.batchSize;
    plan.module = std::move(planned.module);
    return plan;
  }

  static std::string describeStatistics(const MicroBatchSizes &allowed) {
    size_t others = allowed.statisticLayers - 1;
    if (others == 0)
      return llvm::formatv("layer '{0}' normalises", allowed.statisticLayer);
    return llvm::formatv("layer '{0}' and {1} {2} normalise",
                         allowed.statisticLayer, others,
                         others == 1 ? "other" : "others");
  }

  const BudgetRequest &request;
  std::list<Option> options; ///< by size, the largest first
  bool isExhausted = false;  ///< no smaller size is possible
  Planned before;            ///< the first of them, keeping all
  double ratio = 1.0;
  Planned smallest; ///< of those that do not fit
  const Option *smallestOption = nullptr;
  BudgetedPlan result;
};

} // namespace

FailureOr<BudgetedPlan> boostc::planWithinBudget(const BudgetRequest &request) {
  return Search(request).run();
}
