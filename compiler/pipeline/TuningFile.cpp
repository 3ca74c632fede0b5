#include "compiler/pipeline/TuningFile.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "runtime/device/cpu/Matmul.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace boostc;
using frontend::ErrorList;
using frontend::Node;
using llvm::formatv;

/// Version of the file; raised when older readers would misunderstand it.
constexpr int64_t kFormat = 1;

TuningFile::Machine TuningFile::getMachine(rt::CpuTargetAttr target) {
  return {llvm::sys::getHostCPUName().str(), target.getCpu().str(),
          target.getThreads(),
          "boostc " BOOSTC_VERSION ", LLVM " LLVM_VERSION_STRING ", " +
              boostrt::DnnlContext::libraryVersion()};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads the values of a tuning file and reports what is wrong.
class Reader {
public:
  explicit Reader(ErrorList &errors) : errors(errors) {}

  bool expectObject(const Node &node, ArrayRef<StringRef> keys,
                    StringRef what) {
    if (!node.is(Node::Kind::Object)) {
      expected(node, what);
      return false;
    }
    for (const frontend::Member &member : node.members)
      if (!llvm::is_contained(keys, member.key))
        errors.error(member.keyExtent,
                     formatv("unknown key '{0}' of {1}{2}",
                             frontend::printable(member.key), what,
                             frontend::suggest(member.key, keys, "keys")));
    for (StringRef key : keys)
      if (!node.find(key))
        errors.error(node.extent, formatv("{0} has no '{1}'", what, key));
    return !errors.hasErrors();
  }

  std::string getText(const Node &object, StringRef key) {
    const Node &node = object.at(key);
    if (!node.is(Node::Kind::Text))
      expected(node, "a text");
    return node.text;
  }

  int64_t getInteger(const Node &object, StringRef key) {
    const Node &node = object.at(key);
    if (!node.is(Node::Kind::Integer))
      expected(node, "an integer");
    return node.integer;
  }

  void expected(const Node &node, StringRef what) {
    errors.error(node.extent, formatv("expected {0}, found {1}; a tuning file "
                                      "is written by boostc --tune",
                                      what, node.describe()));
  }

  ErrorList &errors;
};

} // namespace

std::optional<TuningFile> TuningFile::parse(MLIRContext *context,
                                            StringRef name, StringRef text) {
  frontend::Source source(context, frontend::Source::Kind::File, name, text);
  ErrorList errors(context);
  Reader reader(errors);
  TuningFile file;
  auto read = [&] {
    std::optional<Node> root = frontend::readJson(source, 0, errors);
    if (!root ||
        !reader.expectObject(*root, {"format", "choices"}, "a tuning file"))
      return;
    if (reader.getInteger(*root, "format") != kFormat)
      errors.error(root->at("format").extent,
                   formatv("expected format {0}, found {1}; write the file "
                           "anew with --tune",
                           kFormat, root->at("format").describe()));
    const Node &choices = root->at("choices");
    if (!choices.is(Node::Kind::List))
      return reader.expected(choices, "a list");
    for (const Node &node : choices.items) {
      if (!reader.expectObject(node,
                               {"cpu", "level", "threads", "versions",
                                "operation", "choice", "microseconds"},
                               "a choice"))
        return;
      Key key{{reader.getText(node, "cpu"), reader.getText(node, "level"),
               reader.getInteger(node, "threads"),
               reader.getText(node, "versions")},
              reader.getText(node, "operation")};
      Entry entry{
          reader.getText(node, "choice"), {}, node.at("choice").extent.place()};
      const Node &times = node.at("microseconds");
      if (!times.is(Node::Kind::Object))
        return reader.expected(times, "an object");
      for (const frontend::Member &time : times.members) {
        if (!time.value.is(Node::Kind::Number) &&
            !time.value.is(Node::Kind::Integer))
          reader.expected(time.value, "a number");
        entry.microseconds.push_back({time.key, time.value.number});
      }
      if (!file.entries.try_emplace(std::move(key), std::move(entry)).second)
        errors.error(node.extent, "a second choice for the same operation on "
                                  "the same machine; delete one of them");
    }
  };
  read();
  errors.emit();
  if (errors.hasErrors())
    return std::nullopt;
  return file;
}

void TuningFile::reportForeign(const Machine &machine) const {
  auto isForeign = [&](const auto &entry) {
    return entry.first.machine != machine;
  };
  auto first = llvm::find_if(entries, isForeign);
  if (first == entries.end())
    return;
  const Machine &other = first->first.machine;
  emitRemark(*first->second.place)
      << llvm::count_if(entries, isForeign) << " of " << entries.size()
      << " choices are not used: they were measured on another CPU, for "
         "another number of threads or with other versions ("
      << other.cpu << ", " << other.level << ", " << other.threads
      << " threads, " << other.versions << "); this is " << machine.cpu << ", "
      << machine.level << ", " << machine.threads << " threads, "
      << machine.versions;
}

FailureOr<std::optional<unsigned>>
TuningFile::find(const Machine &machine, StringRef operation,
                 ArrayRef<ContractionCandidate> candidates) const {
  auto found = entries.find({machine, operation.str()});
  std::optional<unsigned> choice;
  if (found == entries.end())
    return choice;
  const Entry &entry = found->second;
  for (auto [number, candidate] : llvm::enumerate(candidates))
    if (candidate.name == entry.choice)
      choice = number;
  if (choice)
    return choice;
  InFlightDiagnostic error = emitError(*entry.place)
                             << "the operation has no candidate '"
                             << frontend::printable(entry.choice)
                             << "'; expected ";
  llvm::interleave(
      candidates,
      [&](const ContractionCandidate &candidate) {
        error << "'" << candidate.name << "'";
      },
      [&] { error << " or "; });
  return error << "; delete the choice and measure again with --tune";
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void TuningFile::add(const Machine &machine, StringRef operation,
                     ArrayRef<ContractionCandidate> candidates,
                     ArrayRef<double> microseconds, unsigned choice) {
  Entry entry{candidates[choice].name, {}, std::nullopt};
  for (auto [candidate, time] : llvm::zip_equal(candidates, microseconds))
    entry.microseconds.push_back({candidate.name, time});
  entries.insert_or_assign({machine, operation.str()}, std::move(entry));
}

void TuningFile::print(llvm::raw_ostream &os) const {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("format", kFormat);
    json.attributeArray("choices", [&] {
      for (const auto &[key, entry] : entries)
        json.object([&, &key = key, &entry = entry] {
          json.attribute("cpu", key.machine.cpu);
          json.attribute("level", key.machine.level);
          json.attribute("threads", key.machine.threads);
          json.attribute("versions", key.machine.versions);
          json.attribute("operation", key.operation);
          json.attribute("choice", entry.choice);
          json.attributeObject("microseconds", [&] {
            for (const auto &[name, time] : entry.microseconds) {
              json.attributeBegin(name);
              json.rawValue(formatv("{0:F2}", time).str());
              json.attributeEnd();
            }
          });
        });
    });
  });
  os << "\n";
}
