#ifndef BOOSTC_RT_SLOT
#define BOOSTC_RT_SLOT

include "dialects/rt/RtBase.td"

def Rt_SlotOp : Rt_Op<"slot"> {
  let summary = "where a bound tensor lives";
  let description = [{
    An entry of the memory plan: the tensor of this binding is at this offset of this
    arena, in every function. The descriptor's tables are written from these.

    Constraints:
    * (rt_slot_c1) the offset is a multiple of 64 (BOOSTC_ALIGNMENT) and not negative.

    Example:
    ```mlir
    rt.slot <parameter, "fc1.weight"> parameter[4096] : memref<512x784xf32>
    ```
  }];
  let arguments = (ins Rt_BindingAttr:$binding, Rt_Arena:$arena, I64Attr:$offset,
                       TypeAttrOf<AnyMemRef>:$type);
  let assemblyFormat = "$binding $arena `[` $offset `]` attr-dict `:` $type";
  let hasVerifier = 1;
}

#endif // BOOSTC_RT_SLOT
