#include "compiler/frontend/MicroBatches.h"
#include "runtime/program/ProgramLimits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc;
using namespace boostc::frontend;
using llvm::formatv;

/// The divisors of `number`, the largest first.
static std::vector<int64_t> getDivisors(int64_t number) {
  std::vector<int64_t> large, small;
  for (int64_t divisor = 1; divisor * divisor <= number; ++divisor) {
    if (number % divisor != 0)
      continue;
    large.push_back(number / divisor);
    if (divisor * divisor != number)
      small.push_back(divisor);
  }
  large.insert(large.end(), small.rbegin(), small.rend());
  return large;
}

/// The divisors next to an interval without one: "2 and 4", "8".
static std::string describeNeighbours(llvm::ArrayRef<int64_t> divisors,
                                      int64_t min, int64_t max) {
  std::vector<std::string> neighbours;
  for (int64_t divisor : llvm::reverse(divisors)) {
    if (divisor < min)
      neighbours = {std::to_string(divisor)};
    if (divisor > max) {
      neighbours.push_back(std::to_string(divisor));
      break;
    }
  }
  return llvm::join(neighbours, " and ");
}

/// The 'grad_accumulation_step' of a model that accumulates.
static const Node *findAccumulation(const Node &model) {
  const Node &boost = model.at("boost");
  return boost.at("boost").at("grad_accumulation").boolean
             ? &boost.at("grad_accumulation").at("grad_accumulation_step")
             : nullptr;
}

int64_t frontend::countMicroBatches(const Node &model, int64_t size) {
  const Node *accumulation = findAccumulation(model);
  return (accumulation ? accumulation->integer : 1) *
         (model.at("batch_size").integer / size);
}

static void countStatistics(const Node &model, const ModelTable &table,
                            MicroBatchSizes &result) {
  for (const Node &layer : model.at("layers").items) {
    const LayerSpec &spec =
        table.entry(LayerSpec::Kind::Layer, layer.at("op").text).spec;
    if (!spec.statistics.empty() && result.statisticLayers++ == 0)
      result.statisticLayer = layer.at("name").text;
  }
}

MicroBatchSizes frontend::resolveMicroBatches(const Node &model,
                                              const ModelTable &table,
                                              ErrorList &errors) {
  MicroBatchSizes result;
  result.batchSize = model.at("batch_size").integer;
  const Node &settings = model.at("train");
  const Node &bounds = settings.at("micro_batch");
  if (bounds.is(Node::Kind::Null))
    return result;
  result.loc = bounds.extent.place();
  int64_t min = bounds.at("min").integer;
  const Node &largest = bounds.at("max");
  int64_t max = largest.is(Node::Kind::Null) ? std::max(result.batchSize, min)
                                             : largest.integer;
  if (max < min) {
    errors.error(largest.extent,
                 formatv("'max': expected a number of at least 'min', {0}, "
                         "found {1}",
                         bounds.at("min").describe(), largest.describe()));
    return result;
  }
  std::vector<int64_t> divisors = getDivisors(result.batchSize);
  llvm::copy_if(divisors, std::back_inserter(result.sizes),
                [&](int64_t size) { return min <= size && size <= max; });
  ErrorList::Note batch{model.at("batch_size").extent, "'batch_size' is here"};
  auto isTooMany = [&](int64_t size) {
    return countMicroBatches(model, size) > int64_t{boostrt::kMaxMicroBatches};
  };
  const Node *accumulation = findAccumulation(model);
  if (accumulation && !result.sizes.empty() && isTooMany(result.sizes.front()))
    errors.error(bounds.extent,
                 formatv("'micro_batch': micro-batches of {0} samples are {1} "
                         "a step with 'grad_accumulation_step', expected {2} "
                         "at most; allow larger ones",
                         result.sizes.front(),
                         countMicroBatches(model, result.sizes.front()),
                         boostrt::kMaxMicroBatches),
                 ErrorList::Note{accumulation->extent,
                                 "'grad_accumulation_step' is here"});
  else if (result.sizes.empty())
    errors.error(
        bounds.extent,
        formatv("'micro_batch': expected bounds with a divisor of "
                "'batch_size', {0}, between them, found {1} to {2}; the "
                "nearest {3}",
                result.batchSize, min, max,
                (min > result.batchSize ? "is " : "are ") +
                    describeNeighbours(divisors, min, max)),
        batch);
  // A sum of the micro-batches' means grows with their number.
  if (const Node &reduction = settings.at("reduction"); reduction.text == "sum")
    errors.error(
        bounds.extent,
        "'micro_batch': expected 'reduction' \"mean\", because the gradient "
        "of a step would depend on the size of micro-batches, found \"sum\"",
        ErrorList::Note{reduction.extent, "'reduction' is here"});
  llvm::erase_if(result.sizes, isTooMany);
  countStatistics(model, table, result);
  return result;
}
