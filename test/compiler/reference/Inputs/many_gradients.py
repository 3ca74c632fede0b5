#!/usr/bin/env python3
"""IR that commits a step of 140 gradients, once with each of some that is not finite."""

VECTORS, MATRICES = 70, 70
BAD = [None, 0, 63, 64, 69, 70, 133, 134, 139]


def main():
    types = ["tensor<2xf32>"] * VECTORS + ["tensor<2x3xf32>"] * MATRICES
    print('train.program @many batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {')
    print("  func.func @main() {")
    print("    %four = arith.constant dense<4> : tensor<i64>")
    for flag in (0, 1):
        print(f"    %flag{flag} = arith.constant dense<{flag}> : tensor<i32>")
    print("    %bad0 = arith.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>")
    print("    %bad1 = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 0xFF800000, 6.0]]> "
          ": tensor<2x3xf32>")
    for number, kind in enumerate(types):
        print(f"    %g{number} = arith.constant dense<{number + 1}.0> : {kind}")
    for bad in BAD:
        values = [f"%g{number}" for number in range(len(types))]
        if bad is not None:
            values[bad] = f"%bad{int(bad >= VECTORS)}"
        name = "none" if bad is None else bad
        print(f"    %a{name}, %f{name} = train.commit count(%four) after(%flag0) "
              f"finite({', '.join(values)} : {', '.join(types)}) on_nonfinite fail")
        print(f"    check.expect_eq %a{name}, %flag{int(bad is None)} : tensor<i32>")
    print("    return\n  }\n}")


if __name__ == "__main__":
    main()
