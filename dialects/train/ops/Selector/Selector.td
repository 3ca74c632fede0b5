#ifndef BOOSTC_TRAIN_SELECTOR
#define BOOSTC_TRAIN_SELECTOR

include "dialects/train/TrainBase.td"

def Train_SelectorOp : Train_Op<"selector", [
    HasParent<"ProgramOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "chooses the variant of a step from states";
  let description = [{
    Names a function of the program and the variants that it chooses from. Its arguments are
    the number of a step (from 1), the last step of the run, and states; its result is an
    index into `variants`. A step is of the first variant that lists it, as without a
    selector; each other step is of the variant at the index, or of the last variant of the
    program where the index is outside the list.

    The variant of step s is chosen from the states as they are after step s - `lag`, those
    that init leaves where s <= lag. With a lag of 2 the host reads the choice with the
    results of the step before and never waits for it; with a lag of 1 it waits for the end
    of a step before it begins the next. The states belong to no parameter, so all ranks
    have the same ones and choose the same variant. A checkpoint has the choices that are
    made already, so a resumed run takes the same variants.

    Constraints:
    * (selector_c1) a program has one at most.
    * (selector_c2) the function is one of the program and not part of a variant.
    * (selector_c3) the variants are one or more variants of the program.
    * (selector_c4) the lag is 1 or 2.
    * (selector_c5) up to phase `linalg`: the function takes `#rt.binding<step>` and
      `#rt.binding<run_length>`, of `tensor<i64>`, once each, and otherwise states without a
      parameter. It returns `#rt.binding<choice>`, of `tensor<i32>`, alone.

    Example:
    ```mlir
    train.state @controller.steps "steps" : tensor<i64>
    train.variant @exact micro(@micro_exact) update(@update_exact)
    train.variant @cheap micro(@micro) update(@update)
    train.selector @select variants [@cheap, @exact] lag 1
    func.func @select(
        %step: tensor<i64> {rt.binding = #rt.binding<step>},
        %last: tensor<i64> {rt.binding = #rt.binding<run_length>},
        %applied: tensor<i64> {rt.binding = #rt.binding<state, "controller.steps">})
        -> (tensor<i32> {rt.binding = #rt.binding<choice>}) {
      %one = arith.constant dense<1> : tensor<i64>
      %odd = arith.andi %applied, %one : tensor<i64>
      %choice = arith.trunci %odd : tensor<i64> to tensor<i32>
      return %choice : tensor<i32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$function, FlatSymbolRefArrayAttr:$variants,
                       DefaultValuedAttr<I64Attr, "2">:$lag);
  let assemblyFormat = "$function `variants` $variants (`lag` $lag^)? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Name of the variant that a choice of `index` means; one of the list.
    ::llvm::StringRef getVariantName(int64_t index);
    /// Whether `variant` is in the list.
    bool names(VariantOp variant);
    /// (selector_c5); the function exists.
    ::llvm::LogicalResult verifyBindings();
  }];
}

#endif // BOOSTC_TRAIN_SELECTOR
