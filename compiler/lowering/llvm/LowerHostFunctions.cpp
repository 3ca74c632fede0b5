// Host functions: a straight line of calls through the table of BoostEnv.

#include "compiler/lowering/kernels/KernelOps.h"
#include "compiler/lowering/kernels/KernelWork.h"
#include "compiler/lowering/kernels/LibraryCalls.h"
#include "compiler/lowering/llvm/LowerToLLVM.h"
#include "compiler/lowering/llvm/ProgramHeader.h"
#include "compiler/lowering/llvm/SourceNames.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <cstddef>

using namespace mlir;
using namespace boostc;

/// What tells `op`, which becomes one call, from others: equal calls have equal
/// keys.
static CallKey getKey(Operation *op) {
  CallKey key;
  auto add = [&](Operation *part) {
    key.push_back(part->getName().getAsOpaquePointer());
    key.push_back(part->getLoc().getAsOpaquePointer());
    key.push_back(part->getAttrDictionary().getAsOpaquePointer());
    for (Value operand : part->getOperands()) {
      rt::BufferOp base = getBase(operand);
      key.push_back(base.getArenaAttr().getAsOpaquePointer());
      key.push_back(base.getOffsetAttr().getAsOpaquePointer());
      key.push_back(operand.getType().getAsOpaquePointer());
    }
  };
  add(op);
  if (auto next = dyn_cast_or_null<rt::LaunchGridOp>(op->getNextNode());
      next && next.getFallback())
    add(next);
  return key;
}

/// Whether `op` becomes a call that functions may share: not a collective,
/// which has a number of its own.
static bool isShareable(Operation *op, BoostTargetKind target) {
  if (auto launch = dyn_cast<rt::LaunchGridOp>(op))
    return !launch.getFallback();
  return isa<rt::LaunchOp>(op) || isLibraryCall(op, target);
}

void boostc::countCalls(func::FuncOp function, TargetCode &code) {
  for (Operation &op : function.front())
    if (isShareable(&op, code.kind))
      ++code.shared[getKey(&op)].uses;
}

namespace {

/// Emits one function of type BoostEntry.
class HostFunctionBuilder {
public:
  HostFunctionBuilder(func::FuncOp source, StringRef name, TargetCode &code)
      : source(source), name(name), code(code), bufferNames(code.program),
        builder(source.getContext()),
        pointer(LLVM::LLVMPointerType::get(source.getContext())),
        i32(builder.getI32Type()), i64(builder.getI64Type()) {}

  FailureOr<LLVM::LLVMFuncOp> build() {
    builder.setInsertionPoint(source->getParentOfType<train::ProgramOp>());
    auto type = LLVM::LLVMFunctionType::get(i32, {pointer, pointer});
    function = LLVM::LLVMFuncOp::create(builder, source.getLoc(), name, type,
                                        LLVM::Linkage::Internal);
    Block *entry = function.addEntryBlock(builder);
    builder.setInsertionPointToStart(entry);
    allocateOperands();
    for (Operation &op : source.front())
      if (failed(lower(&op)))
        return failure();
    return function;
  }

private:
  Value env() { return function.getArgument(0); }

  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc(), type,
                                    builder.getIntegerAttr(type, value));
  }
  Value byteOffset(Value base, int64_t offset) {
    return LLVM::GEPOp::create(builder, loc(), pointer, builder.getI8Type(),
                               base,
                               LLVM::GEPArg(static_cast<int32_t>(offset)));
  }
  Location loc() { return current ? current->getLoc() : source.getLoc(); }

  /// Where a planned buffer lies, or a view of it. Arenas are read for each
  /// call: addresses that live from call to call are kept on the stack, which
  /// takes twice as much code.
  Value getAddress(Value buffer) {
    rt::BufferOp base = getBase(buffer);
    Value &arena = arenas[static_cast<unsigned>(base.getArena())];
    if (!arena)
      arena = LLVM::LoadOp::create(
          builder, loc(), pointer,
          byteOffset(function.getArgument(1),
                     static_cast<int64_t>(base.getArena()) * sizeof(void *)));
    auto type = cast<MemRefType>(buffer.getType());
    int64_t elements = type.getStridesAndOffset().second;
    int64_t offset = static_cast<int64_t>(base.getOffset()) +
                     elements * type.getElementTypeBitWidth() / 8;
    return LLVM::GEPOp::create(builder, loc(), pointer, builder.getI8Type(),
                               arena,
                               ArrayRef<LLVM::GEPArg>{constant(i64, offset)});
  }

  /// One array of pointers, large enough for every call.
  void allocateOperands() {
    int64_t most = 0;
    source.walk([&](Operation *op) {
      if (isa<rt::LaunchOp, rt::LaunchGridOp, rt::CollectiveOp,
              rt::GradientsReadyOp>(op))
        most = std::max<int64_t>(most, op->getNumOperands());
      most = std::max<int64_t>(most, getCallOperands(op).size());
    });
    if (most > 0)
      operands = LLVM::AllocaOp::create(builder, loc(), pointer, pointer,
                                        constant(i64, most), 8);
  }

  void storeOperand(int64_t index, Value address) {
    Value slot =
        byteOffset(operands, index * static_cast<int64_t>(sizeof(void *)));
    LLVM::StoreOp::create(builder, loc(), address, slot);
  }

  /// Calls the function in `field` of BoostEnv.
  Value callEnv(size_t field, Type result, ArrayRef<Value> arguments) {
    Value slot = byteOffset(env(), static_cast<int64_t>(field));
    Value callee = LLVM::LoadOp::create(builder, loc(), pointer, slot);
    auto type = LLVM::LLVMFunctionType::get(
        result, llvm::to_vector(ValueRange(arguments).getTypes()));
    SmallVector<Value> all = {callee};
    llvm::append_range(all, arguments);
    auto call = LLVM::CallOp::create(builder, loc(), type, all);
    return call->getNumResults() ? call->getResult(0) : Value();
  }

  LogicalResult lower(Operation *op) {
    current = op;
    arenas.assign(BOOSTC_ARENA_COUNT, Value());
    if (isa<rt::BufferOp, ViewLikeOpInterface>(op))
      return success(); // an address, which those who use it compute
    if (isShareable(op, code.kind)) {
      SharedCall &shared = code.shared[getKey(op)];
      if (shared.uses > 1)
        return callShared(op, shared);
    }
    return lowerHere(op);
  }

  /// Calls the function that `shared` is, which is emitted when it is first
  /// called: variants of a step make many equal calls.
  LogicalResult callShared(Operation *op, SharedCall &shared) {
    if (!shared.function) {
      auto type = LLVM::LLVMFunctionType::get(i32, {pointer, pointer, pointer});
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(function);
      shared.function = LLVM::LLVMFuncOp::create(
          builder, loc(), (name + ".call_" + llvm::Twine(sharedCount++)).str(),
          type, LLVM::Linkage::Internal);
      // Inlined it would be what it is there to avoid.
      shared.function.setNoInline(true);
      builder.setInsertionPointToStart(shared.function.addEntryBlock(builder));
      LLVM::LLVMFuncOp caller = std::exchange(function, shared.function);
      Value own = std::exchange(operands, function.getArgument(2));
      if (failed(lowerHere(op)))
        return failure();
      LLVM::ReturnOp::create(builder, loc(), constant(i32, BOOSTC_CALL_OK));
      function = caller;
      operands = own;
      arenas.assign(BOOSTC_ARENA_COUNT, Value());
    }
    auto call = LLVM::CallOp::create(
        builder, loc(), shared.function,
        ValueRange{env(), function.getArgument(1), operands});
    if (!isa<rt::LaunchOp>(op))
      returnUnlessOk(call.getResult());
    return success();
  }

  LogicalResult lowerHere(Operation *op) {
    if (auto launch = dyn_cast<rt::LaunchOp>(op))
      return lowerLaunch(launch);
    if (auto launch = dyn_cast<rt::LaunchGridOp>(op))
      return lowerLaunchGrid(launch);
    if (isLibraryCall(op, code.kind))
      return lowerLibraryCall(cast<LibraryOpInterface>(op));
    if (auto fill = dyn_cast<rt::FillOp>(op))
      return lowerFill(fill);
    if (auto collective = dyn_cast<rt::CollectiveOp>(op))
      return lowerCollective(collective);
    if (auto ready = dyn_cast<rt::GradientsReadyOp>(op))
      return lowerReady(ready);
    if (isa<func::ReturnOp>(op)) {
      LLVM::ReturnOp::create(builder, loc(), constant(i32, BOOSTC_CALL_OK));
      return success();
    }
    return op->emitOpError("is not allowed in a host function of phase rt");
  }

  LogicalResult lowerLaunch(rt::LaunchOp op) {
    for (auto [i, buffer] : llvm::enumerate(op.getBuffers()))
      storeOperand(i, getAddress(buffer));
    Value kernel = LLVM::AddressOfOp::create(
        builder, loc(), pointer, (op.getKernel() + kEntrySuffix).str());
    uint32_t index = code.launches.add(
        describeLaunch(op.getKernel(), op.getLoc(), op.getWorkAttr()));
    callEnv(offsetof(BoostEnv, parallel_for),
            LLVM::LLVMVoidType::get(builder.getContext()),
            {env(), constant(i32, index), kernel, operands,
             constant(i64, op.getExtent()), constant(i64, op.getGrain())});
    return success();
  }

  LogicalResult lowerLaunchGrid(rt::LaunchGridOp op) {
    if (op.getFallback())
      return success(); // the library call before it has it
    for (auto [i, buffer] : llvm::enumerate(op.getBuffers()))
      storeOperand(i, getAddress(buffer));
    uint32_t index = code.launches.add(describeLaunch(op));
    returnUnlessOk(callEnv(offsetof(BoostEnv, launch), i32,
                           {env(), constant(i32, index), operands}));
    return success();
  }

  /// What launches on all kinds of devices have.
  BoostLaunch describeLaunch(StringRef kernel, Location loc,
                             rt::WorkAttr work) {
    BoostLaunch launch = {};
    launch.kernel = code.memory.makeText(kernel);
    launch.location = code.memory.makeText(formatLocation(loc));
    launch.layers = code.memory.makeText(formatLayers(loc));
    launch.work = describe(work, loc);
    return launch;
  }

  BoostWork describe(rt::WorkAttr work, Location loc) {
    BoostWork described = {};
    described.positions = code.memory.makeText(formatPositions(loc));
    if (work) {
      described.flops = static_cast<uint64_t>(work.getFlops());
      described.bytes_read = static_cast<uint64_t>(work.getRead());
      described.bytes_written = static_cast<uint64_t>(work.getWritten());
    }
    return described;
  }

  BoostLaunch describeLaunch(rt::LaunchGridOp op) {
    DescriptorMemory &memory = code.memory;
    BoostLaunch launch =
        describeLaunch(op.getKernel().getLeafReference().strref(), op.getLoc(),
                       op.getWorkAttr());
    launch.blocks = static_cast<uint32_t>(op.getBlocks());
    launch.threads = static_cast<uint32_t>(op.getThreads());
    SmallVector<BoostOperand> operands(op.getBuffers().size());
    for (auto [operand, buffer, isWritten] :
         llvm::zip_equal(operands, op.getBuffers(), op.getWrites())) {
      operand.bytes = static_cast<uint64_t>(countBytes(buffer.getType()));
      operand.is_written = isWritten;
      operand.name = memory.makeText(
          bufferNames.lookup(buffer.getDefiningOp<rt::BufferOp>()));
    }
    memory.setTable(ArrayRef(operands), launch.operands, launch.operand_count);
    return launch;
  }

  LogicalResult lowerLibraryCall(LibraryOpInterface op) {
    BoostLibraryCall call = describeLibraryCall(op);
    call.location = code.memory.makeText(formatLocation(op->getLoc()));
    call.layers = code.memory.makeText(formatLayers(op->getLoc()));
    call.work = describe(describeWork(op.getOperation()), op->getLoc());
    for (auto [i, operand] : llvm::enumerate(getCallOperands(op)))
      storeOperand(i, operand ? getAddress(operand)
                              : LLVM::ZeroOp::create(builder, loc(), pointer));
    if (code.kind == BOOSTC_TARGET_CUDA && failed(addFallback(op, call)))
      return failure();
    returnUnlessOk(
        callEnv(offsetof(BoostEnv, library_call), i32,
                {env(), constant(i32, code.calls.add(call)), operands}));
    return success();
  }

  LogicalResult lowerCollective(rt::CollectiveOp op) {
    if (op.getIndex() != code.collectives.size())
      return op.emitOpError("has index ")
             << op.getIndex() << " where the next one is "
             << code.collectives.size();
    BoostCollective collective = describeCollective(op);
    collective.location = code.memory.makeText(formatLocation(op.getLoc()));
    auto table = code.memory.makeTable(
        op.getOperands().size(), collective.operands, collective.operand_count);
    auto parameters = code.program.getOps<train::ParameterOp>();
    for (auto [i, buffer] : llvm::enumerate(op.getOperands())) {
      storeOperand(i, getAddress(buffer));
      BoostCollectiveOperand &operand = table[i];
      operand = describeOperand(cast<MemRefType>(buffer.getType()),
                                op.getGroups()[i]);
      StringRef served = CollectiveOpInterface(op).getParameter(i);
      if (!served.empty()) {
        auto found = llvm::find_if(parameters, [&](train::ParameterOp p) {
          return p.getSymName() == served;
        });
        if (found == parameters.end())
          return op.emitOpError("serves @")
                 << served << ", which is not a parameter of the program";
        operand.parameter = std::distance(parameters.begin(), found);
      }
    }
    Value status = callEnv(offsetof(BoostEnv, collective), i32,
                           {env(), constant(i32, op.getIndex()), operands});
    code.collectives.push_back(collective);
    returnUnlessOk(status);
    return success();
  }

  LogicalResult lowerReady(rt::GradientsReadyOp op) {
    for (auto [i, buffer] : llvm::enumerate(op.getBuffers()))
      storeOperand(i, getAddress(buffer));
    callEnv(offsetof(BoostEnv, gradients_ready),
            LLVM::LLVMVoidType::get(builder.getContext()),
            {env(), constant(i32, op.getIndex()), operands});
    return success();
  }

  /// What the runtime launches where the library is missing or slower.
  LogicalResult addFallback(LibraryOpInterface op, BoostLibraryCall &call) {
    auto fallback = dyn_cast_or_null<rt::LaunchGridOp>(op->getNextNode());
    if (!fallback || !fallback.getFallback())
      return op->emitOpError("expected its fallback after it: a GPU's library "
                             "may be missing");
    SmallVector<Value> operands;
    for (Value operand : op.getLibraryOperands())
      if (operand)
        operands.push_back(getViewedBuffer(operand));
    if (!llvm::equal(operands, fallback.getBuffers()))
      return fallback.emitOpError("expected the buffers of the call before it, "
                                  "in their order");
    call.fallback_launch = code.launches.add(describeLaunch(fallback));
    return success();
  }

  /// A failed call ends the function with its status.
  void returnUnlessOk(Value status) {
    Value failed = LLVM::ICmpOp::create(builder, loc(), LLVM::ICmpPredicate::ne,
                                        status, constant(i32, BOOSTC_CALL_OK));
    Block *block = builder.getBlock();
    Block *next = block->splitBlock(builder.getInsertionPoint());
    Block *fail = new Block();
    function.getBody().push_back(fail);
    builder.setInsertionPointToEnd(block);
    LLVM::CondBrOp::create(builder, loc(), failed, fail, next);
    builder.setInsertionPointToStart(fail);
    LLVM::ReturnOp::create(builder, loc(), status);
    builder.setInsertionPointToStart(next);
  }

  LogicalResult lowerFill(rt::FillOp op) {
    rt::InitializerAttr init = op.getInitializer();
    Type f64 = builder.getF64Type();
    Value a = LLVM::ConstantOp::create(builder, loc(), f64, init.getA());
    Value b = LLVM::ConstantOp::create(builder, loc(), f64, init.getB());
    int64_t elements = countElements(op.getDestination().getType());
    callEnv(offsetof(BoostEnv, fill),
            LLVM::LLVMVoidType::get(builder.getContext()),
            {env(), getAddress(op.getDestination()), constant(i64, elements),
             constant(i32, static_cast<int64_t>(init.getKind())), a, b,
             getString(op.getName()), getAddress(op.getSeed())});
    return success();
  }

  /// Address of a constant C string.
  Value getString(StringRef text) {
    std::string symbol = ("boost.name." + text).str();
    if (!function->getParentOfType<ModuleOp>().lookupSymbol(symbol)) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(function);
      std::string terminated = text.str() + '\0';
      auto type =
          LLVM::LLVMArrayType::get(builder.getI8Type(), terminated.size());
      LLVM::GlobalOp::create(builder, loc(), type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, symbol,
                             builder.getStringAttr(terminated));
    }
    return LLVM::AddressOfOp::create(builder, loc(), pointer, symbol);
  }

  func::FuncOp source;
  StringRef name;
  TargetCode &code;
  BufferNames bufferNames;
  OpBuilder builder;
  LLVM::LLVMPointerType pointer;
  Type i32, i64;
  LLVM::LLVMFuncOp function;
  Operation *current = nullptr;
  Value operands;
  unsigned sharedCount = 0;
  SmallVector<Value> arenas; ///< base addresses, as the current op reads them
};

} // namespace

FailureOr<LLVM::LLVMFuncOp> boostc::lowerHostFunction(func::FuncOp function,
                                                      StringRef name,
                                                      TargetCode &code) {
  return HostFunctionBuilder(function, name, code).build();
}
