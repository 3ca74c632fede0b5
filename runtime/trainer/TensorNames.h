// TensorNames.h - what other frameworks call the tensors of a model.
#pragma once

#include "runtime/checkpoint/Safetensors.h"
#include "runtime/program/Program.h"

#include <map>
#include <string>
#include <string_view>

namespace boostrt {

/// Names in a file, for those in a program.
///
///  - "torchvision": the names that PyTorch's layers give, which are those of a
///    model file whose layers have PyTorch's names. A file may have
///    "<layer>.num_batches_tracked", which is not read, and one that is written
///    has it for each running mean.
///  - "mindspore": the same with gamma, beta, moving_mean and moving_variance
///  in
///    the place of the weight, the bias and the running statistics of layers
///    that normalise.
///  - the path of a JSON object: names in the file by names in the program;
///    others are the same in both.
class TensorNames {
public:
  /// The names of the program itself.
  TensorNames() = default;
  /// Fails with ExitCode::Usage: a file that cannot be read or is none of
  /// these, names that the program does not have, or one name for two tensors.
  static Result<TensorNames> read(const std::string &names,
                                  const Program &program);

  std::string inFile(const std::string &name) const;
  /// readTensors() of a file that has these names, into targets that have those
  /// of the program.
  Status readTensors(const SafetensorsFile &file,
                     std::vector<TensorTarget> targets) const;
  /// Gives tensors of the program the names of a file, and adds what others
  /// expect there; `steps` is the number that num_batches_tracked will be.
  std::vector<TensorView> forFile(std::vector<TensorView> tensors,
                                  const int64_t &steps) const;

private:
  std::map<std::string, std::string> others_; ///< those that differ
  bool countsBatches_ = false;
};

} // namespace boostrt
