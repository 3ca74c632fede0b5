// The part of the descriptor that differs between the devices that a program
// holds code for.
#include "runtime/device/cuda/CallShape.h"
#include "runtime/device/cuda/ConvolutionGraph.h"
#include "runtime/program/AccumulatesInPlace.h"
#include "runtime/program/Program.h"
#include "runtime/program/StepVariants.h"
#include "runtime/program/ValidateProgram.h"

namespace boostrt {
namespace {

constexpr uint32_t kMaxThreads = 4096;
constexpr uint32_t kMaxOperands = 4096;
constexpr uint32_t kMaxBlocks = (1u << 31) - 1; ///< what a GPU's grid has in x
constexpr uint32_t kMaxBlockThreads = 1024;     ///< and a block
constexpr uint32_t kMaxModules = 16;
constexpr uint64_t kMaxModuleBytes = uint64_t{1} << 30;

/// One target; its messages begin with its name.
class TargetCheck : DescriptorCheck {
public:
  TargetCheck(const BoostProgram &program, const BoostTarget &target,
              const std::string &path)
      : DescriptorCheck(path), p_(program), t_(target),
        name_(kTargetNames[target.kind]) {}

  Status run() const {
    if (!t_.requirements)
      return fail("{}: requirements is missing", name_);
    if (!t_.library_version)
      return fail("{}: library_version is missing", name_);
    if (t_.transient_bytes > kMaxBytes)
      return fail("{}: arena TRANSIENT of {} bytes", name_, t_.transient_bytes);
    BOOSTRT_RETURN_IF_ERROR(
        table(t_.library_calls, t_.library_call_count, "library_calls"));
    BOOSTRT_RETURN_IF_ERROR(table(t_.launches, t_.launch_count, "launches"));
    BOOSTRT_RETURN_IF_ERROR(t_.kind == BOOSTC_TARGET_CPU ? cpu() : cuda());
    return functions();
  }

private:
  Status table(const void *entries, uint32_t count, const char *what) const {
    if (count > kMaxTableEntries || (count > 0 && !entries))
      return fail("{}: table {} of {} entries", name_, what, count);
    return Status();
  }

  Status cpu() const {
    if (t_.threads == 0 || t_.threads > kMaxThreads)
      return fail("{}: {} threads", name_, t_.threads);
    if (t_.modules)
      return fail("{}: modules, which are for GPUs", name_);
    if (t_.launch_count != 0)
      return fail("{}: {} launches, which are for GPUs", name_,
                  t_.launch_count);
    for (uint32_t i = 0; i < t_.library_call_count; ++i)
      BOOSTRT_RETURN_IF_ERROR(libraryCall(i));
    return Status();
  }

  Status libraryCall(uint32_t index) const {
    const BoostLibraryCall &call = t_.library_calls[index];
    uint32_t maxKind = t_.kind == BOOSTC_TARGET_CUDA
                           ? BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT
                           : BOOSTC_LIBRARY_MATMUL;
    if (call.kind > maxKind)
      return fail("{}: library call {} has an unknown kind", name_, index);
    if (!call.location || !call.layers)
      return fail("{}: library call {} has no location or no layers", name_,
                  index);
    BOOSTRT_RETURN_IF_ERROR(cuda::isConvolution(call)
                                ? convolution(index, call)
                                : matmul(index, call.matmul));
    uint32_t precision = t_.kind == BOOSTC_TARGET_CUDA
                             ? p_.matmul_precision
                             : static_cast<uint32_t>(BOOSTC_PRECISION_FLOAT32);
    if (call.precision != precision)
      return fail("{}: library call {} has precision {} where the program says "
                  "{}",
                  name_, index, call.precision, precision);
    if (call.scratch_bytes > t_.transient_bytes)
      return fail("{}: library call {} needs {} bytes of scratch memory, arena "
                  "TRANSIENT has {}",
                  name_, index, call.scratch_bytes, t_.transient_bytes);
    return Status();
  }

  Status matmul(uint32_t index, const BoostMatmul &m) const {
    if (m.has_bias > 1)
      return fail("{}: library call {} has an unknown kind", name_, index);
    const int64_t values[] = {
        m.m,           m.n, m.k, m.a_strides[0], m.a_strides[1], m.b_strides[0],
        m.b_strides[1]};
    return inRange(index, values, 1);
  }

  Status convolution(uint32_t index, const BoostLibraryCall &call) const {
    const BoostConvolution &c = call.convolution;
    if (c.has_bias > (call.kind == BOOSTC_LIBRARY_CONVOLUTION ? 1 : 0))
      return fail("{}: library call {} has an unknown kind", name_, index);
    for (std::span<const int64_t> values :
         std::initializer_list<std::span<const int64_t>>{
             c.input, c.weight, c.output, c.input_strides, c.weight_strides,
             c.output_strides, c.strides, c.dilations})
      BOOSTRT_RETURN_IF_ERROR(inRange(index, values, 1));
    BOOSTRT_RETURN_IF_ERROR(inRange(index, c.padding, 0));
    for (const auto &extents : {c.input, c.weight, c.output}) {
      uint64_t bytes = sizeof(float);
      for (int64_t extent : std::span(extents, 4))
        if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > kMaxBytes)
          return fail("{}: library call {} has an operand of more than {} "
                      "bytes",
                      name_, index, kMaxBytes);
    }
    Result<cuda::ConvolutionGraph> graph = cuda::describeConvolution(call);
    if (!graph.ok())
      return fail("{}: library call {}: {}", name_, index,
                  graph.status().message());
    return Status();
  }

  Status inRange(uint32_t index, std::span<const int64_t> values,
                 int64_t least) const {
    for (int64_t value : values)
      if (value < least || value > INT32_MAX)
        return fail("{}: library call {} has an extent or stride of {}", name_,
                    index, value);
    return Status();
  }

  Status cuda() const {
    if (t_.threads != 0)
      return fail("{}: {} threads, which are for CPUs", name_, t_.threads);
    BOOSTRT_RETURN_IF_ERROR(modules());
    for (uint32_t i = 0; i < t_.launch_count; ++i)
      BOOSTRT_RETURN_IF_ERROR(launch(i));
    for (uint32_t i = 0; i < t_.library_call_count; ++i) {
      BOOSTRT_RETURN_IF_ERROR(libraryCall(i));
      BOOSTRT_RETURN_IF_ERROR(fallback(i));
    }
    return Status();
  }

  /// The runtime gives the launch the operands of the call.
  Status fallback(uint32_t index) const {
    const BoostLibraryCall &call = t_.library_calls[index];
    if (call.fallback_launch >= t_.launch_count)
      return fail("{}: the fallback of library call {} is launch {} of {}",
                  name_, index, call.fallback_launch, t_.launch_count);
    const BoostLaunch &launch = t_.launches[call.fallback_launch];
    uint32_t count = 0;
    bool hasBias = cuda::hasBias(call);
    bool fits = launch.operand_count == (hasBias ? 4 : 3);
    for (uint32_t i = 0; fits && i < 4; ++i)
      if (i != 2 || hasBias)
        fits = launch.operands[count++].bytes == call.operand_bytes[i];
    if (!fits)
      return fail("{}: launch {} does not fit library call {}, whose fallback "
                  "it is",
                  name_, call.fallback_launch, index);
    return Status();
  }

  Status modules() const {
    if (!t_.modules)
      return fail("{}: table modules is missing", name_);
    uint32_t count = 0;
    for (; t_.modules[count].kind != BOOSTC_MODULE_END; ++count) {
      // The end may be missing: nothing beyond is looked at.
      if (count == kMaxModules)
        return fail("{}: more than {} modules", name_, kMaxModules);
      const BoostModule &module = t_.modules[count];
      if (module.kind > BOOSTC_MODULE_CUBIN)
        return fail("{}: module {} has unknown kind {}", name_, count,
                    module.kind);
      if (!module.data || module.bytes == 0 || module.bytes > kMaxModuleBytes)
        return fail("{}: module {} of {} bytes", name_, count, module.bytes);
      if (module.kind == BOOSTC_MODULE_PTX &&
          static_cast<const char *>(module.data)[module.bytes] != 0)
        return fail("{}: module {} of PTX does not end where it says", name_,
                    count);
    }
    if (count == 0)
      return fail("{}: no module", name_);
    return Status();
  }

  Status launch(uint32_t index) const {
    const BoostLaunch &launch = t_.launches[index];
    BOOSTRT_RETURN_IF_ERROR(
        name(launch.kernel,
             fmt::format("{}: the kernel of launch {}", name_, index)));
    if (!launch.location || !launch.layers)
      return fail("{}: launch {} has no location or no layers", name_, index);
    if (launch.operand_count == 0 || launch.operand_count > kMaxOperands ||
        !launch.operands)
      return fail("{}: launch {} of {} operands", name_, index,
                  launch.operand_count);
    if (launch.blocks == 0 || launch.blocks > kMaxBlocks)
      return fail("{}: launch {} of {} blocks", name_, index, launch.blocks);
    if (launch.threads == 0 || launch.threads > kMaxBlockThreads)
      return fail("{}: launch {} of {} threads a block", name_, index,
                  launch.threads);
    for (uint32_t i = 0; i < launch.operand_count; ++i) {
      const BoostOperand &operand = launch.operands[i];
      if (operand.bytes == 0 || operand.bytes > kMaxBytes ||
          operand.is_written > 1)
        return fail("{}: operand {} of launch {} has {} bytes and is_written "
                    "{}",
                    name_, i, index, operand.bytes, operand.is_written);
      if (!operand.name)
        return fail("{}: operand {} of launch {} has no name", name_, i, index);
    }
    return Status();
  }

  Status functions() const {
    BOOSTRT_RETURN_IF_ERROR(
        table(t_.functions, t_.function_count, "functions"));
    const BoostTarget &first = p_.targets[0];
    if (t_.function_count != first.function_count)
      return fail("{}: {} functions, where another target has {}", name_,
                  t_.function_count, first.function_count);
    for (uint32_t i = 0; i < t_.function_count; ++i) {
      const BoostFunction &function = t_.functions[i],
                          &twin = first.functions[i];
      if (!function.name || !function.entry)
        return fail("{}: function {} has no name or no code", name_, i);
      if (function.role >= BOOSTC_FUNCTION_COUNT)
        return fail("{}: function {} has unknown role {}", name_, function.name,
                    function.role);
      if (function.role != twin.role ||
          function.first_collective != twin.first_collective ||
          function.collective_count != twin.collective_count)
        return fail("{}: function {} has another role or other collectives "
                    "than on another target",
                    name_, function.name);
      if (function.transient_bytes > t_.transient_bytes)
        return fail("{}: function {} uses {} bytes of arena TRANSIENT, which "
                    "has {}",
                    name_, function.name, function.transient_bytes,
                    t_.transient_bytes);
      if (uint64_t{function.first_collective} + function.collective_count >
          p_.collective_count)
        return fail("{}: function {} calls {} collectives from {} on, of {}",
                    name_, function.name, function.collective_count,
                    function.first_collective, p_.collective_count);
    }
    return Status();
  }

  const BoostProgram &p_;
  const BoostTarget &t_;
  const char *name_;
};

class TargetsCheck : DescriptorCheck {
public:
  TargetsCheck(const BoostProgram &program, const std::string &path)
      : DescriptorCheck(path), p_(program), path_(path) {}

  Status run() const {
    if (p_.target_count == 0 || p_.target_count > BOOSTC_TARGET_COUNT ||
        !p_.targets)
      return fail("table targets of {} entries", p_.target_count);
    for (uint32_t i = 0; i < p_.target_count; ++i) {
      uint32_t kind = p_.targets[i].kind;
      if (kind >= BOOSTC_TARGET_COUNT)
        return fail("target {} has unknown kind {}", i, kind);
      if (i > 0 && kind <= p_.targets[i - 1].kind)
        return fail("target {} is in the wrong place", kTargetNames[kind]);
      BOOSTRT_RETURN_IF_ERROR(TargetCheck(p_, p_.targets[i], path_).run());
    }
    for (BoostFunctionRole role : {BOOSTC_FUNCTION_INIT, BOOSTC_FUNCTION_EVAL})
      if (std::ranges::count(functionsOf(p_.targets[0]),
                             static_cast<uint32_t>(role),
                             &BoostFunction::role) != 1)
        return fail("expected one function of role {}", static_cast<int>(role));
    return variants();
  }

private:
  Status variants() const {
    if (p_.variant_count == 0 || p_.variant_count > kMaxTableEntries ||
        !p_.variants)
      return fail("table variants of {} entries", p_.variant_count);
    for (const BoostVariant &variant : variantsOf(p_)) {
      if (!variant.name)
        return fail("a variant has no name");
      BOOSTRT_RETURN_IF_ERROR(
          part(variant, variant.micro, BOOSTC_FUNCTION_MICRO));
      // Without gradient sets of their own micro-batches need no combine.
      if (!accumulatesInPlace(p_))
        BOOSTRT_RETURN_IF_ERROR(
            part(variant, variant.combine, BOOSTC_FUNCTION_COMBINE));
      BOOSTRT_RETURN_IF_ERROR(
          part(variant, variant.update, BOOSTC_FUNCTION_UPDATE));
      bool isLast = &variant == &usualVariant(p_);
      if ((variant.range_count == 0) != isLast ||
          variant.range_count > kMaxTableEntries ||
          (!isLast && !variant.ranges))
        return fail("variant {} has {} ranges of steps", variant.name,
                    variant.range_count);
      for (const BoostStepRange &range :
           std::span(variant.ranges, variant.range_count))
        if (range.first < 1 || range.every < 1 || range.last < 0)
          return fail("variant {} is of every {}th step from {} to {}",
                      variant.name, range.every, range.first, range.last);
    }
    return Status();
  }

  Status part(const BoostVariant &variant, uint32_t function,
              BoostFunctionRole role) const {
    const BoostTarget &target = p_.targets[0];
    if (function < target.function_count &&
        target.functions[function].role == role)
      return Status();
    return fail("variant {} has function {} where one of role {} is expected",
                variant.name, function, static_cast<int>(role));
  }

  const BoostProgram &p_;
  const std::string &path_;
};

} // namespace

Status validateTargets(const BoostProgram &program, const std::string &path) {
  return TargetsCheck(program, path).run();
}

} // namespace boostrt
