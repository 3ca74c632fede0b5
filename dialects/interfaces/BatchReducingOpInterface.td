#ifndef BOOSTC_INTERFACES_BATCH_REDUCING
#define BOOSTC_INTERFACES_BATCH_REDUCING

include "mlir/IR/OpBase.td"

def BatchReducingOpInterface : OpInterface<"BatchReducingOpInterface"> {
  let description = [{
    An op that reduces over the batch (dimension 0). A short tail of a data set is
    padded to the static batch size; only the first `valid` samples count. The phase
    verifier checks that `valid` is the function's own argument of that role.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<"The number of real samples, tensor<i32>.",
      "::mlir::Value", "getValid", (ins)>,
    InterfaceMethod<[{
        The fewest real samples through which a gradient passes: 1, or 2 for an op that
        takes the mean away of one value in each sample.
      }],
      "int64_t", "getMinSamples", (ins), "", "return 1;">,
  ];
}

#endif // BOOSTC_INTERFACES_BATCH_REDUCING
