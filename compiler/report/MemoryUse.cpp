#include "compiler/report/MemoryUse.h"
#include "compiler/report/ProgramTables.h"
#include "runtime/program/AccumulatesInPlace.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace boostc;
using namespace boostc::report;

int64_t report::measureTransient(mlir::func::FuncOp function) {
  int64_t end = 0;
  function.walk([&](rt::BufferOp op) {
    if (op.getArena() == rt::Arena::Transient)
      end = std::max(end, static_cast<int64_t>(op.getOffset()) +
                              countBytes(op->getResultTypes()));
  });
  return llvm::alignTo(end, BOOSTC_ALIGNMENT);
}

uint64_t report::measureTotal(train::ProgramOp program,
                              const boostrt::JobShape &job) {
  return ProgramTables(program).planTraining(job).total();
}

uint64_t report::forecastTotal(train::ProgramOp program,
                               const boostrt::JobShape &job, int64_t microBatch,
                               int64_t microBatches, uint64_t transient) {
  ProgramTables tables(program);
  boostrt::MemoryPlan plan = tables.planTraining(job);
  plan.bytes[BOOSTC_ARENA_TRANSIENT] = transient;
  plan.bytes[BOOSTC_ARENA_BATCH] =
      plan.bytes[BOOSTC_ARENA_BATCH] * microBatch / program.getBatchSize();
  plan.copies[BOOSTC_ARENA_GRADIENT] = boostrt::gradientSets(
      microBatches, boostrt::accumulatesInPlace(tables.program()));
  return plan.total();
}

train::ProgramOp report::getLargestProgram(mlir::ModuleOp module,
                                           const boostrt::JobShape &job) {
  train::ProgramOp largest;
  for (auto program : module.getOps<train::ProgramOp>())
    if (!largest || measureTotal(program, job) > measureTotal(largest, job))
      largest = program;
  return largest;
}

llvm::LogicalResult report::checkMemoryBudget(train::ProgramOp program,
                                              uint64_t budget,
                                              const boostrt::JobShape &job,
                                              llvm::StringRef remedy) {
  boostrt::MemoryPlan plan = ProgramTables(program).planTraining(job);
  uint64_t total = plan.total();
  if (total <= budget)
    return mlir::success();
  std::string parts;
  for (const boostrt::MemoryTerm &term : plan.terms())
    if (uint64_t bytes = term.total())
      parts += llvm::formatv("{0}{1} {2}", parts.empty() ? "" : ", ",
                             term.holds, describeBytes(bytes));
  std::string where =
      job.ranks > 1 ? llvm::formatv(" as one of {0} ranks", job.ranks).str()
                    : "";
  return program.emitError("training")
         << where << " takes " << describeBytes(total)
         << ", more than the memory budget of " << describeBytes(budget) << " ("
         << parts << "); the smallest possible is --memory-budget=" << total
         << ", " << remedy;
}

std::string report::describeBudgetChoice(const BudgetChoice &choice) {
  bool isSplit = choice.microBatch != choice.batchSize;
  if (!isSplit && choice.recomputed == 0)
    return "";
  std::string text;
  if (isSplit)
    text =
        llvm::formatv("divides a batch of {0} samples into {1} micro-batches "
                      "of {2}",
                      choice.batchSize, choice.batchSize / choice.microBatch,
                      choice.microBatch);
  if (choice.recomputed > 0)
    text += llvm::formatv(
        "{0}computes {1} {2} again instead of keeping {3} ({4:F2} % more "
        "operations)",
        isSplit ? " and " : "", choice.recomputed,
        choice.recomputed == 1 ? "value" : "values",
        choice.recomputed == 1 ? "it" : "them", choice.extraFlops);
  text += llvm::formatv(", so that training takes {0}",
                        describeBytes(choice.bytes));
  if (choice.bytesBefore != choice.bytes)
    text += llvm::formatv(" instead of {0}", describeBytes(choice.bytesBefore));
  if (choice.largestMicroBatch != choice.batchSize)
    text += llvm::formatv("; train.micro_batch allows {0} at most",
                          choice.largestMicroBatch);
  return text;
}
