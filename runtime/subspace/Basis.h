// Basis.h - the file of a basis: a few vectors as long as all parameters of a
// program together, between which a step of dim_reduce is searched for.
//
//   NAME.npy   float32 (components, columns), C order: the vectors, as rows,
//              orthonormal, the one with the largest variance first
//   NAME.json  "format": "boostc-basis-1", "components", "columns",
//              "parameters": name, offset (first column) and shape of each;
//              "variance": the share of each vector in the variance of the
//              checkpoints that the basis is made of
#pragma once

#include "runtime/support/File.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace boostrt {

class Program;

/// The columns of a basis that belong to a parameter.
struct BasisPart {
  std::string name;
  std::vector<int64_t> shape;
  int64_t offset = 0, columns = 0;
};

/// All parts, in the order of the program's parameters, without holes.
struct BasisLayout {
  std::vector<BasisPart> parts;
  int64_t columns = 0;

  static BasisLayout of(const Program &program);
};

/// "basis.json" of "basis.npy". ExitCode::Usage where the name does not end
/// with ".npy".
Result<std::string> descriptionPathOf(const std::string &path);

/// Whether NAME.json may be written: it is not there, or describes a basis.
/// ExitCode::Usage where it is a file of another kind, which would be lost.
Status checkDescriptionPath(FileSystem &files, const std::string &path);

/// The text of NAME.json.
std::string describeBasis(const BasisLayout &layout,
                          std::span<const double> variance);
/// The header of NAME.npy.
std::string npyHeaderOf(int64_t components, int64_t columns);

/// Takes the columns of parameter `part` of row `row` of a basis, in memory
/// that it may use until it returns.
using TakeBasisRow =
    std::function<Status(int64_t row, size_t part, std::span<float>)>;

/// Gives the first `components` rows of the basis at `path` to `take`,
/// parameter by parameter, and returns a hash of them that is not 0. Fails
/// where `take` does, and with ExitCode::Data where the files are damaged, hold
/// fewer vectors or are about other parameters than `layout`, and where a row's
/// norm is not 1; nothing that was given may be used then.
Result<uint64_t> readBasis(FileSystem &files, const std::string &path,
                           const BasisLayout &layout, int64_t components,
                           const TakeBasisRow &take);

} // namespace boostrt
