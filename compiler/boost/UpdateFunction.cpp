#include "compiler/boost/UpdateFunction.h"
#include "compiler/boost/EditProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace boostc;

train::AveragingAttr boost::getAveraging(train::ProgramOp program) {
  if (auto averaging = program->getAttrOfType<train::AveragingAttr>(
          train::kAveragingAttrName))
    return averaging;
  return train::AveragingAttr::get(program.getContext(), train::Reduction::Mean,
                                   train::Reduction::Mean);
}

bool boost::isBoundTo(Value value, rt::BindingKind kind) {
  rt::BindingAttr binding = rt::getArgumentBinding(value);
  return binding && binding.getKind() == kind;
}

rt::BindingKind boost::getDivisor(train::ProgramOp program) {
  bool isWeighted =
      llvm::any_of(program.getOps<train::InputOp>(),
                   [](train::InputOp input) { return input.getWeight(); });
  return isWeighted ? rt::BindingKind::LossWeight : rt::BindingKind::LossCount;
}

StringRef boost::getParameter(ScalarUpdateOpInterface rule) {
  rt::BindingAttr binding = rt::getArgumentBinding(rule->getOperand(0));
  return binding && binding.getKind() == rt::BindingKind::Parameter
             ? StringRef(binding.getName())
             : StringRef();
}

FailureOr<boost::PlainStep> boost::getPlainStep(train::ProgramOp program,
                                                StringRef boost) {
  if (!program.getOps<train::VariantOp>().empty() ||
      !program.getOps<train::SelectorOp>().empty())
    return program.emitOpError("expected steps of one kind, of which ")
           << boost << " makes others; found variants";
  PlainStep step{program.getFunction(train::kMicro),
                 program.getFunction(train::kUpdate)};
  if (!step.micro || !step.update)
    return program.emitOpError("expected @micro and @update for ") << boost;
  return step;
}

FailureOr<train::CommitOp> boost::getCommit(func::FuncOp update) {
  auto commits = llvm::to_vector(update.getOps<train::CommitOp>());
  if (commits.size() != 1)
    return update.emitOpError("expected one train.commit, found ")
           << commits.size();
  return commits.front();
}

Value boost::selectApplied(OpBuilder &builder, train::CommitOp commit,
                           Value changed, Value before) {
  Value applied = commit.getApplied();
  Value zero = buildInteger(builder, commit.getLoc(),
                            cast<RankedTensorType>(applied.getType()), 0);
  Value isApplied = arith::CmpIOp::create(
      builder, commit.getLoc(), arith::CmpIPredicate::ne, applied, zero);
  return arith::SelectOp::create(builder, commit.getLoc(), isApplied, changed,
                                 before);
}

void boost::eraseMeans(ArrayRef<train::DivideGradientOp> means) {
  for (train::DivideGradientOp mean : means) {
    mean.replaceAllUsesWith(mean.getGradient());
    mean.erase();
  }
}

Block::iterator boost::hoist(Block &block, Block::iterator begin,
                             function_ref<bool(Operation *)> isMeant) {
  Block::iterator end = begin;
  for (Operation &op :
       llvm::make_early_inc_range(llvm::make_range(begin, block.end())))
    if (!isMeant(&op))
      continue;
    else if (&op == &*end)
      ++end;
    else
      op.moveBefore(&block, end);
  return end;
}

Location boost::getLocation(train::ProgramOp program,
                            ArrayRef<StringRef> parameters) {
  SmallVector<Location> locations;
  for (StringRef name : parameters)
    if (Operation *parameter = program.lookupSymbol(name))
      locations.push_back(parameter->getLoc());
  return FusedLoc::get(program.getContext(), locations);
}

ArrayAttr boost::getSymbols(MLIRContext *context, ArrayRef<StringRef> names) {
  SmallVector<Attribute> symbols;
  for (StringRef name : names)
    symbols.push_back(FlatSymbolRefAttr::get(context, name));
  return ArrayAttr::get(context, symbols);
}

SmallVector<size_t> boost::findBucketEnds(ArrayRef<int64_t> bytes,
                                          uint64_t most) {
  SmallVector<size_t> ends;
  uint64_t filled = 0;
  for (auto [i, own] : llvm::enumerate(bytes)) {
    if (i > 0 && filled + static_cast<uint64_t>(own) > most) {
      ends.push_back(i);
      filled = 0;
    }
    filled += static_cast<uint64_t>(own);
  }
  if (!bytes.empty())
    ends.push_back(bytes.size());
  return ends;
}
