#ifndef BOOSTC_CHECK_BASE
#define BOOSTC_CHECK_BASE

include "mlir/IR/OpBase.td"
include "dialects/interfaces/ReferenceOpInterface.td"

def Check_Dialect : Dialect {
  let name = "check";
  let summary = "Expected values inside IR that is run";
  let description = [{
    Tests only: the interpreter evaluates these ops and reports, at their position, what
    it found and what was expected.
  }];
  let cppNamespace = "::boostc::check";
}

class Check_Op<string mnemonic, list<Trait> traits = []>
    : Op<Check_Dialect, mnemonic, !listconcat([
        DeclareOpInterfaceMethods<ReferenceOpInterface>], traits)>;

#endif // BOOSTC_CHECK_BASE
