#include "test/e2e/Comparison.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

using Values = ReferenceTrainer::Values;
using Partial = ReferenceTrainer::Partial;

std::vector<Bounded> e2e::bindArguments(func::FuncOp function,
                                        const Values &kept,
                                        const Values &inputs, int64_t valid,
                                        const Partial &sums) {
  std::vector<Bounded> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto binding =
        function.getArgAttrOfType<rt::BindingAttr>(i, rt::kBindingAttrName);
    std::string name = binding.getName().str();
    switch (binding.getKind()) {
    case rt::BindingKind::Parameter:
    case rt::BindingKind::State:
      arguments.emplace_back(kept.at(name));
      break;
    case rt::BindingKind::Input:
      arguments.emplace_back(inputs.at(name));
      break;
    case rt::BindingKind::Gradient:
      arguments.emplace_back(sums.gradients.at(name));
      break;
    case rt::BindingKind::Accumulator:
      arguments.emplace_back(sums.accumulators.at(name));
      break;
    case rt::BindingKind::LossSum:
      arguments.emplace_back(ReferenceValue::scalar(sums.lossSum));
      break;
    case rt::BindingKind::LossCount:
      arguments.emplace_back(
          ReferenceValue::scalar(static_cast<double>(sums.lossCount)));
      break;
    case rt::BindingKind::LossWeight:
      arguments.emplace_back(ReferenceValue::scalar(sums.lossWeight));
      break;
    default:
      arguments.emplace_back(
          ReferenceValue::scalar(static_cast<double>(valid)));
    }
  }
  return arguments;
}

std::map<std::string, Bounded> e2e::analyzeByName(func::FuncOp function,
                                                  ArrayRef<Bounded> arguments,
                                                  bool *overflows) {
  std::map<std::string, Bounded> results;
  for (auto [i, value] :
       llvm::enumerate(analyze(function, arguments, overflows))) {
    auto binding =
        function.getResultAttrOfType<rt::BindingAttr>(i, rt::kBindingAttrName);
    results[(rt::stringifyBindingKind(binding.getKind()) + " " +
             binding.getName())
                .str()] = value;
  }
  return results;
}

static double boundOf(const Bounded &expected, int64_t i) {
  return expected.error[i] + kUnitRoundoff * std::abs(expected.value.data[i]) +
         0x1p-140;
}

/// Records what share of its bound the largest error of a result takes, as a
/// property of the test; tools/dev/list-bounds reads them.
static void recordShare(StringRef result, double share) {
  static const bool isWanted = std::getenv("BOOSTC_RECORD_BOUNDS");
  if (!isWanted)
    return;
  // Steps are counted in what a result is called.
  if (result.consume_front("step "))
    result = result.drop_while(llvm::isDigit).ltrim();
  static std::map<std::pair<std::string, std::string>, double> largest;
  std::string test =
      testing::UnitTest::GetInstance()->current_test_info()->name();
  auto [known, isNew] = largest.try_emplace({test, result.str()}, share);
  known->second = std::max(known->second, share);
  testing::Test::RecordProperty("share of " + result.str(),
                                llvm::formatv("{0:e}", known->second).str());
}

int64_t e2e::countBeyond(const Bounded &expected,
                         const ReferenceValue &actual) {
  int64_t count = 0;
  for (int64_t i = 0; i < actual.size(); ++i)
    count += !(std::abs(actual.data[i] - expected.value.data[i]) <=
               boundOf(expected, i));
  return count;
}

void e2e::expectWithin(const Bounded &expected, const ReferenceValue &actual,
                       const std::string &what) {
  ASSERT_EQ(ArrayRef(expected.value.shape), ArrayRef(actual.shape)) << what;
  std::optional<double> share;
  for (int64_t i = 0; i < actual.size(); ++i) {
    double exact = expected.value.data[i];
    double bound = boundOf(expected, i);
    // Any number is within an infinite bound: such a test could not fail.
    ASSERT_TRUE(std::isfinite(bound))
        << what << " element " << i << ": the analysis has no bound";
    double distance = std::abs(actual.data[i] - exact);
    ASSERT_LE(distance, bound) << what << " element " << i << ": exact "
                               << exact << ", compiled " << actual.data[i];
    // Without an own error the bound is that of the last rounding.
    if (expected.error[i] > 0.0)
      share = std::max(share.value_or(0.0), distance / bound);
  }
  if (share)
    recordShare(what, *share);
}

void e2e::expectWithin(const std::map<std::string, Bounded> &expected,
                       const Partial &actual, const std::string &what) {
  for (const auto &[name, value] : actual.gradients)
    expectWithin(expected.at("gradient " + name), value,
                 what + " gradient of " + name);
  // A variant need not write all of them; what it writes is expected.
  for (const auto &[entry, bounds] : expected)
    if (StringRef name = entry; name.consume_front("accumulator "))
      expectWithin(bounds, actual.accumulators.at(name.str()),
                   what + " accumulator " + name.str());
  expectWithin(expected.at("loss_sum "), ReferenceValue::scalar(actual.lossSum),
               what + " loss");
  EXPECT_EQ(actual.lossCount, expected.at("loss_count ").value.item()) << what;
  if (auto weight = expected.find("loss_weight "); weight != expected.end())
    expectWithin(weight->second, ReferenceValue::scalar(actual.lossWeight),
                 what + " weight");
}
