// Which candidate computes each contraction; see Passes.td.

#include "compiler/lowering/cpu/ContractionChoice.h"
#include "compiler/lowering/cpu/Passes.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"

namespace boostc {
#define GEN_PASS_DEF_CHOOSECONTRACTIONSPASS
#include "compiler/lowering/cpu/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// Plans that are worth a try besides the best: estimates are that good.
constexpr size_t kMaxPlans = 4;

static std::string describePlan(const Contraction &c,
                                const ContractionPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (plan.vectorLoop)
    os << plan.vectors << "x" << plan.lanes << " "
       << c.loops[*plan.vectorLoop].name;
  else
    os << "scalar";
  for (const std::optional<ContractionPlan::Tile> &tile :
       {plan.sharesA, plan.sharesB})
    if (tile)
      os << ", " << tile->extent << " " << c.loops[tile->loop].name;
  return text;
}

static std::string describePlan(const TapSum &sum, const TapSumPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (plan.foldsTaps)
    os << "taps as terms, ";
  if (const std::optional<WinogradPlan> &own = plan.winograd) {
    os << "Winograd's algorithm, " << own->lines << " lines of " << own->columns
       << " tiles, " << own->terms << " x " << own->width << " channels";
    return text;
  }
  if (const std::optional<TilePlan> &tiles = plan.tiles) {
    os << "tiles of ";
    if (sum.isWeightGradient)
      os << tiles->channels << " and " << tiles->filters << " channels";
    else
      os << tiles->rows << " rows, " << tiles->blocks << " x "
         << plan.vectors * plan.lanes << " channels";
    return text;
  }
  os << plan.vectors << "x" << plan.lanes << " channels, " << plan.tile
     << (sum.isWeightGradient ? " terms" : " pixels");
  if (plan.samples > 1)
    os << " of " << plan.samples << " samples";
  if (plan.inPairs)
    os << ", in pairs";
  return text;
}

bool boostc::isForLibrary(Operation *op) {
  auto call = dyn_cast<LibraryOpInterface>(op);
  return call && call.isLegalOn(BOOSTC_TARGET_CPU);
}

bool boostc::hasLibraryType(Type type, StringRef features) {
  return type.isF32() || (type.isBF16() && features.contains("avx512f"));
}

std::optional<ContractionPlan>
boostc::planContraction(linalg::GenericOp op, rt::CpuTargetAttr target) {
  std::optional<Contraction> contraction = getContraction(op);
  if (!contraction || !isWorthKernel(*contraction))
    return std::nullopt;
  VectorRegisters registers = getVectorRegisters(target);
  ContractionPlan plan =
      planContraction(*contraction, registers.lanes, registers.count,
                      getShares(op, target), /*count=*/1)
          .front();
  return plan.vectorLoop ? std::optional(plan) : std::nullopt;
}

std::vector<ContractionCandidate>
boostc::listCandidates(Operation *op, rt::CpuTargetAttr target) {
  std::vector<ContractionCandidate> candidates;
  auto sums = dyn_cast<ContractionOpInterface>(op);
  if (!sums)
    return candidates;
  // Kernels extend what they load.
  if (isForLibrary(op) &&
      hasLibraryType(getElementTypeOrSelf(sums.getA().getType()),
                     target.getFeatures()))
    candidates.push_back({"library", std::nullopt, std::nullopt});
  VectorRegisters registers = getVectorRegisters(target);
  if (std::optional<TapSum> sum = getTapSum(sums)) {
    for (TapSumPlan &plan :
         planTapSum(*sum, registers, getShares(op, target), kMaxPlans))
      candidates.push_back({describePlan(*sum, plan), std::nullopt, plan});
    if (!candidates.empty())
      return candidates;
  }
  Contraction contraction = getContraction(sums);
  for (ContractionPlan &plan :
       planContraction(contraction, registers.lanes, registers.count,
                       getShares(op, target), kMaxPlans)) {
    // Scalar code is for what nothing else can compute.
    if (!candidates.empty() && !plan.vectorLoop)
      break;
    candidates.push_back(
        {describePlan(contraction, plan), std::move(plan), std::nullopt});
  }
  return candidates;
}

std::optional<ContractionCandidate>
boostc::getCandidate(Operation *op, rt::CpuTargetAttr target) {
  auto number = op->getAttrOfType<IntegerAttr>(kCandidateAttrName);
  std::vector<ContractionCandidate> candidates = listCandidates(op, target);
  uint64_t chosen = number ? number.getValue().getZExtValue() : 0;
  if (chosen >= candidates.size())
    return std::nullopt;
  return candidates[chosen];
}

std::string boostc::describeOperation(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName() << "(";
  llvm::interleaveComma(op->getOperandTypes(), os);
  os << ") " << op->getPropertiesAsAttribute();
  return text;
}

namespace {

struct ChooseContractions
    : boostc::impl::ChooseContractionsPassBase<ChooseContractions> {
  using ChooseContractionsPassBase::ChooseContractionsPassBase;

  explicit ChooseContractions(ContractionChooser chooser)
      : chooser(std::move(chooser)) {}

  void runOnOperation() override {
    if (getCudaTarget(getOperation()))
      return;
    FailureOr<rt::CpuTargetAttr> target = getCpuTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    llvm::StringMap<unsigned> chosen; // the same for equal ops
    WalkResult result = getOperation().walk([&](Operation *op) {
      std::vector<ContractionCandidate> candidates =
          listCandidates(op, *target);
      if (candidates.empty())
        return WalkResult::advance();
      std::string operation = describeOperation(op);
      auto known = chosen.find(operation);
      if (known == chosen.end()) {
        FailureOr<unsigned> number = choose(op, operation, candidates);
        if (failed(number))
          return WalkResult::interrupt();
        known = chosen.try_emplace(operation, *number).first;
      }
      op->removeAttr(kCandidateAttrName);
      if (known->second != 0)
        op->setAttr(kCandidateAttrName,
                    IntegerAttr::get(IntegerType::get(&getContext(), 64),
                                     static_cast<int64_t>(known->second)));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  FailureOr<unsigned> choose(Operation *op, StringRef operation,
                             ArrayRef<ContractionCandidate> candidates) {
    if (chooser)
      return chooser(op, operation, candidates);
    return std::min<unsigned>(candidate, candidates.size() - 1);
  }

  ContractionChooser chooser;
};

} // namespace

std::unique_ptr<Pass>
boostc::createChooseContractionsPass(ContractionChooser chooser) {
  return std::make_unique<ChooseContractions>(std::move(chooser));
}
