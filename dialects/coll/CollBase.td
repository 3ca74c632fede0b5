#ifndef BOOSTC_COLL_BASE
#define BOOSTC_COLL_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/interfaces/CollectiveOpInterface.td"
include "dialects/interfaces/LowerToLinalgOpInterface.td"
include "dialects/interfaces/ReferenceOpInterface.td"
include "dialects/rt/RtEnums.td"

def Coll_Dialect : Dialect {
  let name = "coll";
  let summary = "What ranks exchange";
  let description = [{
    Collectives of a training step, on values. They are in `@update`, once for each
    optimizer step whatever the number of micro-batches; buckets and their order are
    explicit. In phase `linalg` each becomes an `rt.collective`.

    The number of ranks is known when a program runs, and the same program serves any
    number: with one rank every collective leaves its operands as they are. So shapes do not
    depend on ranks. A root is taken modulo n.

    Where ranks have slices, a result has the shape of its operand, and the n ranks of the
    group, numbered 0 to n - 1 in their order, divide its N rows into n consecutive *slices*;
    what has no dimensions is one row. Rank r has slice r: N / n rows, or one more. N mod n
    ranks have one more, those that follow the last one of the operand before, or rank 0, with
    rank 0 after the last rank. So no rank has more than one row more than another one, of all
    operands together, either.

    For every n and every operand, to the last bit, `all_gather(reduce_scatter(x))` is
    `all_reduce(x)`.

    Model files use `all_reduce` and `adasum`, and with THOR `reduce_scatter`, `own_slice` and
    `all_gather`, between which ranks share the inversions (`boostc-divide-inversions`). No
    pass makes `broadcast`: it is for steps written as text (`boostc --compile-from=step`).
  }];
  let cppNamespace = "::boostc::coll";
  let dependentDialects = ["::boostc::rt::RtDialect"];
}

/// `kind`: of rt::CollectiveKind. `parameters` and `format`: what the op has of its
/// own; `refine` puts it into the `form`.
class Coll_Op<string mnemonic, string kind, dag parameters = (ins),
              string format = "", string refine = "",
              list<Type> elements = [F32, I64]>
    : Op<Coll_Dialect, mnemonic, [
        Pure, InferTypeOpAdaptor,
        DeclareOpInterfaceMethods<CollectiveOpInterface, ["evaluateOnRanks"]>,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>,
        DeclareOpInterfaceMethods<LowerToLinalgOpInterface>,
        DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let arguments = !con((ins I32Attr:$index, Rt_RankGroup:$ranks,
                            FlatSymbolRefArrayAttr:$parameters),
                       parameters,
                       (ins Variadic<RankedTensorOf<elements>>:$operands));
  let results = (outs Variadic<RankedTensorOf<elements>>:$results);
  let assemblyFormat =
      "`index` `(` $index `)` `over` $ranks `parameters` $parameters " # format #
      " `(` ($operands^ `:` type($operands))? `)` attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = "::boostc::rt::CollectiveForm getForm();";
  let extraClassDefinition = [{
    ::boostc::rt::CollectiveForm $cppClass::getForm() {
      ::boostc::rt::CollectiveForm form(::boostc::rt::CollectiveKind::}] # kind # [{,
                                        getRanks(), getOperands().size());
      }] # refine # [{
      return form;
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location>, Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      ::llvm::append_range(inferred, adaptor.getOperands().getTypes());
      return ::mlir::success();
    }
    ::llvm::LogicalResult $cppClass::verify() {
      return ::boostc::rt::verifyForm(*this, getForm(), getOperands().size());
    }
    ::llvm::LogicalResult
    $cppClass::verifySymbolUses(::mlir::SymbolTableCollection &symbols) {
      return ::boostc::coll::verifyParameters(*this, symbols);
    }
    /// With one rank.
    ::llvm::LogicalResult $cppClass::evaluate(
        ::boostc::ReferenceContext &,
        ::llvm::ArrayRef<::boostc::ReferenceValue> operands,
        ::llvm::SmallVectorImpl<::boostc::ReferenceValue> &results) {
      ::llvm::append_range(results, operands);
      return ::mlir::success();
    }
    std::vector<::boostc::RankValues>
    $cppClass::evaluateOnRanks(::llvm::ArrayRef<::boostc::RankValues> operands) {
      return ::boostc::rt::evaluateOnRanks(getForm(), operands);
    }
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>
    $cppClass::lowerToLinalg(::mlir::OpBuilder &builder) {
      return ::boostc::coll::buildRtCollective(builder, *this, getForm());
    }
  }];
}

#endif // BOOSTC_COLL_BASE
