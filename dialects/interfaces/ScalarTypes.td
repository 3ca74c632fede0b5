#ifndef BOOSTC_INTERFACES_SCALAR_TYPES
#define BOOSTC_INTERFACES_SCALAR_TYPES

include "mlir/IR/OpBase.td"

// Tensors of rank 0. They have exactly one type each, so assembly formats leave it out.
class Boost_Scalar<Type element, string get>
    : Type<TensorRankOf<[element], [0]>.predicate, "scalar tensor of " # element.summary,
           "::mlir::RankedTensorType">,
      BuildableType<"::mlir::RankedTensorType::get({}, $_builder." # get # "())">;

#endif // BOOSTC_INTERFACES_SCALAR_TYPES
