"""Pieces of tools/bench/gpu_step.py that need no GPU, with made-up numbers and machines.

  gpu_step_test.py SOURCE_DIR
"""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import textwrap
import time
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "tools/bench"))
import gpu_step  # noqa: E402: from the folder above
import peer_worker  # noqa: E402


def rounds(*medians):
    return [{"median_ms": m, "min_ms": m / 2, "steps": 100} for m in medians]


class Steps(unittest.TestCase):
    def test_medians_of_the_rounds_in_microseconds(self):
        line, = gpu_step.summarise("mlp-mnist",
                                   {("boostc", "fp32"): rounds(0.03, 0.01, 0.02)})
        self.assertEqual(line, {
            "benchmark": "step", "model": "mlp-mnist", "batch": 128, "system": "boostc",
            "variant": "fp32", "median_us": 20, "min_us": 5, "medians_from_us": 10,
            "medians_to_us": 30, "rounds": 3, "steps": 300})

    def test_the_table_begins_with_the_fastest(self):
        lines = gpu_step.summarise("lenet5-mnist", {
            ("torch", "eager, fp32"): rounds(0.3), ("boostc", "fp32"): rounds(0.025),
            ("jax", "jit, TF32"): rounds(0.02)})
        self.assertEqual(gpu_step.table_of(lines).splitlines(), [
            "lenet5-mnist, batch 32: microseconds per step",
            " " * 58 + "   median     from       to  boostc is",
            "jax, jit, TF32".ljust(58) + "     20.0     20.0     20.0      1.25x",
            "boostc, fp32".ljust(58) + "     25.0     25.0     25.0",
            "torch, eager, fp32".ljust(58) + "    300.0    300.0    300.0      0.08x"])

    def test_who_computes_in_the_same_precision_is_compared(self):
        lines = gpu_step.summarise("lenet5-mnist", {
            ("boostc", "fp32"): rounds(0.03), ("boostc", "TF32"): rounds(0.02),
            ("jax", "jit, TF32"): rounds(0.04), ("jax", "jit, fp32"): rounds(0.06)})
        self.assertEqual([line.split()[-1] for line in gpu_step.table_of(lines).splitlines()[2:]],
                         ["20.0", "30.0", "0.50x", "0.50x"])

    def test_programs_by_precision(self):
        folder = pathlib.Path("f")
        self.assertEqual([gpu_step.program_of(folder, "a", p).name
                          for p in gpu_step.precisions_of("mlp-mnist", "cuda")],
                         ["a.so", "a.TF32.so"])
        self.assertEqual(gpu_step.precisions_of("mlp-mnist", "cpu"), ["fp32"])
        self.assertEqual(gpu_step.precisions_of("mnist99", "cuda"), ["fp32"])

    def test_candidates_take_turns(self):
        order = []
        candidates = {name: lambda s, name=name: order.append((name, s)) or name
                      for name in "ab"}
        self.assertEqual(gpu_step.measure_rounds(candidates, 2, 0.5),
                         ({"a": ["a", "a"], "b": ["b", "b"]}, {}))
        self.assertEqual(order, [("a", 0.5), ("b", 0.5)] * 2)

    def test_a_candidate_that_fails_is_left_out(self):
        times = iter([1])

        def fails_later(seconds):
            for time in times:
                return time
            raise gpu_step.PeerFailed("out of memory")

        self.assertEqual(
            gpu_step.measure_rounds({"a": fails_later, "b": lambda seconds: 2}, 3, 0.5),
            ({"b": [2, 2, 2]}, {"a": "out of memory"}))


class Target(unittest.TestCase):
    events = [{"event": "step", "samples_per_s": 1000.0}, {"event": "eval", "epoch": 1,
                                                           "top_1": 0.98},
              {"event": "step", "samples_per_s": 500.0}, {"event": "eval", "epoch": 2,
                                                          "top_1": 0.99},
              {"event": "step", "samples_per_s": 1.0}, {"event": "end"}]

    def test_the_steps_before_the_evaluation_that_reached_it(self):
        seconds, epoch = gpu_step.seconds_to_target(self.events, 100)
        self.assertAlmostEqual(seconds, 0.3)
        self.assertEqual(epoch, 2)
        self.assertEqual(gpu_step.seconds_to_target(self.events[:2], 100), (None, 1))

    def test_means_over_the_seeds_that_reached_it(self):
        line = gpu_step.target_line("torch", [
            {"seconds": 1.0, "epochs": 2}, {"seconds": None, "epochs": 6},
            {"seconds": 2.0, "epochs": 4}])
        self.assertEqual(line, {"benchmark": "mnist99", "system": "torch", "seeds": 3,
                                "reached": 2, "mean_s": 1.5, "min_s": 1.0, "max_s": 2.0,
                                "mean_epochs": 4})
        never = gpu_step.target_line("boostc", [{"seconds": None, "epochs": 6}])
        self.assertIsNone(never["mean_s"])
        self.assertEqual(gpu_step.target_table([line, never]).splitlines(), [
            "MNIST to 99 %: seconds of training",
            "torch           1.500, 1.000 to 2.000, 2 of 3 seeds, 4 epochs",
            "boostc           never, 0 of 1 seeds, 6 epochs"])


class Machines(unittest.TestCase):
    """Tools on a made-up build folder."""

    def tools(self, doctor, device):
        with tempfile.TemporaryDirectory() as folder:
            binary = pathlib.Path(folder) / "bin/boost-run"
            binary.parent.mkdir()
            binary.write_text(f"#!/bin/sh\n{doctor}\n")
            binary.chmod(0o755)
            (binary.parent / "boostc").symlink_to("/bin/true")
            arguments = gpu_step.parse([f"--device={device}", f"--build={folder}"])
            errors = io.StringIO()
            try:
                with contextlib.redirect_stderr(errors):
                    return gpu_step.Tools(arguments, pathlib.Path(folder) / "scratch")
            except SystemExit as stopped:
                return stopped.code, errors.getvalue()

    def say(self, **machine):
        return f"echo '{json.dumps(machine)}'"

    def test_no_gpu(self):
        driver = {"works": False, "failure": "libcuda is missing"}
        self.assertEqual(self.tools(self.say(gpus=[], driver=driver), "cuda"), (
            2, "gpu_step: there is no GPU: libcuda is missing; --device=cpu tries the script "
               "out without one\n"))
        code, text = self.tools(self.say(gpus=[{"usable": False}], driver={"works": True}), "cuda")
        self.assertEqual(code, 2)
        self.assertIn("finds none of compute capability 8.0 or newer", text)

    def test_devices_of_the_peers(self):
        machine = self.say(gpus=[{"usable": True}], driver={"works": True})
        for device, peer in (("cuda", "cuda"), ("cpu", "cpu"), ("sim", "cpu")):
            self.assertEqual(self.tools(machine, device).peer_device, peer)

    def test_a_boost_run_that_does_not_start(self):
        self.assertEqual(self.tools("echo no library >&2; exit 127", "cpu"), (
            1, "gpu_step: boost-run does not start here: no library\n"))


WORKER = """
    import time
    from peer_worker import serve

    def slow(index):
        time.sleep(0.001)

    def broken():
        raise ValueError("not on this machine\\nmore")

    {before}
    serve(lambda: ({{"slow, 1 ms": lambda: (slow, lambda result: None), "broken": broken}},
                   {{"peer": "1.0"}}), calls=5, warmup=20, least=30)
"""


class Peers(unittest.TestCase):
    def peer(self, before=""):
        """A Peer whose worker is made up."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        worker = pathlib.Path(folder.name) / "gpu_peers.py"
        worker.write_text(f"import sys; sys.path.insert(0, {str(SOURCE / 'tools/bench')!r})\n"
                          + textwrap.dedent(WORKER.format(before=before)))
        here, gpu_step.HERE = gpu_step.HERE, worker.parent
        try:
            peer = gpu_step.Peer("torch", gpu_step.MODELS["mlp-mnist"], "cpu", folder.name)
        finally:
            gpu_step.HERE = here
        self.addCleanup(peer.close)
        return peer

    def test_answers(self):
        peer = self.peer()
        self.assertEqual(peer.answer(time.monotonic() + 30), {
            "versions": {"peer": "1.0"}, "variants": ["slow, 1 ms"],
            "failed": {"broken": "not on this machine"}})
        result = peer.measure("slow, 1 ms", 0.01)
        self.assertGreaterEqual(result["steps"], 30)
        self.assertGreaterEqual(result["min_ms"], 1)

    def test_a_worker_that_ends(self):
        peer = self.peer("import no_such_framework")
        self.assertIsNone(peer.answer(time.monotonic() + 30))
        self.assertEqual(peer.why(),
                         "ModuleNotFoundError: No module named 'no_such_framework'")

        with self.assertRaisesRegex(gpu_step.PeerFailed, "^its worker had ended$"):
            peer.measure("slow, 1 ms", 0.01)

    def test_a_worker_that_is_not_ready(self):
        peer = self.peer("time.sleep(60)")
        self.assertIsNone(peer.answer(time.monotonic()))
        self.assertEqual(peer.why(), "not ready in time")
        self.assertIsNotNone(peer.process.poll())

    def test_a_worker_that_ends_while_it_measures(self):
        peer = self.peer()
        self.assertIsNotNone(peer.answer(time.monotonic() + 30))
        peer.process.kill()
        peer.process.wait()
        with self.assertRaises(gpu_step.PeerFailed):
            peer.measure("slow, 1 ms", 0.01)


class Timing(unittest.TestCase):
    def test_calls_of_several_steps(self):
        calls = []

        def step(index):
            calls.append(index)

        step.steps, step.prepare = 10, lambda: calls.append("prepare")
        result = peer_worker.measure(step, lambda result: None, 0, calls=3, warmup=50, least=100)
        # Two chunks of 30 steps to warm up, four to be timed.
        self.assertEqual(calls, ["prepare", *range(18)])
        self.assertEqual(result["steps"], 120)


if __name__ == "__main__":
    unittest.main()
