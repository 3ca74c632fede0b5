// TokenFiles.h - a directory of NumPy arrays that the programs of
// TableProgram.c can learn from: four integers below 8 and three targets a
// sample, the targets being sums of rows of a hidden table.
#pragma once

#include "runtime/abi/boost_random.h"
#include "test/runtime/data/NpyFiles.h"
#include "test/runtime/trainer/Fixtures.h"

#include <cmath>

namespace boostrt {

class TokenFiles {
public:
  static constexpr int64_t kTokens = 4, kValues = 8, kTargets = 3;

  TokenFiles(int64_t train, int64_t test) {
    write("train", train, 1);
    write("test", test, 2);
  }
  /// The loss on the held-out samples of who says 0 to everything.
  double lossOfZero() const { return lossOfZero_; }
  std::string spec() const { return "npy:" + directory_.path(); }
  std::string path(const std::string &file) const { return directory_ / file; }

private:
  void write(const std::string &split, int64_t size, uint64_t stream) {
    std::vector<int64_t> tokens;
    std::vector<float> targets;
    for (int64_t i = 0; i < size; ++i) {
      float sums[kTargets] = {};
      for (int64_t t = 0; t < kTokens; ++t) {
        tokens.push_back(static_cast<int64_t>(
            boost_random_uniform(5, stream, i * kTokens + t) * kValues));
        for (int64_t d = 0; d < kTargets; ++d)
          sums[d] += std::sin(static_cast<float>(tokens.back() * 3 + d));
      }
      targets.insert(targets.end(), sums, sums + kTargets);
    }
    lossOfZero_ = 0;
    for (float target : targets)
      lossOfZero_ += double{target} * target / static_cast<double>(size);
    std::string n = std::to_string(size);
    writeFile(path(split + "_features.npy"),
              npy("<i8", "(" + n + ", 4)", bytesOf(tokens)));
    writeFile(path(split + "_targets.npy"),
              npy("<f4", "(" + n + ", 3)", bytesOf(targets)));
  }

  TemporaryDirectory directory_;
  double lossOfZero_ = 0; ///< of the split written last
};

} // namespace boostrt
