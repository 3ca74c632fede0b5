// EqualUnits.h - units of a kernel that do the same with other buffers.
//
// The update of all parameters is one kernel: parameters share its code, which
// chooses their buffers by the number of the block. Where the update is flat
// (FlatNest.h), they may have any shapes, else equal ones. Code is smaller by
// the number of equal units, and so is the time to compile it.
#pragma once

#include "compiler/lowering/cuda/DeviceSchedule.h"

namespace boostc {

/// Whether two units may be equal: those that are not mostly differ in this.
bool areAlike(const DeviceUnit &a, const DeviceUnit &b);

/// Units with equal code, which the first one's is emitted for.
using EqualUnits = llvm::SmallVector<const DeviceUnit *>;

/// The units of `kernel`, sorted by the first that each is equal to. `buffers`
/// maps what they read and write.
std::vector<EqualUnits> findEqualUnits(const DeviceKernel &kernel,
                                       mlir::Location loc,
                                       mlir::IRMapping &buffers);

/// Has `buffers` map what the first of `units` reads and writes to what that of
/// block `block` of all their blocks does, as long as it lives: other units may
/// read the same.
class UnitChoice {
public:
  UnitChoice(mlir::OpBuilder &builder, mlir::Location loc,
             const EqualUnits &units, mlir::Value block,
             mlir::IRMapping &buffers);
  ~UnitChoice() { buffers.map(chosen, before); }
  UnitChoice(const UnitChoice &) = delete;
  UnitChoice &operator=(const UnitChoice &) = delete;

  mlir::Value getOwnBlock() const { return ownBlock; } ///< of the unit's
  /// Tiles of the unit, where units differ in this; else null.
  mlir::Value getItems() const { return items; }

private:
  mlir::IRMapping &buffers;
  mlir::Value ownBlock, items;
  llvm::SmallVector<mlir::Value> chosen, before; ///< of the first unit
};

} // namespace boostc
