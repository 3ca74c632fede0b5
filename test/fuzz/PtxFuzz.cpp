// PTX for the simulated GPU: a module is loaded, or refused with a line.

#include "sim/SimModule.h"
#include "test/fuzz/Fuzz.h"

using namespace boostrt;
using namespace boostrt::fuzz;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sim::Memory memory;
  Result<sim::SimModule> module =
      sim::SimModule::load(textOf(data, size), memory, {.name = "module.ptx"});
  if (!module.ok())
    expectRefusal(module.status(), "module.ptx");
  return 0;
}
