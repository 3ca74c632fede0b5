// TrainDialect.h - the dialect of what one training step does; see
// TrainBase.td.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "dialects/rt/RtDialect.h"
#include "dialects/train/RuleLowering.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "runtime/abi/boost_abi.h"

#include "dialects/train/TrainDialect.h.inc"
#include "dialects/train/TrainEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/train/TrainAttrs.h.inc"

namespace boostc::train {

/// A part of a step: `micro` for each micro-batch, `combine` to add what they
/// leave, then `ending`.
struct StepPhase {
  mlir::func::FuncOp micro; ///< null: only `ending`, on the sums there are
  mlir::func::FuncOp combine;
  mlir::func::FuncOp ending; ///< a probe, or the update of the last phase
  bool repeats = false;
};

/// One kind of step; see train.variant.
struct StepVariant {
  llvm::StringRef name;
  mlir::func::FuncOp micro, combine, update; ///< of the last phase
  mlir::Operation *op = nullptr; ///< null: the program has this one only
  llvm::SmallVector<StepPhase> probes = {}; ///< the phases before the last

  /// All of them, the last one included.
  llvm::SmallVector<StepPhase> getPhases() const;
};

/// A function that a program is to have.
struct ProgramFunction {
  BoostFunctionRole role;
  llvm::StringRef part;        ///< the role's name: "init", "micro", ...
  mlir::func::FuncOp function; ///< null: it does not have it
  mlir::Operation *user;       ///< the program, or the op that names it
};

/// `%count`, a number of samples, or `weight %sum`, a sum of their weights.
mlir::ParseResult parseDivisor(mlir::OpAsmParser &parser,
                               mlir::OpAsmParser::UnresolvedOperand &divisor,
                               mlir::Type &type);
void printDivisor(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  mlir::Value divisor, mlir::Type type);

} // namespace boostc::train

#define GET_OP_CLASSES
#include "dialects/train/TrainOps.h.inc"

namespace boostc::train {

/// Names of a program's functions; of those of a step where it has one variant,
/// which is called kStep.
constexpr llvm::StringLiteral kStep = "step";
constexpr llvm::StringLiteral kForward = "forward";
constexpr llvm::StringLiteral kInference = "inference";
constexpr llvm::StringLiteral kMicro = "micro";
constexpr llvm::StringLiteral kCombine = "combine";
constexpr llvm::StringLiteral kUpdate = "update";
constexpr llvm::StringLiteral kProbe = "probe";
constexpr llvm::StringLiteral kEval = "eval";
/// Names of the states of a dynamic loss scale: it, and the steps since it has
/// changed.
constexpr llvm::StringLiteral kLossScale = "loss_scale";
constexpr llvm::StringLiteral kLossScaleSteps = "loss_scale.steps";
constexpr llvm::StringLiteral kInit = "init";
constexpr llvm::StringLiteral kSelect = "select";
/// Names of the attributes of a program that hold an AveragingAttr and an
/// AdasumAttr.
constexpr llvm::StringLiteral kAveragingAttrName = "train.averaging";
constexpr llvm::StringLiteral kAdasumAttrName = "train.adasum";
/// The same for an AmpAttr; a program without it computes in f32.
constexpr llvm::StringLiteral kAmpAttrName = "train.amp";
/// The same for an EmaAttr; a program without it averages no weights.
constexpr llvm::StringLiteral kEmaAttrName = "train.ema";
/// Names of the attributes, of no value, of a program whose blocks are to have
/// fewer batch norms, and whose weights' gradients are to be centralised.
constexpr llvm::StringLiteral kLessBatchNormsAttrName =
    "train.less_batch_norms";
constexpr llvm::StringLiteral kCentralizeGradientsAttrName =
    "train.centralize_gradients";
/// Name of the attribute that holds a FreezeAttr; a program without it trains
/// all parameters in all steps.
constexpr llvm::StringLiteral kFreezeAttrName = "train.freeze";
/// Name of the attribute that holds a LossScaleGroupsAttr; a program without it
/// has one loss scale, or none.
constexpr llvm::StringLiteral kLossScaleGroupsAttrName =
    "train.loss_scale_groups";
/// The most groups of parameters with loss scales of their own, and the range
/// of a scale.
constexpr int64_t kMaxLossScaleGroups = 32;
constexpr double kMinGroupScale = 1.0, kMaxGroupScale = 0x1p24;
/// The most groups that layers are frozen in.
constexpr int64_t kMaxFreezeGroups = 256;
/// Name of the attribute that holds a SubspaceAttr; a program without it steps
/// as its optimizer says.
constexpr llvm::StringLiteral kSubspaceAttrName = "train.subspace";
/// Its components, at most.
constexpr int64_t kMaxComponents = 4096;
/// Name of the attribute of a program that holds the fewest real samples of a
/// micro-batch through which a gradient passes, where that is not 1.
constexpr llvm::StringLiteral kMinSamplesAttrName = "train.min_samples";
/// Name of the input that holds the samples' keys.
constexpr llvm::StringLiteral kSampleKey = "sample_key";

} // namespace boostc::train
