// GridNest.h - a loop nest as work for the threads of a grid.
//
// Threads share the parallel loops: neighbours in the last of them are
// neighbours in a warp, so that a warp reads and writes neighbours in memory. A
// thread computes a tile of outputs, whose sums stay in registers. Where there
// are few outputs and much to reduce, the lanes of a warp or of a block share
// the reduction of one tile and put their parts together in a fixed order, so
// results do not depend on how blocks are scheduled.
#pragma once

#include "mlir/IR/Builders.h"

namespace boostc {

/// What is computed: the code of one iteration. Values are addressed by the
/// indices of all loops.
class GridWork {
public:
  virtual ~GridWork() = default;

  struct Loop {
    int64_t extent;
    bool isReduction;
  };
  llvm::SmallVector<Loop> loops;

  /// Values of the outputs before the reduction, by output.
  virtual llvm::SmallVector<mlir::Value>
  emitStart(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Value> indices) = 0;
  /// One iteration: the outputs' next values from those so far.
  virtual llvm::SmallVector<mlir::Value>
  emitStep(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Value> indices,
           mlir::ValueRange values) = 0;
  virtual void emitStores(mlir::OpBuilder &builder,
                          llvm::ArrayRef<mlir::Value> indices,
                          mlir::ValueRange values) = 0;

  /// Whether parts of a reduction can be computed apart and combined.
  virtual bool isSplittable() const { return false; }
  /// What a part starts from, and how two parts become one. Only where
  /// isSplittable().
  virtual mlir::Value emitNeutral(mlir::OpBuilder &builder, unsigned output);
  virtual mlir::Value emitCombined(mlir::OpBuilder &builder, unsigned output,
                                   mlir::Value a, mlir::Value b);
};

/// How the loops are shared among threads.
struct GridPlan {
  llvm::SmallVector<unsigned> parallel;   ///< loops, outermost first
  llvm::SmallVector<unsigned> reductions; ///< loops, outermost first
  llvm::SmallVector<int64_t> tile; ///< of a thread, by loop; divides its extent
  int64_t lanes = 1; ///< threads that share a tile: 1, a warp or a block
  int64_t items = 1; ///< tiles

  int64_t countBlocks() const;
};

/// A plan without tiles: threads in the order of `parallel`, lanes as the
/// numbers of outputs and terms ask for.
GridPlan planGrid(const GridWork &work, llvm::ArrayRef<unsigned> parallel,
                  llvm::ArrayRef<unsigned> reductions);

/// Makes threads compute `extent` neighbours along `loop`.
void setTile(GridPlan &plan, const GridWork &work, unsigned loop,
             int64_t extent);

/// Emits the work of block `block` of plan.countBlocks(), for its thread
/// `thread`, at the insertion point inside of a gpu.func, to which shared memory
/// may be added.
void emitGrid(mlir::OpBuilder &builder, mlir::Location loc, GridWork &work,
              const GridPlan &plan, mlir::Value block, mlir::Value thread);

} // namespace boostc
