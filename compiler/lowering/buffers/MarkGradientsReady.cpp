// Says where in @micro a collective's operands are final; see Passes.td.

#include "compiler/lowering/buffers/Passes.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "dialects/rt/RtDialect.h"
#include "dialects/train/TrainDialect.h"

namespace boostc {
#define GEN_PASS_DEF_MARKGRADIENTSREADYPASS
#include "compiler/lowering/buffers/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

Operation *getLastUser(Value buffer) {
  Operation *last = buffer.getDefiningOp();
  forEachUser(buffer, [&](Operation *user) {
    if (last->isBeforeInBlock(user))
      last = user;
  });
  return last;
}

/// A gradient in memory, and the last op that touches it.
struct Written {
  Value buffer;
  Operation *last = nullptr;
};

/// Whether something runs after `op` that a collective could overlap with.
bool hasLaterWork(Operation *op) {
  while ((op = op->getNextNode()))
    if (!isBufferOrConstant(op) &&
        !isa<rt::GradientsReadyOp, func::ReturnOp>(op))
      return true;
  return false;
}

struct MarkGradientsReady
    : boostc::impl::MarkGradientsReadyPassBase<MarkGradientsReady> {
  void runOnOperation() override {
    SmallVector<train::StepPhase> phases;
    for (const train::StepVariant &variant : getOperation().getVariants())
      llvm::append_range(phases, variant.getPhases());
    for (train::StepPhase &phase : phases) {
      // Collectives have one number each: what is announced is for one probe or
      // update.
      bool isForAll = llvm::all_of(phases, [&](const auto &other) {
        return other.micro != phase.micro || other.ending == phase.ending;
      });
      if (isForAll && phase.micro && phase.ending &&
          phase.micro.getOps<rt::GradientsReadyOp>().empty())
        mark(phase.micro, phase.ending);
    }
  }

  static void mark(func::FuncOp micro, func::FuncOp ending) {
    llvm::DenseMap<uint64_t, Written> written; // by offset
    for (auto buffer : micro.getOps<rt::BufferOp>()) {
      if (buffer.getArena() != rt::Arena::Gradient)
        continue;
      Written found{buffer.getResult(), getLastUser(buffer.getResult())};
      auto [known, isNew] = written.try_emplace(buffer.getOffset(), found);
      if (!isNew && known->second.last->isBeforeInBlock(found.last))
        known->second = found;
    }

    Operation *last = nullptr; // of this collective's and those before it
    for (auto collective : ending.getOps<rt::CollectiveOp>()) {
      SmallVector<Value> buffers;
      for (Value exchanged : collective.getOperands()) {
        auto buffer = exchanged.getDefiningOp<rt::BufferOp>();
        if (!buffer || buffer.getArena() != rt::Arena::Gradient ||
            isTouchedBefore(exchanged, collective))
          return;
        Written found = written.lookup(buffer.getOffset());
        if (!found.buffer)
          return;
        if (!last || last->isBeforeInBlock(found.last))
          last = found.last;
        buffers.push_back(found.buffer);
      }
      if (!hasLaterWork(last))
        return;
      OpBuilder builder(last->getContext());
      builder.setInsertionPointAfter(last);
      last = rt::GradientsReadyOp::create(builder, collective.getLoc(),
                                          collective.getIndex(), buffers);
    }
  }

  /// Then what is exchanged is made in the probe or update.
  static bool isTouchedBefore(Value buffer, Operation *op) {
    bool isTouched = false;
    forEachUser(buffer, [&](Operation *user) {
      isTouched |= user->isBeforeInBlock(op);
    });
    return isTouched;
  }
};

} // namespace
