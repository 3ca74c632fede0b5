// AbiEnum.td - attributes whose cases are those of an enum of the ABI.
#ifndef BOOSTC_ABI_ENUM
#define BOOSTC_ABI_ENUM

include "mlir/IR/EnumAttr.td"
include "runtime/abi/DescriptorEnums.td"

class Boost_AbiEnum<string name, string summary, AbiEnum abi>
    : I32EnumAttr<name, summary,
          !foreach(each, abi.cases,
                   I32EnumAttrCase<each.symbol, each.value, each.name>)>;

#endif // BOOSTC_ABI_ENUM
