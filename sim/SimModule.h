// SimModule.h - a PTX module loaded for the simulated machine.
#pragma once

#include "sim/Memory.h"
#include "sim/Program.h"
#include "runtime/support/Status.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace boostrt::sim {

struct ModuleOptions {
  /// What messages call the text: "train.so: kernels.ptx".
  std::string name = "module.ptx";
};

class SimModule {
public:
  /// Parses and decodes every kernel. Everything a kernel may execute is known
  /// afterwards: an opcode, name, type or external function that the machine
  /// has not is an error here, with ExitCode::Input and "NAME:LINE: error:
  /// ...". Variables of the module are allocated in `memory`, which must
  /// outlive it.
  static Result<SimModule> load(std::string_view text, Memory &memory,
                                const ModuleOptions &options = {});

  SimModule(SimModule &&other) noexcept;
  SimModule &operator=(SimModule &&other) noexcept;
  ~SimModule(); ///< frees the module's variables

  /// Null when there is none of this name; valid as long as the module.
  const Kernel *findKernel(std::string_view name) const;
  const std::vector<Kernel> &kernels() const { return kernels_; }
  const std::string &name() const { return name_; }
  Memory &memory() const { return *memory_; }

  // For reports.
  std::string lineAt(uint32_t line) const;
  /// "file:line:column", or nothing.
  std::string describe(const SourcePosition &position) const;

private:
  SimModule() = default;
  void release();
  std::string name_;
  std::string text_;
  Memory *memory_ = nullptr;
  std::vector<uint64_t> variables_; ///< their addresses
  std::vector<SourceFile> files_;
  std::vector<Kernel> kernels_;
};

} // namespace boostrt::sim
