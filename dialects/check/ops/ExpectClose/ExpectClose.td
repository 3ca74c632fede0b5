#ifndef BOOSTC_CHECK_EXPECT_CLOSE
#define BOOSTC_CHECK_EXPECT_CLOSE

include "dialects/check/CheckBase.td"

def Check_ExpectCloseOp : Check_Op<"expect_close", [SameTypeOperands]> {
  let summary = "two tensors agree within a tolerance";
  let description = [{
    Fails unless `|actual - expected| <= atol + rtol * |expected|` for every element; a
    NaN agrees with nothing.

    Example:
    ```mlir
    check.expect_close %actual, %expected atol 1.0e-12 rtol 1.0e-9 : tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$actual, AnyRankedTensor:$expected,
                       F64Attr:$atol, F64Attr:$rtol);
  let assemblyFormat = [{
    $actual `,` $expected `atol` $atol `rtol` $rtol attr-dict `:` type($actual)
  }];
}

#endif // BOOSTC_CHECK_EXPECT_CLOSE
