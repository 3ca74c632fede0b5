// How the functions of a program fit its targets and its variants.
#include "runtime/abi/DescriptorSchema.h"
#include "runtime/program/AccumulatesInPlace.h"
#include "runtime/program/Program.h"
#include "runtime/program/ProgramAccumulators.h"
#include "runtime/program/StepVariants.h"
#include "runtime/program/ValidateProgram.h"

using boostabi::nameOf;

namespace boostrt {
namespace {

/// One target; its messages begin with its name.
class TargetCheck : DescriptorCheck {
public:
  TargetCheck(const BoostProgram &program, const BoostTarget &target,
              const std::string &path)
      : DescriptorCheck(path), p_(program), t_(target),
        name_(nameOf<BoostTargetKind>(target.kind)) {}

  Status run() const {
    if (t_.transient_bytes > kMaxBytes)
      return fail("{}: arena transient of {} bytes", name_, t_.transient_bytes);
    if (t_.kind == BOOSTC_TARGET_CUDA && !t_.modules)
      return fail("{}: no modules", name_);
    const BoostTarget &first = p_.targets[0];
    if (t_.function_count != first.function_count)
      return fail("{}: {} functions, where another target has {}", name_,
                  t_.function_count, first.function_count);
    for (uint32_t i = 0; i < t_.function_count; ++i) {
      const BoostFunction &function = t_.functions[i],
                          &twin = first.functions[i];
      if (function.role != twin.role ||
          function.first_collective != twin.first_collective ||
          function.collective_count != twin.collective_count)
        return fail("{}: function {} has another role or other collectives "
                    "than on another target",
                    name_, function.name);
      for (const BoostSum &sum : sumsOf(function))
        if (sum.accumulator == UINT32_MAX)
          return fail("{}: function {} sums no accumulator", name_,
                      function.name);
      if (function.transient_bytes > t_.transient_bytes)
        return fail("{}: function {} uses {} bytes of arena transient, which "
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

private:
  const BoostProgram &p_;
  const BoostTarget &t_;
  const char *name_;
};

class TargetsCheck : DescriptorCheck {
public:
  TargetsCheck(const BoostProgram &program, const std::string &path)
      : DescriptorCheck(path), p_(program), path_(path) {}

  Status run() const {
    for (uint32_t i = 0; i < p_.target_count; ++i) {
      uint32_t kind = p_.targets[i].kind;
      if (i > 0 && kind <= p_.targets[i - 1].kind)
        return fail("target {} is in the wrong place",
                    nameOf<BoostTargetKind>(kind));
      BOOSTRT_RETURN_IF_ERROR(TargetCheck(p_, p_.targets[i], path_).run());
    }
    for (BoostFunctionRole role : {BOOSTC_FUNCTION_INIT, BOOSTC_FUNCTION_EVAL})
      if (std::ranges::count(functionsOf(p_.targets[0]),
                             static_cast<uint32_t>(role),
                             &BoostFunction::role) != 1)
        return fail("expected one function of role {}",
                    nameOf<BoostFunctionRole>(role));
    BOOSTRT_RETURN_IF_ERROR(selector());
    return variants();
  }

private:
  Status selector() const {
    if (p_.selector_count > 1)
      return fail("{} selectors, expected one at most", p_.selector_count);
    const BoostSelector *selector = selectorOf(p_);
    if (!selector)
      return Status();
    BOOSTRT_RETURN_IF_ERROR(
        part("the selector", selector->function, BOOSTC_FUNCTION_SELECT));
    if (selector->lag != 1 && selector->lag != 2)
      return fail("the selector has a lag of {}, expected 1 or 2",
                  selector->lag);
    if (selector->choice_count == 0)
      return fail("the selector has no choices");
    for (const BoostChoice &choice : choicesOf(*selector))
      if (choice.variant == UINT32_MAX)
        return fail("a choice of the selector names no variant");
    return Status();
  }

  Status variants() const {
    if (p_.variant_count == 0)
      return fail("no variants");
    for (const BoostVariant &variant : variantsOf(p_)) {
      std::string what = fmt::format("variant {}", variant.name);
      for (const BoostPhase &phase : phasesOf(variant)) {
        BOOSTRT_RETURN_IF_ERROR(sums(variant, phase.micro, phase.combine));
        BOOSTRT_RETURN_IF_ERROR(part(what, phase.probe, BOOSTC_FUNCTION_PROBE));
      }
      if (hasRepeats(variant) && p_.repeat.bytes == 0)
        return fail("{} repeats a phase of a program without a scalar 'repeat'",
                    what);
      // It may read what its phases have summed.
      if (variant.phase_count == 0 || variant.micro != UINT32_MAX)
        BOOSTRT_RETURN_IF_ERROR(sums(variant, variant.micro, variant.combine));
      BOOSTRT_RETURN_IF_ERROR(
          part(what, variant.update, BOOSTC_FUNCTION_UPDATE));
      bool isLast = &variant == &usualVariant(p_);
      bool needsRanges = !isLast && !isChosen(p_, variant);
      if (isLast ? variant.range_count > 0
                 : needsRanges && variant.range_count == 0)
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

  /// The functions that sum over a window.
  Status sums(const BoostVariant &variant, uint32_t micro,
              uint32_t combine) const {
    std::string what = fmt::format("variant {}", variant.name);
    BOOSTRT_RETURN_IF_ERROR(part(what, micro, BOOSTC_FUNCTION_MICRO));
    // Without gradient sets of their own micro-batches need no combine.
    if (!accumulatesInPlace(p_))
      BOOSTRT_RETURN_IF_ERROR(part(what, combine, BOOSTC_FUNCTION_COMBINE));
    const BoostFunction &function = p_.targets[0].functions[micro];
    if (variant.phase_count > 0 && function.sum_count == 0)
      return fail("function {} of {} does not say what it sums", function.name,
                  what);
    return Status();
  }

  Status part(const std::string &user, uint32_t function,
              BoostFunctionRole role) const {
    const BoostTarget &target = p_.targets[0];
    if (function < target.function_count &&
        target.functions[function].role == role)
      return Status();
    return fail("{} has function {} where one of role {} is expected", user,
                function, nameOf<BoostFunctionRole>(role));
  }

  const BoostProgram &p_;
  const std::string &path_;
};

} // namespace

Status validateTargets(const BoostProgram &program, const std::string &path) {
  return TargetsCheck(program, path).run();
}

} // namespace boostrt
