#ifndef BOOSTC_CHECK_EXPECT_EQ
#define BOOSTC_CHECK_EXPECT_EQ

include "dialects/check/CheckBase.td"

def Check_ExpectEqOp : Check_Op<"expect_eq", [SameTypeOperands]> {
  let summary = "two tensors are equal";
  let description = [{
    Fails unless every element of `actual` equals that of `expected`.

    Example:
    ```mlir
    check.expect_eq %actual, %expected : tensor<4xi64>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$actual, AnyRankedTensor:$expected);
  let assemblyFormat = "$actual `,` $expected attr-dict `:` type($actual)";
}

#endif // BOOSTC_CHECK_EXPECT_EQ
