// What the plug-in exports; see runtime/device/cuda/SimulatedGpu.h.
#include "runtime/device/cuda/SimulatedGpu.h"
#include "sim/SimDriver.h"

using namespace boostrt;

extern "C" {

const char *boost_sim_version() { return sim::kPluginVersion; }

void boost_sim_create(uint32_t threads, std::unique_ptr<GpuDriver> &driver,
                      Status &failure) {
  Result<std::unique_ptr<sim::SimDriver>> made =
      sim::SimDriver::create(threads);
  if (made.ok())
    driver = std::move(made).value();
  else
    failure = made.status();
}

} // extern "C"

static_assert(std::is_same_v<decltype(boost_sim_version), sim::PluginVersion>);
static_assert(std::is_same_v<decltype(boost_sim_create), sim::CreateDriver>);
