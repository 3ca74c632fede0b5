// AdasumLog.h - how Adasum combined a step, for the metrics.
#pragma once

#include <string>
#include <vector>

namespace boostrt {

/// One combined vector: a parameter, or several.
struct AdasumEntry {
  std::vector<std::string> parameters;
  /// c_i of each group of ranks: the result is the sum of c_i g_i.
  std::vector<double> coefficients;
  /// See AdasumVectorReport: from 1/n, all the same, to 1, all orthogonal.
  double orthogonality = 1;
};

} // namespace boostrt
