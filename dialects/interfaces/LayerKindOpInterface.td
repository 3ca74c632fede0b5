#ifndef BOOSTC_INTERFACES_LAYER_KIND
#define BOOSTC_INTERFACES_LAYER_KIND

include "mlir/IR/OpBase.td"

def LayerKindOpInterface : OpInterface<"LayerKindOpInterface"> {
  let description = [{
    What an op is to the structure of a network (dialects/interfaces/LayerKind.h), for
    passes that find layers by how they are connected. Activations have no kind of their
    own: they are functions of one number (ScalarFunctionOpInterface). Whatever the kind,
    operand 0 and result 0 are the values that flow through the network.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<"What kind of layer it is.", "::boostc::LayerKind", "getLayerKind", (ins)>,
    InterfaceMethod<[{
        Contractions: the number of groups that the channels are divided into; a filter reads
        the channels of its group.
      }],
      "int64_t", "getChannelGroups", (ins), "", [{ return 1; }]>,
  ];
}

// Gives an op that kind.
class Boost_LayerKindTrait<string kind>
    : ParamNativeOpTrait<"LayerKindTrait", "::boostc::LayerKind::" # kind> {
  let cppNamespace = "::boostc";
}
class Boost_LayerKind<string kind>
    : TraitList<[LayerKindOpInterface, Boost_LayerKindTrait<kind>]>;

#endif // BOOSTC_INTERFACES_LAYER_KIND
