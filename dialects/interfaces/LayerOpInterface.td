#ifndef BOOSTC_INTERFACES_LAYER
#define BOOSTC_INTERFACES_LAYER

include "mlir/IR/OpBase.td"

def LayerOpInterface : OpInterface<"LayerOpInterface"> {
  let description = [{
    What the model file may say of an op: its JSON keys with types, defaults and
    documentation, and how to build it. The entries of all ops together ARE the table
    for the parser, the JSON schema, docs/model-format.md and boost-smith. Static
    methods, reached through the registered operation name.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    StaticInterfaceMethod<"The spellings of this op in the model file.",
      "std::vector<::boostc::LayerSpec>", "getLayerSpecs", (ins)>,
    StaticInterfaceMethod<[{
        Builds one use of spelling `args.spec` and returns its outputs: a layer's
        value, a loss's or metric's (sum, count), an optimizer's (parameter, state...).
        On failure it has emitted a diagnostic at the position of the offending key.
      }],
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "buildLayer",
      (ins "::boostc::LayerBuilder &":$layer)>,
  ];
}

#endif // BOOSTC_INTERFACES_LAYER
