#ifndef BOOSTC_TRAIN_PROGRAM
#define BOOSTC_TRAIN_PROGRAM

include "dialects/train/TrainBase.td"

def Train_ProgramOp : Train_Op<"program", [
    IsolatedFromAbove, SymbolTable, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "a model with its training recipe";
  let description = [{
    Everything one compilation makes a train.so of. `recipe` is the resolved recipe as
    JSON text for the runtime (data source, transforms, epochs); no pass reads it.
    `recipe_hash` is the sha256 of the part of it that a checkpoint depends on.

    Constraints:
    * (program_c1) batch size and micro-batches are 1 to 2^24, epochs 1 or more.

    Example:
    ```mlir
    train.program @mlp batch_size(32) micro_batches(1) epochs(10) seed(1) recipe("{}") {
      train.parameter @fc1.weight weight <uniform, -0.5, 0.5>
          : tensor<512x784xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$batch_size,
                       I64Attr:$micro_batches, I64Attr:$epochs, I64Attr:$seed,
                       StrAttr:$recipe, DefaultValuedStrAttr<StrAttr, "">:$recipe_hash);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `batch_size` `(` $batch_size `)` `micro_batches` `(` $micro_batches `)`
    `epochs` `(` $epochs `)` `seed` `(` $seed `)`
    `recipe` `(` $recipe (`,` $recipe_hash^)? `)` attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The function of this name, null when the program has none.
    ::mlir::func::FuncOp getFunction(::llvm::StringRef name);
    /// The kinds of step, in the order in which they are asked for a step; functions that
    /// the program does not have yet are null.
    ::llvm::SmallVector<StepVariant> getVariants();
    /// The one that a step of the run is, counted from 1. `choice` is what the selector has
    /// returned for the step; without one, a step that no variant lists is usual.
    StepVariant getVariantAt(int64_t step, ::std::optional<int64_t> choice = {});
    /// The op that chooses among them; null: none does.
    SelectorOp getSelector();
    /// What it is to have: init, then micro, combine and probe or update of the phases of
    /// each variant, then eval, then select. No combine where micro-batches add to one
    /// gradient set.
    ::llvm::SmallVector<ProgramFunction> getFunctions();
    /// The functions of one part of a step in all phases of all variants, each once.
    ::llvm::SmallVector<::mlir::func::FuncOp> getMicros();
    ::llvm::SmallVector<::mlir::func::FuncOp> getUpdates();
    /// The functions that ops differentiate (`train.value_and_grad`), and these with those
    /// that are only evaluated (`train.evaluate`): each once.
    ::llvm::SmallVector<::mlir::func::FuncOp> getDifferentiated();
    ::llvm::SmallVector<::mlir::func::FuncOp> getCallees();
    /// What ends a phase: probes and updates, in the order in which getFunctions() has them.
    ::llvm::SmallVector<::mlir::func::FuncOp> getEndings();
    /// Whether micro-batches add to one gradient set (`rt.reproducible` off), and
    /// none are to be combined.
    bool accumulatesInPlace();
  }];
}

#endif // BOOSTC_TRAIN_PROGRAM
