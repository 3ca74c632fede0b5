#include "compiler/report/MemoryUse.h"
#include "compiler/report/ProgramTables.h"
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
                                              const boostrt::JobShape &job) {
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
         << ", and a smaller batch_size needs less";
}
