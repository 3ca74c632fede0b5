#include "runtime/trainer/RunData.h"

#include <cstdlib>
#include <fmt/format.h>

namespace boostrt {
namespace {

struct Choice {
  std::string spec;
  std::string note;
  std::string considered; ///< for the message when it cannot be opened
};

Result<Choice> choose(const Recipe &recipe,
                      const std::optional<std::string> &data) {
  if (data)
    return Choice{*data, "", ""};
  const char *directory = std::getenv("DATA_PATH");
  if (directory && !*directory)
    directory = nullptr;
  if (recipe.dataSource.empty())
    return Status(ExitCode::Data, "the model names no data.source and --data "
                                  "is not given; try --data digits or --data "
                                  "mnist:DIR");
  Result<DataSpec> own = splitDataSpec(recipe.dataSource);
  if (!own.ok())
    return own.status();
  if (directory && own->takesDirectory()) {
    std::string spec = DataSpec{own->scheme, directory}.text();
    return Choice{spec, fmt::format("data from DATA_PATH: {}", spec),
                  fmt::format("tried DATA_PATH={}, because --data is not "
                              "given; the model's own data.source is '{}'",
                              directory, recipe.dataSource)};
  }
  return Choice{
      recipe.dataSource,
      fmt::format("data from the model's data.source: {}", recipe.dataSource),
      fmt::format("tried the model's data.source '{}', because "
                  "--data is not given and DATA_PATH {}",
                  recipe.dataSource,
                  directory ? "is a directory, which it does not take"
                            : "is not set")};
}

/// The extents of one sample as the program wants them, "1x28x28".
std::string shapeText(const BoostTensor &tensor) {
  std::string text;
  for (uint32_t i = 1; i < tensor.rank; ++i)
    text += fmt::format("{}{}", i > 1 ? "x" : "", tensor.shape[i]);
  return text.empty() ? "1" : text;
}

/// Whether samples of `shape` are the program's, extent by extent; a program
/// that takes them flat is content with the number of elements.
bool fits(const BoostTensor &tensor, const SampleShape &shape) {
  if (tensor.rank == 2)
    return tensor.shape[1] == shape.elements();
  return tensor.rank == 4 && tensor.shape[1] == shape.channels &&
         tensor.shape[2] == shape.height && tensor.shape[3] == shape.width;
}

Status checkClasses(const Dataset &split, int64_t classes) {
  if (split.classes() <= classes)
    return Status();
  return Status(ExitCode::Data,
                fmt::format("{} has labels up to {}, but the model has {} "
                            "classes (0 to {})",
                            split.labelSource(), split.classes() - 1, classes,
                            classes - 1));
}

} // namespace

Result<RunData> openRunData(const Program &program, const Recipe &recipe,
                            const std::optional<std::string> &data) {
  Result<Choice> choice = choose(recipe, data);
  if (!choice.ok())
    return choice.status();
  Result<DataSource> source = openDataSource(choice->spec);
  if (!source.ok()) {
    const Status &status = source.status();
    if (choice->considered.empty())
      return status;
    return Status(status.code(), fmt::format("{}\n  {}", status.message(),
                                             choice->considered));
  }
  RunData run;
  run.spec = choice->spec;
  run.note = choice->note;
  run.source = std::move(source).value();

  Result<TransformPipeline> transforms =
      TransformPipeline::create(recipe.transforms, run.source.train->shape(),
                                run.source.train->elementType());
  if (!transforms.ok())
    return transforms.status();
  const BoostInput &features = program.input(BOOST_INPUT_FEATURES);
  const BoostInput &labels = program.input(BOOST_INPUT_LABELS);
  if (!fits(features.tensor, transforms->outputShape()))
    return Status(
        ExitCode::Data,
        fmt::format("{}: samples are {}, after the model's transforms {}; the "
                    "model takes {}",
                    run.spec, toString(run.source.train->shape()),
                    toString(transforms->outputShape()),
                    shapeText(features.tensor)));
  run.transforms = std::move(transforms).value();
  Result<TransformPipeline> training = TransformPipeline::create(
      recipe.transforms, run.source.train->shape(),
      run.source.train->elementType(), TransformPurpose::Training);
  if (!training.ok())
    return training.status();
  run.trainingTransforms = std::move(training).value();
  BOOSTRT_RETURN_IF_ERROR(checkClasses(*run.source.train, labels.classes));
  BOOSTRT_RETURN_IF_ERROR(checkClasses(*run.source.test, labels.classes));

  const BoostProgram &descriptor = program.descriptor();
  run.layout = {descriptor.batch_size, features.tensor.offset,
                labels.tensor.offset, descriptor.valid.offset,
                static_cast<int32_t>(labels.classes)};
  return run;
}

} // namespace boostrt
