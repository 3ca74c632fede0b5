// WinogradPlan.h - convolutions of 3x3 taps and their gradients by Winograd's
// algorithm F(2x2, 3x3): Lavin and Gray, Fast Algorithms for Convolutional
// Neural Networks, arXiv:1509.09308.
//
// Two by two pixels of a result see a tile of 4x4 pixels d of the source. With
// the taps g, for each term and channel of the result,
//
//   result = A' [ (G g G') o (B' d B) ] A
//
// where o multiplies element by element, which takes 16 multiplications, not
// 36. The terms are summed before A' is applied: what is between the
// transforms are 16 products of matrices, one for each position in a tile. The
// gradient of the taps is the adjoint:
//
//   gradient = G' [ sum over tiles of (A p A') o (B' d B) ] G
//
// with p the two by two pixels of the other image. A strip of lines of tiles is
// transformed at a time, so that it stays in the second cache. What rounding
// does is bounded in test/e2e/WinogradBound.h.
#pragma once

#include "compiler/lowering/cpu/TapSumPlan.h"

namespace boostc {

/// Pixels of a result's tile along an axis, taps, pixels of a source's tile,
/// and positions of a tile, which each have a product.
constexpr int64_t kWinogradPixels = 2, kWinogradTaps = 3, kWinogradExtent = 4,
                  kWinogradPositions = 16;

/// An axis as tiles see it.
struct WinogradAxis {
  int64_t pixels, extent;
  int64_t first; ///< pixel of the source that the first tile sees first
  bool isReversed;

  static WinogradAxis get(const TapAxis &axis);
  int64_t countTiles() const;
  /// Pixels of the result that `tile` has.
  int64_t countPixels(int64_t tile) const;
  /// Whether there is a pixel of the source at `position` of `tile`.
  bool isInside(int64_t tile, int64_t position) const;
};

/// Lines of tiles of a sample, and strips of all samples.
int64_t countWinogradLines(const TapSum &sum, const WinogradPlan &plan);
int64_t countWinogradStrips(const TapSum &sum, const WinogradPlan &plan);

/// The products of a piece and a strip of it: a sum without a window, with a
/// group for each position. Buffers are null.
TapSum getWinogradProducts(const TapSum &sum, const WinogradPlan &plan);

/// The plan of the products in that of the sum: for all pieces at once.
TapSumPlan getProductPlan(const TapSum &products, const TapSumPlan &plan);

/// The plan of least estimated cost for `threads` threads; none where the
/// algorithm is not wanted or cannot compute `sum`.
std::optional<TapSumPlan>
planWinograd(const TapSum &sum, VectorRegisters registers, int64_t threads);

/// estimateCost() of a plan of this kind.
double estimateWinograd(const TapSum &sum, const TapSumPlan &plan);

/// emitTapSum() by a plan of this kind.
void emitWinograd(mlir::OpBuilder &builder, mlir::Location loc,
                  const TapSum &sum, const TapSumPlan &plan, mlir::Value begin,
                  mlir::Value end);

} // namespace boostc
