#include "compiler/lowering/cuda/EqualUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace boostc;

/// What the code of `unit` reads and writes.
static llvm::SetVector<Value> getAccessed(const DeviceUnit &unit) {
  llvm::SetVector<Value> values;
  for (const GridNest &nest : unit.nests)
    for (const GridNest::Member &member : nest.members)
      for (const KernelBody::Access &access : member.body->accesses)
        values.insert(access.buffer);
  return values;
}

/// Whether the unit may share code: one that runs in blocks of its own choice.
static bool isShareable(const DeviceUnit &unit) {
  return !unit.isChain() && !unit.scratch && !unit.nests.front().plan.tiling;
}

bool boostc::areAlike(const DeviceUnit &a, const DeviceUnit &b) {
  if (!isShareable(a) || !isShareable(b) || a.countBlocks() != b.countBlocks())
    return false;
  llvm::SetVector<Value> ofA = getAccessed(a), ofB = getAccessed(b);
  // What is chosen is memory without gaps, not a slice.
  auto isWhole = [](Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    return !type || type.getLayout().isIdentity();
  };
  return ValueRange(ofA.getArrayRef()).getTypes() ==
             ValueRange(ofB.getArrayRef()).getTypes() &&
         llvm::all_of(ofA, isWhole);
}

namespace {

/// The code of a unit, in a function of what it reads and writes.
class UnitCode {
public:
  UnitCode(const DeviceUnit &unit, Location loc, IRMapping &buffers) {
    OpBuilder builder(loc.getContext());
    llvm::SetVector<Value> values = getAccessed(unit);
    SmallVector<Type> types(2, builder.getIndexType());
    llvm::append_range(types, ValueRange(values.getArrayRef()).getTypes());
    code = gpu::GPUFuncOp::create(builder, loc, "unit",
                                  builder.getFunctionType(types, {}));
    builder.setInsertionPointToStart(&code->getBody().front());
    SmallVector<Value> mapped;
    for (auto [value, argument] : llvm::zip_equal(
             values, code->getArguments().slice(2, values.size()))) {
      mapped.push_back(buffers.lookup(value));
      buffers.map(value, argument);
    }
    emitGrid(builder, *code, loc, unit.nests.front(), /*memory=*/Value(),
             code->getArgument(0), code->getArgument(1));
    for (auto [value, old] : llvm::zip_equal(values, mapped))
      buffers.map(value, old);
  }

  bool operator==(const UnitCode &other) const {
    return OperationEquivalence::isRegionEquivalentTo(
        &code->getBody(), &other.code->getBody(),
        OperationEquivalence::IgnoreLocations);
  }

private:
  mutable OwningOpRef<gpu::GPUFuncOp> code;
};

} // namespace

std::vector<EqualUnits> boostc::findEqualUnits(const DeviceKernel &kernel,
                                               Location loc,
                                               IRMapping &buffers) {
  std::vector<EqualUnits> sorted;
  std::vector<std::unique_ptr<UnitCode>> codes; // of the first of each
  for (const DeviceUnit &unit : kernel.units) {
    std::unique_ptr<UnitCode> own;
    auto isEqual = [&](size_t number) {
      const DeviceUnit &first = *sorted[number].front();
      if (!areAlike(first, unit))
        return false;
      if (!codes[number])
        codes[number] = std::make_unique<UnitCode>(first, loc, buffers);
      if (!own)
        own = std::make_unique<UnitCode>(unit, loc, buffers);
      return *own == *codes[number];
    };
    size_t number = 0;
    while (number < sorted.size() && !isEqual(number))
      ++number;
    if (number == sorted.size()) {
      sorted.emplace_back();
      codes.push_back(std::move(own));
    }
    sorted[number].push_back(&unit);
  }
  return sorted;
}

/// Row `number` of `rows`, which has number `first` or a later one.
static SmallVector<Value> chooseRow(OpBuilder &builder, Location loc,
                                    Value number, int64_t first,
                                    ArrayRef<SmallVector<Value>> rows) {
  if (rows.size() == 1)
    return rows.front();
  size_t half = rows.size() / 2;
  int64_t middle = first + static_cast<int64_t>(half);
  Value isBelow = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, number,
      arith::ConstantIndexOp::create(builder, loc, middle));
  auto choice =
      scf::IfOp::create(builder, loc, ValueRange(rows.front()).getTypes(),
                        isBelow, /*withElse=*/true);
  auto fill = [&](Block *block, int64_t begin,
                  ArrayRef<SmallVector<Value>> part) {
    OpBuilder inside = OpBuilder::atBlockBegin(block);
    SmallVector<Value> row = chooseRow(inside, loc, number, begin, part);
    scf::YieldOp::create(inside, loc, row);
  };
  fill(choice.thenBlock(), first, rows.take_front(half));
  fill(choice.elseBlock(), middle, rows.drop_front(half));
  return llvm::to_vector(ValueRange(choice.getResults()));
}

UnitChoice::UnitChoice(OpBuilder &builder, Location loc,
                       const EqualUnits &units, Value number,
                       IRMapping &buffers)
    : buffers(buffers) {
  SmallVector<llvm::SetVector<Value>> accessed;
  for (const DeviceUnit *unit : units)
    accessed.push_back(getAccessed(*unit));
  SmallVector<SmallVector<Value>> rows(units.size());
  for (size_t i = 0; i < accessed.front().size(); ++i) {
    SmallVector<Value> column;
    for (const llvm::SetVector<Value> &values : accessed)
      column.push_back(buffers.lookup(values[i]));
    if (llvm::all_equal(column))
      continue;
    chosen.push_back(accessed.front()[i]);
    before.push_back(column.front());
    for (auto [row, value] : llvm::zip_equal(rows, column))
      row.push_back(value);
  }
  SmallVector<Value> row = chooseRow(builder, loc, number, 0, rows);
  buffers.map(chosen, row);
}
