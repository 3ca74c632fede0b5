#include "runtime/trainer/TensorNames.h"

#include "runtime/support/File.h"
#include "runtime/support/JsonText.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace boostrt {
namespace {

constexpr std::string_view kBatches = ".num_batches_tracked";
/// A file of names is a line or two for each tensor.
constexpr uint64_t kMaxBytes = 16 << 20;

/// The names of what a file of weights holds.
std::vector<std::string> namesOf(const Program &program) {
  std::vector<std::string> names;
  for (const BoostParameter &parameter : program.parameters())
    names.push_back(parameter.tensor.name);
  for (const BoostState *state : program.statesIn(BOOSTC_SAVED_WITH_WEIGHTS))
    names.push_back(state->tensor.name);
  return names;
}

/// `name` with its last part replaced.
std::string withSlot(const std::string &name, std::string_view slot) {
  return fmt::format("{}.{}", name.substr(0, name.rfind('.')), slot);
}

std::map<std::string, std::string> mindsporeNames(const Program &program) {
  std::map<std::string, std::string> others;
  for (const BoostParameter &parameter : program.parameters()) {
    std::string name = parameter.tensor.name;
    if (parameter.role == BOOSTC_ROLE_NORM_SCALE)
      others[name] = withSlot(name, "gamma");
    else if (parameter.role == BOOSTC_ROLE_NORM_SHIFT)
      others[name] = withSlot(name, "beta");
  }
  for (const BoostState *state : program.statesIn(BOOSTC_SAVED_WITH_WEIGHTS)) {
    std::string name = state->tensor.name, slot = state->slot;
    if (slot == "running_mean")
      others[name] = withSlot(name, "moving_mean");
    else if (slot == "running_var")
      others[name] = withSlot(name, "moving_variance");
  }
  return others;
}

Result<JsonText> readText(const std::string &path) {
  std::unique_ptr<ReadableFile> file;
  if (IoError error = realFileSystem().open(path, file); !error.ok())
    return Status(
        ExitCode::Usage,
        fmt::format("--names: found '{}', expected torchvision, mindspore or a "
                    "JSON file of names ({})",
                    printable(path), error.text()));
  if (file->size() > kMaxBytes)
    return Status(ExitCode::Usage,
                  fmt::format("--names: {}: found {} bytes, expected at most "
                              "{}",
                              path, file->size(), kMaxBytes));
  std::vector<uint8_t> bytes(file->size());
  if (IoError error = file->read(0, bytes); !error.ok())
    return ioStatus(error, ExitCode::Usage, "read", path);
  return JsonText(path, std::string(bytes.begin(), bytes.end()));
}

} // namespace

Result<TensorNames> TensorNames::read(const std::string &names,
                                      const Program &program) {
  TensorNames read;
  if (names == "torchvision") {
    read.countsBatches_ = true;
    return read;
  }
  if (names == "mindspore") {
    read.others_ = mindsporeNames(program);
    return read;
  }
  Result<JsonText> text = readText(names);
  if (!text.ok())
    return text.status();
  auto fail = [](const Status &why) {
    return Status(ExitCode::Usage, "--names: " + why.message());
  };
  Result<JsonNode> json = text->parse();
  if (!json.ok())
    return fail(json.status());
  auto wrong = [&](size_t offset, const std::string &what) {
    return fail(text->error(offset, what));
  };
  if (json->kind != JsonNode::Kind::Object)
    return wrong(json->offset,
                 fmt::format("found {}, expected an object of names in the "
                             "file of weights by names in the program",
                             json->kindName()));
  std::vector<std::string> own = namesOf(program);
  std::vector<std::string_view> known(own.begin(), own.end());
  for (const JsonNode::Member &member : json->members) {
    const std::string &name = member.key, &other = member.value.text;
    if (std::ranges::find(own, name) == own.end())
      return wrong(member.offset,
                   fmt::format("the program has no tensor '{}'{}",
                               printable(name), didYouMean(name, known)));
    if (member.value.kind != JsonNode::Kind::Text || other.empty())
      return wrong(member.value.offset,
                   fmt::format("'{}': expected a name", name));
    if (other == "__metadata__") // a key of the file format
      return wrong(member.value.offset,
                   fmt::format("'{}': expected a name other than "
                               "'__metadata__', which no tensor can have",
                               name));
    read.others_[name] = other;
  }
  std::map<std::string, std::string> owners; ///< by names in the file
  for (const std::string &name : own) {
    auto [owner, isNew] = owners.try_emplace(read.inFile(name), name);
    if (isNew)
      continue;
    // One of both is named in the file.
    const JsonNode *value = json->find(name);
    if (!value)
      value = json->find(owner->second);
    return wrong(value->offset, fmt::format("'{}' is the name of two tensors",
                                            printable(owner->first)));
  }
  return read;
}

std::string TensorNames::inFile(const std::string &name) const {
  auto other = others_.find(name);
  return other == others_.end() ? name : other->second;
}

Status TensorNames::readTensors(const SafetensorsFile &file,
                                std::vector<TensorTarget> targets) const {
  for (TensorTarget &target : targets) {
    target.name = inFile(target.name);
    if (!target.otherName.empty())
      target.otherName = inFile(target.otherName);
  }
  return boostrt::readTensors(file, targets, [&](std::string_view name) {
    return countsBatches_ && name.ends_with(kBatches);
  });
}

std::vector<TensorView> TensorNames::forFile(std::vector<TensorView> tensors,
                                             const int64_t &steps) const {
  std::vector<TensorView> counts;
  for (TensorView &tensor : tensors) {
    if (countsBatches_ && tensor.name.ends_with(".running_mean"))
      counts.push_back(
          {withSlot(tensor.name, kBatches.substr(1)),
           BOOSTC_I64,
           {},
           {reinterpret_cast<const uint8_t *>(&steps), sizeof steps}});
    tensor.name = inFile(tensor.name);
  }
  tensors.insert(tensors.end(), counts.begin(), counts.end());
  return tensors;
}

} // namespace boostrt
