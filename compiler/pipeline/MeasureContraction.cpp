#include "compiler/pipeline/MeasureContraction.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/pipeline/LoadedLibrary.h"
#include "compiler/pipeline/Phases.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "runtime/device/cpu/CpuDevice.h"
#include "runtime/program/StepVariants.h"
#include <chrono>

using namespace mlir;
using namespace boostc;

/// Times that the op is executed in a call of the program.
constexpr int64_t kRepeats = 16;

namespace {

/// A program in this process, and memory to run it in.
class LoadedProgram {
public:
  /// Null, and a sentence in `error`, on failure.
  static std::unique_ptr<LoadedProgram> load(ArrayRef<char> library,
                                             std::string &error) {
    std::unique_ptr<LoadedProgram> loaded(new LoadedProgram);
    loaded->library = LoadedLibrary::load(library, error);
    if (!loaded->library)
      return nullptr;
    const BoostProgram &program = loaded->library->program();
    const BoostTarget &target = program.targets[0];
    auto device = boostrt::CpuDevice::create(target.threads, target,
                                             program.reproducible);
    if (!device.ok()) {
      error = device.status().message();
      return nullptr;
    }
    loaded->device = std::move(*device);
    for (int kind = 0; kind < BOOSTC_ARENA_COUNT; ++kind)
      loaded->addArena(kind == BOOSTC_ARENA_TRANSIENT
                           ? target.transient_bytes
                           : program.arena_bytes[kind]);
    return loaded;
  }

  /// Microseconds that the op takes; none when the library refuses.
  std::optional<double> run() {
    auto start = std::chrono::steady_clock::now();
    boostrt::Status status = device->call(
        boostrt::usualVariant(library->program()).micro, arenas.data());
    std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - start;
    if (!status.ok())
      return std::nullopt;
    return time.count() / kRepeats;
  }

private:
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };

  void addArena(uint64_t bytes) {
    uint64_t size = llvm::alignTo(std::max<uint64_t>(bytes, 1), 4096);
    memory.emplace_back(std::aligned_alloc(4096, size));
    std::memset(memory.back().get(), 0, size);
    arenas.push_back(memory.back().get());
  }

  std::unique_ptr<LoadedLibrary> library;
  std::unique_ptr<boostrt::CpuDevice> device; // runs what the library holds
  std::vector<std::unique_ptr<void, Free>> memory;
  std::vector<void *> arenas;
};

} // namespace

/// The program of `op`, with functions that do nothing but that @micro executes
/// the op by candidate `number`.
static OwningOpRef<ModuleOp> isolate(Operation *op, size_t number) {
  auto program = op->getParentOfType<train::ProgramOp>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  OpBuilder builder = OpBuilder::atBlockBegin(module->getBody());
  auto copy = cast<train::ProgramOp>(builder.clone(*program));
  func::FuncOp measured = copy.getMicros().back();
  for (auto function : copy.getOps<func::FuncOp>()) {
    Block &body = function.front();
    while (&body.front() != body.getTerminator())
      body.getTerminator()->getPrevNode()->erase();
    if (function != measured)
      continue;
    builder.setInsertionPointToStart(&body);
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, memref::AllocOp::create(
                                 builder, op->getLoc(),
                                 cast<MemRefType>(operand.getType())));
    for (int64_t i = 0; i < kRepeats; ++i)
      builder.clone(*op, mapping)
          ->setAttr(kCandidateAttrName,
                    builder.getI64IntegerAttr(static_cast<int64_t>(number)));
  }
  return module;
}

static std::unique_ptr<LoadedProgram> build(Operation *op, size_t number,
                                            int codegenLevel) {
  OwningOpRef<ModuleOp> module = isolate(op, number);
  PassManager manager(module->getContext());
  buildMeasuringPipeline(manager);
  SmallVector<char, 0> library;
  if (failed(manager.run(*module)) ||
      failed(emitProgram(*module, codegenLevel, library)))
    return nullptr;
  std::string error;
  std::unique_ptr<LoadedProgram> loaded = LoadedProgram::load(library, error);
  if (!loaded)
    op->emitError("cannot measure candidate ") << number << ": " << error;
  return loaded;
}

FailureOr<std::vector<double>>
boostc::measureContraction(Operation *op, size_t candidates, int codegenLevel) {
  std::vector<std::unique_ptr<LoadedProgram>> programs;
  for (size_t number = 0; number < candidates; ++number) {
    programs.push_back(build(op, number, codegenLevel));
    if (!programs.back())
      return failure();
  }
  constexpr int kMinRounds = 30;
  constexpr double kMaxMicroseconds = 20e3; // of each, in these rounds and on
  std::vector<double> least(candidates,
                            std::numeric_limits<double>::infinity());
  double spent = 0.0;
  for (int round = 0;
       round < kMinRounds || (spent < kMaxMicroseconds && round < 1000);
       ++round)
    for (size_t number = 0; number < candidates; ++number) {
      std::optional<double> time = programs[number]->run();
      if (!time)
        return op->emitError("cannot measure candidate ")
               << number << ": the library refused its matmul";
      least[number] = std::min(least[number], *time);
      spent += *time * kRepeats / static_cast<double>(candidates);
    }
  return least;
}
