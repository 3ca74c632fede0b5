#include "compiler/boost/dim_reduce/SubspaceStates.h"
#include "compiler/boost/EditProgram.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;

SubspaceSlots::SubspaceSlots(train::ParameterOp parameter)
    : name(parameter.getSymName()),
      type(cast<RankedTensorType>(parameter.getType())),
      loc(parameter.getLoc()) {
  auto state = [&](StringRef slot) { return (name + "." + slot).str(); };
  basis = state("basis");
  residual = state("residual");
  descent = state("descent");
  trial = state("trial");
  velocity = state("velocity");
}

SubspaceTypes::SubspaceTypes(MLIRContext *context, train::SubspaceAttr subspace)
    : rows(subspace.getComponents() / subspace.getShards()) {
  OpBuilder b(context);
  int64_t components = subspace.getComponents();
  number = RankedTensorType::get({}, b.getF32Type());
  flag = RankedTensorType::get({}, b.getI32Type());
  coordinates = RankedTensorType::get({components}, b.getF32Type());
  square = RankedTensorType::get({components, components}, b.getF32Type());
}

RankedTensorType SubspaceTypes::getBasis(RankedTensorType type) const {
  SmallVector<int64_t> shape = {rows};
  llvm::append_range(shape, type.getShape());
  return type.clone(shape);
}

void boost::declareSubspaceStates(train::ProgramOp program,
                                  const SubspaceTypes &types) {
  OpBuilder b = OpBuilder::atBlockBegin(&program.getBody().front());
  auto declareOwn = [&](StringRef name, Type type, train::Saved saved) {
    declareState(b, program.getLoc(), name, type, {}, {}, saved);
  };
  declareOwn(kCorrection, types.square, train::Saved::WithState);
  declareOwn(kStepTaken, types.coordinates, train::Saved::WithState);
  declareOwn(kGradient, types.coordinates, train::Saved::WithState);
  declareOwn(kNextCorrection, types.square, train::Saved::Nowhere);
  for (StringRef name : {kNextGradient, kDescent})
    declareOwn(name, types.coordinates, train::Saved::Nowhere);
  for (StringRef name : {kSlope, kLoss, kRate})
    declareOwn(name, types.number, train::Saved::Nowhere);
  declareOwn(kTries, types.flag, train::Saved::Nowhere);
  train::AccumulatorOp::create(b, program.getLoc(), b.getStringAttr(kTrialLoss),
                               FlatSymbolRefAttr(),
                               TypeAttr::get(types.number));
  for (auto parameter : llvm::to_vector(program.getOps<train::ParameterOp>())) {
    SubspaceSlots slots(parameter);
    b.setInsertionPointAfter(parameter);
    auto declareFor = [&](StringRef name, Type type, train::Saved saved) {
      declareState(b, parameter.getLoc(), name, type, {},
                   FlatSymbolRefAttr::get(parameter), saved);
    };
    declareFor(slots.basis, types.getBasis(slots.getType()),
               train::Saved::InBasis);
    declareFor(slots.velocity, slots.getType(), train::Saved::WithState);
    for (StringRef name : {slots.residual, slots.descent, slots.trial})
      declareFor(name, slots.getType(), train::Saved::Nowhere);
  }
}
