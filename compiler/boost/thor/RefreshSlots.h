// RefreshSlots.h - which of THOR's layers a step refreshes, where it does not
// refresh them all.
#pragma once

#include "dialects/train/TrainDialect.h"

namespace boostc::boost {

/// When factors and inverses are computed anew: those of a layer in every
/// `frequency`-th step. The layers are divided into `slots`, of which the first
/// refresh has all, and each later one the next; with one slot all refreshes
/// have all layers.
struct RefreshPlan {
  int64_t frequency = 1, slots = 1;

  /// As many slots as there are layers, 16 at most, and two steps or more from
  /// each to the next.
  static RefreshPlan getStaggered(int64_t frequency, int64_t layers);
};

/// The slot of each layer. Refreshing it costs `costs`; slots cost about the
/// same.
llvm::SmallVector<int64_t> assignSlots(llvm::ArrayRef<int64_t> costs,
                                       int64_t slots);

/// What `function` computes of the state that says which slot is next.
class SlotCode {
public:
  SlotCode(mlir::func::FuncOp function, int64_t slots)
      : function(function), slots(slots) {}

  /// Declares the state. The first refresh has all slots.
  static void declare(mlir::OpBuilder &builder, mlir::Location loc,
                      int64_t slots);
  static llvm::StringRef getState();

  /// Whether layers are refreshed in different steps.
  bool areSeveral() const { return slots > 1; }

  /// The state, tensor<i64>.
  mlir::Value getNext();
  /// What it is after a refresh.
  mlir::Value countOn(mlir::OpBuilder &builder);
  /// Whether this step refreshes `slot`, tensor<i1>.
  mlir::Value isDue(int64_t slot) { return getSlot(slot).isDue; }
  /// The same, tensor<i32>.
  mlir::Value getDue(int64_t slot) { return getSlot(slot).due; }

private:
  mlir::func::FuncOp function;
  int64_t slots;
  struct Slot {
    mlir::Value isDue, due;
  };
  const Slot &getSlot(int64_t slot);
  llvm::DenseMap<int64_t, Slot> computed;
};

} // namespace boostc::boost
