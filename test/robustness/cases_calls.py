"""Calls of the system that fail where no file system and no limit makes them: see test/e2e/faults/FailCalls.c."""

import errno

from harness import Case

TWO_RANKS = "boost-run b.so --ranks 2"
PREDICT = "boost-run info b.so --ranks 2"


def failing(call, command, code, *says, below="", name="", at=1):
    settings = f"FAIL_KIND={call} FAIL_AT={at} FAIL_ON=1 FAIL_ERRNO={errno.EMFILE}" + (
        f" FAIL_BELOW={below}" if below else "")
    return Case(f"call-{call}{name}", f"{settings} LD_PRELOAD=$FAIL_CALLS {command}", code, says=says,
                needs=("failing calls",), never=(r"Starting Training",))


CASES = [
    failing("getrandom", TWO_RANKS, 70, r"error: cannot draw a random token: Too many open files"),
    failing("signalfd", TWO_RANKS, 70, r"error: cannot watch signals: Too many open files"),
    failing("pipe2", TWO_RANKS, 2, r"error: cannot make a pipe: Too many open files; raise the limit on open files \(ulimit -n\)"),
    failing("open", TWO_RANKS, 2, r"error: cannot open /dev/null: Too many open files; raise the limit on open files \(ulimit -n\)",
            below="/dev/null"),
    failing("realpath", "boost-run b.so", 1, r"error: 'b\.so' cannot be resolved: Too many open files"),
    failing("memfd_create", "boostc m.json --target=cpu -o x.so", 2, r"cannot link the program: cannot create a "
            r"file in memory: Too many open files; raise the limit on open files", name="-link"),
    failing("memfd_create", "boostc m.json --target=cpu --tune t.json -o x.so", 2, r"m\.json:1\d:\d+: error: cannot "
            r"measure candidate 0: cannot create a file in memory: Too many open files", name="-measure", at=2),
    failing("memfd_create", PREDICT, 2, r"cannot make a file in memory: Too many open files; raise the limit on open files \(ulimit -n\)",
            name="-ranks"),
    failing("pread", PREDICT, 2, r"cannot read what a rank has written: Too many open files"),
]
