// SimulatedGpu.h - opens the plug-in of the simulated GPU (sim/), which
// boost-run needs for --device=sim alone.
//
// Program and plug-in are built together: objects of C++ cross the border, so
// a plug-in of another build is refused.
#pragma once

#include "runtime/device/cuda/GpuDriver.h"

#include <memory>

namespace boostrt {

/// A driver on `threads` threads of the host. The plug-in is looked for in
/// `origin`, the folder of the program, and in lib/ of its installation or
/// build. Fails with ExitCode::Usage where it is missing or of another build,
/// and with ExitCode::Input where this CPU cannot run it.
Result<std::unique_ptr<GpuDriver>> openSimulatedGpu(uint32_t threads,
                                                    const std::string &origin);

namespace sim {

inline constexpr char kPluginFile[] = "libboost_sim.so";

// What the plug-in exports.
inline constexpr char kPluginVersionSymbol[] = "boost_sim_version";
inline constexpr char kCreateDriverSymbol[] = "boost_sim_create";
using PluginVersion = const char *();
using CreateDriver = void(uint32_t threads, std::unique_ptr<GpuDriver> &driver,
                          Status &failure);

/// In this build.
inline constexpr char kPluginVersion[] =
    BOOSTC_VERSION ", compiled by " __VERSION__;

} // namespace sim
} // namespace boostrt
