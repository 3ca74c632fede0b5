"""Where programs write: full disks, limits, devices, links, names, closed streams."""

from harness import Case

DISK = "mkdir disk; mount -t tmpfs -o size=64k case disk\n"
# What stays of a small disk when everything else on it is taken.
FILL = "head -c 1000000 /dev/zero > disk/filler 2>/dev/null || true\n"
FULL = r"No space left on device"
LIMIT = r"File too large; raise the limit on file sizes \(ulimit -f\) or choose another place"


def old(name):
    return f"echo old > {name}\n"


def full_disk(name, run, target, code, **more):
    """A disk with one good file, full; the file stays."""
    return Case(name, run, code, says=(rf"cannot \w+ '[^']*{target}[^']*'", FULL),
                setup=DISK + old(f"disk/{target}") + FILL, needs=("mounts",), **more)


def limited(name, run, target, code, **more):
    return Case(name, "ulimit -f 8; " + run, code,
                says=(rf"cannot \w+ '[^']*{target}[^']*'", LIMIT), **more)


BIG = """python3 - <<'X'
import json
m = json.load(open("m.json"))
m["layers"][1]["units"] = 256
json.dump(m, open("big.json", "w"))
X
boostc big.json --target=cpu --threads 1 -o big.so
"""

CASES = [
    full_disk("full-disk-program", "boostc m.json -o disk/x.so", "x.so", 2),
    full_disk("full-disk-llvm", "boostc m.json --emit llvm -o disk/x.ll", "x.ll", 2),
    Case("full-disk-tuning", "boostc m.json --target=cpu --tune disk/t.json -o x.so", 2, needs=("mounts",), slow=True,
         setup=DISK + """echo '{ "format": 1, "choices": [] }' > disk/t.json\n""" + FILL,
         says=(r"cannot \w+ 'disk/t\.json'", FULL)),
    full_disk("full-disk-weights", "boost-run b.so --save disk/w.st", "w.st", 6),
    full_disk("full-disk-metrics", "boost-run b.so --log-every 1 --metrics disk/x.jsonl", "x.jsonl", 2,
              changes=("disk/x.jsonl",)),
    Case("full-disk-checkpoint", "boost-run b.so --checkpoint-dir disk/new", 6, needs=("mounts",),
         setup=DISK + "mkdir disk/new\n" + FILL, says=(r"cannot \w+ '[^']*disk/new[^']*'", FULL),
         makes=("disk/new/.boost-run.lock",)),
    full_disk("full-disk-trace", "boost-run bench b.so --steps 2 --profile=disk/t.json", "t.json", 2),
    full_disk("full-disk-rank-table", "boost-run rank-table create --hosts 127.0.0.1 --devices 2 -o disk/t.json",
              "t.json", 2),

    Case("file-limit-program", "ulimit -f 8; boostc m.json --target=cpu -o x.so", 2, setup=old("x.so"),
         says=(r"cannot (write 'x\.so'|link the program: cannot create a file in memory): " + LIMIT,)),
    limited("file-limit-weights", "boost-run big.so --save x.st", "x.st", 6, setup=BIG + old("x.st")),
    limited("file-limit-checkpoint", "boost-run big.so --checkpoint-dir new", "new", 6, setup=BIG,
            makes=("new", "new/.boost-run.lock")),
    limited("file-limit-metrics", "boost-run b.so --log-every 1 --epochs 20 --metrics x.jsonl", "x.jsonl", 2,
            makes=("x.jsonl",)),

    # Notes that cannot be written end nothing.
    Case("stderr-closed", "boost-run b.so --save x.st 2>&-", 0, says=(r"result: ",), makes=("x.st",)),
    Case("stderr-full", "boost-run b.so --save x.st 2>/dev/full", 0, says=(r"result: ",), makes=("x.st",)),
    Case("stderr-closed-ranks", "boost-run b.so --ranks 2 --save x.st 2>&-", 0, says=(r"result: ",),
         makes=("x.st",)),
    Case("streams-on-a-full-disk", "boost-run b.so --save x.st >disk/log 2>&1; echo ended $?", 0,
         setup=DISK + FILL, says=(r"ended 2",), needs=("mounts",), makes=("x.st", "disk/log")),
    Case("streams-closed", "exec 9>&1; boost-run b.so --save x.st <&- >&- 2>&-; echo ended $? >&9", 0,
         says=(r"ended 2",), makes=("x.st",)),
    Case("log-dir-on-a-full-disk", "boost-run b.so --ranks 2 --log-dir disk/log --save x.st; echo ended $?", 0,
         setup=DISK + FILL, says=(r"cannot \w+ '[^']*disk/log[^']*'|ended 0",), needs=("mounts",),
         makes=("x.st", "disk/log")),

    # Results that cannot be written end every command alike.
    *[Case(f"stdout-full-{name}", f"{command} >/dev/full", 2,
           says=(r"^boost(c|-run): error: cannot write to standard output", FULL), makes=makes)
      for name, command, makes in (
          ("train", "boost-run b.so", ()),
          ("eval", "boost-run eval b.so --ckpt w.st", ()),
          ("doctor", "boost-run doctor", ()),
          ("ranks", "boost-run ranks --ranks 2", ()),
          ("rank-table", "boost-run rank-table create --hosts 127.0.0.1 --devices 2", ()),
          ("bench", "boost-run bench b.so --steps 5 --warmup 1", ()),
          ("info", "boost-run info b.so", ()),
          ("run-help", "boost-run --help", ()),
          ("summary", "boostc summary m.json", ()),
          ("help", "boostc --help", ()),
          ("version", "boostc --version", ()),
          ("ops", "boostc --print-ops", ()),
          ("program", "boostc m.json --emit llvm", ()))],

    # A device is written, never replaced.
    *[Case(f"device-{name}", f"{command}", code, says=says, setup="mknod -m 666 null c 1 3; mknod -m 666 full c 1 7",
           needs=("devices",))
      for name, command, code, says in (
          ("program-null", "boostc m.json -o null", 0, ()),
          ("program-full", "boostc m.json -o full", 2, (r"cannot write 'full'", FULL)),
          ("weights-null", "boost-run b.so --save null", 0, ()),
          ("weights-full", "boost-run b.so --save full", 6, (r"cannot \w+ 'full'", FULL)),
          ("rank-table-full", "boost-run rank-table create --hosts 127.0.0.1 --devices 2 -o full", 2,
           (r"cannot \w+ 'full'", FULL)))],
    Case("fifo-program", "cat pipe > /dev/null & boostc m.json -o pipe; code=$?; wait; exit $code", 0,
         setup="mkfifo pipe"),

    # An output that is an input.
    *[Case(f"output-is-input-{name}", command, 2, says=(r"'[^']*'.*(input|the (model|program)|reads|would be lost)",), setup=setup)
      for name, command, setup in (
          ("same", "boostc m.json -o m.json", ""),
          ("dotted", "boostc m.json -o ./m.json", ""),
          ("symlink", "boostc m.json -o link", "ln -s m.json link"),
          ("hard-link", "boostc m.json -o link.json", "ln m.json link.json"),
          ("boost-config", "boostc m.json --boost-config c.json -o c.json", "echo '{}' > c.json"),
          ("weights-are-the-program", "boost-run b.so --save b.so", ""))],

    *[Case(f"empty-name-{name}", command, 2, says=(r"(empty|needs the name|expected a (file|name|path|director))",),
           never=(r"Starting Training",))
      for name, command in (
          ("program", "boostc m.json -o ''"),
          ("weights", "boost-run b.so --save ''"),
          ("metrics", "boost-run b.so --metrics ''"),
          ("checkpoints", "boost-run b.so --checkpoint-dir ''"),
          ("logs", "boost-run b.so --ranks 2 --log-dir ''"),
          ("workdir", "boost-run b.so --workdir ''"),
          ("rank-table", "boost-run rank-table create --hosts 127.0.0.1 --devices 2 -o ''"))],

    Case("empty-name-tuning", "boostc m.json --tune '' -o x.so", 2, says=(r"--tune needs the name of a file",)),

    # The target of a link is replaced, and what may not be written is not.
    Case("link-stays", "boostc m.json -o link.so && cmp target.so b2.so; test -L link.so", 0,
         setup=old("target.so") + "ln -s target.so link.so; boostc m.json -o b2.so", changes=("target.so",)),
    Case("read-only-file", "boostc m.json -o x.so", 2, says=(r"cannot write '\S*x.so': [Pp]ermission denied",),
         setup=old("x.so") + "chmod 444 x.so; chmod 777 . tmp; chmod a+r m.json",
         needs=("ordinary",)),
    Case("mode-stays", "boostc m.json -o x.so && stat -c %a x.so", 0, says=(r"^640$",),
         setup=old("x.so") + "chmod 640 x.so", changes=("x.so",)),
    # boostc needs no temporary files, but for ptxas.
    Case("temporary-folder-missing", "TMPDIR=/nonexistent boostc m.json --target=cpu -o x.so", 0, makes=("x.so",),
         never=(r"error|warning",)),
    Case("temporary-folder-full", "TMPDIR=$PWD/disk boostc m.json --target=cpu -o x.so", 0, setup=DISK + FILL,
         makes=("x.so",), never=(r"error|warning",), needs=("mounts",)),
    *[Case(f"long-name-{length}", f"boost-run b.so --save $(printf 'a%.0s' {{1..{length}}})", code, says=says,
           makes=("aaa*",) if code == 0 else (), never=() if code == 0 else (r"Starting Training",))
      for length, code, says in ((250, 0, (r"result: ",)), (255, 0, (r"result: ",)),
                                 (300, 2, (r"cannot \w+ 'aaa", r"[Nn]ame (is )?too long")))],
    Case("tune-where-nothing-is-written", "boostc m.json --target=cpu --tune /proc/t.json -o x.so", 2,
         says=(r"cannot \w+ '/proc/t.json'",), atmost=10),
]
