// dim_reduce: ranks share the rows of the basis; see Passes.td.

#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace boostc::boost {
#define GEN_PASS_DEF_SHAREBASISPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;

namespace {

/// A probe or an update, and what it computes of this rank's rows alone.
class BasisSharer {
public:
  BasisSharer(func::FuncOp ending, uint64_t bucketBytes)
      : ending(ending), bucketBytes(bucketBytes),
        none(getSymbols(ending.getContext(), {})) {}

  void run() {
    gatherCoordinates();
    SmallVector<train::LiftOp> lifts;
    for (auto lift : ending.getOps<train::LiftOp>())
      if (isOfShard(lift))
        lifts.push_back(lift);
    if (lifts.empty())
      return;
    takeOwnSlices(lifts);
    sumVectors(lifts);
  }

private:
  static bool isOfShard(train::LiftOp lift) {
    int64_t rows =
        cast<RankedTensorType>(lift.getBasis().getType()).getDimSize(0);
    return llvm::any_of(lift.getCoordinates(), [&](Value coordinates) {
      return cast<RankedTensorType>(coordinates.getType()).getDimSize(0) !=
             rows;
    });
  }

  /// Lets what reads coordinates have those of all ranks. Sums of this rank's
  /// are made before, so that one vector is exchanged for all parameters.
  void gatherCoordinates() {
    llvm::SetVector<Value> own;
    auto isOwnSum = [&](Operation *op) {
      return isa<arith::AddFOp>(op) &&
             llvm::all_of(op->getOperands(),
                          [&](Value term) { return own.contains(term); });
    };
    for (Operation &op : ending.front())
      if (auto project = dyn_cast<train::ProjectOp>(op);
          (project && project.getShards() > 1) || isOwnSum(&op))
        own.insert(op.getResult(0));
    for (Value coordinates : own) {
      if (llvm::all_of(coordinates.getUsers(), isOwnSum))
        continue;
      OpBuilder builder(ending.getContext());
      builder.setInsertionPointAfterValue(coordinates);
      auto gathered =
          coll::AllGatherOp::create(builder, coordinates.getLoc(), 0,
                                    rt::RankGroup::All, none, coordinates);
      coordinates.replaceUsesWithIf(gathered.getResult(0), [&](OpOperand &use) {
        return use.getOwner() != gathered && !isOwnSum(use.getOwner());
      });
    }
  }

  /// Lets each of `lifts` read the coordinates of this rank, and zeros for
  /// those of others.
  void takeOwnSlices(ArrayRef<train::LiftOp> lifts) {
    llvm::SetVector<Value> whole;
    for (train::LiftOp lift : lifts)
      whole.insert_range(lift.getCoordinates());
    OpBuilder builder(lifts.front());
    auto own =
        coll::OwnSliceOp::create(builder, lifts.front()->getLoc(), 0,
                                 rt::RankGroup::All, none, whole.getArrayRef());
    IRMapping slices;
    slices.map(whole.getArrayRef(), own.getResults());
    for (train::LiftOp lift : lifts)
      for (OpOperand &coordinates : lift.getCoordinatesMutable())
        coordinates.set(slices.lookup(coordinates.get()));
  }

  /// Lets what reads the vectors have their sums over ranks, in buckets, whose
  /// vectors are computed together.
  void sumVectors(ArrayRef<train::LiftOp> lifts) {
    size_t begin = 0;
    for (size_t past : findBucketEnds(
             llvm::map_to_vector(lifts,
                                 [](train::LiftOp lift) {
                                   return countBytes(lift.getResultTypes());
                                 }),
             bucketBytes)) {
      ArrayRef<train::LiftOp> bucket = lifts.slice(begin, past - begin);
      begin = past;
      Block::iterator end =
          hoist(ending.front(), bucket.front()->getIterator(),
                [&](Operation *op) { return llvm::is_contained(bucket, op); });
      SmallVector<Value> vectors;
      for (train::LiftOp lift : bucket)
        llvm::append_range(vectors, lift.getResults());
      OpBuilder builder(&ending.front(), end);
      auto sums =
          coll::AllReduceOp::create(builder, bucket.front()->getLoc(), 0,
                                    rt::RankGroup::All, none, vectors);
      for (auto [vector, sum] : llvm::zip_equal(vectors, sums.getResults()))
        vector.replaceAllUsesExcept(sum, sums);
    }
  }

  func::FuncOp ending;
  uint64_t bucketBytes;
  ArrayAttr none; ///< parameters that a collective serves
};

struct ShareBasis : boost::impl::ShareBasisPassBase<ShareBasis> {
  using ShareBasisPassBase::ShareBasisPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> endings = getOperation().getEndings();
    for (func::FuncOp ending : endings)
      BasisSharer(ending, bucketBytes).run();
    rt::numberCollectives(endings);
  }
};

} // namespace
