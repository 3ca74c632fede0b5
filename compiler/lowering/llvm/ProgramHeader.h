// ProgramHeader.h - what the descriptor says about a whole program and about
// its collectives: for the descriptor, and for reports on a program that is not
// compiled to its end.
#pragma once

#include "dialects/train/TrainDialect.h"
#include "runtime/abi/boost_abi.h"
#include <optional>

namespace boostc {

/// The sizes of the arenas, from the slots of `program`. TRANSIENT stays 0:
/// targets differ in it.
void describeArenas(train::ProgramOp program, BoostProgram &header);

/// How ranks are combined, where Adasum is on.
void describeAdasum(train::ProgramOp program, BoostProgram &header);

/// `op` without its operands and its location.
BoostCollective describeCollective(rt::CollectiveOp op);

/// An operand of `type` that serves no parameter.
BoostCollectiveOperand describeOperand(mlir::ShapedType type, int32_t group);

/// The BoostDType of elements of `type`; nothing where the ABI has none.
std::optional<BoostDType> describeElements(mlir::Type type);

} // namespace boostc
