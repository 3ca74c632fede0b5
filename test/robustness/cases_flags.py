"""Flags: values that mean nothing, flags without effect, flags of other programs."""

import pathlib

from harness import Case


def size(name, flag, value):
    # A leading sign would be a flag of its own: it is given with an equals sign.
    return Case(f"size-{flag.strip('-')}-{name}", f"boostc m.json {flag}='{value}' -o x.so", 2,
                says=(flag, value.replace(".", r"\."), r"KiB"),
                never=(r"UINT", r"could not be converted", r"\bEB\b", r"not in range"))


def refused(name, command, code, *says, **more):
    return Case(name, command, code, says=says, **more)


CASES = [
    *[size(name, flag, value) for flag in ("--memory-budget", "--bucket-size")
      for name, value in (("negative", "-5"), ("too-large", "99999999999999999999"),
                          ("words", "lots"), ("empty-unit", "5 QiB"))],
    Case("size-with-a-fraction", "boostc m.json --memory-budget 1.5MiB -o x.so", 0, makes=("x.so",)),

    refused("boost-level-3", "boostc m.json -O3 -o x.so", 2, r"-O", r"\b3\b", r"0, 1 or 2|0 to 2",
            r"optimi[sz]ation level|always optimi[sz]ed", never=(r"not in range",)),
    refused("boost-level-fast", "boostc m.json -Ofast -o x.so", 2, r"-O", r"fast", r"0, 1 or 2|0 to 2",
            r"optimi[sz]ation level|always optimi[sz]ed", never=(r"UINT",)),
    refused("empty-target", "boostc --target= m.json -o x.so", 2, r"--target", r"empty|''",
            r"cpu", never=(r"'m\.json'",)),
    refused("ptxas-that-is-not-there", "boostc m.json --target=cuda --ptxas /nonexistent -o x.so", 2,
            r"--ptxas", r"/nonexistent", r"[Nn]o such file"),
    refused("ir-expected", "boostc --compile-from linalg m.json -o x.so", 1, r"m\.json:\d+:\d+: error",
            r"--compile-from", r"model|JSON"),
    refused("program-as-model", "boostc b.so", 1, r"b\.so", r"boost-run", never=(r"\x7f", r"\\x7f")),
    refused("model-as-program", "boost-run m.json", 1, r"m\.json", r"boostc"),
    refused("accumulation-of-one", "boostc m.json --boost grad_accumulation=true -o x.so", 0,
            r"grad_accumulation", r"grad_accumulation_step", makes=("x.so",)),

    Case("flag-without-effect", "boostc m.json --cuda-library always --emit asm -o x.s", 0, makes=("x.s",),
         says=(r"warning: --cuda-library has no effect: --emit=asm is the code for CPUs",)),

    # Flags of checkpoints without a place for them.
    *[refused(f"no-checkpoint-dir-{flag.strip('-')}", f"boost-run b.so {flag} {value}", 2, flag,
              r"--checkpoint-dir", never=(r"Starting Training",))
      for flag, value in (("--checkpoint-every", "5"), ("--checkpoint-prefix", "x"), ("--keep-max", "3"))],

    refused("checkpoint-prefix-with-a-slash", "boost-run b.so --checkpoint-dir new --checkpoint-prefix a/b", 2,
            r"--checkpoint-prefix must be a name without '/'", r"--checkpoint-dir"),
    refused("checkpoint-prefix-with-a-blank", "boost-run b.so --checkpoint-dir new --checkpoint-prefix 'a b'", 2,
            r"--checkpoint-prefix 'a b': expected letters, digits, '_', '-' and '\.', at most 100, not starting with"),

    # What belongs to the recipe is set when compiling.
    *[refused(f"recipe-flag-{flag.strip('-')}", f"boost-run b.so {flag} 1", 2, flag, r"boostc[^\n]*--set", key)
      for flag, key in (("--lr", r"optimizer\.learning_rate"), ("--batch-size", r"batch_size"))],
    *[refused(f"launcher-flag-{flag.strip('-')}", f"boost-run b.so {flag} 2", 2, flag, r"--ranks")
      for flag in ("--gpus", "--nproc_per_node")],
    refused("no-such-command-train", "boost-run train b.so", 2, r"'train'", r"boost-run b\.so|boost-run PROGRAM"),
    refused("no-such-command-help", "boostc help", 2, r"'help'", r"--help"),
    refused("quiet", "boost-run b.so --quiet", 2, r"--quiet", r"--progress", never=(r"'--init'",)),

    *[refused(f"data-flag-{name}", f"boost-run b.so --data {value}", code, r"--data", *says)
      for name, value, code, says in (
          ("folder", "ck", 2, (r"'ck'", r"mnist:")),
          ("scheme", "imagenet:ck", 2, (r"imagenet", r"mnist")),
          ("option", "digits:train=many", 2, (r"many", r"expected")),
          ("case", "MNIST:ck", 2, (r"MNIST", r"did you mean 'mnist|mnist:")))],
    refused("boost-config-in-help", "boostc --help", 0, r"boost-config"
            r"[^-]*(merge|over the model|key by key)", never=(r"in place of the model",)),
]

# With AVX2 oneDNN plans no memory that depends on the number of threads.
if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"):
    CASES.append(refused(
        "more-threads-than-planned", "boost-run b.so --threads 64", 2, r"--threads", r"64",
        r"--threads 1|compile|rebuild",
        setup="boostc m.json --target=cpu --threads 1 --set layers.1.units=512 --set batch_size=512 "
              "-o b.so"))
