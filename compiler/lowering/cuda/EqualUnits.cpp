#include "compiler/lowering/cuda/EqualUnits.h"
#include "compiler/lowering/cuda/FlatNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

/// Elements of a unit that may share code with those of other sizes; 0 for
/// other units.
static int64_t countSharedElements(const DeviceUnit &unit) {
  return countFlatElements(unit.nests.front()).value_or(0);
}

/// Blocks of a unit that says what a block does, of which those with other
/// numbers of blocks may have the code; 0 for other units.
static int64_t countSharedBlocks(const DeviceUnit &unit) {
  return unit.nests.front().plan.blocks;
}

/// The type by which shared code knows a buffer of `unit`: that of elements in
/// order, that of any number of blocks' parts, or its own.
static Type getSharedType(Value buffer, const DeviceUnit &unit) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return buffer.getType();
  int64_t elements = countSharedElements(unit);
  if (elements > 0 && type.getNumElements() == elements)
    return MemRefType::get({ShapedType::kDynamic}, type.getElementType());
  int64_t blocks = countSharedBlocks(unit);
  if (blocks == 0 || type.getRank() == 0 || type.getDimSize(0) != blocks)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = ShapedType::kDynamic;
  return MemRefType::get(shape, type.getElementType());
}

static SmallVector<Type> getSharedTypes(const llvm::SetVector<Value> &values,
                                        const DeviceUnit &unit) {
  return llvm::map_to_vector(
      values, [&](Value value) { return getSharedType(value, unit); });
}

bool boostc::areAlike(const DeviceUnit &a, const DeviceUnit &b) {
  if (!isShareable(a) || !isShareable(b))
    return false;
  bool isAnySize = countSharedElements(a) > 0 || countSharedBlocks(a) > 0;
  if (!isAnySize && a.countBlocks() != b.countBlocks())
    return false;
  llvm::SetVector<Value> ofA = getAccessed(a), ofB = getAccessed(b);
  // What is chosen is memory without gaps, not a slice.
  auto isWhole = [](Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    return !type || type.getLayout().isIdentity();
  };
  return getSharedTypes(ofA, a) == getSharedTypes(ofB, b) &&
         llvm::all_of(ofA, isWhole);
}

namespace {

/// The code of a unit, in a function of its block, thread and number of tiles,
/// and of what it reads and writes.
class UnitCode {
public:
  UnitCode(const DeviceUnit &unit, Location loc, IRMapping &buffers) {
    OpBuilder builder(loc.getContext());
    llvm::SetVector<Value> values = getAccessed(unit);
    constexpr unsigned kIndices = 3;
    SmallVector<Type> types(kIndices, builder.getIndexType());
    int64_t elements = countSharedElements(unit);
    llvm::append_range(types, getSharedTypes(values, unit));
    code = gpu::GPUFuncOp::create(builder, loc, "unit",
                                  builder.getFunctionType(types, {}));
    builder.setInsertionPointToStart(&code->getBody().front());
    SmallVector<Value> mapped;
    for (auto [value, argument] : llvm::zip_equal(
             values, code->getArguments().slice(kIndices, values.size()))) {
      mapped.push_back(buffers.lookup(value));
      buffers.map(value, argument);
    }
    emitGrid(builder, *code, loc, unit.nests.front(), /*memory=*/Value(),
             code->getArgument(0), code->getArgument(1),
             elements > 0 ? code->getArgument(2) : Value());
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

/// The row, of `rows`, for the unit that `block` is in; there is one for each
/// unit, and units begin at the blocks `begins`.
static SmallVector<Value> chooseRow(OpBuilder &builder, Location loc,
                                    Value block, ArrayRef<int64_t> begins,
                                    ArrayRef<SmallVector<Value>> rows) {
  if (rows.size() == 1)
    return rows.front();
  size_t half = rows.size() / 2;
  Value isBelow = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, block,
      arith::ConstantIndexOp::create(builder, loc, begins[half]));
  auto choice =
      scf::IfOp::create(builder, loc, ValueRange(rows.front()).getTypes(),
                        isBelow, /*withElse=*/true);
  auto fill = [&](Block *body, ArrayRef<int64_t> ownBegins,
                  ArrayRef<SmallVector<Value>> ownRows) {
    OpBuilder inside = OpBuilder::atBlockBegin(body);
    SmallVector<Value> row = chooseRow(inside, loc, block, ownBegins, ownRows);
    scf::YieldOp::create(inside, loc, row);
  };
  fill(choice.thenBlock(), begins.take_front(half), rows.take_front(half));
  fill(choice.elseBlock(), begins.drop_front(half), rows.drop_front(half));
  return llvm::to_vector(ValueRange(choice.getResults()));
}

/// `mapped`, which is `buffer` of `unit`, as shared code knows it.
static Value castToShared(OpBuilder &builder, Location loc, Value buffer,
                          Value mapped, const DeviceUnit &unit) {
  Type type = getSharedType(buffer, unit);
  if (mapped.getType() == type)
    return mapped;
  auto shared = cast<MemRefType>(type);
  int64_t elements = countSharedElements(unit);
  if (elements == 0)
    return memref::CastOp::create(builder, loc, shared, mapped);
  OpFoldResult size =
      arith::ConstantIndexOp::create(builder, loc, elements).getResult();
  return memref::ReinterpretCastOp::create(
      builder, loc, shared, mapped,
      /*offset=*/builder.getIndexAttr(0), size,
      OpFoldResult(builder.getIndexAttr(1)));
}

UnitChoice::UnitChoice(OpBuilder &builder, Location loc,
                       const EqualUnits &units, Value block, IRMapping &buffers)
    : buffers(buffers) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto endsInBlock = [](const DeviceUnit *unit) {
    const GridPlan &plan = unit->nests.front().plan;
    return plan.items % plan.getItemsPerBlock() != 0;
  };
  bool areLimited = countSharedElements(*units.front()) > 0 &&
                    llvm::any_of(units, endsInBlock);
  SmallVector<int64_t> begins;
  SmallVector<SmallVector<Value>> rows;
  std::vector<llvm::SetVector<Value>> accessed;
  int64_t begin = 0;
  for (const DeviceUnit *unit : units) {
    const GridPlan &plan = unit->nests.front().plan;
    begins.push_back(begin);
    rows.push_back({constant(begin)});
    if (areLimited)
      rows.back().push_back(constant(plan.items));
    begin += plan.countBlocks();
    accessed.push_back(getAccessed(*unit));
  }
  SmallVector<int64_t> alignments; // of what is chosen
  for (size_t i = 0; i < accessed.front().size(); ++i) {
    auto getValue = [&](const llvm::SetVector<Value> &values) {
      return buffers.lookup(values[i]);
    };
    if (llvm::all_equal(llvm::map_range(accessed, getValue)))
      continue;
    chosen.push_back(accessed.front()[i]);
    before.push_back(getValue(accessed.front()));
    int64_t &alignment =
        alignments.emplace_back(std::numeric_limits<int64_t>::max());
    for (auto [unit, values, row] : llvm::zip_equal(units, accessed, rows)) {
      Value buffer = getValue(values);
      alignment = std::min(alignment, getUsefulAlignment(buffer.getType()));
      row.push_back(castToShared(builder, loc, values[i], buffer, *unit));
    }
  }
  SmallVector<Value> row = chooseRow(builder, loc, block, begins, rows);
  ownBlock = arith::SubIOp::create(builder, loc, block, row.front());
  if (areLimited)
    items = row[1];
  // LLVM finds out for few.
  for (auto [buffer, value, alignment] : llvm::zip_equal(
           chosen, ArrayRef(row).take_back(chosen.size()), alignments))
    buffers.map(buffer,
                memref::AssumeAlignmentOp::create(
                    builder, loc, value, static_cast<uint32_t>(alignment)));
}
