#include "compiler/frontend/NormalizeHead.h"
#include "llvm/ADT/STLExtras.h"

using namespace boostc;
using namespace boostc::frontend;
using llvm::StringRef;

/// Takes out of `object` what `table` does not know.
static void keepKeys(Node &object, const ObjectTable &table,
                     StringRef selector = {}) {
  llvm::erase_if(object.members, [&](const Member &member) {
    return member.key != selector && !table.find(member.key);
  });
}

void frontend::normalizeHead(Node &model, const ModelTable &table,
                             Checker &checker) {
  const Node &boost = model.at("boost");
  if (!boost.at("boost").at("less_bn").boolean ||
      !boost.at("less_bn").at("fn_flag").boolean)
    return;
  Node &layer = model.find("layers")->items.back();
  StringRef form = table.entry(LayerSpec::Kind::Layer, layer.at("op").text)
                       .spec.normalizedForm;
  const LayerSpec &loss =
      table.entry(LayerSpec::Kind::Loss, model.at("loss").at("op").text).spec;
  if (form.empty() || !loss.comparesClasses) {
    mlir::emitRemark(layer.extent.place())
        << "less_bn normalises no head (fn_flag): "
        << (form.empty() ? "the last layer is not a dense one"
                         : "the loss does not compare classes");
    return;
  }
  const Node *bias = layer.find("bias");
  mlir::emitRemark(layer.extent.place())
      << "less_bn makes layer '" << layer.at("name").text << "' a " << form
      << (bias && bias->boolean ? " without its bias" : "") << " (fn_flag)";
  const ObjectTable &keys = *table.layer().variant->find(form);
  Node written = layer;
  keepKeys(written, keys, "op");
  written.find("op")->text = form.str();
  keepKeys(*written.find("init"), *keys.find("init")->value.object);
  layer = checker.check(written, table.layer(), "layer");
}
