// Generator.h - random trainable models from the table of ops.
#pragma once

#include "test/e2e/Programs.h"
#include <cstdint>
#include <optional>
#include <random>

namespace boostc::smith {

/// A model as a list of layers, so that it can be made smaller.
struct Sketch {
  e2e::Model model; ///< all but its layers
  std::vector<std::string> layers;
  bool useLibrary = true;
  unsigned threads = 1;
  bool isForGpus = false;        ///< and runs on the simulated one
  bool callsCudaLibrary = false; ///< there for every product
  bool isTf32 = false;           ///< there, which that library computes
  /// Every sum in partial sums; on GPUs every other product, through shared
  /// memory.
  bool isStaged = false;
  /// Convolutions are computed by Winograd's algorithm, on CPUs.
  bool usesWinograd = false;
  rt::Reproducibility reproducible = rt::Reproducibility::On;
  int64_t microBatches = 1; ///< more than one where they add to one set
  std::vector<std::string> boosts = {}; ///< --boost KEY=VALUE
  /// Chooses the parameter where a second group of loss scales begins; none:
  /// no groups.
  std::optional<uint64_t> scaleCut = {};

  e2e::Model getModel() const;
  CompileOptions getOptions() const;
};

/// How importing a model ended.
struct Import {
  bool isLegal = false;
  bool isTooLarge = false;
  /// Extents of what the last layer but the head returns, without the batch.
  std::vector<int64_t> shape;
  std::vector<std::string> parameters; ///< names, in their order
  std::string diagnostics;
};
Import import(const Sketch &sketch);

/// The model of `seed`, for CPUs or for GPUs: layers are drawn one by one, with
/// keys drawn from their specs, and kept when the frontend takes them. What it
/// refuses is counted in `illegal`; a refusal without a diagnostic is returned
/// in `fault`.
Sketch generate(uint64_t seed, bool isForGpus, int64_t &illegal,
                std::string &fault);

} // namespace boostc::smith
