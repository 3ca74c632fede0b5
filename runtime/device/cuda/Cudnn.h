// Cudnn.h - convolutions by cuDNN's graphs, in the context of the driver.
//
// Results do not differ from run to run and have the precision of f32: of the
// engines that the library proposes, only those are taken about which it notes
// nothing of the kind - no sums in an order of chance, no sums of fewer bits,
// no inputs converted to 16 bits, no Winograd's or Fourier's transforms, and no
// tensor cores, which round f32 to tf32, unless the call allows that.
#pragma once

#include "runtime/device/cuda/ConvolutionGraph.h"
#include "runtime/device/cuda/DnnObject.h"
#include "runtime/device/cuda/LibraryOperation.h"

namespace boostrt::cuda {

class Cudnn : public GpuLibrary {
public:
  /// Its work runs on `stream`. Needs a current context.
  static Result<std::unique_ptr<Cudnn>> create(const CudnnApi &api,
                                               Stream stream);
  /// On a machine without a GPU, for one that `properties` describe in the
  /// library's own JSON: it proposes and plans, and nothing can be run. Needs
  /// cuDNN 9.8.
  static Result<std::unique_ptr<Cudnn>>
  createFor(const CudnnApi &api, const std::string &properties);
  ~Cudnn() override;
  Cudnn(const Cudnn &) = delete;
  Cudnn &operator=(const Cudnn &) = delete;

  const CudnnApi &api() const { return api_; }
  std::string name() const override;
  Result<std::unique_ptr<LibraryOperation>>
  describe(const BoostLibraryCall &call) const override;

private:
  friend class DnnConvolution;
  static constexpr int kNone = -1;
  explicit Cudnn(const CudnnApi &api) : api_(api) {}
  /// Says for which GPU something is made: by the handle in `handleAttribute`,
  /// where there is one, else by its description in `deviceAttribute`; kNone
  /// where there is no such attribute.
  void setDevice(DnnBuilder &builder, int handleAttribute,
                 int deviceAttribute) const;

  CudnnApi api_;
  DnnHandle handle_ = nullptr;
  DnnObject device_;
};

/// One convolution, described to the library.
class DnnConvolution : public LibraryOperation {
public:
  /// `library` outlives it.
  static Result<std::unique_ptr<DnnConvolution>>
  create(const Cudnn &library, const BoostLibraryCall &call);

  /// "engine70:2=4:18=0": the number of an engine and its settings.
  Result<std::vector<std::string>> candidates(Operands operands) override;
  Status choose(const std::string &candidate, Operands operands) override;
  Status run(Operands operands) override;

private:
  explicit DnnConvolution(const Cudnn &library) : library_(library) {}
  Status describe(const ConvolutionGraph &graph);
  Result<DnnObject> makeTensor(const DnnTensor &tensor, bool isVirtual) const;
  Result<DnnObject> makeConvolution(const ConvolutionGraph &graph) const;
  /// On weight, input and output, or what stands for the output.
  Result<DnnObject> makeOperation(const ConvolutionGraph &graph,
                                  const DnnObject &convolution,
                                  const DnnObject *const (&tensors)[3]) const;
  Result<DnnObject> makeAddition(const DnnObject &sums, const DnnObject &bias,
                                 const DnnObject &result) const;
  /// What the library proposes in `mode` and is fit, after `fit`.
  Status addCandidates(int mode, std::vector<std::string> &fit) const;
  Result<DnnObject> makeEngine(int64_t number) const;
  /// Fails for an engine that may not be used, or needs too much memory.
  Result<DnnObject> makePlan(const std::string &candidate) const;

  const Cudnn &library_;
  bool hasBias_ = false, allowsTensorCores_ = false;
  std::string precision_; ///< nameOfPrecision()
  uint64_t scratchBytes_ = 0;
  DnnObject graph_, plan_;
};

} // namespace boostrt::cuda
