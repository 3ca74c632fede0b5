#include "compiler/lowering/kernels/Inversion.h"
#include "compiler/lowering/kernels/KernelLoops.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "runtime/abi/boost_call.h"

using namespace mlir;
using namespace boostc;

namespace {

class InversionEmitter {
public:
  InversionEmitter(OpBuilder &builder, Location loc, int64_t size, Value weight,
                   const InversionParts &parts)
      : builder(builder), loc(loc), size(size), weight(weight), parts(parts) {}

  Value emit(Value damping) {
    Value hasWeight = isBelowInfinity(weight);
    auto tries = createLoop(BOOSTC_INVERSE_TRIES, {flag(false), damping});
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(tries.getBody());
      Value before = tries.getRegionIterArg(0);
      Value added = tries.getRegionIterArg(1);
      Value isTried =
          arith::AndIOp::create(builder, loc, negate(before), hasWeight);
      Value now = emitIf(isTried, [&] { return attempt(added); });
      Value isDone = arith::OrIOp::create(builder, loc, before, now);
      Value next = multiply(added, BOOSTC_INVERSE_GROWTH);
      scf::YieldOp::create(builder, loc, ValueRange{isDone, next});
    }
    Value hasFailed = negate(tries.getResult(0));
    emitIf(hasFailed, [&] {
      parts.clear();
      return flag(true);
    });
    return arith::ExtUIOp::create(builder, loc, builder.getI32Type(),
                                  hasFailed);
  }

private:
  Value flag(bool value) {
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value));
  }
  Value negate(Value condition) {
    return arith::XOrIOp::create(builder, loc, condition, flag(true));
  }
  Value multiply(Value value, double factor) {
    return arith::MulFOp::create(builder, loc, value,
                                 buildConstant(builder, loc, factor));
  }
  Value maximum(Value a, Value b) {
    return arith::MaximumFOp::create(builder, loc, a, b);
  }

  scf::ForOp createLoop(int64_t count, ValueRange values) {
    auto index = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    auto loop = scf::ForOp::create(builder, loc, index(0), index(count),
                                   index(1), values);
    disableUnrolling(loop);
    return loop;
  }

  /// What `body` gives where `condition` holds, else false.
  Value emitIf(Value condition, llvm::function_ref<Value()> body) {
    auto branch = scf::IfOp::create(builder, loc, builder.getI1Type(),
                                    condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    auto yield = [&](Block *block, llvm::function_ref<Value()> value) {
      builder.setInsertionPointToStart(block);
      Value yielded = value();
      scf::YieldOp::create(builder, loc, yielded);
    };
    yield(branch.thenBlock(), body);
    yield(branch.elseBlock(), [&] { return flag(false); });
    return branch.getResult(0);
  }

  /// Whether all pivots are large enough; the inverse is in place then.
  Value attempt(Value damping) {
    parts.start(damping);
    Value minimum =
        maximum(multiply(damping, BOOSTC_INVERSE_MIN_PART_OF_DAMPING),
                buildConstant(builder, loc, BOOSTC_INVERSE_MIN_PIVOT));
    auto columns = createLoop(size, flag(true));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(columns.getBody());
    Value column = columns.getInductionVar();
    Value pivot = parts.loadPivot(column);
    Value isGood =
        arith::AndIOp::create(builder, loc, columns.getRegionIterArg(0),
                              isLarge(column, pivot, damping, minimum));
    Value next = emitIf(isGood, [&] {
      parts.eliminate(column, pivot);
      return flag(true);
    });
    scf::YieldOp::create(builder, loc, next);
    return columns.getResult(0);
  }

  /// Whether a pivot is finite, `minimum` or more, and not below the rounding
  /// of what it was before elimination.
  Value isLarge(Value column, Value pivot, Value damping, Value minimum) {
    Value scaled =
        arith::MulFOp::create(builder, loc, parts.loadDiagonal(column), weight);
    Value diagonal = arith::AddFOp::create(builder, loc, scaled, damping);
    minimum = maximum(minimum,
                      multiply(diagonal, BOOSTC_INVERSE_MIN_PART_OF_DIAGONAL));
    Value isEnough = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OGE, pivot, minimum);
    return arith::AndIOp::create(builder, loc, isEnough,
                                 isBelowInfinity(pivot));
  }

  /// False where it is not a number.
  Value isBelowInfinity(Value value) {
    Value infinity = arith::ConstantOp::create(
        builder, loc,
        builder.getF32FloatAttr(std::numeric_limits<float>::infinity()));
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, value,
                                 infinity);
  }

  OpBuilder &builder;
  Location loc;
  int64_t size;
  Value weight;
  const InversionParts &parts;
};

} // namespace

Value boostc::emitInversion(OpBuilder &builder, Location loc, int64_t size,
                            Value weight, Value damping,
                            const InversionParts &parts) {
  return InversionEmitter(builder, loc, size, weight, parts).emit(damping);
}
