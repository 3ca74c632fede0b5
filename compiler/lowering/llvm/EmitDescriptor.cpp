// The descriptor: what the runtime reads of a program. A BoostProgram is put
// together here as any C program would, and becomes a constant of the program.

#include "compiler/lowering/llvm/DescriptorImage.h"
#include "compiler/lowering/llvm/LowerToLLVM.h"
#include "compiler/lowering/llvm/ProgramHeader.h"
#include "compiler/lowering/llvm/SourceNames.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "runtime/device/cpu/Matmul.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace boostc;

namespace {

class DescriptorBuilder {
public:
  explicit DescriptorBuilder(MutableArrayRef<TargetCode> targets)
      : targets(targets), program(targets.front().program) {
    for (auto slot : program.getOps<rt::SlotOp>())
      slots[slot.getBinding()] = slot;
  }

  LogicalResult build() {
    for (const TargetCode &target : targets)
      if (failed(checkSlots(target.program)) ||
          failed(checkCollectives(target)))
        return failure();
    if (failed(addParameters()) || failed(addStates()) || failed(addInputs()) ||
        failed(addMetrics()) || failed(addStepNumbers()) ||
        failed(addSchedules()) || failed(addTargets()) ||
        failed(addScalars()) || failed(addAccumulators()) ||
        failed(addSelector()))
      return failure();
    std::vector<BoostCollective> &collectives = targets.front().collectives;
    descriptor.collectives = collectives.data();
    descriptor.collective_count = collectives.size();
    addVariants();
    addSums();
    describeProgram();
    return success();
  }

  /// Points into the targets and into this builder.
  BoostProgram descriptor = {};

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
    auto areEqual = [](const BoostCollectiveOperand &a,
                       const BoostCollectiveOperand &b) {
      return std::tie(a.elements, a.rows, a.dtype, a.parameter, a.group) ==
             std::tie(b.elements, b.rows, b.dtype, b.parameter, b.group);
    };
    auto isEqual = [&](const BoostCollective &a, const BoostCollective &b) {
      return std::tie(a.kind, a.ranks, a.index, a.root) ==
                 std::tie(b.kind, b.ranks, b.index, b.root) &&
             llvm::equal(ArrayRef(a.operands, a.operand_count),
                         ArrayRef(b.operands, b.operand_count), areEqual);
    };
    if (!llvm::equal(targets.front().collectives, target.collectives, isEqual))
      return train::ProgramOp(target.program)
          .emitOpError("has other collectives than the program for another "
                       "kind of device");
    return success();
  }

  /// The tensor bound to (kind, name).
  LogicalResult describe(BoostTensor &tensor, rt::BindingKind kind,
                         StringRef name, StringRef label, Location loc) {
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
    tensor.name = memory.makeText(label);
    tensor.location = memory.makeText(formatLocation(loc));
    llvm::copy(
        type.getShape(),
        memory.makeTable(type.getRank(), tensor.shape, tensor.rank).begin());
    tensor.dtype = *dtype;
    tensor.arena = static_cast<uint32_t>(slot.getArena());
    tensor.offset = slot.getOffset();
    tensor.bytes = countBytes(type);
    return success();
  }

  /// The same of an op whose name the binding has.
  LogicalResult describe(BoostTensor &tensor, rt::BindingKind kind,
                         SymbolOpInterface op) {
    return describe(tensor, kind, op.getName(), op.getName(), op.getLoc());
  }

  LogicalResult addParameters() {
    auto ops = llvm::to_vector(program.getOps<train::ParameterOp>());
    for (auto [op, entry] : llvm::zip_equal(
             ops, memory.makeTable(ops.size(), descriptor.parameters,
                                   descriptor.parameter_count))) {
      rt::InitializerAttr initializer = op.getInitializer();
      entry.role = static_cast<uint32_t>(op.getRole());
      entry.initializer = static_cast<uint32_t>(initializer.getKind());
      entry.a = initializer.getA().getValueAsDouble();
      entry.b = initializer.getB().getValueAsDouble();
      if (failed(describe(entry.tensor, rt::BindingKind::Parameter, op)))
        return failure();
    }
    return success();
  }

  LogicalResult addAccumulators() {
    struct Sum {
      BoostAccumulatorKind kind;
      rt::BindingKind binding;
      StringRef name, label, parameter;
      Location loc;
    };
    SmallVector<Sum> sums;
    for (auto op : program.getOps<train::ParameterOp>())
      sums.push_back({BOOSTC_ACCUMULATOR_GRADIENT, rt::BindingKind::Gradient,
                      op.getSymName(), op.getSymName(), op.getSymName(),
                      op.getLoc()});
    for (auto op : program.getOps<train::AccumulatorOp>())
      sums.push_back({BOOSTC_ACCUMULATOR_OTHER, rt::BindingKind::Accumulator,
                      op.getSymName(), op.getSymName(),
                      op.getParameter().value_or(""), op.getLoc()});
    sums.push_back({BOOSTC_ACCUMULATOR_LOSS_SUM, rt::BindingKind::LossSum, "",
                    "loss_sum", "", program.getLoc()});
    sums.push_back({BOOSTC_ACCUMULATOR_LOSS_COUNT, rt::BindingKind::LossCount,
                    "", "loss_count", "", program.getLoc()});
    for (auto op : program.getOps<train::InputOp>())
      if (op.getWeight())
        sums.push_back({BOOSTC_ACCUMULATOR_LOSS_WEIGHT,
                        rt::BindingKind::LossWeight, "", "loss_weight", "",
                        op.getLoc()});
    for (auto [sum, entry] : llvm::zip_equal(
             sums, memory.makeTable(sums.size(), descriptor.accumulators,
                                    descriptor.accumulator_count))) {
      entry.kind = sum.kind;
      entry.parameter = getParameterIndex(sum.parameter);
      if (failed(describe(entry.tensor, sum.binding, sum.name, sum.label,
                          sum.loc)))
        return failure();
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

  LogicalResult addStates() {
    auto ops = llvm::to_vector(program.getOps<train::StateOp>());
    for (auto [op, entry] :
         llvm::zip_equal(ops, memory.makeTable(ops.size(), descriptor.states,
                                               descriptor.state_count))) {
      entry.slot = memory.makeText(op.getSlot());
      entry.parameter = getParameterIndex(op.getParameter().value_or(""));
      entry.averaged = memory.makeText(op.getAveraged().value_or(""));
      entry.is_evaluated = op.getEvaluated();
      entry.saved = static_cast<uint32_t>(op.getSaved());
      if (failed(describe(entry.tensor, rt::BindingKind::State, op)))
        return failure();
    }
    return success();
  }

  LogicalResult addInputs() {
    auto ops = llvm::to_vector(program.getOps<train::InputOp>());
    for (auto [op, entry] :
         llvm::zip_equal(ops, memory.makeTable(ops.size(), descriptor.inputs,
                                               descriptor.input_count))) {
      entry.kind = op.getKind();
      entry.classes = static_cast<int64_t>(op.getClasses().value_or(0));
      if (failed(describe(entry.tensor, rt::BindingKind::Input, op)))
        return failure();
    }
    return success();
  }

  SmallVector<rt::SlotOp> getSlots(rt::BindingKind kind) {
    SmallVector<rt::SlotOp> found;
    for (auto &[binding, slot] : slots)
      if (cast<rt::BindingAttr>(binding).getKind() == kind)
        found.push_back(slot);
    return found;
  }

  LogicalResult addMetrics() {
    SmallVector<rt::SlotOp> sums = getSlots(rt::BindingKind::MetricSum);
    for (auto [op, entry] :
         llvm::zip_equal(sums, memory.makeTable(sums.size(), descriptor.metrics,
                                                descriptor.metric_count))) {
      StringRef name = op.getBinding().getName();
      entry.name = memory.makeText(name);
      if (failed(describe(entry.sum, rt::BindingKind::MetricSum, name, name,
                          op.getLoc())) ||
          failed(describe(entry.count, rt::BindingKind::MetricCount, name, name,
                          op.getLoc())))
        return failure();
    }
    return success();
  }

  LogicalResult addStepNumbers() {
    SmallVector<rt::SlotOp> ops = getSlots(rt::BindingKind::StepNumber);
    for (auto [op, entry] : llvm::zip_equal(
             ops, memory.makeTable(ops.size(), descriptor.step_numbers,
                                   descriptor.step_number_count))) {
      StringRef name = op.getBinding().getName();
      if (failed(describe(entry.tensor, rt::BindingKind::StepNumber, name, name,
                          op.getLoc())))
        return failure();
    }
    return success();
  }

  LogicalResult addSchedules() {
    auto ops = llvm::to_vector(program.getOps<train::ScheduleOp>());
    for (auto [op, entry] :
         llvm::zip_equal(ops, memory.makeTable(ops.size(), descriptor.schedules,
                                               descriptor.schedule_count))) {
      entry = op.getSchedule().getDescriptor();
      entry.name = memory.makeText(op.getSymName());
      if (failed(describe(entry.control, rt::BindingKind::Control, op)))
        return failure();
    }
    return success();
  }

  LogicalResult addTargets() {
    for (auto [code, target] : llvm::zip_equal(
             targets, memory.makeTable(targets.size(), descriptor.targets,
                                       descriptor.target_count))) {
      target.kind = code.kind;
      for (const BoostFunction &function : code.functions)
        target.transient_bytes =
            std::max(target.transient_bytes, function.transient_bytes);
      target.library_version = "";
      if (code.kind == BOOSTC_TARGET_CPU) {
        FailureOr<rt::CpuTargetAttr> cpu = getCpuTarget(code.program);
        if (failed(cpu))
          return failure();
        target.threads = cpu->getThreads();
        target.requirements = memory.makeText(cpu->getFeatures());
        target.library_version =
            memory.makeText(boostrt::DnnlContext::libraryVersion());
      } else {
        rt::CudaTargetAttr cuda = getCudaTarget(code.program);
        target.requirements =
            memory.makeText("sm_" + Twine(cuda.getArchitecture()));
        target.modules = memory.makeSymbol<const BoostModule *>(kModulesSymbol);
      }
      target.library_calls = code.calls.get().data();
      target.library_call_count = code.calls.get().size();
      target.launches = code.launches.get().data();
      target.launch_count = code.launches.get().size();
      target.functions = code.functions.data();
      target.function_count = code.functions.size();
    }
    return success();
  }

  /// UINT32_MAX where there is none.
  uint32_t getFunctionIndex(func::FuncOp function) {
    for (auto [index, entry] : llvm::enumerate(targets.front().functions))
      if (function && entry.name == function.getName())
        return index;
    return UINT32_MAX;
  }

  void addVariants() {
    auto variants = program.getVariants();
    for (auto [variant, entry] : llvm::zip_equal(
             variants, memory.makeTable(variants.size(), descriptor.variants,
                                        descriptor.variant_count))) {
      entry.name = memory.makeText(variant.name);
      entry.micro = getFunctionIndex(variant.micro);
      entry.combine = getFunctionIndex(variant.combine);
      entry.update = getFunctionIndex(variant.update);
      if (!variant.probes.empty())
        for (auto [phase, part] :
             llvm::zip_equal(variant.probes,
                             memory.makeTable(variant.probes.size(),
                                              entry.phases, entry.phase_count)))
          part = {getFunctionIndex(phase.micro),
                  getFunctionIndex(phase.combine),
                  getFunctionIndex(phase.ending), phase.repeats};
      SmallVector<train::StepsAttr> ranges;
      if (auto op = cast_or_null<train::VariantOp>(variant.op))
        llvm::append_range(ranges,
                           op.getSteps().getAsRange<train::StepsAttr>());
      for (auto [steps, range] :
           llvm::zip_equal(ranges, memory.makeTable(ranges.size(), entry.ranges,
                                                    entry.range_count)))
        range = steps.getDescriptor();
    }
  }

  /// Says of the micros of steps with several phases what they write: it is
  /// the rest that keeps what an earlier phase has left.
  void addSums() {
    llvm::SetVector<func::FuncOp> micros;
    for (const train::StepVariant &variant : program.getVariants())
      if (!variant.probes.empty())
        for (const train::StepPhase &phase : variant.getPhases())
          if (phase.micro)
            micros.insert(phase.micro);
    for (func::FuncOp micro : micros) {
      llvm::DenseSet<uint64_t> offsets;
      for (auto buffer : micro.getOps<rt::BufferOp>())
        if (buffer.getArena() == rt::Arena::Gradient)
          offsets.insert(buffer.getOffset());
      SmallVector<BoostSum> sums;
      for (uint32_t i = 0; i < descriptor.accumulator_count; ++i)
        if (offsets.contains(descriptor.accumulators[i].tensor.offset))
          sums.push_back({i, 0});
      for (TargetCode &target : targets) {
        BoostFunction &function = target.functions[getFunctionIndex(micro)];
        llvm::copy(
            sums,
            memory.makeTable(sums.size(), function.sums, function.sum_count)
                .begin());
      }
    }
  }

  LogicalResult addSelector() {
    train::SelectorOp op = program.getSelector();
    if (!op)
      return success();
    BoostSelector &selector =
        memory.makeTable(1, descriptor.selectors, descriptor.selector_count)
            .front();
    selector.function = getFunctionIndex(program.getFunction(op.getFunction()));
    selector.lag = op.getLag();
    auto variants = program.getVariants();
    for (auto [i, entry] : llvm::enumerate(memory.makeTable(
             op.getVariants().size(), selector.choices, selector.choice_count)))
      entry.variant =
          llvm::find_if(variants,
                        [&](const train::StepVariant &variant) {
                          return variant.name == op.getVariantName(i);
                        }) -
          variants.begin();
    Location loc = op.getLoc();
    return success(
        succeeded(
            describe(selector.step, rt::BindingKind::Step, "", "step", loc)) &&
        succeeded(describe(selector.length, rt::BindingKind::RunLength, "",
                           "run_length", loc)) &&
        succeeded(describe(selector.choice, rt::BindingKind::Choice, "",
                           "choice", loc)));
  }

  LogicalResult addScalars() {
    struct Scalar {
      BoostTensor &tensor;
      rt::BindingKind kind;
      StringRef label;
    };
    SmallVector<Scalar> scalars = {
        {descriptor.valid, rt::BindingKind::Valid, "valid"},
        {descriptor.applied, rt::BindingKind::Applied, "applied"},
        {descriptor.failed, rt::BindingKind::Failed, "failed"},
        {descriptor.seed_control, rt::BindingKind::Seed, "seed"}};
    // Those that a program may have.
    const Scalar optional[] = {
        {descriptor.gradient_norm, rt::BindingKind::GradientNorm,
         "gradient_norm"},
        {descriptor.loss_scale, rt::BindingKind::LossScale, "loss_scale"},
        {descriptor.overflows, rt::BindingKind::Overflows, "overflows"},
        {descriptor.repeat, rt::BindingKind::Repeat, "repeat"}};
    for (const Scalar &scalar : optional)
      if (slots.contains(
              rt::BindingAttr::get(program.getContext(), scalar.kind)))
        scalars.push_back(scalar);
    for (const Scalar &scalar : scalars)
      if (failed(describe(scalar.tensor, scalar.kind, "", scalar.label,
                          program.getLoc())))
        return failure();
    return success();
  }

  void describeProgram() {
    descriptor.magic = BOOSTC_ABI_MAGIC;
    descriptor.abi_version = BOOSTC_ABI_VERSION;
    descriptor.abi_layout = BOOSTC_ABI_LAYOUT;
    descriptor.name = memory.makeText(program.getSymName());
    descriptor.compiler_version = "boostc " BOOSTC_VERSION;
    descriptor.recipe_json = memory.makeText(program.getRecipe());
    descriptor.recipe_hash = memory.makeText(program.getRecipeHash());
    descriptor.batch_size = program.getBatchSize();
    descriptor.micro_batches = program.getMicroBatches();
    descriptor.seed = program.getSeed();
    auto minSamples =
        program->getAttrOfType<IntegerAttr>(train::kMinSamplesAttrName);
    descriptor.min_samples = minSamples ? minSamples.getInt() : 1;
    describeArenas(program, descriptor);
    describeAdasum(program, descriptor);
    descriptor.reproducible =
        static_cast<uint32_t>(rt::getReproducibility(program));
    descriptor.matmul_precision =
        static_cast<uint32_t>(rt::getMatmulPrecision(program));
  }

  MutableArrayRef<TargetCode> targets;
  train::ProgramOp program;
  DescriptorMemory memory;
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

LogicalResult boostc::emitDescriptor(MutableArrayRef<TargetCode> targets) {
  DescriptorBuilder built(targets);
  if (failed(built.build()))
    return failure();

  train::ProgramOp program = targets.front().program;
  OpBuilder builder(program);
  Location loc = program.getLoc();
  if (targets.back().kind == BOOSTC_TARGET_CUDA)
    declareModules(builder, loc);
  constexpr StringLiteral name = "boost.descriptor";
  DescriptorImage(built.descriptor).emit(builder, loc, name);
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
