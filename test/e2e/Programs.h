// Programs.h - models compiled in this process, loaded and driven as boost-run
// does it, and the same models in the interpreter.
#pragma once

#include "compiler/pipeline/Compiler.h"
#include "compiler/reference/ReferenceTrainer.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/device/cuda/GpuDriver.h"
#include "runtime/trainer/Execution.h"
#include "sim/SimDriver.h"
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace boostc::e2e {

/// A directory that goes with the object.
class TemporaryDirectory {
public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  std::string file(llvm::StringRef name) const {
    return (path / name.str()).string();
  }

private:
  std::filesystem::path path;
};

/// A model file; one "layers" line is a layer.
struct Model {
  std::string name;
  int64_t batch = 1;
  std::string sample = "[17]"; ///< shape of the features
  int64_t classes = 3;
  std::string layers, optimizer;
  std::string metrics = "\"top_1\"";
  std::string loss = R"({ "op": "softmax_cross_entropy" })";
  std::string train = "{}";
  /// The sample holds integers below this; 0: it holds numbers.
  int64_t vocabulary = 0;
  std::string target = {}; ///< shape of input "target", for the loss to name
  /// Shape of the labels of a sample; "[]": one.
  std::string positions = "[]";
  std::string weights = {}; ///< shape of input "weight"; "[]": one a sample
  /// The sample holds bytes, and these are its transforms; "": it holds floats.
  std::string transforms = {};
  std::string blocks = {}; ///< what "layers" uses; "": nothing
  /// Shape of the features in an evaluation, where it is another one.
  std::string evalSample = {};

  /// Labels of so many samples: what a metric counts.
  int64_t countLabels(int64_t samples) const;
  /// What the loss counts: labels, or samples where it is a mean in each.
  int64_t countLossTerms(int64_t samples) const {
    return llvm::StringRef(loss).contains("softmax") ? countLabels(samples)
                                                     : samples;
  }
  std::string getJson() const;
};

/// What GoogleTest prints of a parameter.
inline void PrintTo(const Model &model, std::ostream *stream) {
  *stream << model.name;
}

/// The models that every phase and every target is compared on: one to three
/// layers, extents of 1, primes and vector width plus 1, each optimizer, each
/// op.
const std::vector<Model> &getModels();

/// A perceptron 5-4-3 with batches of 4, small enough for many ranks.
Model getPerceptron(std::string name, std::string optimizer);

/// Dialects, interfaces of the interpreter, and diagnostics that are kept.
class Context {
public:
  Context();
  mlir::MLIRContext mlir;
  std::string diagnostics;

private:
  mlir::ScopedDiagnosticHandler handler;
};

/// Runs the compiler on `text` as boostc would on a file of that content; empty
/// and a failed test when it refuses.
llvm::SmallVector<char, 0> compileText(llvm::StringRef text,
                                       CompileOptions options);

/// A program of phase `input` to `linalg` with its interpreter.
struct Interpreted {
  Interpreted(llvm::StringRef ir);
  Context context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  train::ProgramOp program;
  std::optional<ReferenceTrainer> trainer;
};

/// Whether programs for GPUs run on the machine's first GPU, as
/// BOOSTC_TEST_GPU=cuda asks for, and not on the simulated one.
bool usesRealGpu();

/// A compiled program with everything that a run of it needs, on its first
/// target: the CPU, or where it was compiled for GPUs alone a GPU
/// (usesRealGpu()).
class Compiled {
public:
  /// `gradientSets` copies of the gradient arena; `threads` of the host;
  /// `libraryUse` of the GPU, Off for the fallbacks of library calls.
  Compiled(llvm::ArrayRef<char> library, uint32_t threads,
           uint32_t gradientSets = 2,
           boostrt::LibraryUse libraryUse = boostrt::LibraryUse::Auto);

  boostrt::Execution &execution() { return *exec; }
  boostrt::Device &getDevice() { return *device; }
  const BoostProgram &descriptor() const { return program->descriptor(); }
  const boostrt::Program &getProgram() const { return *program; }
  const boostrt::Arenas &getArenas() const { return *arenas; }
  /// In the simulated GPU's memory, by all kernels so far.
  uint64_t countBytesRead() const { return simulated->globalBytesRead(); }

  /// Writes a batch: features, labels, valid.
  void setBatch(const ReferenceTrainer::Values &inputs, int64_t valid) {
    write(inputs, valid, program->samples());
  }
  /// As an evaluation reads it.
  void setEvalBatch(const ReferenceTrainer::Values &inputs, int64_t valid) {
    write(inputs, valid, program->evalSamples());
  }
  std::byte *batch() const { return arenas->base(BOOSTC_ARENA_BATCH); }

  ReferenceTrainer::Values getParameters() const;
  ReferenceTrainer::Values getState() const;
  void setParameters(const ReferenceTrainer::Values &values);
  /// Writes those states that `values` has, of f32.
  void setState(const ReferenceTrainer::Values &values);
  /// Has steps applied again, after one that was not.
  void forgetSkips();
  ReferenceTrainer::Partial getPartial(int gradients = 0) const;
  /// Parameter and state arenas, byte for byte.
  std::vector<std::byte> getPersistentBytes() const;

private:
  std::unique_ptr<boostrt::GpuDriver> openGpu(uint32_t threads);
  void write(const ReferenceTrainer::Values &inputs, int64_t valid,
             const BoostInput &samples);

  TemporaryDirectory directory;
  std::unique_ptr<boostrt::Program> program;
  std::unique_ptr<boostrt::Device> device;
  boostrt::sim::SimDriver *simulated = nullptr; ///< part of the device, if any
  std::unique_ptr<boostrt::Arenas> arenas;
  std::optional<boostrt::Execution> exec;
};

/// Features uniform in [-1, 1), labels uniform in [0, classes): a function of
/// `stream`.
ReferenceTrainer::Values drawBatch(const Model &model, uint64_t stream);

} // namespace boostc::e2e
