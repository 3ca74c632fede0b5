#include "compiler/frontend/LossScaleGroups.h"
#include "compiler/boost/BoostPlan.h"
#include "compiler/frontend/LayerNames.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::frontend;
using llvm::formatv;

bool frontend::asksForLossScaleGroups(const Node &document) {
  const Node *boost = document.find("boost");
  const Node *switches = boost ? boost->find("boost") : nullptr;
  const Node *isOn =
      switches ? switches->find(boost::kLossScaleGroup) : nullptr;
  if (!isOn || !isOn->boolean)
    return false;
  StringRef mode = textAt(*switches, "mode");
  return mode.empty() || mode == "manual";
}

static bool isOn(const Node &model) {
  return model.at("boost").at("boost").at(boost::kLossScaleGroup).boolean;
}

static const Node &getSection(const Node &model) {
  return model.at("boost").at(boost::kLossScaleGroup);
}

void frontend::resolveLossScaleGroups(Node &model, ErrorList &errors) {
  if (errors.hasErrors() || !isOn(model))
    return;
  const Node &section = getSection(model), &groups = section.at("groups");
  const Node &initial = section.at("initial");
  if (initial.is(Node::Kind::List) &&
      initial.items.size() != groups.items.size())
    errors.error(initial.extent,
                 formatv("'initial': expected one number, or one for each of "
                         "the {0} groups, found {1}",
                         groups.items.size(), initial.describe()),
                 ErrorList::Note{groups.extent, "the groups are here"});
  Node &policy = *model.find("train")->find("on_nonfinite");
  if (!policy.isDefault && policy.text != "skip")
    errors.error(policy.extent,
                 formatv("'on_nonfinite': expected 'skip' or nothing, because "
                         "loss_scale_group skips steps that are not finite, "
                         "found {0}",
                         policy.describe()),
                 ErrorList::Note{groups.extent, "the groups are here"});
  policy.text = "skip";
}

namespace {

/// Finds the group of each parameter.
class GroupMatcher {
public:
  explicit GroupMatcher(ProgramParts &parts)
      : parts(parts), groups(getSection(parts.model).at("groups")),
        owners(parts.parameters.size(), nullptr),
        numbers(parts.parameters.size(), 0) {}

  /// The numbers of the parameters where the groups after the first begin.
  FailureOr<SmallVector<int64_t>> findCuts() {
    for (auto [number, group] : llvm::enumerate(groups.items))
      for (const Node &pattern : group.items)
        match(pattern, number);
    if (parts.errors.hasErrors())
      return failure();
    SmallVector<StringRef> missing;
    for (auto [parameter, owner] : llvm::zip(parts.parameters, owners))
      if (!owner)
        missing.push_back(parameter.getSymName());
    if (!missing.empty())
      parts.errors.error(
          groups.extent,
          formatv("'groups': expected each parameter in a group, found none "
                  "for {0}; add them to the group of their neighbours",
                  llvm::join(missing, ", ")));
    return orderCuts();
  }

private:
  void match(const Node &pattern, size_t number) {
    llvm::Expected<llvm::GlobPattern> glob =
        llvm::GlobPattern::create(pattern.text);
    if (!glob) {
      parts.errors.error(
          pattern.extent,
          formatv(
              "'groups': expected a pattern such as \"stage1*\", found {0}: "
              "{1}",
              pattern.describe(), llvm::toString(glob.takeError())));
      return;
    }
    bool isUsed = false;
    for (auto [i, parameter] : llvm::enumerate(parts.parameters)) {
      if (!matches(*glob, parameter.getSymName()))
        continue;
      isUsed = true;
      const Node *owner = std::exchange(owners[i], &pattern);
      if (owner && numbers[i] != number)
        parts.errors.error(
            pattern.extent,
            formatv("'groups': expected each parameter in one group, found "
                    "'{0}' in groups {1} and {2}; remove it from one of them",
                    parameter.getSymName(), numbers[i] + 1, number + 1),
            ErrorList::Note{owner->extent, "the other pattern is here"});
      numbers[i] = number;
    }
    if (!isUsed)
      reportUnused(pattern);
  }

  /// A pattern stands for a parameter "block.layer.weight", for all of
  /// "block.layer" or all of "block".
  static bool matches(const llvm::GlobPattern &glob, StringRef name) {
    for (size_t end = name.size(); end != StringRef::npos;
         end = name.take_front(end).rfind('.'))
      if (glob.match(name.take_front(end)))
        return true;
    return false;
  }

  void reportUnused(const Node &pattern) {
    llvm::SetVector<StringRef> layers;
    for (train::ParameterOp parameter : parts.parameters)
      layers.insert(parameter.getSymName().rsplit('.').first);
    parts.errors.error(
        pattern.extent,
        formatv("'groups': expected the name of a layer with parameters, or a "
                "pattern of such names, found '{0}', which matches none{1}",
                printable(pattern.text),
                suggest(pattern.text, layers.getArrayRef(), "layers")));
  }

  FailureOr<SmallVector<int64_t>> orderCuts() {
    if (parts.errors.hasErrors())
      return failure();
    SmallVector<int64_t> cuts;
    for (size_t i = 0; i < numbers.size(); ++i) {
      size_t before = i == 0 ? 0 : numbers[i - 1];
      // Each group has a parameter, so the numbers rise by 1.
      if (i > 0 && numbers[i] == before + 1)
        cuts.push_back(static_cast<int64_t>(i));
      else if (numbers[i] != before)
        return reportOrder(i);
    }
    return cuts;
  }

  LogicalResult reportOrder(size_t i) {
    StringRef name = parts.parameters[i].getSymName();
    std::string before = i == 0 ? "first"
                                : formatv("after '{0}' of group {1}",
                                          parts.parameters[i - 1].getSymName(),
                                          numbers[i - 1] + 1)
                                      .str();
    parts.errors.error(
        owners[i]->extent,
        formatv(
            "'groups': expected groups in the order of the network, found "
            "'{0}' of group {1}, which comes {2}; the parameters of a group "
            "follow those of the group before it",
            name, numbers[i] + 1, before));
    return failure();
  }

  ProgramParts &parts;
  const Node &groups;
  std::vector<const Node *> owners; ///< patterns, by parameter
  std::vector<size_t> numbers;      ///< of groups, from 0, by parameter
};

} // namespace

LogicalResult frontend::setLossScaleGroups(ProgramParts &parts) {
  if (!isOn(parts.model))
    return success();
  FailureOr<SmallVector<int64_t>> cuts = GroupMatcher(parts).findCuts();
  if (failed(cuts))
    return failure();
  const Node &initial = getSection(parts.model).at("initial");
  OpBuilder &b = parts.builder;
  SmallVector<Attribute> scales(cuts->size() + 1,
                                b.getF64FloatAttr(initial.number));
  if (initial.is(Node::Kind::List))
    for (auto [scale, item] : llvm::zip_equal(scales, initial.items))
      scale = b.getF64FloatAttr(item.number);
  parts.program->setAttr(train::kLossScaleGroupsAttrName,
                         train::LossScaleGroupsAttr::get(
                             parts.program.getContext(), b.getArrayAttr(scales),
                             b.getDenseI64ArrayAttr(*cuts)));
  return success();
}
