#include "sim/SimModule.h"

#include "sim/Decode.h"
#include "sim/PtxParser.h"

#include <fmt/format.h>
#include <utility>

namespace boostrt::sim {

SimModule::SimModule(SimModule &&other) noexcept { *this = std::move(other); }

SimModule &SimModule::operator=(SimModule &&other) noexcept {
  if (this == &other)
    return *this;
  release();
  name_ = std::move(other.name_);
  text_ = std::move(other.text_);
  memory_ = std::exchange(other.memory_, nullptr);
  variables_ = std::exchange(other.variables_, {});
  files_ = std::move(other.files_);
  kernels_ = std::move(other.kernels_);
  return *this;
}

SimModule::~SimModule() { release(); }

void SimModule::release() {
  if (memory_)
    for (uint64_t address : variables_)
      (void)memory_->free(address);
  variables_.clear();
}

Result<SimModule> SimModule::load(std::string_view text, Memory &memory,
                                  const ModuleOptions &options) {
  SimModule made;
  made.name_ = options.name;
  made.memory_ = &memory;
  PtxText source{options.name, text};
  auto parsed = parsePtx(source);
  if (!parsed.ok())
    return parsed.status();
  std::vector<uint64_t> addresses(parsed->variables.size(), 0);
  for (size_t i = 0; i < parsed->variables.size(); ++i) {
    Variable &variable = parsed->variables[i];
    if (variable.space == Space::Shared)
      continue; // a block's
    auto address = memory.allocate(variable.bytes, variable.name);
    if (!address.ok())
      return address.status();
    addresses[i] = *address;
    made.variables_.push_back(*address);
    variable.initial.resize(variable.bytes); // zero without an initialiser
    BOOSTRT_RETURN_IF_ERROR(memory.copyIn(*address, variable.initial));
    if (Allocation *allocation = memory.find(*address, variable.bytes)) {
      allocation->moduleVariable = true;
      allocation->moduleConstant = variable.space == Space::Const;
    }
  }
  for (size_t i = 0; i < parsed->functions.size(); ++i) {
    const Function &function = parsed->functions[i];
    if (!function.entry || !function.defined)
      continue;
    auto kernel =
        decodeKernel(*parsed, source, static_cast<uint32_t>(i), addresses);
    if (!kernel.ok())
      return kernel.status();
    made.kernels_.push_back(std::move(*kernel));
  }
  made.text_ = text;
  made.files_ = std::move(parsed->files);
  return made;
}

const Kernel *SimModule::findKernel(std::string_view name) const {
  for (const Kernel &kernel : kernels_)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

std::string SimModule::lineAt(uint32_t line) const {
  // Compilers write tabs between opcode and operands.
  std::string quoted;
  for (char c : PtxText{name_, text_}.lineAt(line))
    if (c != '\t')
      quoted += c;
    else if (!quoted.ends_with(' '))
      quoted += ' ';
  return quoted;
}

std::string SimModule::describe(const SourcePosition &position) const {
  if (position.line == 0)
    return "";
  for (const SourceFile &file : files_)
    if (file.number == position.file)
      return fmt::format("{}:{}:{}", file.name, position.line, position.column);
  return "";
}

} // namespace boostrt::sim
