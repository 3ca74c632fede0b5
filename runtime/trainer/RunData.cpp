#include "runtime/trainer/RunData.h"

#include "runtime/support/Plural.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <span>

namespace boostrt {
namespace {

struct Choice {
  DataSpec spec;
  std::string note;
  std::string considered; ///< for the message when it cannot be opened
};

Result<Choice> choose(const Recipe &recipe,
                      const std::optional<std::string> &data) {
  if (data) {
    // The value of a flag, where the model's own source is data.
    Result<DataSpec> spec = splitDataSpec(*data);
    Status status = spec.ok() ? checkDataSpec(*spec) : spec.status();
    if (!status.ok())
      return Status(ExitCode::Usage, "--data: " + status.message());
    return Choice{*spec, "", ""};
  }
  const char *directory = std::getenv("DATA_PATH");
  if (directory && !*directory)
    directory = nullptr;
  if (recipe.dataSource.empty())
    return Status(
        ExitCode::Data,
        fmt::format("the model names no data.source and --data is not given{}; "
                    "try --data digits or --data mnist:{}",
                    directory ? ", and DATA_PATH is only the directory for a "
                                "data.source, which says how to read it"
                              : "",
                    directory ? directory : "DIR"));
  Result<DataSpec> own = splitDataSpec(recipe.dataSource);
  if (!own.ok())
    return own.status();
  if (directory && own->takesDirectory()) {
    DataSpec spec{own->scheme, directory};
    return Choice{spec, fmt::format("data from DATA_PATH: {}", spec.text()),
                  fmt::format("tried DATA_PATH={}, because --data is not "
                              "given; the model's own data.source is '{}'",
                              directory, recipe.dataSource)};
  }
  return Choice{
      *own,
      fmt::format("data from the model's data.source: {}", recipe.dataSource),
      fmt::format("tried the model's data.source '{}', because "
                  "--data is not given and DATA_PATH {}",
                  recipe.dataSource,
                  directory ? "is a directory, which it does not take"
                            : "is not set")};
}

/// The extents of one sample of an input.
std::span<const int64_t> extentsOf(const BoostTensor &tensor) {
  return {tensor.shape + 1, tensor.rank - 1};
}

int64_t elementsOf(const BoostTensor &tensor) {
  int64_t elements = 1;
  for (int64_t extent : extentsOf(tensor))
    elements *= extent;
  return elements;
}

/// Whether samples of `shape` are the program's, extent by extent, ones in
/// front left out; a program that takes them flat is content with the number of
/// elements.
bool fits(const BoostTensor &tensor, const SampleShape &shape) {
  std::span<const int64_t> wanted = extentsOf(tensor);
  if (wanted.size() <= 1)
    return elementsOf(tensor) == shape.elements();
  const int64_t found[] = {shape.channels, shape.height, shape.width};
  if (wanted.size() > std::size(found))
    return false;
  size_t front = std::size(found) - wanted.size();
  return std::all_of(found, found + front,
                     [](int64_t extent) { return extent == 1; }) &&
         std::equal(wanted.begin(), wanted.end(), found + front);
}

/// Joins a data set with a program, each question in turn.
class Fitting {
public:
  Fitting(const Program &program, const Recipe &recipe, RunData &run)
      : program_(program), recipe_(recipe), run_(run) {}

  /// Before the data are read, which may take long.
  Status runOn(const SampleKind &samples) {
    BOOSTRT_RETURN_IF_ERROR(elementType(samples));
    return transforms(samples);
  }

  Status run() {
    const Dataset &train = *run_.source.train;
    BOOSTRT_RETURN_IF_ERROR(runOn({train.shape(), train.elementType()}));
    BOOSTRT_RETURN_IF_ERROR(labels(train, *run_.source.test));
    BOOSTRT_RETURN_IF_ERROR(numbers(BOOSTC_INPUT_TARGETS, "targets",
                                    "compares with", train.targets(),
                                    run_.layout.targetsOffset));
    BOOSTRT_RETURN_IF_ERROR(numbers(BOOSTC_INPUT_WEIGHTS, "weights", "reads",
                                    train.weights(),
                                    run_.layout.weightsOffset));
    const BoostProgram &descriptor = program_.descriptor();
    run_.layout.batchSize = descriptor.batch_size;
    run_.layout.validOffset = descriptor.valid.offset;
    if (const BoostInput *keys = program_.input(BOOSTC_INPUT_SAMPLE_KEYS))
      run_.layout.keysOffset = keys->tensor.offset;
    return Status();
  }

private:
  template <typename... Args>
  Status fail(fmt::format_string<Args...> format, Args &&...args) const {
    return Status(
        ExitCode::Data,
        fmt::format("{}: {}", run_.spec.text(),
                    fmt::format(format, std::forward<Args>(args)...)));
  }

  Status elementType(const SampleKind &found) const {
    const BoostInput &samples = program_.samples();
    bool integers = found.elementType == ElementType::I32;
    if (samples.kind == BOOSTC_INPUT_INDICES && !integers)
      return fail("samples are {}, but the model's input '{}' takes integers "
                  "from 0 to {}; use npy: with samples of int32 or int64",
                  found.elementType == ElementType::U8 ? "pixels" : "floats",
                  samples.tensor.name, samples.classes - 1);
    if (samples.kind == BOOSTC_INPUT_PIXELS &&
        found.elementType != ElementType::U8)
      return fail("samples are {}, but the model's input '{}' takes pixels of "
                  "8 bits; write \"dtype\": \"f32\" there, or convert with "
                  "numpy's astype(\"uint8\")",
                  integers ? "integers" : "floats", samples.tensor.name);
    if (samples.kind == BOOSTC_INPUT_FEATURES && integers)
      return fail("samples are integers, but the model's input '{}' takes "
                  "pixels or floats; convert with numpy's astype(\"float32\")",
                  samples.tensor.name);
    if (integers &&
        !(recipe_.transforms.empty() && recipe_.evalTransforms.empty()))
      return fail("the model has data.transforms, but its input '{}' takes "
                  "integers, which have none; remove data.transforms from the "
                  "model",
                  samples.tensor.name);
    return Status();
  }

  Status transforms(const SampleKind &found) {
    for (auto [purpose, pipeline] :
         {std::pair(TransformPurpose::Evaluation, &run_.transforms),
          {TransformPurpose::Training, &run_.trainingTransforms}}) {
      bool evaluates = purpose == TransformPurpose::Evaluation;
      bool isOwn = evaluates && !recipe_.evalTransforms.is_null();
      const BoostInput &samples =
          evaluates ? program_.evalSamples() : program_.samples();
      Result<TransformPipeline> made = TransformPipeline::create(
          isOwn ? recipe_.evalTransforms : recipe_.transforms, found.shape,
          found.elementType, purpose,
          samples.kind == BOOSTC_INPUT_PIXELS ? TransformResult::Bytes
                                              : TransformResult::Floats,
          isOwn ? "data.eval_transforms" : "data.transforms");
      if (!made.ok())
        return made.status();
      if (!fits(samples.tensor, made->outputShape()))
        return fail("samples are {}{}; the model takes {}{}",
                    toString(found.shape),
                    samples.kind == BOOSTC_INPUT_INDICES
                        ? " integers"
                        : fmt::format(", after the model's {} {}",
                                      isOwn ? "eval_transforms" : "transforms",
                                      toString(made->outputShape())),
                    toString(extentsOf(samples.tensor)),
                    &samples == &program_.samples()
                        ? ""
                        : " in an evaluation, which is its eval_shape");
      *pipeline = std::move(made).value();
    }
    // An evaluation's are at the same address.
    const BoostInput &samples = program_.samples();
    run_.layout.samplesOffset = samples.tensor.offset;
    if (samples.kind == BOOSTC_INPUT_INDICES)
      run_.layout.indexClasses = static_cast<int32_t>(samples.classes);
    return Status();
  }

  /// What to do where the data set lacks labels, targets or weights.
  std::string advice(const char *what) const {
    return fmt::format("{} train_{}.npy and test_{}.npy",
                       run_.spec.scheme == "npy" ? "add" : "use npy: with",
                       what, what);
  }

  Status labels(const Dataset &train, const Dataset &test) {
    const BoostInput *labels = program_.input(BOOSTC_INPUT_LABELS);
    if (!labels)
      return Status();
    if (!train.hasLabels())
      return fail("the model reads labels '{}' of {} classes; the data set has "
                  "none; {}",
                  labels->tensor.name, labels->classes, advice("labels"));
    int64_t wanted = elementsOf(labels->tensor);
    if (train.labelsPerSample() != wanted)
      return fail(
          "{} has {} a sample; the model reads labels '{}' of {}, "
          "which is {} a sample; save the labels this model was "
          "written for",
          train.labelSource(), countOf(train.labelsPerSample(), "label"),
          labels->tensor.name, toString(extentsOf(labels->tensor)), wanted);
    for (const Dataset *split : {&train, &test})
      if (split->classes() > labels->classes)
        return Status(ExitCode::Data,
                      fmt::format("{} has labels up to {}, but the model has "
                                  "{} classes (0 to {})",
                                  split->labelSource(), split->classes() - 1,
                                  labels->classes, labels->classes - 1));
    run_.layout.labelsOffset = labels->tensor.offset;
    run_.layout.classes = static_cast<int32_t>(labels->classes);
    return Status();
  }

  /// Targets or weights: `verb` is what the model does with them.
  Status numbers(BoostInputKind kind, const char *what, const char *verb,
                 const SampleNumbers &found, std::optional<uint64_t> &offset) {
    const BoostInput *input = program_.input(kind);
    if (!input)
      return Status();
    int64_t wanted = elementsOf(input->tensor);
    if (found.samples == 0)
      return fail("the model {} {} '{}' of {} numbers a sample; the data set "
                  "has none; {}",
                  verb, what, input->tensor.name, wanted, advice(what));
    if (found.elements() != wanted)
      return Status(
          ExitCode::Data,
          fmt::format("{0}: {1} are {2}, which is {3} numbers a sample; the "
                      "model {4} {1} '{5}' of {6}, which is {7}; save the {1} "
                      "this model was written for",
                      found.source, what, toString(found.shape),
                      found.elements(), verb, input->tensor.name,
                      toString(extentsOf(input->tensor)), wanted));
    offset = input->tensor.offset;
    return Status();
  }

  const Program &program_;
  const Recipe &recipe_;
  RunData &run_;
};

} // namespace

Result<RunData> openRunData(const Program &program, const Recipe &recipe,
                            const std::optional<std::string> &data,
                            HeldOut heldOut) {
  Result<Choice> choice = choose(recipe, data);
  if (!choice.ok())
    return choice.status();
  RunData run;
  run.spec = choice->spec;
  run.note = choice->note;
  run.loading.skipsBadSamples = recipe.skipsBadSamples;
  run.loading.decodingBytes = recipe.decodingBytes;
  Fitting fitting(program, recipe, run);
  if (std::optional<SampleKind> kind = sampleKindOf(run.spec))
    BOOSTRT_RETURN_IF_ERROR(fitting.runOn(*kind));
  Result<DataSource> source = openDataSource(run.spec, heldOut);
  if (!source.ok()) {
    const Status &status = source.status();
    if (choice->considered.empty())
      return status;
    return Status(status.code(), fmt::format("{}\n  {}", status.message(),
                                             choice->considered));
  }
  run.source = std::move(source).value();
  run.epoch = {run.source.train->size(), recipe.repeat, recipe.dropsRemainder};
  BOOSTRT_RETURN_IF_ERROR(fitting.run());
  return run;
}

} // namespace boostrt
