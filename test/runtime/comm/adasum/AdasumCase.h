// AdasumCase.h - what ranks bring to an Adasum in tests, what they get, and
// what they should get: the definition, word by word, in double precision.
#pragma once

#include "runtime/comm/adasum/Adasum.h"
#include "test/runtime/comm/Ranks.h"

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace boostrt::test {

using Vector = std::vector<double>;
using Vectors = std::vector<Vector>; ///< one for each rank

double dot(const Vector &a, const Vector &b);
double norm(const Vector &a);
/// |a - b| / |b|; 0 when both are zero.
double relative(const Vector &a, const Vector &b);
Vector plus(const Vector &a, const Vector &b);
Vector times(double s, const Vector &a);

/// The rule for `a` of `ranksA` ranks and `b` of `ranksB`.
Vector pairRule(const Vector &a, const Vector &b, int ranksA, int ranksB);
/// For the ranks in the fixed tree.
Vector treeOf(const Vectors &ranks);

/// Numbers that fp32 represents, of norm near sqrt(size); `share` of what ranks
/// have is the same for all.
Vectors randomVectors(uint32_t ranks, size_t size, double share, int seed);

/// A bucket: all elements of rank r, and which are tensors.
struct AdasumCase {
  std::vector<AdasumTensor> tensors;
  std::vector<std::vector<float>> buckets; ///< of the ranks

  uint32_t ranks() const { return static_cast<uint32_t>(buckets.size()); }
  size_t elements() const;
  /// Vector `index` of a bucket, its tensors one after another.
  Vector vectorOf(const std::vector<float> &bucket, uint32_t index) const;
  uint32_t vectorCount() const;
};

/// Rank r brings ranks[r]: one vector, or one per entry of `sizes`.
AdasumCase caseOf(const Vectors &ranks, const std::vector<size_t> &sizes = {});

struct AdasumOutcome {
  std::vector<float> bucket; ///< of every rank
  std::vector<AdasumStats> stats;
  std::vector<Traffic> traffic;
  AdasumReport report;
  std::vector<std::string> described;

  Vector values() const { return Vector(bucket.begin(), bucket.end()); }
};

/// Runs it, over `kind` or else with threads as ranks. Fails the test when a
/// rank fails, when two ranks differ in a bit (P13), or when elements that are
/// no tensor change.
AdasumOutcome run(const AdasumCase &what, const AdasumOptions &options = {},
                  bool reports = false,
                  const TransportKind &kind = transportKinds().front());

/// Ways to compute the same.
struct AdasumForm {
  std::string name;
  AdasumOptions options;
};

/// All sequences of radices that n ranks may have, each with both cuts.
std::vector<AdasumForm> allForms(uint32_t leaves);
/// The two that differ most, each with both cuts.
std::vector<AdasumForm> mainForms(uint32_t leaves);

/// Runs every form of `forms` and compares each vector with the definition.
void expectDefinition(const AdasumCase &what,
                      const std::vector<AdasumForm> &forms, double tolerance);

/// For fp32 numbers, relative L2, as the definition of these tests asks.
constexpr double kEps = 1.1920928955078125e-07;
constexpr double kTolerance = 100 * kEps;

} // namespace boostrt::test
