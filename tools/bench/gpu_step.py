#!/usr/bin/env python3
"""Time of a training step on an NVIDIA GPU: boostc's programs, PyTorch and JAX.

  python3 tools/bench/gpu_step.py [--json FILE] [--mnist DIR]

Two measurements, in less than 8 minutes:

1. The step of examples/lenet5-mnist with batch 32 and of examples/mlp-mnist with batch 128,
   with the optimizers of their files. boostc's program is timed by `boost-run bench`, step by
   step, each until its loss was read; on GPUs also one in TF32, whose products and
   convolutions are cuBLASLt's and cuDNN's wherever these are the faster. PyTorch runs eager, compiled with
   mode="reduce-overhead", and as one CUDA graph captured by hand of a whole step (forward,
   backward, update; also with its batch copied from the host in each step); JAX as jit
   and as a scan over 100 steps; each with products in fp32 and in TF32
   (gpu_peers.py). All peers are ready before the first round; in each round every candidate
   has its turn, with at least 20 steps to warm up and 100 timed. Reported is the median of
   the medians of the rounds.
2. With --mnist, or with MNIST in a bundle's folder with/: seconds of training until 99 % of
   MNIST's test images are recognised at the end of an epoch, for several seeds, by a small
   convolutional net (mnist99.json). Reading data, capture and evaluation are not counted.

What is not installed is named and left out. In a bundle (tools/bundle) the programs are
there; elsewhere boostc compiles them. The exit status is 2 when there is no GPU;
--device=cpu tries the script out without one.
"""

import argparse
import json
import pathlib
import select
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FRAMEWORKS = ("torch", "jax")
WARMUP, LEAST = 20, 100  # steps
PATIENCE = 30            # seconds for an answer, beyond those that it measures
TARGET = 0.99
MAX_EPOCHS = 6


@dataclass
class Model:
    path: pathlib.Path
    batch: int


MODELS = {"lenet5-mnist": Model(ROOT / "examples/lenet5-mnist/model.json", 32),
          "mlp-mnist": Model(ROOT / "examples/mlp-mnist/model.json", 128),
          "mnist99": Model(HERE / "mnist99.json", 128)}
STEPS_OF = ("lenet5-mnist", "mlp-mnist")
# What boostc compiles; generated kernels know no TF32, so that all is left to libraries.
PRECISIONS = {"fp32": [],
              "TF32": ["--set", "matmul_precision=tf32", "--cuda-library=always"]}


def stop(message, code=1):
    print(f"gpu_step: {message}", file=sys.stderr)
    sys.exit(code)


def program_of(folder, name, precision="fp32"):
    return folder / (f"{name}.so" if precision == "fp32" else f"{name}.{precision}.so")


def precisions_of(name, target):
    """CPUs compute in fp32 in any case; the seconds to 99 % are those of fp32."""
    return ["fp32", "TF32"] if target == "cuda" and name in STEPS_OF else ["fp32"]


def compile_programs(boostc, folder, target="cuda"):
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in MODELS.items():
        for precision in precisions_of(name, target):
            cpu = ["--cpu=x86-64-v3"] if target != "cuda" else []
            subprocess.run([boostc, model.path, f"--target={target}", *cpu,
                            "--set", f"batch_size={model.batch}", *PRECISIONS[precision],
                            "-o", program_of(folder, name, precision)], check=True)


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it ended without a word"


# --- Candidates ---------------------------------------------------------------


class Program:
    """A compiled program, through boost-run bench."""

    def __init__(self, boost_run, path, device, warmup=WARMUP, least=LEAST):
        self.command = [boost_run, "bench", path, "--json", f"--device={device}",
                        f"--warmup={warmup}"]
        self.least = least
        self.estimate = self.bench(least)["median_ms"]

    def bench(self, steps):
        done = subprocess.run([*self.command, f"--steps={steps}"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            stop(last_line(done.stderr))
        return json.loads(done.stdout)

    def measure(self, seconds):
        return self.bench(max(self.least, int(seconds * 1e3 / self.estimate)))


class PeerFailed(Exception):
    """Why a peer's variant has no more times."""


class Peer:
    """A worker with its variants (gpu_peers.py); it compiles them while others start."""

    def __init__(self, framework, model, device, scratch):
        self.framework = framework
        self.log = open(pathlib.Path(scratch) / f"{framework}.{model.path.parent.name}.log", "w+")
        self.process = subprocess.Popen(
            [sys.executable, HERE / "gpu_peers.py", framework, model.path,
             "--batch", str(model.batch), "--device", device],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)

    def answer(self, deadline):
        """The next line as an object; None when the worker ended or the time is up."""
        seconds = max(0, deadline - time.monotonic())
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            return None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def why(self):
        """After no answer: the reason."""
        if self.process.poll() is None:
            try:
                self.process.wait(1)  # it may be about to end
            except subprocess.TimeoutExpired:
                self.close()  # it would take time from the others, and answer too late
                return "not ready in time"
        self.log.seek(0)
        return last_line(self.log.read())

    def measure(self, variant, seconds):
        try:
            self.process.stdin.write(f"{variant} {seconds}\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):  # ended or closed with an earlier variant
            raise PeerFailed("its worker had ended") from None
        answer = self.answer(time.monotonic() + seconds + PATIENCE)
        if answer is None:
            raise PeerFailed(self.why())
        return answer

    def close(self):
        if not self.log.closed:
            self.process.kill()
            self.process.communicate()
            self.log.close()


# --- Steps --------------------------------------------------------------------


def summarise(model, results):
    """A JSON object for each candidate (system, variant) -> results by round."""
    lines = []
    for (system, variant), rounds in results.items():
        medians = [r["median_ms"] for r in rounds]
        lines.append({"benchmark": "step", "model": model, "batch": MODELS[model].batch,
                      "system": system, "variant": variant,
                      "median_us": round(1e3 * statistics.median(medians), 2),
                      "min_us": round(1e3 * min(r["min_ms"] for r in rounds), 2),
                      "medians_from_us": round(1e3 * min(medians), 2),
                      "medians_to_us": round(1e3 * max(medians), 2),
                      "rounds": len(rounds), "steps": sum(r["steps"] for r in rounds)})
    return lines


def precision_of(line):
    return "TF32" if line["variant"].endswith("TF32") else "fp32"


def table_of(lines):
    """All candidates of a model, the fastest first, with boostc's share of their time, in the
    same precision where it was measured in both."""
    ours = {precision_of(line): line for line in lines if line["system"] == "boostc"}
    text = [f"{lines[0]['model']}, batch {lines[0]['batch']}: microseconds per step",
            f"{'':58}{'median':>9}{'from':>9}{'to':>9}{'boostc is':>11}"]
    for line in sorted(lines, key=lambda line: line["median_us"]):
        what = ", ".join(filter(None, [line["system"], line["variant"]]))
        same = ours.get(precision_of(line), ours["fp32"])
        share = (f"{same['median_us'] / line['median_us']:.2f}x"
                 if line["system"] != "boostc" else "")
        text.append(f"{what:58}{line['median_us']:9.1f}{line['medians_from_us']:9.1f}"
                    f"{line['medians_to_us']:9.1f}{share:>11}".rstrip())
    return "\n".join(text)


def measure_rounds(candidates, rounds, seconds):
    """Results by candidate, and why there are none of those that failed in some round."""
    results, failures = {candidate: [] for candidate in candidates}, {}
    for _ in range(rounds):
        for candidate, measure in candidates.items():
            if candidate in failures:
                continue
            try:
                results[candidate].append(measure(seconds))
            except PeerFailed as failure:
                failures[candidate] = str(failure)
                del results[candidate]
    return results, failures


def measure_steps(arguments, tools, scratch):
    """JSON lines, and what was left out."""
    deadline = time.monotonic() + arguments.setup
    peers = {(framework, name): Peer(framework, MODELS[name], tools.peer_device, scratch)
             for name in arguments.models for framework in FRAMEWORKS}
    lines, missing, versions = [], {}, {}
    try:
        # All of them first: a candidate that compiles takes time from the one that is timed.
        ready = {}
        for (framework, name), peer in peers.items():
            answer = peer.answer(deadline)
            if answer is None:
                missing[f"{framework}, {name}"] = peer.why()
                continue
            ready[framework, name] = answer
            versions |= answer["versions"]
            missing |= {f"{framework}, {name}, {variant}": error
                        for variant, error in answer["failed"].items()}
        for name in arguments.models:
            candidates = {
                ("boostc", precision): Program(
                    tools.boost_run, program_of(tools.programs, name, precision),
                    arguments.device).measure
                for precision in precisions_of(name, tools.target)}
            for framework in FRAMEWORKS:
                for variant in ready.get((framework, name), {"variants": []})["variants"]:
                    candidates[framework, variant] = (
                        lambda seconds, peer=peers[framework, name], variant=variant:
                        peer.measure(variant, seconds))
            results, failures = measure_rounds(candidates, arguments.rounds, arguments.seconds)
            missing |= {f"{framework}, {name}, {variant}": why
                        for (framework, variant), why in failures.items()}
            lines += summarise(name, results)
            print("\n" + table_of(lines[-len(results):]), flush=True)
    finally:
        for peer in peers.values():
            peer.close()
    return lines, missing, versions


# --- Seconds to 99 % ----------------------------------------------------------


def seconds_to_target(events, batch):
    """Of the lines of a metrics file: seconds of the steps up to the first evaluation that
    reached the target, and its epoch; None and the last epoch if none did."""
    seconds, epoch = 0.0, 0
    for event in events:
        if event["event"] == "step":
            # The last batch of an epoch may be smaller, which counts for nothing here.
            seconds += batch / event["samples_per_s"]
        elif event["event"] == "eval":
            epoch = event["epoch"]
            if event["top_1"] >= TARGET:
                return seconds, epoch
    return None, epoch


def train_ours(tools, device, mnist, seed, scratch):
    metrics = pathlib.Path(scratch) / "mnist99.jsonl"
    metrics.unlink(missing_ok=True)
    done = subprocess.run(
        [tools.boost_run, program_of(tools.programs, "mnist99"), f"--device={device}",
         f"--data=mnist:{mnist}", f"--seed={seed}", f"--epochs={MAX_EPOCHS}", "--eval-every=1",
         "--progress=none", f"--metrics={metrics}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        stop(last_line(done.stderr))
    events = list(map(json.loads, metrics.read_text().splitlines()))
    seconds, epochs = seconds_to_target(events, MODELS["mnist99"].batch)
    return {"seed": seed, "seconds": seconds, "epochs": epochs}


def train_torch(device, mnist, seeds, limit):
    """Results by seed, as far as the time goes; and why there are none."""
    command = [sys.executable, HERE / "gpu_peers.py", "torch-mnist", MODELS["mnist99"].path,
               "--batch", str(MODELS["mnist99"].batch), "--device", device,
               "--mnist", mnist, "--seeds", str(seeds)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=limit)
        output, why = done.stdout, last_line(done.stderr)
    except subprocess.TimeoutExpired as expired:
        output, why = (expired.stdout or b"").decode(), "not ready in time"
    whole = output[:output.rfind("\n") + 1]
    return list(map(json.loads, whole.splitlines())), why


def target_line(system, results):
    reached = [r["seconds"] for r in results if r["seconds"] is not None]
    return {"benchmark": "mnist99", "system": system, "seeds": len(results),
            "reached": len(reached),
            "mean_s": round(statistics.mean(reached), 4) if reached else None,
            "min_s": round(min(reached), 4) if reached else None,
            "max_s": round(max(reached), 4) if reached else None,
            "mean_epochs": round(statistics.mean(r["epochs"] for r in results), 2)}


def target_table(lines):
    text = ["MNIST to 99 %: seconds of training"]
    for line in lines:
        if line["reached"]:
            times = f"{line['mean_s']:9.3f}, {line['min_s']:.3f} to {line['max_s']:.3f}"
        else:
            times = "     never"
        text.append(f"{line['system']:12}{times}, {line['reached']} of {line['seeds']} seeds, "
                    f"{line['mean_epochs']:g} epochs")
    return "\n".join(text)


def measure_target(arguments, tools, mnist, scratch, deadline):
    ours = []
    half = (deadline - time.monotonic()) / 2 + time.monotonic()
    for seed in range(1, arguments.seeds + 1):
        if ours and time.monotonic() > half:
            break
        ours.append(train_ours(tools, arguments.device, mnist, seed, scratch))
    lines, missing = [target_line("boostc", ours)], {}
    theirs, why = train_torch(tools.peer_device, mnist, len(ours),
                              max(1, deadline - time.monotonic()))
    if theirs:
        lines.append(target_line("torch", theirs))
    else:
        missing["torch, MNIST to 99 %"] = why
    print("\n" + target_table(lines), flush=True)
    return lines, missing


# --- All of it ----------------------------------------------------------------


class Tools:
    """boost-run and the programs: of a bundle, or of a build folder."""

    def __init__(self, arguments, scratch):
        in_bundle = (ROOT / "bundle.json").exists()
        self.boost_run = (ROOT if in_bundle else arguments.build) / "bin/boost-run"
        if not self.boost_run.exists():
            stop(f"there is no {self.boost_run}; name the build folder with --build")
        # The peers cannot use the simulated GPU.
        self.peer_device = "cuda" if arguments.device == "cuda" else "cpu"
        self.target = "cpu" if arguments.device == "cpu" else "cuda"
        self.machine = self.doctor()
        if arguments.device == "cuda" and not any(g["usable"] for g in self.machine["gpus"][:1]):
            why = self.machine["driver"].get("failure", "NVIDIA's driver finds none of compute "
                                             "capability 8.0 or newer")
            stop(f"there is no GPU: {why}; --device=cpu tries the script out without one", 2)
        self.programs = ROOT / "bench"
        if not in_bundle:
            self.programs = pathlib.Path(scratch)
            compile_programs(arguments.build / "bin/boostc", self.programs, self.target)
        elif not self.programs.exists():
            stop("this bundle was made with --no-bench and has no programs to time")

    def doctor(self):
        done = subprocess.run([self.boost_run, "doctor", "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if not done.stdout:
            stop(f"boost-run does not start here: {last_line(done.stderr)}")
        return json.loads(done.stdout)


def find_mnist(named):
    for folder in [named] if named else sorted(ROOT.glob("with/*")):
        if any(folder.glob("train-images-idx3-ubyte*")):
            return folder.resolve()
    if named:
        stop(f"--mnist {named}: there is no train-images-idx3-ubyte")
    return None


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cuda", "cpu", "sim"], default="cuda")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                        help="build folder with bin/boostc and bin/boost-run")
    parser.add_argument("--json", type=pathlib.Path, help="write all numbers here")
    parser.add_argument("--models", nargs="*", choices=STEPS_OF, default=list(STEPS_OF))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3,
                        help="for each candidate in each round")
    parser.add_argument("--setup", type=float, default=180, metavar="SECONDS",
                        help="until the peers must be ready")
    parser.add_argument("--mnist", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=7.5,
                        help="for everything; fewer seeds are run when it is short")
    arguments = parser.parse_args(argv)
    if arguments.rounds < 1 or arguments.seeds < 1:
        parser.error("--rounds and --seeds are at least 1")
    return arguments


def main():
    arguments = parse(sys.argv[1:])
    deadline = time.monotonic() + 60 * arguments.minutes
    with tempfile.TemporaryDirectory() as scratch:
        tools = Tools(arguments, scratch)
        gpu = tools.machine["gpus"][0]["name"] if tools.peer_device == "cuda" else "no GPU"
        print(f"{gpu}, {tools.machine['cpu']['name']}", flush=True)
        lines, missing, versions = measure_steps(arguments, tools, scratch)
        mnist = find_mnist(arguments.mnist)
        if mnist:
            more, lacking = measure_target(arguments, tools, mnist, scratch, deadline)
            lines, missing = lines + more, missing | lacking
        else:
            missing["MNIST to 99 %"] = "MNIST is not here; --mnist DIR names it"
    for what, why in missing.items():
        print(f"not measured: {what}: {why}")
    run = {"date": time.strftime("%Y-%m-%d"), "device": arguments.device,
           "machine": tools.machine, "versions": versions, "missing": missing}
    if arguments.json:
        arguments.json.write_text("".join(json.dumps(line) + "\n" for line in [run, *lines]))


if __name__ == "__main__":
    main()
