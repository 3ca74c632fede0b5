#include "compiler/boost/BoostPlan.h"
#include "llvm/ADT/STLExtras.h"

using namespace boostc;
using namespace boostc::boost;
using llvm::StringLiteral;

static constexpr StringLiteral kDimReduce = "dim_reduce";

static constexpr Boost kBoosts[] = {
    {"less_bn",
     "removes batch norms from blocks, normalises the head and "
     "centralises gradients",
     1},
    {"grad_freeze", "leaves the first layers alone in some steps", 1},
    {"adasum", "combines ranks by Adasum", 2},
    {"grad_accumulation", "takes several micro-batches for a step", 0},
    {kDimReduce, "searches for each step in a subspace", 0},
    {kLossScaleGroup, "has a loss scale for each group of layers", 0}};

llvm::ArrayRef<Boost> boost::getBoosts() { return kBoosts; }

static constexpr StringLiteral kFeatures[] = {
    kBoosts[0].name, kBoosts[1].name, kBoosts[2].name,
    kBoosts[3].name, kBoosts[4].name, kBoosts[5].name,
    kMixedPrecision, kLossScale,      kThor};

llvm::ArrayRef<StringLiteral> boost::getFeatures() { return kFeatures; }

static constexpr Conflict kConflicts[] = {
    {kDimReduce, "adasum",
     "the line search needs one loss and one direction, and Adasum has ranks "
     "that move by themselves"},
    {kDimReduce, "grad_freeze",
     "a direction in the subspace moves all parameters, frozen ones too"},
    {kDimReduce, kLossScaleGroup,
     "the subspace needs the gradient of one loss, scaled as a whole"},
    {kDimReduce, kThor,
     "a step of the subspace takes the place of the optimizer's"},
    {kLossScaleGroup, kLossScale, "both would scale the loss"}};

llvm::ArrayRef<Conflict> boost::getConflicts() { return kConflicts; }

const Conflict *boost::findConflict(llvm::StringRef a, llvm::StringRef b) {
  for (const Conflict &conflict : kConflicts)
    if ((conflict.first == a && conflict.second == b) ||
        (conflict.first == b && conflict.second == a))
      return &conflict;
  return nullptr;
}
