#!/usr/bin/env python3
"""Time of a training step on this CPU: boostc's programs, PyTorch and JAX.

Everything is measured in one run, in turn: in each round the machine's FMA peak
(fma_peak.c) and then every candidate for a part of a second, all as processes
that sleep while another has its turn. The boxes that this runs on are shared, so
the load that is not ours is sampled before and after each measurement, which waits
--wait seconds for it to go. There are rounds until --minutes have passed. Reported
are, over the quiet measurements (over all, where fewer than three were), the median
of the medians; the minimum of all; and the load. Where there was load, the minimum
says more. A variant that two quiet measurements show to be 1.3 times slower than its
framework's best is left out from then on.

Models: examples/lenet5-mnist (batch 32) and examples/mlp-mnist (batch 128), with
the optimizers of their files, fp32. boostc runs with --threads, the frameworks
with every number of threads from 1 to that and in several ways (cpu_peers.py);
what counts against them is their best one. All variants are in the JSON lines.

  python3 -m venv /tmp/bench-venv
  /tmp/bench-venv/bin/pip install torch jax
  /tmp/bench-venv/bin/python tools/bench/cpu_step.py --build build --json steps.jsonl

Needs a C compiler, and C++ for torch.compile. Starting takes minutes: the
frameworks compile. Never needed to build or test.
"""

import argparse
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from model_file import ModelFile
from peer_worker import Peer

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
MODELS = {"lenet5-mnist": 32, "mlp-mnist": 128}
QUIET = 0.05     # of all CPUs together, busy with what is not ours
SAMPLE = 0.05    # seconds
SETTLE = 0.02    # until threads that wait for work have stopped spinning
# After so many quiet measurements, a minimum of so many times the least is hopeless.
TRIALS, HOPELESS = 2, 1.3


def busy_and_total():
    """Ticks of all CPUs since boot; stolen ones are busy, for us."""
    fields = [int(f) for f in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return sum(fields) - fields[3] - fields[4], sum(fields)


def foreign_load():
    """The busy share of all CPUs while everything of ours sleeps."""
    time.sleep(SETTLE)
    busy, total = busy_and_total()
    time.sleep(SAMPLE)
    busy_now, total_now = busy_and_total()
    return (busy_now - busy) / max(total_now - total, 1)


class Program:
    """A compiled program, through boost-run bench."""

    def __init__(self, build, folder, model, batch, threads):
        self.run_path, self.threads = build / "bin/boost-run", threads
        self.program = pathlib.Path(folder) / f"{model}.so"
        subprocess.run([build / "bin/boostc", EXAMPLES / model / "model.json",
                        f"--threads={threads}", "--set", f"batch_size={batch}",
                        "-o", self.program], check=True)
        self.estimate = self.bench(50)["median_ms"]

    def bench(self, steps):
        done = subprocess.run([self.run_path, "bench", self.program, "--json",
                               "--device", "cpu", "--steps", str(steps), "--warmup", "50"],
                              check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
        return json.loads(done.stdout)

    def measure(self, seconds):
        return self.bench(max(50, int(seconds * 1e3 / self.estimate)))


def measure_noting_load(measure, patience):
    deadline = time.monotonic() + patience
    while (before := foreign_load()) > QUIET and time.monotonic() < deadline:
        pass
    result = measure()
    result["foreign_load"] = round(max(before, foreign_load()), 3)
    return result


def compile_peak(folder):
    binary = pathlib.Path(folder) / "fma_peak"
    subprocess.run(["cc", "-O2", "-pthread", HERE / "fma_peak.c", "-o", binary], check=True)
    return binary


def is_quiet(result):
    return result["foreign_load"] <= QUIET


def is_hopeless(candidate, results):
    """Whether another variant of the same framework is better beyond doubt."""
    tried = [r["min_ms"] for r in results[candidate] if is_quiet(r)]
    least = min(r["min_ms"] for (system, _, _), rounds in results.items()
                for r in rounds if system == candidate[0])
    return len(tried) >= TRIALS and min(tried) > HOPELESS * least


class Contest:
    """A program and its peers, ready to run."""

    def __init__(self, model, arguments, folder):
        self.model, self.batch = model, MODELS[model]
        program = Program(arguments.build, folder, model, self.batch, arguments.threads)
        self.candidates = {("boostc", "", arguments.threads):
                           lambda: program.measure(arguments.seconds)}
        self.peers = []
        for framework in ("torch", "jax"):
            for threads in range(1, arguments.threads + 1):
                peer = self.start_peer(framework, threads)
                self.peers.append(peer)
                for variant in peer.ready["variants"]:
                    self.candidates[framework, variant, threads] = (
                        lambda peer=peer, variant=variant:
                            peer.measure(variant, arguments.seconds))

    def start_peer(self, framework, threads):
        return Peer(f"{framework}, {threads} threads", HERE / "cpu_peers.py", framework,
                    EXAMPLES / self.model / "model.json", "--batch", self.batch,
                    "--threads", threads)

    def close(self):
        """Ends the peers; their versions."""
        versions = {}
        for peer in self.peers:
            versions |= peer.ready["versions"]
            peer.close()
        return versions


def measure_contest(contest, arguments, peak_binary):
    """Peaks, and candidate (system, variant, threads) -> results by round."""
    def measure_peak():
        done = subprocess.run([peak_binary, str(arguments.threads)], check=True,
                              stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout)

    peaks, results = [], {candidate: [] for candidate in contest.candidates}
    deadline = time.monotonic() + 60 * arguments.minutes
    while not peaks or time.monotonic() < deadline:
        print(f"{contest.model}: load average {os.getloadavg()[0]:.2f}", file=sys.stderr)
        for candidate, measure in contest.candidates.items():
            # Next to each of ours, so that both see the machine in the same state.
            if results[candidate] and is_hopeless(candidate, results):
                continue
            if candidate[0] == "boostc":
                peaks.append(measure_noting_load(measure_peak, arguments.wait))
            results[candidate].append(measure_noting_load(measure, arguments.wait))
    return peaks, results


def quiet_of(rounds):
    quiet = list(filter(is_quiet, rounds))
    return quiet if len(quiet) >= 3 else rounds


def mean_load(rounds):
    return round(statistics.mean(r["foreign_load"] for r in rounds), 3)


def summarise(model, batch, arguments, peaks, results):
    """One JSON object per candidate, and the peak's."""
    flops = ModelFile(EXAMPLES / model / "model.json").step_flops(batch)
    peaks = quiet_of(peaks)
    peak = statistics.median(p["gflops"] for p in peaks)
    common = {"model": model, "batch": batch}
    lines = [common | {
        "system": "fma_peak", "threads": arguments.threads, "gflops": peak,
        "gflops_max": max(p["gflops"] for p in peaks),
        "gflops_1_thread": statistics.median(p["gflops_1"] for p in peaks),
        "step_flops": flops, "limit_ms": round(flops / peak * 1e-6, 4),
        "rounds": len(peaks), "foreign_load": mean_load(peaks)}]
    for (system, variant, threads), rounds in results.items():
        tried, least = len(rounds), min(r["min_ms"] for r in rounds)
        rounds = quiet_of(rounds)
        median = statistics.median(r["median_ms"] for r in rounds)
        lines.append(common | {
            "system": system, "variant": variant, "threads": threads,
            "median_ms": round(median, 4),
            "min_ms": round(least, 4),
            "medians_from": round(min(r["median_ms"] for r in rounds), 4),
            "medians_to": round(max(r["median_ms"] for r in rounds), 4),
            "share_of_fma_peak": round(flops / (median * 1e6) / peak, 3),
            "share_of_fma_peak_at_min": round(flops / (least * 1e6) / peak, 3),
            "rounds": len(rounds), "rounds_tried": tried,
            "foreign_load": mean_load(rounds)})
    return lines


def best_of(lines, system):
    """The least minimum; and the least median, where that is another line."""
    those = [line for line in lines if line["system"] == system]
    by_minimum = min(those, key=lambda line: line["min_ms"])
    by_median = min(those, key=lambda line: line["median_ms"])
    return [by_minimum] if by_minimum is by_median else [by_minimum, by_median]


def print_table(lines):
    peak, (ours,) = lines[0], best_of(lines, "boostc")
    print(f"\n{peak['model']}, batch {peak['batch']}: {peak['step_flops'] / 1e6:.1f} MFLOP a "
          f"step; FMA peak {peak['gflops']:.1f} GFLOP/s with {peak['threads']} threads "
          f"({peak['gflops_1_thread']:.1f} with 1), so at least {peak['limit_ms']:.3f} ms")
    print(f"{'ms per step':45}{'min':>7}{'ratio':>6}{'of peak':>8}{'median':>8}{'ratio':>6}"
          f"{'of peak':>8}{'rounds':>7}{'load':>5}")
    for line in [ours, *best_of(lines, "torch"), *best_of(lines, "jax")]:
        what = line["system"] + (f", {line['variant']}" if line["variant"] else "")
        print(f"{what + ', ' + str(line['threads']) + ' thr.':45}{line['min_ms']:7.3f}"
              f"{line['min_ms'] / ours['min_ms']:6.2f}"
              f"{line['share_of_fma_peak_at_min'] * 100:7.0f}%{line['median_ms']:8.3f}"
              f"{line['median_ms'] / ours['median_ms']:6.2f}"
              f"{line['share_of_fma_peak'] * 100:7.0f}%{line['rounds']:7}"
              f"{line['foreign_load'] * 100:4.0f}%")


def identify_build(build):
    """The compiler of a build: results of another one are not its own."""
    return hashlib.sha256((build / "bin/boostc").read_bytes()).hexdigest()[:16]


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"),
                        help="build folder with bin/boostc and bin/boost-run")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.4,
                        help="for each candidate in each round")
    parser.add_argument("--minutes", type=float, default=5,
                        help="for each model, compilation not counted")
    parser.add_argument("--wait", type=float, default=1,
                        help="seconds, for a quiet machine before each measurement")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--json", type=pathlib.Path, help="write all candidates here")
    arguments = parser.parse_args()

    everything, versions = [], {}
    with tempfile.TemporaryDirectory() as folder:
        peak_binary = compile_peak(folder)
        for model in arguments.models:
            contest = Contest(model, arguments, folder)
            peaks, results = measure_contest(contest, arguments, peak_binary)
            versions |= contest.close()
            lines = summarise(model, MODELS[model], arguments, peaks, results)
            print_table(lines)
            everything += lines
    run = {"date": time.strftime("%Y-%m-%d"), "cpu": processor(), "cpus": os.cpu_count(),
           "versions": versions, "load_average": [round(l, 2) for l in os.getloadavg()]}
    print("\n" + json.dumps(run))
    if arguments.json:
        arguments.json.write_text("".join(json.dumps(l) + "\n" for l in [run, *everything]))


if __name__ == "__main__":
    main()
