#ifndef BOOSTC_CHECK_EXPECT_FINITE
#define BOOSTC_CHECK_EXPECT_FINITE

include "dialects/check/CheckBase.td"

def Check_ExpectFiniteOp : Check_Op<"expect_finite"> {
  let summary = "a tensor has no NaN and no infinity";
  let description = [{
    Fails at the first element that is not finite.

    Example:
    ```mlir
    check.expect_finite %actual : tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$actual);
  let assemblyFormat = "$actual attr-dict `:` type($actual)";
}

#endif // BOOSTC_CHECK_EXPECT_FINITE
