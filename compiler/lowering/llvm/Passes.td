#ifndef BOOSTC_LOWERING_LLVM_PASSES
#define BOOSTC_LOWERING_LLVM_PASSES

include "mlir/Pass/PassBase.td"

def LowerToLLVMPass : Pass<"boostc-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "turns a program in phase rt into LLVM functions and its descriptor";
  let description = [{
    Kernels become functions on bare pointers, host functions become calls through the
    table of BoostEnv, equal ones a function of their own, and the program's declarations become the constant descriptor that
    `boost_program_query` returns: the pass fills the structs of runtime/abi/boost_abi.h
    and writes their bytes.

    Before:
    ```mlir
    train.program @mlp ... { ... func.func @micro() { ... rt.launch @micro_kernel_0(...) ... } }
    ```
    After:
    ```mlir
    llvm.func internal @boost.micro(%env: !llvm.ptr, %arenas: !llvm.ptr) -> i32 { ... }
    llvm.func internal @micro_kernel_0(%begin: i64, %end: i64, ...) { ... }
    llvm.mlir.global internal constant @boost.descriptor() : ... { ... }
    llvm.func @boost_program_query(%max_version: i32) -> !llvm.ptr { ... }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // BOOSTC_LOWERING_LLVM_PASSES
