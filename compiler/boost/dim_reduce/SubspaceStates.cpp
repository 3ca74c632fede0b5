#include "compiler/boost/dim_reduce/SubspaceStates.h"

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

SubspaceTypes::SubspaceTypes(MLIRContext *context, int64_t components) {
  OpBuilder b(context);
  number = RankedTensorType::get({}, b.getF32Type());
  flag = RankedTensorType::get({}, b.getI32Type());
  coordinates = RankedTensorType::get({components}, b.getF32Type());
  square = RankedTensorType::get({components, components}, b.getF32Type());
}

RankedTensorType SubspaceTypes::getBasis(RankedTensorType type) const {
  SmallVector<int64_t> shape(coordinates.getShape());
  llvm::append_range(shape, type.getShape());
  return type.clone(shape);
}

void boost::declareSubspaceStates(train::ProgramOp program,
                                  const SubspaceTypes &types) {
  OpBuilder b = OpBuilder::atBlockBegin(&program.getBody().front());
  auto declare = [&](Location loc, StringRef name, FlatSymbolRefAttr parameter,
                     Type type) {
    return train::StateOp::create(
        b, loc, b.getStringAttr(name),
        b.getStringAttr(name.substr(name.rfind('.') + 1)), parameter,
        rt::InitializerAttr(), UnitAttr(), TypeAttr::get(type));
  };
  auto declareOwn = [&](StringRef name, Type type) {
    return declare(program.getLoc(), name, {}, type);
  };
  declareOwn(kCorrection, types.square);
  declareOwn(kStepTaken, types.coordinates);
  declareOwn(kGradient, types.coordinates);
  declareOwn(kNextCorrection, types.square).setTransient(true);
  for (StringRef name : {kNextGradient, kDescent})
    declareOwn(name, types.coordinates).setTransient(true);
  for (StringRef name : {kSlope, kLoss, kRate})
    declareOwn(name, types.number).setTransient(true);
  declareOwn(kTries, types.flag).setTransient(true);
  train::AccumulatorOp::create(b, program.getLoc(), b.getStringAttr(kTrialLoss),
                               FlatSymbolRefAttr(),
                               TypeAttr::get(types.number));
  for (auto parameter : llvm::to_vector(program.getOps<train::ParameterOp>())) {
    SubspaceSlots slots(parameter);
    b.setInsertionPointAfter(parameter);
    auto declareFor = [&](StringRef name, Type type) {
      return declare(parameter.getLoc(), name,
                     FlatSymbolRefAttr::get(parameter), type);
    };
    declareFor(slots.basis, types.getBasis(slots.getType())).setInBasis(true);
    declareFor(slots.velocity, slots.getType());
    for (StringRef name : {slots.residual, slots.descent, slots.trial})
      declareFor(name, slots.getType()).setTransient(true);
  }
}
