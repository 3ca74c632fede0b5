// The memory plan; see Passes.td.

#include "compiler/lowering/buffers/MemoryPlanner.h"
#include "compiler/lowering/buffers/Passes.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "runtime/abi/boost_abi.h"
#include "runtime/support/EvalInput.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace boostc {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "compiler/lowering/buffers/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

static rt::Arena getArena(train::ProgramOp program, rt::BindingAttr binding) {
  switch (binding.getKind()) {
  case rt::BindingKind::Parameter:
    return rt::Arena::Parameter;
  case rt::BindingKind::State: {
    // An evaluation reserves memory for what is saved with the weights alone.
    auto state = program.lookupSymbol<train::StateOp>(binding.getName());
    return state && state.isSavedWithWeights() ? rt::Arena::Parameter
                                               : rt::Arena::State;
  }
  case rt::BindingKind::Gradient:
  case rt::BindingKind::LossSum:
  case rt::BindingKind::LossCount:
  case rt::BindingKind::LossWeight:
  case rt::BindingKind::Accumulator:
    return rt::Arena::Gradient;
  case rt::BindingKind::Input:
  case rt::BindingKind::Valid:
    return rt::Arena::Batch;
  case rt::BindingKind::Control:
  case rt::BindingKind::Seed:
  case rt::BindingKind::Step:
  case rt::BindingKind::RunLength:
    return rt::Arena::Control;
  case rt::BindingKind::MetricSum:
  case rt::BindingKind::MetricCount:
  case rt::BindingKind::Applied:
  case rt::BindingKind::Failed:
  case rt::BindingKind::GradientNorm:
  case rt::BindingKind::LossScale:
  case rt::BindingKind::Overflows:
  case rt::BindingKind::StepNumber:
  case rt::BindingKind::Choice:
  case rt::BindingKind::Repeat:
    return rt::Arena::Result;
  }
  llvm_unreachable("unknown binding");
}

/// Bytes of a buffer, or failure with a diagnostic when an int64 cannot hold
/// them.
static FailureOr<int64_t> getBytes(Operation *op, MemRefType type) {
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(bytes, extent, bytes))
      return op->emitError("buffer ") << type << " is larger than 2^63 bytes";
  return bytes;
}

/// The slot of a binding. `other` operands share the offsets of their twins,
/// in the arena of the second gradient set.
static rt::BindingAttr getTwin(rt::BindingAttr binding) {
  return rt::BindingAttr::get(binding.getContext(), binding.getKind(),
                              binding.getName(),
                              /*other=*/false);
}

namespace {

struct PlanMemory : boostc::impl::PlanMemoryPassBase<PlanMemory> {
  void runOnOperation() override {
    slots.clear();
    ends.assign(BOOSTC_ARENA_COUNT, 0);
    if (failed(collectSlots()))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      replaceArguments(function);
      if (failed(placeTemporaries(function)))
        return signalPassFailure();
    }
    emitSlots();
  }

  struct Slot {
    MemRefType type;
    rt::Arena arena;
    int64_t offset;
    Location loc;
  };
  llvm::MapVector<rt::BindingAttr, Slot> slots;
  SmallVector<int64_t> ends;

  /// One slot per binding, in the order in which functions mention them. What
  /// an evaluation reads in the place of an input shares its address.
  LogicalResult collectSlots() {
    llvm::DenseMap<rt::BindingAttr, int64_t> sizes; ///< by getPlace()
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (BlockArgument argument : function.getArguments()) {
        rt::BindingAttr binding =
            rt::getArgumentBinding(function, argument.getArgNumber());
        auto type = dyn_cast<MemRefType>(argument.getType());
        if (!binding || !type || !type.hasStaticShape())
          return function.emitOpError("argument ")
                 << argument.getArgNumber()
                 << ": expected a static memref with a binding, found "
                 << argument.getType();
        binding = getTwin(binding);
        rt::Arena arena = getArena(getOperation(), binding);
        if (function.getSymName() == train::kEval && arena == rt::Arena::State)
          return function.emitOpError("reads ")
                 << binding
                 << ", but an evaluation has no state other than what is "
                    "saved with the weights (saved with_weights)";
        if (auto known = slots.find(binding); known != slots.end()) {
          if (known->second.type != type)
            return function.emitOpError("binds ")
                   << binding << " to " << type << ", another function to "
                   << known->second.type;
          continue;
        }
        FailureOr<int64_t> bytes = getBytes(function, type);
        if (failed(bytes) || failed(checkDeclared(function, binding, type)))
          return failure();
        int64_t &place = sizes[getPlace(binding)];
        place = std::max(place, *bytes);
        slots.insert({binding, Slot{type, arena, 0, function.getLoc()}});
      }
    }
    llvm::DenseMap<rt::BindingAttr, int64_t> offsets;
    for (auto &[binding, slot] : slots) {
      rt::BindingAttr place = getPlace(binding);
      int64_t &end = ends[static_cast<unsigned>(slot.arena)];
      auto [offset, isNew] = offsets.try_emplace(place, end);
      if (isNew)
        end = llvm::alignTo(end + sizes[place], BOOSTC_ALIGNMENT);
      slot.offset = offset->second;
    }
    return success();
  }

  /// The binding whose address `binding` has.
  static rt::BindingAttr getPlace(rt::BindingAttr binding) {
    std::string_view input = boostrt::evaluatedInput(binding.getName());
    if (binding.getKind() != rt::BindingKind::Input || input.empty())
      return binding;
    return rt::BindingAttr::get(binding.getContext(), binding.getKind(),
                                StringRef(input), /*other=*/false);
  }

  /// The runtime knows of an accumulator what its declaration says.
  LogicalResult checkDeclared(func::FuncOp function, rt::BindingAttr binding,
                              MemRefType type) {
    if (binding.getKind() != rt::BindingKind::Accumulator)
      return success();
    auto declared =
        getOperation().lookupSymbol<train::AccumulatorOp>(binding.getName());
    if (!declared)
      return function.emitOpError("binds ")
             << binding << ", which no train.accumulator declares";
    auto expected = cast<RankedTensorType>(declared.getType());
    if (expected.getShape() == type.getShape() &&
        expected.getElementType() == type.getElementType())
      return success();
    InFlightDiagnostic diagnostic = function.emitOpError("binds ")
                                    << binding << " to " << type
                                    << ", declared as " << expected;
    diagnostic.attachNote(declared.getLoc()) << "the declaration is here";
    return diagnostic;
  }

  void replaceArguments(func::FuncOp function) {
    OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
    for (BlockArgument argument : function.getArguments()) {
      rt::BindingAttr binding =
          rt::getArgumentBinding(function, argument.getArgNumber());
      const Slot &slot = slots.find(getTwin(binding))->second;
      rt::Arena arena =
          binding.getOther() ? rt::Arena::GradientOther : slot.arena;
      if (argument.use_empty())
        continue;
      Value buffer = rt::BufferOp::create(builder, function.getLoc(), slot.type,
                                          arena, slot.offset);
      argument.replaceAllUsesWith(buffer);
    }
    function.front().eraseArguments(0, function.front().getNumArguments());
    function.setFunctionType(builder.getFunctionType({}, {}));
    function.setArgAttrsAttr(nullptr);
  }

  /// Offsets for the allocations of `function`, whose body is one straight
  /// line.
  LogicalResult placeTemporaries(func::FuncOp function) {
    Block &block = function.front();
    SmallVector<memref::AllocOp> allocations(block.getOps<memref::AllocOp>());
    SmallVector<LiveBuffer> buffers;
    llvm::DenseMap<Operation *, int64_t> position;
    int64_t next = 0;
    for (Operation &op : block)
      position[&op] = next++;
    for (memref::AllocOp allocation : allocations) {
      FailureOr<int64_t> bytes = getBytes(allocation, allocation.getType());
      if (failed(bytes))
        return failure();
      LiveBuffer buffer;
      buffer.bytes = *bytes;
      buffer.alignment =
          static_cast<int64_t>(allocation.getAlignment().value_or(1));
      buffer.first = std::numeric_limits<int64_t>::max();
      buffer.last = -1;
      forEachUser(allocation.getResult(), [&](Operation *user) {
        int64_t at = position.lookup(block.findAncestorOpInBlock(*user));
        buffer.first = std::min(buffer.first, at);
        buffer.last = std::max(buffer.last, at);
      });
      if (buffer.last < 0) // never used
        buffer.first = buffer.last = position.lookup(allocation);
      // Ops that share memory wait for each other on a GPU, where small ones
      // could run at the same time: small buffers are not shared.
      constexpr int64_t kSmallBytes = 16 << 10;
      if (getCudaTarget(getOperation()) && *bytes <= kSmallBytes) {
        buffer.first = 0;
        buffer.last = next;
      }
      buffers.push_back(buffer);
    }
    int64_t bytes = planOffsets(buffers, BOOSTC_ALIGNMENT);
    assert(bytes >= getLivenessBound(buffers, BOOSTC_ALIGNMENT) &&
           "a plan below the bound overlaps");
    (void)bytes;
    for (auto [allocation, buffer] : llvm::zip(allocations, buffers)) {
      OpBuilder builder(allocation);
      Value place = rt::BufferOp::create(builder, allocation.getLoc(),
                                         allocation.getType(),
                                         rt::Arena::Transient, buffer.offset);
      allocation.replaceAllUsesWith(place);
      allocation.erase();
    }
    return success();
  }

  void emitSlots() {
    // After the declarations and before the functions, where a reader looks for
    // them.
    OpBuilder builder(&getContext());
    auto functions = getOperation().getOps<func::FuncOp>();
    if (functions.empty())
      builder.setInsertionPointToEnd(&getOperation().getBody().front());
    else
      builder.setInsertionPoint(*functions.begin());
    for (auto &[binding, slot] : slots)
      rt::SlotOp::create(builder, slot.loc, binding, slot.arena, slot.offset,
                         slot.type);
  }
};

} // namespace
