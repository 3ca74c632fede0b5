#include "compiler/frontend/BoostConfig.h"
#include "compiler/boost/BoostPlan.h"
#include "compiler/frontend/Overrides.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc;
using namespace boostc::frontend;
using llvm::formatv;
using llvm::StringRef;

void boostc::frontend::mergeBoostConfig(Node &document, Node config,
                                        ErrorList &errors) {
  if (!config.is(Node::Kind::Object)) {
    errors.error(
        config.extent,
        formatv("expected an object with sections like 'boost', found {0}",
                config.describe()));
    return;
  }
  if (!document.is(Node::Kind::Object))
    return; // the table reports it
  Node *boost = document.find("boost");
  if (!boost || !boost->is(Node::Kind::Object)) {
    if (!boost)
      document.add("boost", config.extent, std::move(config));
    return;
  }
  for (Member &section : config.members) {
    Node *old = boost->find(section.key);
    bool areObjects = old && old->is(Node::Kind::Object) &&
                      section.value.is(Node::Kind::Object);
    if (!old) {
      boost->add(section.key, section.keyExtent, std::move(section.value));
      continue;
    }
    if (!areObjects) {
      *old = std::move(section.value);
      continue;
    }
    for (Member &key : section.value.members) {
      llvm::erase_if(old->members, [&](const Member &member) {
        return member.key == key.key;
      });
      old->add(key.key, key.keyExtent, std::move(key.value));
    }
  }
}

void boostc::frontend::applyBoostOverride(Node &document,
                                          const ModelTable &table,
                                          const Source &option,
                                          ErrorList &errors) {
  size_t equals = option.text.find('=');
  if (equals == StringRef::npos || equals == 0) {
    errors.error({&option, 0, option.text.size()},
                 "expected KEY=VALUE, as in grad_freeze.freeze_p=0.7");
    return;
  }
  auto [section, key] = option.text.take_front(equals).split('.');
  size_t keyBegin = key.empty() ? 0 : section.size() + 1;
  std::vector<StringRef> keys;
  if (key.empty()) { // the first section that has it: "boost" before others
    key = section;
    section = {};
    for (const KeyTable &candidate : table.boost().keys) {
      for (const KeyTable &inner : candidate.value.object->keys) {
        keys.push_back(inner.name);
        if (inner.name == key && section.empty())
          section = candidate.name;
      }
    }
  }
  if (section.empty()) {
    errors.error({&option, 0, equals},
                 formatv("unknown boost key '{0}'{1}", printable(key),
                         suggestName(boostrt::NameKind::Boost, key, keys)));
    return;
  }
  std::optional<Node> value = readOptionValue(option, equals + 1, errors);
  if (!value || !document.is(Node::Kind::Object))
    return;
  Extent keyExtent{&option, keyBegin, equals};
  Node keyed = Node::makeObject(keyExtent),
       config = Node::makeObject(keyExtent);
  keyed.add(key, keyExtent, std::move(*value));
  config.add(section, {&option, 0, section.size()}, std::move(keyed));
  mergeBoostConfig(document, std::move(config), errors);
}

/// What the command line says of a boost that is off. In a file all sections
/// may be there, as in dictionaries of MindSpore.
static void warnOfUnused(const boost::Boost &boost, const Node &section,
                         ErrorList &errors) {
  for (const Member &member : section.members)
    if (!member.value.isDefault &&
        member.keyExtent.source->kind == Source::Kind::CommandLine)
      errors.warning(member.keyExtent,
                     formatv("'{0}' has no effect: boost '{1}' is off; "
                             "--boost {1}=true turns it on",
                             member.key, boost.name));
}

namespace {

/// A boost while it is decided whether it is on.
struct Candidate {
  const boost::Boost &boost;
  bool isOn;
  bool isNamed; ///< the configuration asks for it, and not only a level
  std::string reason;
  Extent extent; ///< what asks for it
};

class BoostResolver {
public:
  BoostResolver(Node &model, int level, ErrorList &errors)
      : model(model), boosts(*model.find("boost")),
        switches(*boosts.find("boost")), level(level), errors(errors) {}

  void run(std::vector<BoostDecision> *decisions) {
    resolveMode();
    for (const boost::Boost &boost : boost::getBoosts())
      candidates.push_back(decide(boost));
    for (Candidate &candidate : candidates)
      requireGroups(candidate);
    refuseConflicts();
    for (const Candidate &candidate : candidates) {
      reportUnused(candidate);
      if (decisions)
        decisions->push_back(
            {candidate.boost.name.str(), candidate.isOn, candidate.reason});
      writeSwitch(candidate);
    }
  }

private:
  void resolveMode() {
    bool hasSwitch =
        llvm::any_of(boost::getBoosts(), [&](const boost::Boost &boost) {
          return switches.find(boost.name);
        });
    if (!switches.find("mode"))
      switches.add(
          "mode", switches.extent,
          Node::makeText(hasSwitch ? "manual" : "auto", switches.extent));
    const Node &node = switches.at("mode");
    mode = node.text;
    modeExtent = node.extent;
    for (const boost::Boost &boost : boost::getBoosts())
      if (const Member *written = switches.findMember(boost.name);
          written && mode == "auto")
        errors.error(written->keyExtent,
                     formatv("'{0}': expected 'mode' \"manual\", which reads "
                             "switches, found \"auto\", which takes those of "
                             "the level",
                             boost.name),
                     ErrorList::Note{modeExtent, "'mode' is here"});
  }

  Candidate decide(const boost::Boost &boost) {
    const Member *written = switches.findMember(boost.name);
    bool isInLevel = boost.level > 0 && level >= boost.level;
    Candidate candidate{boost, isInLevel, /*isNamed=*/false,
                        formatv("level -O{0} {1}", level,
                                isInLevel ? "turns it on" : "leaves it off"),
                        written ? written->keyExtent : modeExtent};
    if (boost.name == "grad_accumulation" && mode != "disable_all" &&
        !written) {
      const Node &steps = boosts.at(boost.name).at("grad_accumulation_step");
      if (steps.integer > 1) {
        candidate.isOn = candidate.isNamed = true;
        candidate.reason =
            formatv("grad_accumulation_step is {0}", steps.integer);
        candidate.extent = steps.extent;
      }
    }
    if (mode == "manual" && written) {
      candidate.isOn = candidate.isNamed = written->value.boolean;
      candidate.reason =
          formatv("the configuration says {0}", written->value.describe());
    } else if (mode == "enable_all" || mode == "disable_all") {
      candidate.isOn = mode == "enable_all";
      candidate.reason = formatv("mode '{0}'", mode);
      if (written && written->value.boolean != candidate.isOn)
        errors.warning(
            written->keyExtent,
            formatv("'{0}' has no effect in mode '{1}'; mode 'manual' reads it",
                    boost.name, mode));
    }
    return candidate;
  }

  void turnOff(Candidate &candidate, llvm::Twine reason) {
    candidate.isOn = false;
    candidate.reason += "; " + reason.str();
  }

  /// Loss scale groups are of a network: none is there by default.
  void requireGroups(Candidate &candidate) {
    StringRef name = candidate.boost.name;
    if (name != boost::kLossScaleGroup || !candidate.isOn ||
        !boosts.at(name).at("groups").is(Node::Kind::Null))
      return;
    if (candidate.isNamed)
      errors.error(candidate.extent,
                   formatv("boost '{0}' needs '{0}.groups', lists of layers in "
                           "the order of the network, found null",
                           name));
    else
      errors.warning(
          modeExtent,
          formatv("'{0}' ignores {1}, which needs '{1}.groups'", mode, name));
    turnOff(candidate, "it needs 'groups'");
  }

  /// Whether the recipe has this feature; of the boosts those before `end`.
  bool has(StringRef feature, const Candidate &end) {
    if (feature == boost::kLossScale)
      return !model.at("amp").at("loss_scale").is(Node::Kind::Null);
    if (feature == boost::kThor)
      return model.at("optimizer").at("type").text == boost::kThor;
    llvm::ArrayRef<Candidate> earlier(candidates.data(), &end);
    return llvm::any_of(earlier, [&](const Candidate &candidate) {
      return candidate.boost.name == feature && candidate.isOn;
    });
  }

  /// No level turns on what is refused: of two boosts the later one is named.
  /// Where all that go together are asked for, it is left out.
  void refuseConflicts() {
    for (Candidate &candidate : candidates) {
      for (StringRef feature : boost::getFeatures()) {
        const boost::Conflict *conflict =
            boost::findConflict(candidate.boost.name, feature);
        if (!candidate.isOn || !conflict || !has(feature, candidate))
          continue;
        if (candidate.isNamed)
          errors.error(
              candidate.extent,
              formatv("boost '{0}' cannot be combined with '{1}': {2}; "
                      "turn one of them off",
                      candidate.boost.name, feature, conflict->reason));
        else
          errors.warning(
              candidate.extent,
              formatv("'{0}' ignores {1}, which cannot be combined with '{2}': "
                      "{3}",
                      mode, candidate.boost.name, feature, conflict->reason));
        turnOff(candidate, "not with " + feature);
      }
    }
  }

  void reportUnused(const Candidate &candidate) {
    StringRef name = candidate.boost.name;
    if (candidate.isOn && name == "grad_accumulation" &&
        boosts.at(name).at("grad_accumulation_step").integer == 1)
      errors.warning(candidate.extent,
                     "'grad_accumulation' has no effect with 1 micro-batch; "
                     "the number is 'grad_accumulation_step'");
    if (const Node *section = boosts.find(name); section && !candidate.isOn)
      warnOfUnused(candidate.boost, *section, errors);
  }

  void writeSwitch(const Candidate &candidate) {
    Node value;
    value.kind = Node::Kind::Boolean;
    value.boolean = candidate.isOn;
    value.extent = switches.extent;
    if (Node *old = switches.find(candidate.boost.name))
      *old = value;
    else
      switches.add(candidate.boost.name, switches.extent, value);
  }

  Node &model, &boosts, &switches;
  int level;
  ErrorList &errors;
  std::string mode;
  Extent modeExtent;
  std::vector<Candidate> candidates;
};

} // namespace

void boostc::frontend::resolveBoosts(Node &model, int level, ErrorList &errors,
                                     std::vector<BoostDecision> *decisions) {
  BoostResolver(model, level, errors).run(decisions);
}
