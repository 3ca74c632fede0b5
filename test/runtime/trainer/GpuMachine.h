// GpuMachine.h - a program of LinearProgram.c on a GPU that does everything as
// late as it may (FakeCuda.cpp), or on the CPU. The GPU's functions are those
// for CPUs, run as kernels, so the bits are the CPU's.
#pragma once

#include "runtime/device/cpu/CpuDevice.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/CudaDriver.h"
#include "test/runtime/device/cuda/FakeCuda.h"
#include "test/runtime/trainer/Training.h"

#include <array>
#include <cstdlib>
#include <list>

namespace boostrt {

/// A call of a function, for the kernel "call".
struct Call {
  BoostFunction function;
  std::array<void *, BOOSTC_ARENA_COUNT> arenas;
};

inline void enter(void *call) {
  auto *entered = static_cast<Call *>(call);
  entered->function.entry(nullptr, entered->arenas.data());
}

inline const BoostTarget *cpuTarget = nullptr;
inline std::list<Call> calls;

inline int32_t launch(const BoostFunction &function, const BoostEnv *env,
                      void *const *arenas) {
  Call &call = calls.emplace_back();
  call.function = function;
  std::copy_n(arenas, call.arenas.size(), call.arenas.begin());
  void *operands[] = {reinterpret_cast<void *>(enter), &call};
  return env->launch(env, 0, operands);
}

/// What the target for GPUs has in the place of the CPU's function.
template <BoostFunctionRole Kind>
int32_t launchCall(const BoostEnv *env, void *const *arenas) {
  return launch(cpuTarget->functions[Kind], env, arenas);
}

inline constexpr BoostModule kModules[] = {{BOOSTC_MODULE_PTX, 80, "ptx80", 5},
                                           {}};

/// A fixture on a device of its own.
struct Machine {
  /// `name` is of LinearProgram.c.
  Machine(const std::string &name, bool onGpu, const std::string &samples) {
    program = std::move(Program::load(fixture(name))).value();
    cpuTarget = program->target(BOOSTC_TARGET_CPU);
    target = *cpuTarget;
    functions.assign(target.functions,
                     target.functions + target.function_count);
    target.functions = functions.data();
    if (onGpu) {
      setenv("FAKE_CUDA_IMAGE", "ptx80", 1);
      target.kind = BOOSTC_TARGET_CUDA;
      target.launches = &fake_cuda::kCall;
      target.launch_count = 1;
      target.modules = kModules;
      // init stays: it fills by copies, and what it writes itself is memory of
      // the host here.
      functions[BOOSTC_FUNCTION_MICRO].entry =
          launchCall<BOOSTC_FUNCTION_MICRO>;
      functions[BOOSTC_FUNCTION_COMBINE].entry =
          launchCall<BOOSTC_FUNCTION_COMBINE>;
      functions[BOOSTC_FUNCTION_UPDATE].entry =
          launchCall<BOOSTC_FUNCTION_UPDATE>;
      functions[BOOSTC_FUNCTION_EVAL].entry = launchCall<BOOSTC_FUNCTION_EVAL>;
      auto driver = std::move(CudaDriver::create(BOOSTC_FAKE_CUDA)).value();
      device = std::move(CudaDevice::create(std::move(driver), target, name))
                   .value();
      unsetenv("FAKE_CUDA_IMAGE");
    } else {
      device = std::move(CpuDevice::create(1, target)).value();
    }
    const BoostProgram &descriptor = program->descriptor();
    arenas = std::move(Arenas::reserve(planTraining(descriptor, target),
                                       device->memory()))
                 .value();
    recipe = std::move(parseRecipe(descriptor.recipe_json, name)).value();
    data = std::move(openRunData(*program, recipe,
                                 "digits:train=" + samples + ",test=40"))
               .value();
    execution.emplace(*program, *device, *arenas);
    EXPECT_TRUE(execution->init(kTrainingSeed).ok());
    fake_cuda::forget();
  }

  Training train(int64_t steps, CheckpointPosition start = {}) {
    return boostrt::train(*execution, *arenas, data, {{INT64_MAX, steps}, {}},
                          /*shuffle=*/true, start);
  }
  std::string bytes(BoostArenaKind kind) {
    EXPECT_TRUE(execution->downloadPersistent().ok());
    return {reinterpret_cast<const char *>(arenas->base(kind)),
            program->descriptor().arena_bytes[kind]};
  }

  std::unique_ptr<Program> program;
  BoostTarget target;
  std::vector<BoostFunction> functions; ///< of the target
  std::unique_ptr<Device> device;
  std::unique_ptr<Arenas> arenas;
  Recipe recipe;
  RunData data;
  std::optional<Execution> execution;
};

} // namespace boostrt
