// The descriptor: what the runtime reads of a program. The structs are those of
// runtime/abi/boost_abi.h, filled here and laid down byte for byte.

#include "compiler/lowering/llvm/DescriptorImage.h"
#include "compiler/lowering/llvm/LowerToLLVM.h"
#include "compiler/lowering/llvm/ProgramHeader.h"
#include "compiler/lowering/llvm/SourceNames.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "runtime/device/cpu/Matmul.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <cstddef>
#include <cstring>

using namespace mlir;
using namespace boostc;

namespace {

class DescriptorBuilder {
public:
  explicit DescriptorBuilder(ArrayRef<TargetCode> targets)
      : targets(targets), program(targets.front().program) {
    for (auto slot : program.getOps<rt::SlotOp>())
      slots[slot.getBinding()] = slot;
  }

  LogicalResult build() {
    image.append<BoostProgram>();
    for (const TargetCode &target : targets)
      if (failed(checkSlots(target.program)) ||
          failed(checkCollectives(target)))
        return failure();
    if (failed(writeParameters()) || failed(writeStates()) ||
        failed(writeInputs()) || failed(writeMetrics()) ||
        failed(writeSchedules()))
      return failure();
    if (failed(writeTargets()) || failed(writeScalars()) ||
        failed(writeAccumulators()))
      return failure();
    writeCollectives();
    writeVariants();
    writeHeader();
    image.write(0, header);
    return success();
  }

  DescriptorImage image;

private:
  /// All targets share the arenas, so a tensor has the same offset in each.
  LogicalResult checkSlots(train::ProgramOp other) {
    for (auto slot : other.getOps<rt::SlotOp>()) {
      rt::SlotOp first = slots.lookup(slot.getBinding());
      if (!first || first.getOffset() != slot.getOffset() ||
          first.getType() != slot.getType())
        return slot.emitOpError("has another offset or type in the program for "
                                "another kind of device");
    }
    return success();
  }

  /// Ranks may run on different kinds of devices and meet all the same.
  LogicalResult checkCollectives(const TargetCode &target) {
    auto isEqual = [](const CollectiveEntry &a, const CollectiveEntry &b) {
      return std::memcmp(&a.collective, &b.collective, sizeof a.collective) ==
                 0 &&
             a.operands.size() == b.operands.size() &&
             std::memcmp(a.operands.data(), b.operands.data(),
                         a.operands.size() * sizeof a.operands[0]) == 0;
    };
    const auto &first = targets.front().collectives;
    if (first.size() != target.collectives.size() ||
        !std::equal(first.begin(), first.end(), target.collectives.begin(),
                    isEqual))
      return train::ProgramOp(target.program)
          .emitOpError("has other collectives than the program for another "
                       "kind of device");
    return success();
  }

  /// Writes the tensor bound to (kind, name) into the BoostTensor at `at`.
  LogicalResult writeTensor(uint64_t at, rt::BindingKind kind, StringRef name,
                            StringRef label, Location loc) {
    auto binding = rt::BindingAttr::get(program.getContext(), kind, name);
    rt::SlotOp slot = slots.lookup(binding);
    if (!slot)
      return emitError(loc) << "no function of the program uses " << binding
                            << "; the runtime needs its slot";
    auto type = cast<MemRefType>(slot.getType());
    std::optional<BoostDType> dtype = describeElements(type);
    if (!dtype)
      return slot.emitOpError("has elements of type ")
             << type.getElementType() << "; the runtime knows f32, i32 and i64";
    BoostTensor tensor = {};
    tensor.rank = type.getRank();
    tensor.dtype = *dtype;
    tensor.arena = static_cast<uint32_t>(slot.getArena());
    tensor.offset = slot.getOffset();
    tensor.bytes = countBytes(type);
    image.write(at, tensor);
    uint64_t shape =
        image.append<int64_t>(std::max<uint64_t>(1, type.getRank()));
    for (auto [i, extent] : llvm::enumerate(type.getShape()))
      image.write(shape + i * sizeof(int64_t), extent);
    image.setPointer(at + offsetof(BoostTensor, name),
                     image.appendString(label));
    image.setPointer(at + offsetof(BoostTensor, location),
                     image.appendString(formatLocation(loc)));
    image.setPointer(at + offsetof(BoostTensor, shape), shape);
    return success();
  }

  void setString(uint64_t at, StringRef text) {
    image.setPointer(at, image.appendString(text));
  }

  /// Appends a table for `count` T and points the program's field at it.
  template <typename T> uint64_t appendTable(size_t field, uint64_t count) {
    uint64_t table = image.append<T>(std::max<uint64_t>(1, count));
    image.setPointer(field, table);
    return table;
  }

  LogicalResult writeParameters() {
    auto parameters = llvm::to_vector(program.getOps<train::ParameterOp>());
    header.parameter_count = parameters.size();
    uint64_t at = appendTable<BoostParameter>(
        offsetof(BoostProgram, parameters), parameters.size());
    for (train::ParameterOp op : parameters) {
      BoostParameter parameter = {};
      parameter.role = static_cast<uint32_t>(op.getRole());
      parameter.initializer =
          static_cast<uint32_t>(op.getInitializer().getKind());
      parameter.a = op.getInitializer().getA().getValueAsDouble();
      parameter.b = op.getInitializer().getB().getValueAsDouble();
      image.write(at, parameter);
      if (failed(writeTensor(at + offsetof(BoostParameter, tensor),
                             rt::BindingKind::Parameter, op.getSymName(),
                             op.getSymName(), op.getLoc())))
        return failure();
      at += sizeof(BoostParameter);
    }
    return success();
  }

  LogicalResult writeAccumulators() {
    struct Entry {
      BoostAccumulatorKind kind;
      rt::BindingKind binding;
      StringRef name, label, parameter;
      Location loc;
    };
    SmallVector<Entry> entries;
    for (auto op : program.getOps<train::ParameterOp>())
      entries.push_back({BOOSTC_ACCUMULATOR_GRADIENT, rt::BindingKind::Gradient,
                         op.getSymName(), op.getSymName(), op.getSymName(),
                         op.getLoc()});
    for (auto op : program.getOps<train::AccumulatorOp>())
      entries.push_back({BOOSTC_ACCUMULATOR_OTHER, rt::BindingKind::Accumulator,
                         op.getSymName(), op.getSymName(),
                         op.getParameter().value_or(""), op.getLoc()});
    entries.push_back({BOOSTC_ACCUMULATOR_LOSS_SUM, rt::BindingKind::LossSum,
                       "", "loss_sum", "", program.getLoc()});
    entries.push_back({BOOSTC_ACCUMULATOR_LOSS_COUNT,
                       rt::BindingKind::LossCount, "", "loss_count", "",
                       program.getLoc()});
    header.accumulator_count = entries.size();
    uint64_t at = appendTable<BoostAccumulator>(
        offsetof(BoostProgram, accumulators), entries.size());
    for (const Entry &entry : entries) {
      BoostAccumulator accumulator = {};
      accumulator.kind = entry.kind;
      accumulator.parameter = getParameterIndex(entry.parameter);
      image.write(at, accumulator);
      if (failed(writeTensor(at + offsetof(BoostAccumulator, tensor),
                             entry.binding, entry.name, entry.label,
                             entry.loc)))
        return failure();
      at += sizeof(BoostAccumulator);
    }
    return success();
  }

  /// UINT32_MAX where there is none of this name.
  uint32_t getParameterIndex(StringRef name) {
    for (auto [index, op] :
         llvm::enumerate(program.getOps<train::ParameterOp>()))
      if (op.getSymName() == name)
        return index;
    return UINT32_MAX;
  }

  LogicalResult writeStates() {
    auto states = llvm::to_vector(program.getOps<train::StateOp>());
    header.state_count = states.size();
    uint64_t at =
        appendTable<BoostState>(offsetof(BoostProgram, states), states.size());
    for (train::StateOp op : states) {
      BoostState state = {};
      state.parameter = getParameterIndex(op.getParameter().value_or(""));
      state.saved = op.getSavedWithWeights() ? BOOSTC_SAVED_WITH_WEIGHTS
                                             : BOOSTC_SAVED_WITH_STATE;
      image.write(at, state);
      setString(at + offsetof(BoostState, slot), op.getSlot());
      if (failed(writeTensor(at + offsetof(BoostState, tensor),
                             rt::BindingKind::State, op.getSymName(),
                             op.getSymName(), op.getLoc())))
        return failure();
      at += sizeof(BoostState);
    }
    return success();
  }

  LogicalResult writeInputs() {
    auto inputs = llvm::to_vector(program.getOps<train::InputOp>());
    header.input_count = inputs.size();
    uint64_t at =
        appendTable<BoostInput>(offsetof(BoostProgram, inputs), inputs.size());
    for (train::InputOp op : inputs) {
      BoostInput input = {};
      input.kind = op.getKind();
      input.classes =
          op.getClasses() ? static_cast<int64_t>(*op.getClasses()) : 0;
      image.write(at, input);
      if (failed(writeTensor(at + offsetof(BoostInput, tensor),
                             rt::BindingKind::Input, op.getSymName(),
                             op.getSymName(), op.getLoc())))
        return failure();
      at += sizeof(BoostInput);
    }
    return success();
  }

  LogicalResult writeMetrics() {
    SmallVector<rt::SlotOp> sums;
    for (auto &[binding, slot] : slots)
      if (cast<rt::BindingAttr>(binding).getKind() ==
          rt::BindingKind::MetricSum)
        sums.push_back(slot);
    header.metric_count = sums.size();
    uint64_t at =
        appendTable<BoostMetric>(offsetof(BoostProgram, metrics), sums.size());
    for (rt::SlotOp op : sums) {
      StringRef name = op.getBinding().getName();
      setString(at + offsetof(BoostMetric, name), name);
      if (failed(writeTensor(at + offsetof(BoostMetric, sum),
                             rt::BindingKind::MetricSum, name, name,
                             op.getLoc())) ||
          failed(writeTensor(at + offsetof(BoostMetric, count),
                             rt::BindingKind::MetricCount, name, name,
                             op.getLoc())))
        return failure();
      at += sizeof(BoostMetric);
    }
    return success();
  }

  LogicalResult writeSchedules() {
    auto schedules = llvm::to_vector(program.getOps<train::ScheduleOp>());
    header.schedule_count = schedules.size();
    uint64_t at = appendTable<BoostSchedule>(offsetof(BoostProgram, schedules),
                                             schedules.size());
    for (train::ScheduleOp op : schedules) {
      image.write(at, op.getSchedule().getDescriptor());
      setString(at + offsetof(BoostSchedule, name), op.getSymName());
      if (failed(writeTensor(at + offsetof(BoostSchedule, control),
                             rt::BindingKind::Control, op.getSymName(),
                             op.getSymName(), op.getLoc())))
        return failure();
      at += sizeof(BoostSchedule);
    }
    return success();
  }

  LogicalResult writeTargets() {
    header.target_count = targets.size();
    uint64_t at = appendTable<BoostTarget>(offsetof(BoostProgram, targets),
                                           targets.size());
    for (const TargetCode &code : targets) {
      BoostTarget target = {};
      target.kind = code.kind;
      target.library_call_count = code.calls.size();
      target.launch_count = code.launches.size();
      target.function_count = code.functions.size();
      for (const FunctionEntry &function : code.functions)
        target.transient_bytes = std::max<uint64_t>(
            target.transient_bytes,
            llvm::alignTo(function.transientBytes, BOOSTC_ALIGNMENT));
      std::string requirements, library;
      if (code.kind == BOOSTC_TARGET_CPU) {
        FailureOr<rt::CpuTargetAttr> cpu = getCpuTarget(code.program);
        if (failed(cpu))
          return failure();
        target.threads = cpu->getThreads();
        requirements = cpu->getFeatures().str();
        library = boostrt::DnnlContext::libraryVersion();
      } else {
        rt::CudaTargetAttr cuda = getCudaTarget(code.program);
        requirements = "sm_" + std::to_string(cuda.getArchitecture());
        image.setSymbol(at + offsetof(BoostTarget, modules), kModulesSymbol);
      }
      image.write(at, target);
      setString(at + offsetof(BoostTarget, requirements), requirements);
      setString(at + offsetof(BoostTarget, library_version), library);
      writeLibraryCalls(at + offsetof(BoostTarget, library_calls), code.calls);
      writeLaunches(at + offsetof(BoostTarget, launches), code.launches);
      writeFunctions(at + offsetof(BoostTarget, functions), code.functions);
      at += sizeof(BoostTarget);
    }
    return success();
  }

  void writeFunctions(uint64_t field, ArrayRef<FunctionEntry> functions) {
    uint64_t at = appendTable<BoostFunction>(field, functions.size());
    for (const FunctionEntry &entry : functions) {
      BoostFunction function = {};
      function.transient_bytes = entry.transientBytes;
      function.role = entry.role;
      function.first_collective = entry.firstCollective;
      function.collective_count = entry.collectiveCount;
      image.write(at, function);
      setString(at + offsetof(BoostFunction, name), entry.name);
      image.setSymbol(at + offsetof(BoostFunction, entry),
                      LLVM::LLVMFuncOp(entry.lowered).getName());
      at += sizeof(BoostFunction);
    }
  }

  /// UINT32_MAX where there is none.
  uint32_t getFunctionIndex(func::FuncOp function) {
    for (auto [index, entry] : llvm::enumerate(targets.front().functions))
      if (function && entry.name == function.getName())
        return index;
    return UINT32_MAX;
  }

  void writeVariants() {
    auto variants = program.getVariants();
    header.variant_count = variants.size();
    uint64_t at = appendTable<BoostVariant>(offsetof(BoostProgram, variants),
                                            variants.size());
    for (const train::StepVariant &entry : variants) {
      SmallVector<train::StepsAttr> ranges;
      if (auto op = cast_or_null<train::VariantOp>(entry.op))
        llvm::append_range(ranges,
                           op.getSteps().getAsRange<train::StepsAttr>());
      BoostVariant variant = {};
      variant.micro = getFunctionIndex(entry.micro);
      variant.combine = getFunctionIndex(entry.combine);
      variant.update = getFunctionIndex(entry.update);
      variant.range_count = ranges.size();
      image.write(at, variant);
      setString(at + offsetof(BoostVariant, name), entry.name);
      uint64_t range = appendTable<BoostStepRange>(
          at + offsetof(BoostVariant, ranges), ranges.size());
      for (train::StepsAttr steps : ranges) {
        image.write(range, steps.getDescriptor());
        range += sizeof(BoostStepRange);
      }
      at += sizeof(BoostVariant);
    }
  }

  void writeLibraryCalls(uint64_t field, ArrayRef<LibraryCallEntry> calls) {
    uint64_t at = appendTable<BoostLibraryCall>(field, calls.size());
    for (const LibraryCallEntry &entry : calls) {
      image.write(at, entry.call);
      setString(at + offsetof(BoostLibraryCall, location), entry.location);
      setString(at + offsetof(BoostLibraryCall, layers), entry.layers);
      at += sizeof(BoostLibraryCall);
    }
  }

  void writeLaunches(uint64_t field, ArrayRef<LaunchEntry> launches) {
    uint64_t at = appendTable<BoostLaunch>(field, launches.size());
    for (const LaunchEntry &entry : launches) {
      BoostLaunch launch = {};
      launch.operand_count = entry.operands.size();
      launch.blocks = entry.blocks;
      launch.threads = entry.threads;
      image.write(at, launch);
      setString(at + offsetof(BoostLaunch, kernel), entry.kernel);
      setString(at + offsetof(BoostLaunch, location), entry.location);
      setString(at + offsetof(BoostLaunch, layers), entry.layers);
      uint64_t operand = appendTable<BoostOperand>(
          at + offsetof(BoostLaunch, operands), entry.operands.size());
      for (const LaunchOperand &value : entry.operands) {
        BoostOperand described = {};
        described.bytes = value.bytes;
        described.is_written = value.isWritten;
        image.write(operand, described);
        setString(operand + offsetof(BoostOperand, name), value.name);
        operand += sizeof(BoostOperand);
      }
      at += sizeof(BoostLaunch);
    }
  }

  void writeCollectives() {
    ArrayRef<CollectiveEntry> entries = targets.front().collectives;
    header.collective_count = entries.size();
    uint64_t at = appendTable<BoostCollective>(
        offsetof(BoostProgram, collectives), entries.size());
    for (const CollectiveEntry &entry : entries) {
      BoostCollective collective = entry.collective;
      collective.operand_count = entry.operands.size();
      image.write(at, collective);
      setString(at + offsetof(BoostCollective, location), entry.location);
      uint64_t operand = appendTable<BoostCollectiveOperand>(
          at + offsetof(BoostCollective, operands), entry.operands.size());
      for (const BoostCollectiveOperand &value : entry.operands) {
        image.write(operand, value);
        operand += sizeof value;
      }
      at += sizeof(BoostCollective);
    }
  }

  /// The tensors the header holds by value. They are written into the image now
  /// and read back into the header, which is written last.
  LogicalResult writeScalars() {
    struct Scalar {
      size_t field;
      rt::BindingKind kind;
      StringRef label;
    };
    const Scalar scalars[] = {
        {offsetof(BoostProgram, valid), rt::BindingKind::Valid, "valid"},
        {offsetof(BoostProgram, applied), rt::BindingKind::Applied, "applied"},
        {offsetof(BoostProgram, failed), rt::BindingKind::Failed, "failed"},
        {offsetof(BoostProgram, seed_control), rt::BindingKind::Seed, "seed"}};
    auto norm = rt::BindingAttr::get(program.getContext(),
                                     rt::BindingKind::GradientNorm);
    if (slots.contains(norm)) {
      size_t field = offsetof(BoostProgram, gradient_norm);
      if (failed(writeTensor(field, norm.getKind(), "", "gradient_norm",
                             program.getLoc())))
        return failure();
      image.read(field, header.gradient_norm);
    }
    for (const Scalar &scalar : scalars) {
      if (failed(writeTensor(scalar.field, scalar.kind, "", scalar.label,
                             program.getLoc())))
        return failure();
      image.read(scalar.field,
                 *reinterpret_cast<BoostTensor *>(
                     reinterpret_cast<char *>(&header) + scalar.field));
    }
    return success();
  }

  void writeHeader() {
    header.magic = BOOSTC_ABI_MAGIC;
    header.abi_version = BOOSTC_ABI_VERSION;
    header.struct_bytes = sizeof(BoostProgram);
    header.batch_size = program.getBatchSize();
    header.micro_batches = program.getMicroBatches();
    header.seed = program.getSeed();
    auto minSamples =
        program->getAttrOfType<IntegerAttr>(train::kMinSamplesAttrName);
    header.min_samples = minSamples ? minSamples.getInt() : 1;
    describeArenas(program, header);
    describeAdasum(program, header);
    header.reproducible =
        static_cast<uint32_t>(rt::getReproducibility(program));
    header.matmul_precision =
        static_cast<uint32_t>(rt::getMatmulPrecision(program));
    setString(offsetof(BoostProgram, name), program.getSymName());
    setString(offsetof(BoostProgram, compiler_version),
              "boostc " BOOSTC_VERSION);
    setString(offsetof(BoostProgram, recipe_json), program.getRecipe());
    setString(offsetof(BoostProgram, recipe_hash), program.getRecipeHash());
  }

  ArrayRef<TargetCode> targets;
  train::ProgramOp program;
  BoostProgram header = {};
  llvm::MapVector<Attribute, rt::SlotOp> slots;
};

} // namespace

/// The table of modules is known when code is generated; the program has it,
/// and no other library sees it.
static void declareModules(OpBuilder &builder, Location loc) {
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
  auto table = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                      LLVM::Linkage::External, kModulesSymbol,
                                      Attribute());
  table.setVisibility_(LLVM::Visibility::Hidden);
}

LogicalResult boostc::emitDescriptor(ArrayRef<TargetCode> targets) {
  DescriptorBuilder descriptor(targets);
  if (failed(descriptor.build()))
    return failure();

  train::ProgramOp program = targets.front().program;
  OpBuilder builder(program);
  Location loc = program.getLoc();
  if (targets.back().kind == BOOSTC_TARGET_CUDA)
    declareModules(builder, loc);
  constexpr StringLiteral name = "boost.descriptor";
  descriptor.image.emit(builder, loc, name);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i32 = builder.getI32Type();
  auto query =
      LLVM::LLVMFuncOp::create(builder, loc, BOOSTC_QUERY_SYMBOL,
                               LLVM::LLVMFunctionType::get(pointer, {i32}));
  Block *entry = query.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  Value version = LLVM::ConstantOp::create(
      builder, loc, i32, builder.getI32IntegerAttr(BOOSTC_ABI_VERSION));
  Value known = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::uge,
                                     entry->getArgument(0), version);
  Value address = LLVM::AddressOfOp::create(builder, loc, pointer, name);
  Value null = LLVM::ZeroOp::create(builder, loc, pointer);
  Value result = LLVM::SelectOp::create(builder, loc, known, address, null);
  LLVM::ReturnOp::create(builder, loc, result);
  return success();
}
