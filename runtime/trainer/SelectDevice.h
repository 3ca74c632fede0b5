// SelectDevice.h - which of a program's targets a run uses, and on what.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/program/Program.h"
#include "runtime/trainer/Options.h"

#include <memory>
#include <vector>

namespace boostrt {

struct SelectedDevice {
  std::unique_ptr<Device> device;
  const BoostTarget *target = nullptr;
  /// What the user should know: first of all what was taken and why.
  std::vector<std::string> notes;
};

/// Takes what --device names, else a GPU that can be used, else the CPU. Fails
/// with ExitCode::Usage when the program has no code for the device or the
/// device does not exist, ExitCode::Input when the program does not fit it.
Result<SelectedDevice> selectDevice(const Options &options,
                                    const Program &program);

} // namespace boostrt
