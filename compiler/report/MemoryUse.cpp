#include "compiler/report/MemoryUse.h"
#include "runtime/abi/boost_abi.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <bit>

using namespace boostc;
using namespace boostc::report;
using rt::Arena;

int64_t report::measureTransient(mlir::func::FuncOp function) {
  int64_t end = 0;
  function.walk([&](rt::BufferOp op) {
    if (op.getArena() == Arena::Transient)
      end = std::max(end, static_cast<int64_t>(op.getOffset()) +
                              countBytes(op->getResultTypes()));
  });
  return llvm::alignTo(end, BOOST_ALIGNMENT);
}

std::vector<ArenaUse> report::measureArenas(train::ProgramOp program) {
  // The trainer keeps three batches, one in use and two being filled, and one
  // set of gradients for each bit of the number of micro-batches, or one that
  // all add to (runtime/trainer/MemoryPlan.cpp; a test compares).
  constexpr int64_t kBatchCopies = 3;
  int64_t gradients =
      program.accumulatesInPlace()
          ? 1
          : std::bit_width(static_cast<uint64_t>(program.getMicroBatches()));
  std::vector<ArenaUse> arenas = {
      {Arena::Parameter, "weights", 0, 1},
      {Arena::State, "optimizer state", 0, 1},
      {Arena::Gradient, "gradient sums, loss", 0, gradients},
      {Arena::Batch, "inputs of a micro-batch", 0, kBatchCopies},
      {Arena::Control, "values of schedules, seed", 0, 1},
      {Arena::Result, "metrics, finite flag", 0, 1},
      {Arena::Transient, "activations and scratch", 0, 1}};
  for (auto slot : program.getBody().getOps<rt::SlotOp>())
    for (ArenaUse &use : arenas)
      if (use.arena == slot.getArena()) {
        int64_t end = slot.getOffset() + countBytes(slot.getType());
        use.bytes =
            std::max<int64_t>(use.bytes, llvm::alignTo(end, BOOST_ALIGNMENT));
      }
  for (auto function : program.getBody().getOps<mlir::func::FuncOp>())
    arenas.back().bytes =
        std::max(arenas.back().bytes, measureTransient(function));
  return arenas;
}

uint64_t report::measureTotal(train::ProgramOp program) {
  uint64_t total = 0;
  for (const ArenaUse &use : measureArenas(program))
    total += static_cast<uint64_t>(use.bytes * use.copies);
  return total;
}

train::ProgramOp report::getLargestProgram(mlir::ModuleOp module) {
  train::ProgramOp largest;
  for (auto program : module.getOps<train::ProgramOp>())
    if (!largest || measureTotal(program) > measureTotal(largest))
      largest = program;
  return largest;
}

std::string report::describeBytes(uint64_t bytes) {
  if (bytes < 1024)
    return llvm::formatv("{0} bytes", bytes);
  double size = static_cast<double>(bytes) / 1024.0;
  const char *unit = "KiB";
  for (const char *next : {"MiB", "GiB", "TiB"})
    if (size >= 1024.0) {
      size /= 1024.0;
      unit = next;
    }
  return llvm::formatv("{0:f2} {1}", size, unit);
}

llvm::LogicalResult report::checkMemoryBudget(train::ProgramOp program,
                                              uint64_t budget) {
  uint64_t total = measureTotal(program);
  if (total <= budget)
    return mlir::success();
  std::string parts;
  for (const ArenaUse &use : measureArenas(program))
    if (uint64_t bytes = static_cast<uint64_t>(use.bytes * use.copies))
      parts += llvm::formatv("{0}{1} {2}", parts.empty() ? "" : ", ", use.holds,
                             describeBytes(bytes));
  return program.emitError("training takes ")
         << describeBytes(total) << ", more than the memory budget of "
         << describeBytes(budget) << " (" << parts
         << "); the smallest possible is --memory-budget=" << total
         << ", and a smaller batch_size needs less";
}
