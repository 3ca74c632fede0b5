"""Runs: checkpoints, weights, data, memory, ranks, terminals."""

import pathlib
import re

from harness import Case

DAMAGE = "for f in ck/*/weights.safetensors; do printf x | dd of=$f bs=1 seek=300 conv=notrunc status=none; done\n"
NO_TRAINING = (r"Starting Training",)


def other_recipe(name, change, *says):
    return Case(f"checkpoint-of-another-{name}",
                "boost-run c.so --resume ck/m-3_20.ckpt", 6, says=(r"ck/m-3_20", *says), never=NO_TRAINING,
                setup=f"boostc m.json --target=cpu --threads 1 {change} -o c.so")


def widths(columns):
    """No line of the bar is wider than the terminal, so none wraps."""
    def check(answer):
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", answer.text)
        wide = [line for line in re.split(r"[\r\n]+", text) if len(line) > columns and ("[" in line or "%" in line)
                and "/" in line]
        if wide:
            return f"a bar of {len(wide[0])} columns: {wide[0]}"
        draws = answer.text.count("\r\x1b[J")
        if columns >= 40 and draws > 10 * answer.seconds + 10:
            return f"{draws} draws in {answer.seconds:.1f} s"
        return None
    return check


def huge(units):
    return ("python3 - <<'X'\nimport json\nm = json.load(open('m.json'))\n"
            f"m['layers'] = [{{'op': 'flatten'}}, {{'op': 'dense', 'units': {units}}}, {{'op': 'relu'}}, "
            f"{{'op': 'dense', 'units': {units}}}, {{'op': 'relu'}}, {{'op': 'dense', 'units': 10}}]\n"
            "json.dump(m, open('huge.json', 'w'))\nX\n")


def data_set(call):
    tests = pathlib.Path(__file__).resolve().parents[1]
    return f"PYTHONPATH={tests} python3 -B -c \"import data_files; data_files.{call}\"\n"


NPY = data_set("write_blank_npy('np', ['train'], 64)")
IDX = data_set("write_blank_mnist('idx', 32)")

CASES = [
    # Checkpoints
    Case("all-checkpoints-damaged", "boost-run b.so --epochs 4 --checkpoint-dir ck --resume auto", 6, setup=DAMAGE,
         says=(r"damaged|SHA-256", r"--resume never"), never=NO_TRAINING, changes=("ck/.boost-run.lock",),
         makes=("ck/.boost-run.lock",)),
    Case("all-checkpoints-damaged-by-default", "boost-run b.so --epochs 4 --checkpoint-dir ck", 6, setup=DAMAGE,
         says=(r"damaged|SHA-256", r"--resume never"), never=NO_TRAINING, changes=("ck/.boost-run.lock",),
         makes=("ck/.boost-run.lock",)),
    Case("damaged-checkpoint-would-be-replaced", "boost-run b.so --epochs 3 --checkpoint-dir ck --resume never",
         2, setup=DAMAGE, says=(r"ck/m-\d_20", r"--checkpoint-(prefix|dir)"), never=NO_TRAINING,
         changes=("ck/.boost-run.lock",), makes=("ck/.boost-run.lock",)),
    Case("checkpoint-that-is-a-link", "boost-run b.so --epochs 3 --checkpoint-dir ck --resume auto", 0,
         setup="mkdir far; mv ck/m-3_20.ckpt far/; ln -s ../far/m-3_20.ckpt ck/m-3_20.ckpt", says=(r"ck/m-3_20",),
         never=(r"Not a directory", r"epoch: 3 step: 20, loss"), changes=("ck/.boost-run.lock",)),
    Case("checkpoint-folder-that-is-a-link", "boost-run b.so --epochs 3 --checkpoint-dir link --resume auto", 0,
         setup="mv ck far; ln -s far link", says=(r"link/m-3_20",), changes=("far/.boost-run.lock",)),
    other_recipe("learning-rate", "--set optimizer.learning_rate=0.05", r"learning_rate", r"0\.05", r"0\.1\b"),
    other_recipe("optimiser", "--set optimizer.type=adam --set optimizer.learning_rate=0.1", r"optimizer\.type",
                 r"adam", r"sgd"),
    other_recipe("seed", "--set seed=7", r"seed", r"\b7\b", r"\b1\b"),
    other_recipe("layer", "--set layers.1.units=8", r"layers", r"units", r"\b8\b", r"16"),
    Case("resume-weights", "boost-run b.so --resume w.st", 6, says=(r"'w\.st'", r"--init"), never=NO_TRAINING),
    *[Case(f"newest-of-a-folder-{flag.strip('-')}", f"boost-run {command} {flag} ck", 0,
           says=(r"newest checkpoint in ck is ck/m-3_20\.ckpt",))
      for command, flag in (("b.so", "--resume"), ("b.so", "--init"), ("eval b.so", "--ckpt"))],
    *[Case(f"no-checkpoint-of-a-folder-{flag.strip('-')}", f"boost-run {command} {flag} empty", 6,
           setup="mkdir -p empty/train_parallel0/ckpt_0", never=NO_TRAINING,
           says=(r"'empty' is a directory without manifest\.json",))
      for command, flag in (("b.so", "--resume"), ("b.so", "--init"), ("eval b.so", "--ckpt"))],
    Case("folders-of-several-runs", "boost-run b.so --resume .", 6, setup="cp -r ck ck2", never=NO_TRAINING,
         says=(r"'\.' has checkpoints in several directories, .*'\./ck', '\./ck2'",)),
    Case("rank-folder-of-a-user", "boost-run b.so --workdir run --rank-checkpoints --ranks 2 --comm=local", 6,
         setup="mkdir -p run/train_parallel1/ckpt_0; echo mine > run/train_parallel1/ckpt_0/notes",
         says=(r"'run/train_parallel1/ckpt_0' is not a link",), never=NO_TRAINING, makes=("run/train_parallel0",)),
    Case("workdir-is-a-file", "boost-run b.so --workdir m.json --rank-checkpoints", 2, never=NO_TRAINING,
         says=(r"'m\.json' is a file, expected a directory", r"--workdir")),
    Case("checkpoint-dir-is-a-file", "boost-run b.so --checkpoint-dir m.json", 6,
         says=(r"'m\.json'", r"not a directory|is a file|expected a directory"), never=NO_TRAINING + (r"\.lock",)),
    Case("already-trained", "boost-run b.so --epochs 2 --checkpoint-dir ck", 0,
         says=(r"already|epoch 3", r"ck/m-3_20.ckpt"), changes=("ck/.boost-run.lock",)),

    # Data
    Case("data-link-dangles", "boost-run b.so --data mnist:idx", 3,
         setup=IDX + "rm idx/train-images-idx3-ubyte; ln -s nowhere idx/train-images-idx3-ubyte",
         says=(r"idx/train-images-idx3-ubyte", r"link", r"nowhere")),
    Case("data-link-loops", "boost-run b.so --data mnist:idx", 3,
         setup=IDX + "rm idx/train-images-idx3-ubyte; ln -s train-images-idx3-ubyte idx/train-images-idx3-ubyte",
         says=(r"idx/train-images-idx3-ubyte", r"link")),
    Case("data-without-test-files", "boost-run b.so --data npy:np --no-eval", 0, setup=NPY, says=(r"epoch: 1",)),
    Case("data-path-that-no-source-reads", "DATA_PATH=$PWD/idx boost-run c.so", 3,
         setup=IDX + "python3 - <<'X'\nimport json\nm = json.load(open('m.json'))\ndel m['data']\n"
         "json.dump(m, open('c.json', 'w'))\nX\nboostc c.json --target=cpu -o c.so",
         says=(r"DATA_PATH", r"mnist:")),
    Case("data-of-another-shape-is-not-unpacked", "boost-run b.so --data cifar10:cifar", 3, atmost=10,
         setup="mkdir cifar; for i in 1 2 3 4 5; do head -c 30730000 /dev/zero > cifar/data_batch_$i.bin; done; "
         "head -c 30730000 /dev/zero > cifar/test_batch.bin; xz -0 -T0 cifar/*.bin",
         says=(r"3x32x32", r"1x28x28")),

    # Memory
    Case("more-memory-than-the-machine-has", "ulimit -Sv 60000000; boost-run huge.so", 8, atmost=10,
         setup=huge(140000) + "boostc huge.json --target=cpu --threads 1 -o huge.so",
         says=(r"\d+(\.\d)? ([GT])iB[^\n]*\d+(\.\d+)? [GT]iB", r"batch_size|smaller|memory"), never=NO_TRAINING),
    Case("explain-says-at-once-what-it-knows", "boostc --explain r50.json --ranks 16", 0, atmost=10,
         setup=huge(20000).replace("huge.json", "r50.json"), says=(r"memory of a rank, in bytes", r"sent by a rank in a step, 16 ranks"),
         never=(r"predicted\n",)),

    # Terminals
    *[Case(f"bar-in-{columns}-columns", "boost-run long.so --progress bar", 0, columns=columns,
           setup="boostc m.json --target=cpu --threads 1 --set data.source=digits:train=60000,test=320 "
           "--set epochs=2 -o long.so", check=widths(columns), says=(r"result: ",))
      for columns in (80, 60, 40, 20)],

    # Ranks
    Case("first-rank-alone", "timeout --preserve-status -s INT 6 boost-run b.so --nnodes 2 --node-rank 0 "
         "--ranks 1 --master 127.0.0.1:29611", 7, says=(r"waits? for|waiting for", r"rank 1|rank(s)? of server 1|server 1"),
         never=(r"SIGTERM ended ranks before they had saved",), slow=True),
    Case("no-first-rank", "timeout --preserve-status -s INT 6 boost-run b.so --nnodes 2 --node-rank 1 "
         "--ranks 1 --master 127.0.0.1:29612", 7, says=(r"waits? for|waiting for", r"127\.0\.0\.1:29612"), slow=True,
         never=(r"SIGTERM ended ranks before they had saved",)),
    Case("master-is-no-address", "boost-run b.so --ranks 2 --master :::", 2, says=(r"--master", r"':::'",
                                                                                 r"HOST"), never=NO_TRAINING),
    Case("port-is-taken", "python3 -c 'import socket, subprocess, sys\n"
         "s = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen()\n"
         "sys.exit(subprocess.run([\"boost-run\", \"b.so\", \"--ranks\", \"2\", \"--master\", "
         "\"127.0.0.1:%d\" % s.getsockname()[1]]).returncode)'", 2,
         says=(r"127\.0\.0\.1:\d+", r"in use", r"another port|--master|other port")),
    Case("port-needs-privileges", "boost-run b.so --ranks 2 --master 127.0.0.1:80", 2, needs=("ordinary", "kept ports"),
         says=(r"127\.0\.0\.1:80", r"[Pp]ermission denied", r"1024|another port|other port|larger one|--master")),
    Case("few-open-files", "ulimit -n 16; boost-run b.so --ranks 4", 2, says=(r"files", r"ulimit -n"),
         never=(r"check that all machines reach",), slow=True),  # which call fails first varies
    Case("few-processes", "ulimit -u 12; boost-run b.so --ranks 64", 2, needs=("ordinary",),
         says=(r"ulimit -u", r"process|thread"), never=(r"terminate",)),
    Case("few-threads", "ulimit -u 12; boost-run b.so --ranks 64 --comm local", 2, needs=("ordinary",),
         says=(r"cannot start a thread for rank \d+: Resource temporarily unavailable", r"ulimit -u")),
    *[Case(f"table-against-{name}", f"RANK_TABLE_FILE=t.json {variables} boost-run b.so", 2,
           setup="boost-run rank-table create --hosts 127.0.0.1 --devices 2 -o t.json",
           says=(name.split("=")[0], r"t\.json"), never=NO_TRAINING)
      for name, variables in (("SERVER_ID=5", "SERVER_ID=5"), ("RANK_SIZE=8", "RANK_SIZE=8 RANK_ID=0"),
                              ("RANK_ID=9", "RANK_ID=9"))],
    Case("stopped-rank-is-named-last", """
boost-run long.so --ranks 3 > out 2>&1 & launcher=$!
until grep -q 'Starting Training' out; do sleep 0.05; done
pid=$(pgrep -P $launcher | sed -n 3p); kill -STOP $pid
wait $launcher; code=$?; cat out; tail -n 1 out | sed 's/^/last: /'; exit $code
""", 5, setup="boostc m.json --target=cpu --threads 1 --set data.source=digits:train=60000,test=320 "
         "--set epochs=1000 -o long.so", says=(r"last: .*rank 2\b",), atmost=13, slow=True, makes=("out",)),
    # Tests may run under nohup, which has the signal ignored.
    Case("hang-up-saves", """
env --default-signal=HUP boost-run long.so --checkpoint-dir new > out 2>&1 & run=$!
until grep -q 'Starting Training' out; do sleep 0.05; done
sleep 0.3; kill -HUP $run; wait $run; code=$?; cat out; ls new; exit $code
""", 7, setup="boostc m.json --target=cpu --threads 1 --set data.source=digits:train=60000,test=320 "
         "--set epochs=1000 -o long.so", says=(r"SIGHUP", r"m-\d+_\d+"), makes=("out", "new")),
]
