// AdasumDefinition.h - Adasum as coll.adasum defines it, word by word.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <bit>
#include <vector>

namespace boostc::e2e {

using Vector = std::vector<double>;

/// Of one vector of each rank, or group of ranks, in their order.
inline Vector combineByAdasum(llvm::ArrayRef<Vector> vectors) {
  size_t count = vectors.size();
  if (count == 1)
    return vectors[0];
  size_t middle = std::bit_floor(count - 1);
  Vector a = combineByAdasum(vectors.take_front(middle));
  Vector b = combineByAdasum(vectors.drop_front(middle));
  double product = 0, ofA = 0, ofB = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    product += a[i] * b[i];
    ofA += a[i] * a[i];
    ofB += b[i] * b[i];
  }
  double share = double(middle) / double(count);
  double scaleA = ofA > 0 ? 1 - share * product / ofA : 1;
  double scaleB = ofB > 0 ? 1 - (1 - share) * product / ofB : 1;
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = scaleA * a[i] + scaleB * b[i];
  return a;
}

} // namespace boostc::e2e
