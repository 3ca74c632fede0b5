#include "test/runtime/comm/adasum/AdasumCase.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace boostrt::test {

double dot(const Vector &a, const Vector &b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

double norm(const Vector &a) { return std::sqrt(dot(a, a)); }

Vector plus(const Vector &a, const Vector &b) {
  Vector sum = a;
  for (size_t i = 0; i < a.size(); ++i)
    sum[i] += b[i];
  return sum;
}

Vector times(double s, const Vector &a) {
  Vector scaled = a;
  for (double &x : scaled)
    x *= s;
  return scaled;
}

double relative(const Vector &a, const Vector &b) {
  double difference = norm(plus(a, times(-1, b)));
  return difference == 0 ? 0 : difference / norm(b);
}

Vector pairRule(const Vector &a, const Vector &b, int ranksA, int ranksB) {
  double p = dot(a, b), squareA = dot(a, a), squareB = dot(b, b);
  double share = double(ranksA) / (ranksA + ranksB);
  // A NaN is not > 0 either: then the coefficient is 1.
  double scaleA = squareA > 0 ? 1 - share * p / squareA : 1;
  double scaleB = squareB > 0 ? 1 - (1 - share) * p / squareB : 1;
  Vector result(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    result[i] = scaleA * a[i] + scaleB * b[i];
  return result;
}

Vector treeOf(const Vectors &ranks) {
  if (ranks.size() == 1)
    return ranks[0];
  size_t half = 1;
  while (half * 2 < ranks.size())
    half *= 2;
  Vectors first(ranks.begin(), ranks.begin() + half);
  Vectors second(ranks.begin() + half, ranks.end());
  return pairRule(treeOf(first), treeOf(second), first.size(), second.size());
}

Vectors randomVectors(uint32_t ranks, size_t size, double share, int seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  Vector common(size);
  for (double &x : common)
    x = normal(generator);
  Vectors vectors(ranks, Vector(size));
  for (Vector &vector : vectors)
    for (size_t i = 0; i < size; ++i)
      vector[i] = static_cast<float>(
          share * common[i] + std::sqrt(1 - share * share) * normal(generator));
  return vectors;
}

size_t AdasumCase::elements() const {
  size_t count = 0;
  for (const AdasumTensor &tensor : tensors)
    count += tensor.count;
  return count;
}

uint32_t AdasumCase::vectorCount() const {
  uint32_t count = 0;
  for (const AdasumTensor &tensor : tensors)
    count = std::max(count, tensor.vector + 1);
  return count;
}

Vector AdasumCase::vectorOf(const std::vector<float> &bucket,
                            uint32_t index) const {
  Vector vector;
  for (const AdasumTensor &tensor : tensors)
    if (tensor.vector == index)
      vector.insert(vector.end(), bucket.begin() + tensor.offset,
                    bucket.begin() + tensor.offset + tensor.count);
  return vector;
}

AdasumCase caseOf(const Vectors &ranks, const std::vector<size_t> &sizes) {
  AdasumCase made;
  size_t offset = 0;
  for (size_t size : sizes) {
    uint32_t vector = static_cast<uint32_t>(made.tensors.size());
    made.tensors.push_back({offset, size, vector});
    offset += size;
  }
  if (sizes.empty())
    made.tensors.push_back({0, ranks[0].size(), 0});
  for (const Vector &rank : ranks)
    made.buckets.emplace_back(rank.begin(), rank.end());
  return made;
}

AdasumOutcome run(const AdasumCase &what, const AdasumOptions &options,
                  bool reports, const TransportKind &kind) {
  uint32_t ranks = what.ranks();
  std::vector<std::vector<float>> buckets = what.buckets;
  AdasumOutcome outcome;
  outcome.stats.resize(ranks);
  outcome.traffic.resize(ranks);
  outcome.described.resize(ranks);
  std::vector<AdasumReport> reported(ranks);
  expectRanks(kind, ranks, [&](Transport &transport) {
    uint32_t rank = transport.rank();
    Group group(transport);
    Workspace workspace;
    Result<Adasum> adasum = Adasum::plan(ranks, rank, what.tensors, options);
    if (!adasum.ok())
      return adasum.status();
    Traffic before = transport.traffic();
    Status status = adasum->run(group, buckets[rank].data(), workspace,
                                reports ? &reported[rank] : nullptr);
    outcome.stats[rank] = adasum->stats();
    outcome.described[rank] = adasum->describe();
    outcome.traffic[rank] = transport.traffic();
    outcome.traffic[rank].sentBytes -= before.sentBytes;
    return status;
  });
  std::vector<bool> isTensor(what.buckets[0].size());
  for (const AdasumTensor &tensor : what.tensors)
    std::fill_n(isTensor.begin() + tensor.offset, tensor.count, true);
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    for (size_t i = 0; i < isTensor.size(); ++i) {
      const float &expected =
          isTensor[i] ? buckets[0][i] : what.buckets[rank][i];
      bool isSame = !std::memcmp(&buckets[rank][i], &expected, sizeof(float));
      EXPECT_TRUE(isSame) << "element " << i << " of rank " << rank;
      if (!isSame)
        break;
    }
  }
  outcome.bucket = buckets[0];
  outcome.report = reported[0];
  return outcome;
}

namespace {

void appendForms(uint32_t leaves, std::vector<uint32_t> radices,
                 std::vector<AdasumForm> &forms) {
  auto add = [&](uint32_t last) {
    AdasumForm form;
    form.options.radices = radices;
    form.options.radices.push_back(last);
    for (auto [cut, name] :
         {std::pair(adasum::Cut::EqualSlices, "equal slices"),
          std::pair(adasum::Cut::WholeVectors, "whole vectors")}) {
      form.options.cut = cut;
      form.name =
          fmt::format("{} in {}", fmt::join(form.options.radices, " x "), name);
      forms.push_back(form);
    }
  };
  add(leaves);
  for (uint32_t radix = 2; radix < leaves && leaves % radix == 0; radix *= 2) {
    radices.push_back(radix);
    appendForms(leaves / radix, radices, forms);
    radices.pop_back();
  }
}

} // namespace

std::vector<AdasumForm> allForms(uint32_t leaves) {
  std::vector<AdasumForm> forms;
  appendForms(leaves, {}, forms);
  return forms;
}

std::vector<AdasumForm> mainForms(uint32_t leaves) {
  std::vector<AdasumForm> forms = allForms(leaves);
  if (forms.size() <= 4)
    return forms;
  // The first are flat; of the others, halving has most levels.
  std::vector<AdasumForm> main(forms.begin(), forms.begin() + 2);
  for (const AdasumForm &form : forms)
    if (form.options.radices == halvingRadices(leaves))
      main.push_back(form);
  return main;
}

void expectDefinition(const AdasumCase &what,
                      const std::vector<AdasumForm> &forms, double tolerance) {
  for (const AdasumForm &form : forms) {
    AdasumOutcome outcome = run(what, form.options);
    for (uint32_t index = 0; index < what.vectorCount(); ++index) {
      Vectors ranks;
      for (const std::vector<float> &bucket : what.buckets)
        ranks.push_back(what.vectorOf(bucket, index));
      EXPECT_LE(relative(what.vectorOf(outcome.bucket, index), treeOf(ranks)),
                tolerance)
          << form.name << ", " << what.ranks() << " ranks, vector " << index
          << " of " << ranks[0].size();
    }
  }
}

} // namespace boostrt::test
