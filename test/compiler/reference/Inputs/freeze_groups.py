#!/usr/bin/env python3
"""Prints a module that holds train.freeze_group to MindSpore's schedule.

The expected groups are those of the loop that defines the interleaved schedule, in doubles,
and of Philox4x32-10, written here again. The masks of docs/boosts.md are checked, too.
"""

import sys

MASK32 = 0xFFFFFFFF


def philox_word(seed, stream, counter):
    c = [counter & MASK32, counter >> 32, stream & MASK32, stream >> 32]
    k = [seed & MASK32, seed >> 32]
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & MASK32, (p0 >> 32) ^ c[3] ^ k[1], p0 & MASK32]
        k = [(k[0] + 0x9E3779B9) & MASK32, (k[1] + 0xBB67AE85) & MASK32]
    return c[0]


def stream_of(name):
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def schedule(groups, share, seed, length):
    """The group of each of `length` steps."""
    found, zero, frozen = [0], 1, 0
    while len(found) < length:
        if frozen / (zero + frozen) < 1 - share:
            frozen += 1
            word = philox_word(seed, stream_of("grad_freeze"), len(found))
            drawn, group = word * (groups * (groups - 1) // 2) >> 32, 1
            while drawn >= groups - group:
                drawn, group = drawn - (groups - group), group + 1
            found.append(group)
        else:
            zero += 1
            found.append(0)
    return found


def main():
    mask = "".join("F" if group else "0" for group in schedule(10, 0.7, 1, 24))
    if mask != "0F00F00F00F000F00F00F000":
        sys.exit(f"unexpected mask {mask}")
    long = schedule(10, 0.7, 1, 66191)
    shares = [long.count(k) / sum(group > 0 for group in long) for k in range(1, 10)]
    if abs(sum(group > 0 for group in long) / len(long) - 0.3) > 2e-5 or \
            max(abs(share - (10 - k) / 45) for k, share in enumerate(shares, 1)) > 0.01:
        sys.exit(f"unexpected shares {shares}")

    print('train.program @frozen batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {')
    print("func.func @main() {")
    number = 0
    for groups, share, seed, length, steps in (
            (10, 0.7, 1, 0, (*range(1, 60), 1000, 66190)), (2, 0.5, 7, 0, range(1, 20)),
            (3, 0.1, 2**40 + 3, 0, range(1, 40)), (54, 0.999, 5, 0, (1, 2, 3, 1001, 1002, 2001)),
            (7, 0.0, 1, 0, range(1, 12)), (7, 1.0, 1, 0, range(1, 5)),
            (5, 1 / 3, 9, 11, range(1, 40)), (256, 0.25, 9, 0, range(1, 30)),
            (4, 1 - 2**-30, 2, 0, range(1, 6))):
        expected = schedule(groups, share, seed, min(length or max(steps), max(steps)))
        for step in steps:
            index = (step - 1) % length if length else step - 1
            print(f"""  %s{number} = arith.constant dense<{step}> : tensor<i64>
  %k{number} = train.freeze_group %s{number} groups {groups} full_share {share!r} length {length} seed {seed}
  %e{number} = arith.constant dense<{expected[index]}> : tensor<i32>
  check.expect_eq %k{number}, %e{number} : tensor<i32>""")
            number += 1
    print("  return\n}\n}")


if __name__ == "__main__":
    main()
