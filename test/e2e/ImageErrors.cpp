#include "test/e2e/ImageErrors.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Pooling.h"
#include "dialects/rt/Convolution.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

using Errors = std::vector<double>;

namespace {

/// Errors of sums of products, gathered term by term in any order.
class SumErrors {
public:
  explicit SumErrors(size_t size) : sums(size) {}

  void addProduct(int64_t at, const Bounded &a, int64_t i, const Bounded &b,
                  int64_t j) {
    double x = std::abs(a.value.data[i]), y = std::abs(b.value.data[j]);
    sums[at].magnitudes += (x + a.error[i]) * (y + b.error[j]);
    sums[at].inherited +=
        a.error[i] * y + x * b.error[j] + a.error[i] * b.error[j];
    ++sums[at].terms;
  }
  /// A term of this magnitude and error.
  void add(int64_t at, double magnitude, double error) {
    sums[at].magnitudes += magnitude + error;
    sums[at].inherited += error;
    ++sums[at].terms;
  }
  Errors get() const {
    Errors errors;
    for (const Sum &sum : sums)
      errors.push_back(sum.inherited + gammaOf(sum.terms) * sum.magnitudes);
    return errors;
  }

private:
  struct Sum {
    double magnitudes = 0.0, inherited = 0.0, terms = 0.0;
  };
  std::vector<Sum> sums;
};

template <typename OpTy> ConvolutionGeometry geometryOf(OpTy op) {
  return ConvolutionGeometry::get(op.getStrides(), op.getPadding(),
                                  op.getDilations(), op.getGroups());
}

Errors convolution(nn::Conv2dOp op, ArrayRef<Bounded> in,
                   const ReferenceValue &out) {
  SumErrors sums(out.size());
  forEachConvolutionTerm(geometryOf(op), in[0].value.shape, in[1].value.shape,
                         out.shape, [&](int64_t x, int64_t w, int64_t y) {
                           sums.addProduct(y, in[0], x, in[1], w);
                         });
  if (in.size() > 2)
    for (int64_t i = 0; i < out.size(); ++i) {
      int64_t filter = i / (out.dim(2) * out.dim(3)) % out.dim(1);
      sums.add(i, std::abs(in[2].value.data[filter]), in[2].error[filter]);
    }
  return sums.get();
}

Errors convolutionGradInput(nn::Conv2dGradInputOp op, ArrayRef<Bounded> in,
                            const ReferenceValue &out) {
  SumErrors sums(out.size());
  forEachConvolutionTerm(geometryOf(op), out.shape, in[1].value.shape,
                         in[0].value.shape,
                         [&](int64_t x, int64_t w, int64_t y) {
                           sums.addProduct(x, in[0], y, in[1], w);
                         });
  return sums.get();
}

Errors convolutionGradWeight(nn::Conv2dGradWeightOp op, ArrayRef<Bounded> in,
                             const ReferenceValue &out) {
  SumErrors sums(out.size());
  forEachConvolutionTerm(geometryOf(op), in[1].value.shape, out.shape,
                         in[0].value.shape,
                         [&](int64_t x, int64_t w, int64_t y) {
                           sums.addProduct(w, in[0], y, in[1], x);
                         });
  return sums.get();
}

/// A maximum moves by no more than the numbers it is taken of; the tap is in
/// doubt where another number may be the largest.
std::vector<Errors> maxPool(nn::MaxPoolOp op, ArrayRef<Bounded> in,
                            ArrayRef<ReferenceValue> out) {
  const ReferenceValue &y = out[0];
  Errors errors(y.size(), 0.0), doubts(y.size(), 0.0);
  Errors winner(y.size(), 0.0);
  auto forEach = [&](llvm::function_ref<void(int64_t, int64_t, int64_t)> tap) {
    nn::forEachTap(in[0].value.shape, y.shape, op.getKernel(), op.getStrides(),
                   op.getPadding(), tap);
  };
  forEach([&](int64_t xi, int64_t yi, int64_t tap) {
    errors[yi] = std::max(errors[yi], in[0].error[xi]);
    if (static_cast<double>(tap) == out[1].data[yi])
      winner[yi] = in[0].error[xi];
  });
  forEach([&](int64_t xi, int64_t yi, int64_t tap) {
    double gap = y.data[yi] - in[0].value.data[xi];
    // Exact numbers are compared exactly.
    double doubt = in[0].error[xi] + winner[yi];
    if (static_cast<double>(tap) != out[1].data[yi] && doubt > 0.0 &&
        gap <= doubt)
      doubts[yi] = 1.0;
  });
  return {errors, doubts};
}

Errors maxPoolGrad(nn::MaxPoolGradOp op, ArrayRef<Bounded> in,
                   const ReferenceValue &out) {
  SumErrors sums(out.size());
  nn::forEachTap(out.shape, in[0].value.shape, op.getKernel(), op.getStrides(),
                 op.getPadding(), [&](int64_t xi, int64_t yi, int64_t tap) {
                   double size = std::abs(in[0].value.data[yi]);
                   double error = in[0].error[yi];
                   if (in[1].error[yi] != 0.0)
                     sums.add(xi, size, size + error); // there or not
                   else if (static_cast<double>(tap) == in[1].value.data[yi])
                     sums.add(xi, size, error);
                 });
  return sums.get();
}

/// The share of a tap is rounded, and so is each product with it.
void addShare(SumErrors &sums, int64_t at, const Bounded &in, int64_t i,
              ArrayRef<int64_t> kernel) {
  double taps = static_cast<double>(kernel[0] * kernel[1]);
  double size = std::abs(in.value.data[i]) / taps;
  sums.add(at, size, in.error[i] / taps + gammaOf(2) * size);
}

Errors avgPool(nn::AvgPoolOp op, ArrayRef<Bounded> in,
               const ReferenceValue &out) {
  SumErrors sums(out.size());
  nn::forEachTap(in[0].value.shape, out.shape, op.getKernel(), op.getStrides(),
                 op.getPadding(), [&](int64_t xi, int64_t yi, int64_t) {
                   addShare(sums, yi, in[0], xi, op.getKernel());
                 });
  return sums.get();
}

Errors avgPoolGrad(nn::AvgPoolGradOp op, ArrayRef<Bounded> in,
                   const ReferenceValue &out) {
  SumErrors sums(out.size());
  nn::forEachTap(out.shape, in[0].value.shape, op.getKernel(), op.getStrides(),
                 op.getPadding(), [&](int64_t xi, int64_t yi, int64_t) {
                   addShare(sums, xi, in[0], yi, op.getKernel());
                 });
  return sums.get();
}

} // namespace

std::optional<std::vector<Errors>>
e2e::getImageErrors(Operation *op, ArrayRef<Bounded> in,
                    ArrayRef<ReferenceValue> out) {
  using Bounds = std::optional<std::vector<Errors>>;
  return TypeSwitch<Operation *, Bounds>(op)
      .Case<nn::Conv2dOp>(
          [&](auto conv) { return Bounds({convolution(conv, in, out[0])}); })
      .Case<nn::Conv2dGradInputOp>([&](auto conv) {
        return Bounds({convolutionGradInput(conv, in, out[0])});
      })
      .Case<nn::Conv2dGradWeightOp>([&](auto conv) {
        return Bounds({convolutionGradWeight(conv, in, out[0])});
      })
      .Case<nn::MaxPoolOp>(
          [&](auto pool) { return Bounds(maxPool(pool, in, out)); })
      .Case<nn::MaxPoolGradOp>(
          [&](auto pool) { return Bounds({maxPoolGrad(pool, in, out[0])}); })
      .Case<nn::AvgPoolOp>(
          [&](auto pool) { return Bounds({avgPool(pool, in, out[0])}); })
      .Case<nn::AvgPoolGradOp>(
          [&](auto pool) { return Bounds({avgPoolGrad(pool, in, out[0])}); })
      .Default([](Operation *) { return std::nullopt; });
}
