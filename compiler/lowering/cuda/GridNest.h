// GridNest.h - a loop nest for the threads of a grid.
//
// Threads share the parallel loops: neighbours in the last of them are
// neighbours in a warp, so that a warp reads and writes neighbours in memory. A
// thread computes a tile of outputs, whose sums stay in registers. Where there
// are few outputs and much to reduce, the lanes of a warp or of a block share
// the reduction of one tile and combine their partial sums in a fixed order, so
// results do not depend on how blocks are scheduled. Blocks of a large
// contraction read its factors together (SharedMemoryTiling.h).
#pragma once

#include "compiler/lowering/cuda/SharedMemoryTiling.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include <memory>
#include <vector>

namespace boostc {

/// What is computed: the code of one iteration. Values are addressed by the
/// indices of all loops.
class KernelBody {
public:
  virtual ~KernelBody() = default;

  mlir::Operation *op = nullptr; ///< that it computes
  unsigned part = 0;             ///< of the op's bodies

  struct Loop {
    int64_t extent;
    bool isReduction;
  };
  llvm::SmallVector<Loop> loops;

  /// A buffer that is read or written, and where in each iteration; without an
  /// offset: anywhere.
  struct Access {
    mlir::Value buffer;
    std::optional<LinearIndex> offset; ///< coefficients by loop
    bool isWritten;
  };
  llvm::SmallVector<Access> accesses;

  /// Iterations of the parallel loops, and of the others.
  int64_t countOutputElements() const;
  int64_t countTerms() const;

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

  virtual size_t countOutputs() const { return 1; }

  /// What block `block` does for its thread `thread`, as a whole: of a plan
  /// with `blocks`, whose body has no code of one iteration. Shared memory may
  /// be added to `kernel`.
  virtual void emitBlock(mlir::OpBuilder &builder, mlir::gpu::GPUFuncOp kernel,
                         mlir::Value block, mlir::Value thread);

  /// Whether iterations differ in the offsets of `accesses` alone, so that any
  /// loops through the same offsets do; and makes one loop through `elements`
  /// of them, see FlatNest.h.
  virtual bool isFlattenable() const { return false; }
  virtual void flatten(int64_t elements);

  /// Whether partial reductions can be computed apart and combined.
  virtual bool isSplittable() const { return false; }
  /// What a partial result starts from, and how two are combined. Only where
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
  /// Blocks of a body that says what a block does (KernelBody::emitBlock()); 0:
  /// as many as the tiles need.
  int64_t blocks = 0;
  /// The tiles that blocks of a contraction have instead, see
  /// SharedMemoryTiling.h. `tile` is 1 for every loop then, `lanes` and `items`
  /// say nothing.
  std::optional<SharedMemoryTiling> tiling;

  int64_t getItemsPerBlock() const;
  int64_t countBlocks() const;
};

/// A plan without tiles: the body's loops nested as in `order`, outermost
/// first, the parallel ones apart; lanes as the numbers of outputs and terms
/// ask for.
GridPlan planGrid(const KernelBody &body, llvm::ArrayRef<unsigned> order);

/// Makes threads compute `extent` neighbours along `loop`.
void setTile(GridPlan &plan, const KernelBody &body, unsigned loop,
             int64_t extent);

/// Makes threads compute 16 bytes of neighbours along the last loop, where its
/// extent allows it and there is work for many threads.
void setVectorTile(GridPlan &plan, const KernelBody &body);

/// Kernel bodies that the same threads run for the same outputs, one after the
/// other: what one of them writes the next finds in the thread. One may reduce;
/// the plan is for that one, and the others have no loops but its parallel
/// ones.
struct GridNest {
  struct Member {
    std::unique_ptr<KernelBody> body;
    /// The main body's loop, by the member's own; none where it has one
    /// iteration, or is the main body's reduction.
    llvm::SmallVector<std::optional<unsigned>> loops;
  };
  std::vector<Member> members;
  unsigned main = 0;
  GridPlan plan;

  GridNest(std::unique_ptr<KernelBody> body, GridPlan plan);
  GridNest(GridNest &&) = default;
  GridNest &operator=(GridNest &&) = default;

  KernelBody &getMain() const { return *members[main].body; }
  int64_t countIterations() const;

  /// Appends `body` to the others, if each of its outputs needs nothing of
  /// them but what the thread of the same output did; `body` is moved from
  /// then.
  bool join(std::unique_ptr<KernelBody> &body, const GridPlan &plan);
};

/// The alignment that code may count on of a planned buffer of `type`: that of
/// a vector, but no more than the size is a multiple of. LLVM reads 16 bytes
/// where 12 are asked for and the alignment says that no page can end between.
int64_t getUsefulAlignment(mlir::Type type);

/// Shared memory for so many elements of `type`, where a vector of them may
/// begin.
mlir::Value addSharedMemory(mlir::gpu::GPUFuncOp kernel, mlir::Location loc,
                            int64_t elements, mlir::Type type);

/// Emits what block `block` of nest.plan.countBlocks() does, for its thread
/// `thread`, at the insertion point inside of `kernel`, to which shared memory
/// may be added. `memory` is what tiled plans of the kernel share. `items` is
/// how many tiles a flat nest has, if not as many as its plan says.
void emitGrid(mlir::OpBuilder &builder, mlir::gpu::GPUFuncOp kernel,
              mlir::Location loc, const GridNest &nest, mlir::Value memory,
              mlir::Value block, mlir::Value thread, mlir::Value items = {});

} // namespace boostc
