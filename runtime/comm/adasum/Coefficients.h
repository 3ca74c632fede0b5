// Coefficients.h - the numbers c_i of an Adasum: result = sum of c_i g_i.
//
// Two vectors a, b of m_a and m_b ranks combine to sa a + sb b with
//
//   sa = 1 - l <a,b> / |a|^2,  sb = 1 - (1-l) <a,b> / |b|^2,  l = m_a/(m_a+m_b)
//
// where a zero vector's coefficient is 1. For m_a = m_b that is Adasum (Maleki
// et al., MLSys 2021); other weights extend it to any number of ranks, so that
// collinear vectors give their mean and orthogonal ones their sum. Ranks
// combine in a fixed tree: lo .. hi-1 is lo .. mid-1 with mid .. hi-1, mid - lo
// the largest power of two below hi - lo.
//
// All of that is a function of the Gram matrix, so that vectors are read once.
// Where the two children of a node nearly cancel, its norm is lost in rounding;
// such a node is made a vector (see advance()).
#pragma once

#include "runtime/comm/vectors/ElementLoops.h"

#include <span>
#include <vector>

namespace boostrt::adasum {

/// An inner node of the tree.
struct Merge {
  uint32_t lo, mid, hi;
};

/// The inner nodes, children first; the last is the root.
std::vector<Merge> mergesOf(uint32_t leaves);

/// The state of one combination. Leaf i is in slot i; a node that was made a
/// vector is in the slot of its first leaf, and its other slots are empty.
struct Combination {
  explicit Combination(uint32_t leaves);

  /// Starts over with the products in `gram`.
  void begin();

  /// Carries out merges until all are done and returns -1, or until one whose
  /// node shall be made a vector of single precision, and returns its index.
  /// After that replace() must be called.
  int advance(std::span<const Merge> merges);

  /// The node of `merge` was made the vector of its first slot, where it has
  /// these products with the vectors of all slots.
  void replace(const Merge &merge, std::span<const double> products);

  std::vector<double> gram;   ///< of the slots, at pairIndex
  std::vector<double> slots;  ///< coefficient of each in its node; 0: empty
  std::vector<double> leaves; ///< the same of what were the leaves
  double leafNorms = 0;       ///< sum of their squared norms
  double resultNorm = 0;      ///< squared norm of the result
  uint32_t vectors = 0;       ///< how many nodes were made vectors

private:
  double product(size_t i, size_t j) const {
    return i < j ? gram[pairIndex(j, i)] : gram[pairIndex(i, j)];
  }

  size_t next_ = 0;
  /// For the node that begins at a slot: its squared norm, and what that would
  /// be if nothing cancelled.
  std::vector<double> norms_, magnitudes_;
};

} // namespace boostrt::adasum
