#include "compiler/lowering/kernels/Contraction.h"
#include "compiler/lowering/kernels/LibraryCalls.h"
#include "dialects/interfaces/Precision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace boostc;

bool Contraction::isGuarded(unsigned loop) const {
  return llvm::any_of(derived, [&](const DerivedIndex &index) {
    return index.numerator[loop] != 0;
  });
}

int64_t Contraction::countMultiplications() const {
  int64_t count = 1;
  for (const Loop &loop : loops)
    count *= loop.extent;
  return count;
}

void Contraction::substituteUnguarded() {
  SmallVector<DerivedIndex> guarded;
  SmallVector<unsigned> kept; // old numbers of the derived indices that stay
  for (auto [number, index] : llvm::enumerate(derived)) {
    int64_t least = index.numerator.constant, most = least;
    for (auto [loop, coefficient] :
         llvm::zip(loops, index.numerator.coefficients)) {
      int64_t reach = coefficient * (loop.extent - 1);
      (reach < 0 ? least : most) += reach;
    }
    unsigned position = loops.size() + number;
    if (index.divisor != 1 || least < 0 || most >= index.extent) {
      guarded.push_back(index);
      kept.push_back(position);
      continue;
    }
    for (Access *access : {&a, &b, &result}) {
      int64_t factor = access->offset[position];
      access->offset.constant += factor * index.numerator.constant;
      for (unsigned loop = 0; loop < loops.size(); ++loop)
        access->offset.coefficients[loop] += factor * index.numerator[loop];
    }
  }
  for (Access *access : {&a, &b, &bias, &result}) {
    SmallVector<int64_t> &coefficients = access->offset.coefficients;
    if (coefficients.empty())
      continue;
    SmallVector<int64_t> rest(coefficients.begin(),
                              coefficients.begin() + loops.size());
    for (unsigned position : kept)
      rest.push_back(coefficients[position]);
    coefficients = std::move(rest);
  }
  derived = std::move(guarded);
}

int64_t Contraction::getStep(const Access &access, unsigned loop) const {
  int64_t step = std::abs(access.offset[loop]);
  for (auto [number, index] : llvm::enumerate(derived))
    // Where a division is not exact, there is no element: the next one that is
    // there is a whole step away.
    step += llvm::divideCeil(
        std::abs(access.offset[loops.size() + number] * index.numerator[loop]),
        index.divisor);
  return step;
}

static Contraction describe(rt::ConvolutionOp op) {
  // Loops: sample, group, filter of the group, row and column of what is
  // written or summed over, channel of the group, row and column of the tap;
  // then two derived indices.
  enum { N, G, O, I, J, C, K, L, Row, Column, Count };
  ConvolutionGeometry geometry = op.getGeometry();
  auto typeOf = [](Value value) { return cast<MemRefType>(value.getType()); };
  MemRefType x = typeOf(op.getInput()), w = typeOf(op.getWeight()),
             y = typeOf(op.getOutput());
  int64_t filters = w.getDimSize(0) / geometry.groups;
  int64_t channels = w.getDimSize(1);
  bool gathers = op.getKind() == rt::ConvolutionKind::BackwardData;
  MemRefType pixels = gathers ? x : y;
  const bool isReduction[3][8] = {
      {false, false, false, false, false, true, true, true},  // forward
      {false, false, true, false, false, false, true, true},  // backward_data
      {true, false, false, true, true, false, false, false}}; // backward_weight
  const int64_t extents[] = {
      y.getDimSize(0),      geometry.groups,      filters,
      pixels.getDimSize(2), pixels.getDimSize(3), channels,
      w.getDimSize(2),      w.getDimSize(3)};
  static constexpr llvm::StringLiteral kNames[] = {
      "sample", "group",   "filter",  "row",
      "column", "channel", "tap row", "tap column"};
  Contraction contraction;
  for (unsigned loop = 0; loop < Row; ++loop)
    contraction.loops.push_back(
        {extents[loop], isReduction[static_cast<unsigned>(op.getKind())][loop],
         kNames[loop]});

  auto linear = [](std::initializer_list<std::pair<unsigned, int64_t>> terms,
                   int64_t constant = 0) {
    LinearIndex index{constant, SmallVector<int64_t>(Count, 0)};
    for (auto [loop, coefficient] : terms)
      index.coefficients[loop] = coefficient;
    return index;
  };
  for (unsigned axis : {0, 1}) {
    int64_t stride = geometry.strides[axis], padding = geometry.padding[axis];
    int64_t dilation = geometry.dilations[axis];
    unsigned pixel = I + axis, tap = K + axis;
    if (gathers) // the output pixel that sees an input pixel through a tap
      contraction.derived.push_back(
          {linear({{pixel, 1}, {tap, -dilation}}, padding), stride,
           y.getDimSize(2 + axis)});
    else // the input pixel that an output pixel sees through a tap
      contraction.derived.push_back(
          {linear({{pixel, stride}, {tap, dilation}}, -padding), 1,
           x.getDimSize(2 + axis)});
  }
  auto [sx, ox] = x.getStridesAndOffset();
  auto [sw, ow] = w.getStridesAndOffset();
  auto [sy, oy] = y.getStridesAndOffset();
  unsigned rowOfX = gathers ? I : Row, columnOfX = gathers ? J : Column;
  unsigned rowOfY = gathers ? Row : I, columnOfY = gathers ? Column : J;
  Contraction::Access input{op.getInput(), linear({{N, sx[0]},
                                                   {G, sx[1] * channels},
                                                   {C, sx[1]},
                                                   {rowOfX, sx[2]},
                                                   {columnOfX, sx[3]}})};
  Contraction::Access weight{op.getWeight(), linear({{G, sw[0] * filters},
                                                     {O, sw[0]},
                                                     {C, sw[1]},
                                                     {K, sw[2]},
                                                     {L, sw[3]}})};
  Contraction::Access output{op.getOutput(), linear({{N, sy[0]},
                                                     {G, sy[1] * filters},
                                                     {O, sy[1]},
                                                     {rowOfY, sy[2]},
                                                     {columnOfY, sy[3]}})};
  switch (op.getKind()) {
  case rt::ConvolutionKind::Forward:
    contraction.a = input, contraction.b = weight, contraction.result = output;
    break;
  case rt::ConvolutionKind::BackwardData:
    contraction.a = output, contraction.b = weight, contraction.result = input;
    break;
  case rt::ConvolutionKind::BackwardWeight:
    contraction.a = output, contraction.b = input, contraction.result = weight;
    break;
  }
  if (op.getBias())
    contraction.bias = {op.getBias(), linear({{G, filters}, {O, 1}})};
  contraction.substituteUnguarded();
  return contraction;
}

static Contraction describe(rt::MatmulOp op) {
  // Loops: row and column of the result, and what is summed over.
  BoostLibraryCall described = {};
  op.describeCall(described);
  const BoostMatmul &call = described.matmul;
  auto offsetOf = [](Value value) {
    return cast<MemRefType>(value.getType()).getStridesAndOffset().second;
  };
  Contraction contraction;
  contraction.loops = {{call.m, false, "row"},
                       {call.n, false, "column"},
                       {call.k, true, "term"}};
  contraction.a = {
      op.getA(),
      {offsetOf(op.getA()), {call.a_strides[0], 0, call.a_strides[1]}}};
  contraction.b = {
      op.getB(),
      {offsetOf(op.getB()), {0, call.b_strides[1], call.b_strides[0]}}};
  if (op.getBias())
    contraction.bias = {op.getBias(), {offsetOf(op.getBias()), {0, 1, 0}}};
  // The library writes rows one after the other, so all matmuls do.
  contraction.result = {op.getC(), {offsetOf(op.getC()), {call.n, 1, 0}}};
  return contraction;
}

Contraction boostc::getContraction(ContractionOpInterface op) {
  if (auto matmul = dyn_cast<rt::MatmulOp>(*op))
    return describe(matmul);
  return describe(cast<rt::ConvolutionOp>(*op));
}

/// What `value` is extended from, or `value`.
static Value getNarrow(Value value) {
  auto extension = value.getDefiningOp<arith::ExtFOp>();
  return extension ? extension.getIn() : value;
}

/// Whether `op` yields `out + a * b`, where the order of sums is free.
static bool isMultiplyAdd(linalg::GenericOp op) {
  Block &body = *op.getBody();
  auto isExtension = llvm::IsaPred<arith::ExtFOp>;
  if (llvm::count_if(body.without_terminator(),
                     [&](Operation &op) { return !isExtension(&op); }) != 2)
    return false;
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  auto multiply = llvm::find_if(body, llvm::IsaPred<arith::MulFOp>);
  if (multiply == body.end() || !multiply->getResult(0).getType().isF32() ||
      !sum ||
      !bitEnumContainsAll(sum.getFastmath(), arith::FastMathFlags::reassoc))
    return false;
  auto isPair = [](Operation *pair, Value x, Value y) {
    Value a = getNarrow(pair->getOperand(0));
    Value b = getNarrow(pair->getOperand(1));
    return (a == x && b == y) || (a == y && b == x);
  };
  return isPair(&*multiply, body.getArgument(0), body.getArgument(1)) &&
         isPair(sum, body.getArgument(2), multiply->getResult(0));
}

bool boostc::isWorthKernel(const Contraction &contraction) {
  constexpr int64_t kMinMultiplications = int64_t{1} << 18;
  return contraction.countMultiplications() >= kMinMultiplications;
}

std::optional<Contraction> boostc::getContraction(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || !isMultiplyAdd(op))
    return std::nullopt;
  Contraction contraction;
  for (auto [extent, kind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    bool isReduction = kind == utils::IteratorType::reduction;
    contraction.loops.push_back(
        {extent, isReduction, isReduction ? "term" : "element"});
  }
  Contraction::Access *accesses[] = {&contraction.a, &contraction.b,
                                     &contraction.result};
  for (auto [access, operand] : llvm::zip(accesses, op->getOpOperands())) {
    Type type = operand.get().getType();
    Type element = getElementTypeOrSelf(type);
    bool isFactor = op.isDpsInput(&operand);
    std::optional<LinearIndex> offset;
    if (isa<ShapedType>(type) &&
        (element.isF32() || (isFactor && isLowPrecision(element))))
      offset = getOffset(op, operand);
    if (!offset)
      return std::nullopt;
    *access = {operand.get(), std::move(*offset)};
  }
  for (auto [number, loop] : llvm::enumerate(contraction.loops))
    if (loop.isReduction == (contraction.result.offset[number] != 0) &&
        loop.extent > 1)
      return std::nullopt;
  contraction.bias = contraction.result;
  return contraction;
}
