// SimFixture.h - short ways to load PTX, fill device memory and launch.
#pragma once

#include "sim/SimMachine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace boostrt::sim {

inline std::string inputText(const std::string &name) {
  std::ifstream file(std::string(BOOSTC_SIM_INPUTS) + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline Status loadStatus(const std::string &text) {
  Memory memory;
  return SimModule::load(text, memory, {"m.ptx"}).status();
}

/// The parameters of a launch, each aligned to its own size.
class Parameters {
public:
  template <class T> Parameters &add(T value) {
    bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    bytes_.resize(bytes_.size() + sizeof(T));
    std::memcpy(&bytes_[bytes_.size() - sizeof(T)], &value, sizeof(T));
    return *this;
  }
  std::span<const std::byte> span() const { return bytes_; }

private:
  std::vector<std::byte> bytes_;
};

/// A device with one module on it.
class Sim {
public:
  explicit Sim(const std::string &text, MachineOptions options = {})
      : machine(options) {
    auto loaded = SimModule::load(text, memory, {"test.ptx"});
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    if (loaded.ok())
      module.emplace(std::move(*loaded));
  }

  template <class T>
  uint64_t upload(const std::vector<T> &values, const std::string &name) {
    uint64_t address = reserve<T>(values.size(), name);
    EXPECT_TRUE(memory.copyIn(address, std::as_bytes(std::span(values))).ok());
    return address;
  }
  /// Memory that was never written.
  template <class T> uint64_t reserve(size_t count, const std::string &name) {
    auto address = memory.allocate(count * sizeof(T), name);
    EXPECT_TRUE(address.ok());
    return *address;
  }
  template <class T> std::vector<T> download(uint64_t address, size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(
        memory.copyOut(std::as_writable_bytes(std::span(values)), address)
            .ok());
    return values;
  }

  LaunchOutcome launch(const std::string &kernel, Dim3 grid, Dim3 block,
                       const Parameters &parameters, uint32_t dynamicShared = 0,
                       std::vector<ArgumentExtent> extents = {}) {
    LaunchRequest request;
    request.kernel = module->findKernel(kernel);
    request.grid = grid;
    request.block = block;
    request.dynamicSharedBytes = dynamicShared;
    request.parameters = parameters.span();
    request.extents = extents;
    request.origin = {"test op", "model.json:3:7"};
    return machine.launch(*module, request);
  }
  /// The same, where nothing may go wrong.
  void run(const std::string &kernel, Dim3 grid, Dim3 block,
           const Parameters &parameters, uint32_t dynamicShared = 0) {
    LaunchOutcome outcome =
        launch(kernel, grid, block, parameters, dynamicShared);
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
  }

  Memory memory;
  SimMachine machine;
  std::optional<SimModule> module;
};

} // namespace boostrt::sim
