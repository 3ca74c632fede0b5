"""Wrong command lines and variables: values that a flag does not take, flags misspelt, settings that
contradict each other."""

import re
import shlex

from harness import Case

# Flag, what its values are, and values that are none. `\0` in the command is where the flag goes.
NUMBERS = ("-1", "many", "1.5x", "", "99999999999999999999999", "0x")
RUN = "boost-run b.so \0"
COMPILE = "boostc m.json --target=cpu -o x.so \0"
FLAGS = [
    # command, flag, wrong values
    (RUN, "--threads", NUMBERS + ("0", "4097")),
    (RUN, "--epochs", NUMBERS),
    (RUN, "--steps", NUMBERS),
    (RUN, "--seed", ("many", "", "1e3", "0x1g")),
    (RUN, "--eval-every", NUMBERS),
    (RUN + " --save x.st", "--save-best-from", NUMBERS),
    (RUN + " --checkpoint-dir new", "--checkpoint-every",
     ("-1", "never", "1.5", "epochs", "0epochs", "-2epochs", "2 epochs", "")),
    (RUN + " --workdir new", "--rank-checkpoints", ("all", "per-ranks", "Shared", "0")),
    (RUN + " --checkpoint-dir new", "--keep-max", NUMBERS + ("0",)),
    (RUN + " --checkpoint-dir new", "--checkpoint-prefix", ("a/b", ".hidden", "a b", "", "x" * 200)),
    (RUN, "--log-every", ("-1", "often", "1.5", "epochs", "")),
    (RUN, "--check-replicas", NUMBERS),
    (RUN, "--log-adasum", NUMBERS),
    (RUN, "--profile-steps", NUMBERS + ("0",)),
    (RUN, "--rank-deadline", ("-1", "soon", "", "0", "1e9", "nan", "inf")),
    (RUN, "--grace", ("-1", "soon", "", "1e9", "nan")),
    (RUN, "--device", ("gpu", "CPU", "cpu,cuda", "")),
    (RUN, "--gpu-library", ("yes", "cublas", "")),
    (RUN, "--shuffle", ("maybe", "yes please", "2")),
    (RUN, "--progress", ("bars", "verbose", "")),
    (RUN, "--comm", ("mpi", "tcp", "")),
    (RUN + " --checkpoint-dir ck", "--private-state", ("keep", "sum", "")),
    (RUN, "--ranks", NUMBERS + ("0", "65537")),
    (RUN + " --ranks 1 --master h", "--nnodes", ("-1", "many", "0", "")),
    (RUN + " --ranks 1 --nnodes 2 --master h", "--node-rank", ("-1", "first", "2", "")),
    (RUN + " --ranks 1 --nnodes 2 --node-rank 0", "--master",
     ("", ":", "host:port", "host:0", "host:65536", "a b", "host:12x", "[::1")),
    (RUN, "--data", ("digits:train=-1", "digits:train=1,train=2", "digits:train", "digits:size=3",
                     "digits:train=1;test=2", ":", "mnist", "")),
    (COMPILE, "--threads", NUMBERS + ("0",)),
    (COMPILE, "--codegen-opt", ("-1", "4", "fast", "")),
    (COMPILE, "--library", ("yes please", "oneDNN", "maybe")),
    (COMPILE, "--cuda-library", ("sometimes", "cudnn", "")),
    (COMPILE, "--winograd", ("on", "AUTO", "")),
    (COMPILE, "--cpu", ("x86-64-v5", "znver99", "arm", "")),
    (COMPILE, "--emit", ("objects", "LLVM", "exe", "")),
    (COMPILE, "--boost", ("adasum", "adasum=maybe", "=true", "adasun=true", "grad_accumulation=-1",
                          "mode=fast")),
    (COMPILE, "--set", ("batch_size", "=3", "batch_size=", "batch_size=-1", "batch_size=1.5", "batchsize=3",
                        "layers.9.units=3", "layers.1.units=none", "layers.x.units=1", "optimizer.type=sdg",
                        "loss.op=relu", "input.image.shape=28", "seed=-1", "epochs=true", "name=[1]",
                        "layers.1.unit=3", "train.gradients_mean=1", "..=1", "optimizer..type=sgd",
                        "data.source=3")),
    (COMPILE.replace("--target=cpu ", ""), "--target", ("gpu", "cpu,gpu", "cpu;cuda", "sm_90")),
    ("boostc --explain m.json \0", "--samples", NUMBERS),
    ("boostc --explain m.json \0", "--ranks", NUMBERS),
    ("boost-run bench b.so \0", "--steps", NUMBERS),
    ("boost-run bench b.so \0", "--warmup", NUMBERS),
    ("boost-run bench b.so \0", "--profile-steps", NUMBERS + ("0", "100001")),
    ("boost-run rank-table create --hosts 127.0.0.1 \0", "--devices", NUMBERS + ("0", "65537")),
    ("boost-run rank-table create --devices 1 \0", "--hosts", ("", ",", "a,,b", "a,a", "a b")),
]

MISSPELT = [
    ("boost-run b.so", ("--epoch", "--step", "--checkpoint", "--checkpointdir", "--resme", "--sav", "--metric",
                        "--device-name", "--rank", "--nnode", "--noderank", "--log-evry", "--no-evals")),
    ("boostc m.json", ("--thread", "--sett", "--boosts", "--emitt", "--compile-form", "--explian", "--targets",
                       "--memory", "--bucketsize", "--tunes", "--librery")),
    ("boost-run eval b.so", ("--chkpt", "--ckp", "--dat")),
    ("boost-run info b.so", ("--jsn", "--json-output")),
]

ALONE = [  # contradictions and things left out: command, code, what the answer names
    ("boost-run", 2, ("PROGRAM|program",)),
    ("boostc", 2, ("no input file", "--help")),
    ("boost-run eval b.so", 2, ("--ckpt",)),
    ("boost-run eval", 2, ("PROGRAM|program",)),
    ("boost-run info", 2, ("PROGRAM|program",)),
    ("boost-run bench", 2, ("PROGRAM|program",)),
    ("boost-run b.so c.so", 2, ("'c.so'",)),
    ("boost-run b.so --init w.st --resume ck/m-1_20.ckpt", 2,
     ("--resume PATH and --init exclude each other: the checkpoint brings its own weights",)),
    ("boost-run b.so --resume auto", 2, ("--resume auto", "--checkpoint-dir")),
    ("boost-run b.so --save-best x.st --no-eval", 2, ("--save-best", "--no-eval")),
    ("boost-run b.so --save-best-from 2", 2, ("--save-best-from", "--save-best")),
    ("boost-run b.so --nnodes 2", 2, ("--nnodes", "--ranks|--node-rank|--master")),
    ("boost-run b.so --node-rank 1", 2, ("--node-rank", "--nnodes")),
    ("boost-run b.so --master h:1", 2, ("--master", "--nnodes|--ranks|alone")),
    ("boost-run b.so --log-dir logs", 2, ("--log-dir", "--ranks|rank")),
    ("boost-run b.so --rank-table none.json", 1, ("none.json", "No such file")),
    ("boost-run b.so --rank-table ck", 1, ("'ck'", "directory")),
    ("boost-run b.so --token-file none", 2, ("none", "No such file")),
    ("boost-run none.so", 1, ("none.so", "No such file")),
    ("boost-run ck", 1, ("'ck' is a directory; boost-run takes the file that boostc writes",)),
    ("boost-run /dev/null", 1, ("/dev/null", "not a plain file")),
    ("boost-run b.so --init none.st", 6, ("none.st", "No such file")),
    ("boost-run b.so --init ck/m-1_20.ckpt/manifest.json", 6, ("manifest.json",)),
    ("boost-run eval b.so --ckpt none", 6, ("none", "No such file")),
    ("boost-run b.so --save nowhere/x.st", 6, ("nowhere", "No such file|not exist")),
    ("boost-run b.so --save ck", 2, ("'ck'", "directory")),
    ("boost-run b.so --metrics nowhere/x", 2, ("nowhere/x", "No such file")),
    ("boost-run b.so --metrics ck", 2, ("'ck'", "directory")),
    ("boost-run b.so --profile=ck", 2, ("'ck'", "directory")),
    ("boost-run bench b.so --profile=nowhere/t.json", 2, ("nowhere/t.json", "No such file")),
    ("boost-run bench b.so --profile=b.so", 2, ("--profile", "the program")),
    ("boost-run bench b.so --profile=", 2, ("--profile= names no file",)),
    ("boost-run b.so --checkpoint-dir w.st", 6, ("w.st", "directory")),
    ("boost-run b.so --workdir w.st", 2, ("w.st", "directory")),
    ("boost-run b.so --rank-checkpoints", 2, ("--rank-checkpoints needs --workdir",)),
    ("boost-run b.so --workdir new --rank-checkpoints --checkpoint-dir c", 2,
     ("--rank-checkpoints and --checkpoint-dir exclude each other",)),
    ("boost-run b.so --data npy:none", 3, ("none", "not found|[Nn]o such|does not exist")),
    ("boost-run b.so --data mnist:m.json", 3, ("m.json", "directory")),
    ("boostc none.json -o x.so", 1, ("none.json", "No such file")),
    ("boostc ck -o x.so", 1, ("ck", "directory")),
    ("boostc /dev/null -o x.so", 1, ("/dev/null", "empty|JSON")),
    ("boostc m.json m.json -o x.so", 2, ("'m.json'",)),
    ("boostc m.json -o nowhere/x.so", 2, ("nowhere/x.so", "No such file")),
    ("boostc m.json -o ck", 2, ("'ck'", "directory")),
    ("boostc m.json -o x.so --emit obj --compile-from so", 2, ("--compile-from",)),
    ("boostc m.json -o x.so --compile-from llvm --emit linalg", 2, ("--compile-from", "--emit")),
    ("boostc summary m.json --emit llvm", 2, ("summary",)),
    ("boostc summary m.json --explain", 2, ("summary",)),
    ("boostc --explain m.json --tune t.json", 2, ("--tune",)),
    ("boostc m.json --tune t.json --tuned t.json -o x.so", 2, ("--tune", "--tuned")),
    ("boostc m.json --tuned none.json -o x.so", 1, ("none.json", "No such file")),
    ("boostc m.json --boost-config none.json -o x.so", 1, ("none.json", "No such file")),
    ("boostc m.json --mlir-no-such-option -o x.so", 2, ("mlir-no-such-option",)),
    ("boostc m.json --emit llvm --memory-budget 1GiB --compile-from llvm", 2, ("--memory-budget",)),
    ("boost-run rank-table", 2, ("create", "merge")),
    ("boost-run rank-table make", 2, ("make", "create", "merge")),
    ("boost-run rank-table merge", 2, ("merge", "table")),
    ("boost-run rank-table merge a.json b.json", 1, ("a.json", "No such file")),
    ("boost-run rank-table create --devices 2", 2, ("--hosts",)),
    ("boost-run rank-table create --hosts a", 2, ("--devices",)),
]

VARIABLES = [  # settings, code, what the answer names
    ("RANK_TABLE_FILE=none.json", 1, ("none.json", "No such file")),
    ("RANK_ID=1 RANK_SIZE=x", 2, ("RANK_SIZE", "x")),
    ("RANK_ID=2 RANK_SIZE=2", 2, ("RANK_SIZE", "RANK_TABLE_FILE")),
    ("BOOSTC_RANK=0", 2, ("BOOSTC_RANK", "unset")),
    ("MS_ROLE=MS_WORKER", 2, ("MS_",)),
    ("MS_ROLE=MS_WORKER MS_WORKER_NUM=two MS_SCHED_HOST=127.0.0.1 MS_SCHED_PORT=9000 MS_NODE_ID=0", 2,
     ("MS_WORKER_NUM", "two")),
    ("MS_ROLE=MS_WORKER MS_WORKER_NUM=2 MS_SCHED_HOST=127.0.0.1 MS_SCHED_PORT=0 MS_NODE_ID=0", 2,
     ("MS_SCHED_PORT", "65535")),
    ("MS_ROLE=MS_WORKER MS_WORKER_NUM=2 MS_SCHED_HOST=127.0.0.1 MS_SCHED_PORT=99999 MS_NODE_ID=0", 2,
     ("MS_SCHED_PORT", "65535")),
    ("OMPI_COMM_WORLD_RANK=0", 2, ("OMPI_COMM_WORLD_SIZE",)),
    ("OMPI_COMM_WORLD_RANK=x OMPI_COMM_WORLD_SIZE=2", 2, ("OMPI_COMM_WORLD_RANK", "x")),
    ("OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2", 2,
     ("OMPI_COMM_WORLD_RANK", "3")),
    ("PMI_RANK=0", 2, ("PMI_SIZE",)),
    ("PMI_RANK=0 PMI_SIZE=-2", 2, ("PMI_SIZE", "-2")),
    ("PMI_RANK=0 PMI_SIZE=2", 2, ("MPI_LOCALNRANKS",)),
    ("PMI_RANK=0 PMI_SIZE=3 MPI_LOCALRANKID=0 MPI_LOCALNRANKS=2", 2, ("MPI_LOCALNRANKS|PMI_SIZE", "rank table")),
    ("PMI_RANK=2 PMI_SIZE=4 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2", 2,
     ("MPI_LOCALRANKID=1", "must be neighbours", "start with mpiexec -ppn N")),
    ("MS_ROLE=MS_WORKER MS_WORKER_NUM=4 MS_SCHED_HOST=10.0.0.1 MS_SCHED_PORT=9000 RANK_ID=1 DEVICE_NUM=2 "
     "SERVER_ID=1", 2, ("SERVER_ID=1", "on server 0; see docs/launching.md")),
    ("RANK_TABLE_FILE=uneven.json SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=4 SLURM_LOCALID=1 "
     "SLURM_STEP_NUM_NODES=2 SLURM_NODEID=0", 2,
     ("SLURM_LOCALID=1", r"makes rank 1 number 0 of server '127\.0\.0\.2'")),
    ("SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 SLURM_LOCALID=x SLURM_STEP_NUM_NODES=1 SLURM_NODEID=0", 2,
     ("SLURM_LOCALID", "x")),
    ("RANK=0 WORLD_SIZE=two LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 MASTER_ADDR=127.0.0.1 MASTER_PORT=9000 "
     "TORCHELASTIC_RUN_ID=1", 2, ("WORLD_SIZE", "two")),
    ("RANK=5 WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=9000 "
     "TORCHELASTIC_RUN_ID=1", 2, ("RANK", "5", "WORLD_SIZE|2")),
    ("RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=http "
     "TORCHELASTIC_RUN_ID=1", 2, ("MASTER_PORT", "http")),
]


def flat(value):
    return re.sub(r"\W+", "-", value)[:24].strip("-") or "empty"


def generate(rng):
    values, words, alone, variables = [], [], [], []
    for command, flag, wrong in FLAGS:
        for number, value in enumerate(wrong):
            written = command.replace("\0", f"{flag}={shlex.quote(value)}")
            code = 2
            says = [re.escape(flag)]
            if value:
                says.append(re.escape(value.split("=")[-1][:20]) if flag == "--set" else re.escape(value[:20]))
            says.append(r"expected|[Nn]o |not |takes|unknown|did you mean|lacks|needs|must|names?|twice|at most|"
                        r"from \d|of \d|larger|between|too|neither|empty|1 to")
            values.append(Case(f"value-{flag.strip('-')}-{command.split()[0]}-{number}-{flat(value)}", written, code,
                               says=tuple(says), never=(r"UINT|INT\b|FLOAT|could not be converted|Starting Training",)))
    for command, flags in MISSPELT:
        for flag in flags:
            words.append(Case(f"misspelt-{command.split()[0]}-{flag.strip('-')}", f"{command} {flag}", 2,
                              says=(re.escape(f"'{flag}'"), r"did you mean '--"), never=(r"Starting Training",)))
    for number, (command, code, says) in enumerate(ALONE):
        alone.append(Case(f"command-{number}-{flat(command)}", command, code, says=tuple(says),
                          never=(r"Starting Training",)))
    for number, (settings, code, says) in enumerate(VARIABLES):
        variables.append(Case(f"variable-{number}-{flat(settings)}", f"export {settings}; boost-run b.so", code,
                              says=tuple(says), never=(r"Starting Training",)))
    return {"flag-value": values, "flag-misspelt": words, "command": alone, "variable": variables}
