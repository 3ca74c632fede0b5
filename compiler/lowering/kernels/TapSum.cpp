#include "compiler/lowering/kernels/TapSum.h"
#include "compiler/lowering/kernels/Strides.h"
#include "dialects/train/TrainDialect.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace boostc;

bool TapAxis::isGuarded() const {
  return !isInside(0, 0) || !isInside(0, taps - 1) ||
         !isInside(pixels - 1, 0) || !isInside(pixels - 1, taps - 1);
}

double TapAxis::getInsideShare() const {
  if (taps == 0 || !isGuarded())
    return 1.0;
  int64_t inside = 0;
  for (int64_t pixel = 0; pixel < pixels; ++pixel)
    for (int64_t tap = 0; tap < taps; ++tap)
      inside += isInside(pixel, tap);
  return static_cast<double>(inside) / static_cast<double>(pixels * taps);
}

TapAxis TapAxis::slice(int64_t first, int64_t count) const {
  TapAxis part = *this;
  part.constant += pixelStep * first;
  part.pixels = count;
  return part;
}

int64_t TapSum::getRows() const {
  int64_t rows = 0;
  for (const TapPart &part : parts)
    rows = std::max(rows, part.rows.pixels);
  return rows;
}

bool TapSum::hasVectors() const {
  return llvm::all_of(parts, [](const TapPart &part) {
    auto isNeighbour = [](const TapOperand &operand) {
      return operand.vector == 0 || operand.vector == 1;
    };
    return part.result.vector == 1 && isNeighbour(part.source) &&
           isNeighbour(part.weight) &&
           part.source.vector + part.weight.vector >= 1;
  });
}

bool TapSum::hasPairs() const {
  return terms > 1 && llvm::all_of(parts, [](const TapPart &part) {
           auto isLow = [](const TapOperand &operand) {
             return operand.type.getElementType().isBF16();
           };
           const TapOperand &shared =
               part.source.vector == 0 ? part.source : part.weight;
           return isLow(part.source) && isLow(part.weight) &&
                  shared.vector == 0 && shared.term == 1;
         });
}

namespace {

struct Strides {
  SmallVector<int64_t> of;
  int64_t offset;

  explicit Strides(MemRefType type) {
    std::tie(of, offset) = type.getStridesAndOffset();
  }
};

/// The axis as pixels `phase`, `phase` + stride, ... of the input see it: only
/// taps `first`, `first` + `step`, ... touch them.
struct AdjointAxis {
  TapAxis axis;
  int64_t first = 0, step = 1;
};

} // namespace

static TapOperand describeImage(Value buffer, MemRefType type,
                                int64_t channelsOfGroup) {
  Strides strides(type);
  TapOperand image{buffer, type, strides.offset};
  image.sample = strides.of[0];
  image.group = strides.of[1] * channelsOfGroup;
  image.row = strides.of[2];
  image.column = strides.of[3];
  return image;
}

/// The axis of a convolution as its output sees it.
static TapAxis describeAxis(const ConvolutionGeometry &geometry, unsigned axis,
                            int64_t input, int64_t taps, int64_t output) {
  return {output,
          taps,
          geometry.strides[axis],
          geometry.dilations[axis],
          -geometry.padding[axis],
          input};
}

static AdjointAxis describeAdjoint(const ConvolutionGeometry &geometry,
                                   unsigned axis, int64_t input, int64_t taps,
                                   int64_t output, int64_t phase) {
  int64_t stride = geometry.strides[axis], dilation = geometry.dilations[axis];
  int64_t padding = geometry.padding[axis];
  AdjointAxis adjoint;
  adjoint.step = stride / std::gcd(stride, dilation);
  auto meets = [&](int64_t tap) {
    return (phase + padding - tap * dilation) % stride == 0;
  };
  while (adjoint.first < std::min(adjoint.step, taps) && !meets(adjoint.first))
    ++adjoint.first;
  bool isMet = adjoint.first < std::min(adjoint.step, taps);
  adjoint.axis.pixels = llvm::divideCeil(input - phase, stride);
  adjoint.axis.extent = output;
  adjoint.axis.taps =
      isMet ? llvm::divideCeil(taps - adjoint.first, adjoint.step) : 0;
  adjoint.axis.pixelStep = 1;
  adjoint.axis.tapStep = -adjoint.step * dilation / stride;
  adjoint.axis.constant =
      isMet ? (phase + padding - adjoint.first * dilation) / stride : 0;
  return adjoint;
}

/// `taps` of an operand that is a weight, from those of the convolution on.
static void selectTaps(TapOperand &weight, const AdjointAxis &rows,
                       const AdjointAxis &columns) {
  weight.constant += rows.first * weight.row + columns.first * weight.column;
  weight.row *= rows.step;
  weight.column *= columns.step;
}

/// Where each group has one channel and one filter, vectors run over groups.
static void vectorizeGroups(TapSum &sum) {
  sum.width = sum.groups;
  sum.groups = 1;
  sum.bias.vector = sum.bias.group;
  for (TapPart &part : sum.parts)
    for (TapOperand *operand : {&part.source, &part.weight, &part.result}) {
      operand->vector = operand->group;
      operand->term = 0;
    }
}

void boostc::flattenPixels(TapSum &sum) {
  const int64_t lineLength = sum.isWeightGradient ? 96 : 48;
  if (sum.parts.size() != 1)
    return;
  TapPart &part = sum.parts.front();
  if (!part.rows.isIdentity() || !part.columns.isIdentity())
    return;
  // What moves along pixels: taps are one.
  TapOperand &image = sum.isWeightGradient ? part.weight : part.result;
  TapOperand &source = part.source;
  int64_t columns = part.columns.pixels, rows = part.rows.pixels;
  for (TapOperand *operand : {&image, &source})
    if (operand->row != columns * operand->column ||
        (sum.samples > 1 && operand->sample != rows * operand->row))
      return;
  int64_t pixels = sum.samples * rows * columns;
  int64_t length = std::min(lineLength, pixels);
  int64_t lines = pixels / length;
  TapPart rest = part;
  auto cut = [&](TapPart &piece, int64_t first, int64_t count, int64_t wide) {
    piece.rows = {count, 1, 1, 1, 0, count};
    piece.columns = {wide, 1, 1, 1, 0, wide};
    for (TapOperand *operand :
         {sum.isWeightGradient ? &piece.weight : &piece.result,
          &piece.source}) {
      operand->constant += first * operand->column;
      operand->row = wide * operand->column;
    }
  };
  sum.samples = 1;
  cut(part, 0, lines, length);
  if (int64_t left = pixels - lines * length) {
    cut(rest, lines * length, 1, left);
    sum.parts.push_back(rest);
  }
}

std::optional<TapBorder> TapBorder::of(const TapSum &sum) {
  if (sum.parts.size() != 1)
    return std::nullopt;
  const TapAxis &columns = sum.parts.front().columns;
  TapBorder border;
  for (int64_t pixel : {int64_t(0), columns.pixels - 1})
    for (int64_t tap : {int64_t(0), columns.taps - 1}) {
      int64_t position = columns.getPosition(pixel, tap);
      border.before = std::max(border.before, -position);
      border.after = std::max(border.after, position - (columns.extent - 1));
    }
  return border;
}

std::optional<TapSum> boostc::foldTaps(const TapSum &sum) {
  if (sum.parts.size() != 1)
    return std::nullopt;
  TapSum folded = sum;
  TapPart &part = folded.parts.front();
  int64_t taps = part.columns.taps;
  if (taps <= 1 || part.columns.isGuarded())
    return std::nullopt;
  TapOperand &weight = sum.isWeightGradient ? part.result : part.weight;
  int64_t ofSource = part.columns.tapStep * part.source.column;
  if (sum.terms > 1 && (ofSource != sum.terms * part.source.term ||
                        weight.column != sum.terms * weight.term))
    return std::nullopt;
  if (sum.terms == 1) {
    part.weight.term = 0; // the image, in a gradient
    part.source.term = ofSource;
    weight.term = weight.column;
  }
  folded.terms *= taps;
  part.columns.taps = 1;
  return folded;
}

ConvolutionTypes ConvolutionTypes::of(rt::ConvolutionOp op) {
  return {getTypeInMemory(op.getInput()), getTypeInMemory(op.getWeight()),
          getTypeInMemory(op.getOutput())};
}

TapSum boostc::getTapSum(rt::ConvolutionOp op, const ConvolutionTypes &types,
                         const ConvolutionGeometry &geometry) {
  const auto &[x, w, y] = types;
  Strides sx(x), sw(w), sy(y);
  int64_t filters = w.getDimSize(0) / geometry.groups;
  int64_t channels = w.getDimSize(1);
  TapOperand input = describeImage(op.getInput(), x, channels);
  TapOperand output = describeImage(op.getOutput(), y, filters);
  TapOperand weight{op.getWeight(), w, sw.offset};
  weight.group = sw.of[0] * filters;
  weight.row = sw.of[2];
  weight.column = sw.of[3];

  TapSum sum;
  sum.samples = y.getDimSize(0);
  sum.groups = geometry.groups;
  if (auto program = op->getParentOfType<train::ProgramOp>())
    sum.winograd = rt::getWinogradUse(program);
  auto axisOf = [&](unsigned axis) {
    return describeAxis(geometry, axis, x.getDimSize(2 + axis),
                        w.getDimSize(2 + axis), y.getDimSize(2 + axis));
  };
  switch (op.getKind()) {
  case rt::ConvolutionKind::Forward:
    sum.terms = channels;
    sum.width = filters;
    input.term = sx.of[1];
    weight.term = sw.of[1];
    weight.vector = sw.of[0];
    output.vector = sy.of[1];
    if (op.getBias()) {
      MemRefType type = getTypeInMemory(op.getBias());
      sum.bias = {op.getBias(), type, Strides(type).offset};
      sum.bias.group = filters;
      sum.bias.vector = 1;
    }
    sum.parts.push_back({axisOf(0), axisOf(1), input, weight, output});
    break;
  case rt::ConvolutionKind::BackwardData:
    sum.terms = filters;
    sum.width = channels;
    output.term = sy.of[1];
    weight.term = sw.of[0];
    weight.vector = sw.of[1];
    input.vector = sx.of[1];
    for (int64_t row = 0; row < geometry.strides[0]; ++row)
      for (int64_t column = 0; column < geometry.strides[1]; ++column) {
        if (row >= x.getDimSize(2) || column >= x.getDimSize(3))
          continue;
        AdjointAxis rows =
            describeAdjoint(geometry, 0, x.getDimSize(2), w.getDimSize(2),
                            y.getDimSize(2), row);
        AdjointAxis columns =
            describeAdjoint(geometry, 1, x.getDimSize(3), w.getDimSize(3),
                            y.getDimSize(3), column);
        TapPart part{rows.axis, columns.axis, output, weight, input};
        if (rows.axis.taps == 0 || columns.axis.taps == 0)
          part.rows.taps = part.columns.taps = 0;
        else
          selectTaps(part.weight, rows, columns);
        part.result.constant += row * input.row + column * input.column;
        part.result.row *= geometry.strides[0];
        part.result.column *= geometry.strides[1];
        sum.parts.push_back(part);
      }
    break;
  case rt::ConvolutionKind::BackwardWeight: {
    sum.isWeightGradient = true;
    // Vectors run along what is contiguous in the gradient.
    bool alongFilters = sw.of[0] == 1;
    sum.terms = alongFilters ? channels : filters;
    sum.width = alongFilters ? filters : channels;
    (alongFilters ? output.vector : output.term) = sy.of[1];
    (alongFilters ? input.term : input.vector) = sx.of[1];
    weight.vector = alongFilters ? sw.of[0] : sw.of[1];
    weight.term = alongFilters ? sw.of[1] : sw.of[0];
    sum.parts.push_back({axisOf(0), axisOf(1), input, output, weight});
    break;
  }
  }
  if (channels == 1 && filters == 1 && geometry.groups > 1)
    vectorizeGroups(sum);
  // One channel next to several that lie innermost: any stride is that of a
  // neighbour, which it has not.
  auto isLast = [](MemRefType type, const Strides &strides) {
    return type.getDimSize(1) == 1 || strides.of[1] == 1;
  };
  if (sum.width == 1 && isLast(x, sx) && isLast(y, sy) &&
      std::max(x.getDimSize(1), y.getDimSize(1)) > 1)
    for (TapPart &part : sum.parts)
      for (TapOperand *operand : {&part.source, &part.weight, &part.result})
        operand->vector = std::min<int64_t>(operand->vector, 1);
  flattenPixels(sum);
  return sum;
}

std::optional<TapSum> boostc::getTapSum(ContractionOpInterface op) {
  auto convolution = dyn_cast<rt::ConvolutionOp>(*op);
  if (!convolution)
    return std::nullopt;
  TapSum sum = getTapSum(convolution, ConvolutionTypes::of(convolution),
                         convolution.getGeometry());
  if (Value partials = convolution.getPartials()) {
    MemRefType type = getTypeInMemory(partials);
    sum.partials = type.getDimSize(0);
    for (TapPart &part : sum.parts) {
      part.result.buffer = partials;
      part.result.sample = type.getDimSize(1);
    }
  }
  return sum;
}
