#include "compiler/frontend/BoostConfig.h"
#include "compiler/frontend/Overrides.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

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

/// The boosts of a level.
static bool isInLevel(StringRef name, int level) {
  if (name == "less_bn" || name == "grad_freeze")
    return level >= 1;
  return name == "adasum" && level >= 2;
}

static bool isBuilt(StringRef name) {
  return name == "grad_accumulation" || name == "adasum";
}

/// What the command line says of a boost that is off. In a file all sections
/// may be there, as in dictionaries of MindSpore.
static void warnOfUnused(StringRef boost, const Node &section,
                         ErrorList &errors) {
  for (const Member &member : section.members)
    if (!member.value.isDefault &&
        member.keyExtent.source->kind == Source::Kind::CommandLine)
      errors.warning(
          member.keyExtent,
          formatv(isBuilt(boost)
                      ? "'{0}' has no effect: boost '{1}' is off; "
                        "--boost {1}=true turns it on"
                      : "'{0}' has no effect: boost '{1}' is not implemented",
                  member.key, boost));
}

void boostc::frontend::resolveBoosts(Node &model, int level, ErrorList &errors,
                                     std::vector<BoostDecision> *decisions) {
  Node &boost = *model.find("boost");
  Node &switches = *boost.find("boost");
  bool hasSwitch = llvm::any_of(
      boostSwitches(), [&](StringRef name) { return switches.find(name); });
  if (!switches.find("mode"))
    switches.add(
        "mode", switches.extent,
        Node::makeText(hasSwitch ? "manual" : "auto", switches.extent));
  const Node &modeNode = switches.at("mode");
  std::string mode = modeNode.text;
  Extent modeExtent = modeNode.extent;

  std::vector<std::string> missing;
  for (StringRef name : boostSwitches()) {
    const Member *written = switches.findMember(name);
    bool isOn = isInLevel(name, level), isNamed = false;
    std::string reason = formatv("level -O{0} {1}", level,
                                 isOn ? "turns it on" : "leaves it off");
    if (name == "grad_accumulation" && mode != "disable_all" && !written) {
      int64_t steps = boost.at(name).at("grad_accumulation_step").integer;
      if (steps > 1) {
        isOn = isNamed = true;
        reason = formatv("grad_accumulation_step is {0}", steps);
      }
    }
    if (mode == "manual" && written) {
      isOn = written->value.boolean;
      isNamed = isOn;
      reason = formatv("the configuration says {0}", written->value.describe());
    } else if (mode == "enable_all" || mode == "disable_all") {
      isOn = isNamed = mode == "enable_all";
      reason = formatv("mode '{0}'", mode);
    }
    if (written && written->value.boolean != isOn)
      errors.warning(
          written->keyExtent,
          formatv("'{0}' has no effect in mode '{1}'; mode 'manual' reads it",
                  name, mode));
    if (isOn && name == "grad_accumulation" &&
        boost.at(name).at("grad_accumulation_step").integer == 1)
      errors.warning(written ? written->keyExtent : modeExtent,
                     "'grad_accumulation' has no effect with 1 micro-batch; "
                     "the number is 'grad_accumulation_step'");
    if (const Node *section = boost.find(name); section && !isOn)
      warnOfUnused(name, *section, errors);
    if (isOn && !isBuilt(name)) {
      Extent place =
          written && mode == "manual" ? written->keyExtent : modeExtent;
      if (isNamed)
        errors.error(place, formatv("boost '{0}' is not implemented", name));
      else
        missing.push_back(name.str());
      isOn = false;
      reason += "; not implemented";
    }
    if (decisions)
      decisions->push_back({name.str(), isOn, reason});
    Node value;
    value.kind = Node::Kind::Boolean;
    value.boolean = isOn;
    value.extent = switches.extent;
    if (Node *old = switches.find(name))
      *old = value;
    else
      switches.add(name, switches.extent, value);
  }
  if (!missing.empty())
    errors.warning(model.extent,
                   formatv("-O{0} ignores what is not implemented: {1}", level,
                           llvm::join(missing, ", ")));
}
