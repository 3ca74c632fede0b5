// Adasum.h - combines the gradients, or the steps, of the members of a group so
// that what they have in common is averaged and what is orthogonal is added
// (Maleki et al., Scaling Distributed Training with Adaptive Summation, MLSys
// 2021), for any number of members. Coefficients.h says exactly how.
//
// Every member ends with the same bits: each element is computed by one and
// copied. They depend neither on the CPU nor on the memory in which vectors
// lie; they do on the number of members, on their order and, in rounding, on
// the levels.
#pragma once

#include "runtime/comm/CostModel.h"
#include "runtime/comm/Group.h"
#include "runtime/comm/VectorMemory.h"
#include "runtime/comm/Workspace.h"
#include "runtime/comm/adasum/Plan.h"

#include <memory>
#include <optional>

namespace boostrt {

/// `count` elements of the bucket from `offset` on. Tensors with the same
/// `vector` are combined as one: all different is per tensor, all the same is
/// the whole model. Vectors are numbered from 0.
struct AdasumTensor {
  size_t offset, count;
  uint32_t vector;
};

struct AdasumOptions {
  /// Neighbouring members in blocks of that many contribute their mean, as the
  /// ranks of a server do when Adasum is across servers.
  uint32_t ranksPerMean = 1;
  /// Those of a block have the same vectors already, which are their mean: they
  /// only share the work. All pass the same.
  bool meansAreKnown = false;
  /// How many combine at once in each level across those means; empty: what
  /// takes least by CommCosts' defaults. See Plan.h.
  std::vector<uint32_t> radices;
  /// Unset: what takes least, likewise.
  std::optional<adasum::Cut> cut;
  /// About so many bytes are combined at a time, but whole vectors: that bounds
  /// the scratch memory. Every block waits for all members.
  size_t blockBytes = size_t(64) << 20;
};

/// For one vector.
struct AdasumVectorReport {
  /// c_m of member m: the result is the sum of c_m g_m.
  std::vector<double> coefficients;
  /// |result|^2 / sum of the |g_i|^2 of what Adasum combined (members, or the
  /// means of servers): 1 when these are orthogonal, 1/n when they are equal,
  /// and 1 when all are zero.
  double orthogonality = 1;
  /// How many nodes cancelled so far that they were made vectors.
  uint32_t vectors = 0;
};

struct AdasumReport {
  std::vector<AdasumVectorReport> vectors; ///< by number
};

/// What the last run did and how long it took, on this member.
struct AdasumStats {
  uint64_t vectorBytes = 0;   ///< sent: elements
  uint64_t scalarBytes = 0;   ///< sent: products and coefficients
  double exchangeSeconds = 0; ///< without the loops that run meanwhile
  double productSeconds = 0, agreeSeconds = 0, combineSeconds = 0;
};

class Adasum {
public:
  /// For the member `self` of groups of `members`. Tensors do not overlap.
  static Result<Adasum> plan(uint32_t members, uint32_t self,
                             std::span<const AdasumTensor> tensors,
                             const AdasumOptions &options);
  Adasum(Adasum &&) noexcept;
  Adasum &operator=(Adasum &&) noexcept;
  ~Adasum();

  /// What run() takes of a workspace or of a memory: about as much as a block
  /// has.
  size_t scratchBytes() const;

  /// Replaces the tensors in `bucket` by their combination, on every member.
  /// From the second time on it allocates nothing, unless it reports. All
  /// members pass a report or none does; the first one's is filled. Fails as
  /// Transport::exchange does; the tensors are undefined then.
  Status run(Group &group, float *bucket, Workspace &workspace,
             AdasumReport *report = nullptr);
  /// The same for a bucket in `memory`, with its scratch memory; of `workspace`
  /// only the lists are used. The transport of `group` carries what lies there.
  /// Coefficients are computed on the host, which waits for the products of
  /// every level. What was asked of the memory last is under way when it
  /// returns.
  Status run(Group &group, float *bucket, Workspace &workspace,
             VectorMemory &memory, AdasumReport *report = nullptr);

  const AdasumStats &stats() const;

  /// How long a run takes, predicted.
  double seconds(const CommCosts &costs, const Placement &placement = {}) const;

  /// What this member sends in a run: elements, without products and
  /// coefficients, whose number depends on the values.
  uint64_t vectorBytes() const;

  /// "mean of 8, then Adasum of 4 x 8 in equal slices", and of known means
  /// "Adasum of 4 x 8 in equal slices, shared by 8 ranks each".
  std::string describe() const;

private:
  struct State;
  explicit Adasum(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace boostrt
