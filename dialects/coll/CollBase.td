#ifndef BOOST_COLL_BASE
#define BOOST_COLL_BASE

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
    Collectives of a training step, on values. They stand in `@update`, in front of
    `train.update`, once for each optimizer step whatever the number of micro-batches;
    buckets and their order are explicit. The number of ranks is known when a program
    runs: of one rank every collective leaves its operands as they are, as the
    interpreter does, and the same program serves any number. In phase `linalg` each
    becomes an `rt.collective`.

    The dialect has the ops that a pass emits and the runtime executes. Reductions to parts
    (reduce_scatter, all_gather, all_to_all) and messages are steps of the runtime's
    algorithms, which it chooses by the number of ranks; no op stands for them.
  }];
  let cppNamespace = "::boostc::coll";
  let dependentDialects = ["::boostc::rt::RtDialect"];
}

class Coll_Op<string mnemonic, list<Trait> traits = []>
    : Op<Coll_Dialect, mnemonic, !listconcat([
        Pure, InferTypeOpAdaptor, CollectiveOpInterface,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>,
        DeclareOpInterfaceMethods<LowerToLinalgOpInterface>,
        DeclareOpInterfaceMethods<ReferenceOpInterface>], traits)>;

#endif // BOOST_COLL_BASE
