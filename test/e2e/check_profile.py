"""Checks a profile against the program's own tables.

  check_profile.py table INFO.json BENCH.json   every call is in the tables; prints the calls
  check_profile.py trace TRACE.json STEPS       events nest, as many steps
"""

import json
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def check_table(info, bench):
    profile = bench["profile"]
    targets = {target["kind"]: target for target in info["targets"]}
    target = targets["cuda" if "GPU" in bench["device"] else "cpu"]
    tables = {"kernel": target["launches"], "library_call": target["library_calls"],
              "collective": info["collectives"]}
    seen = set()
    for call in profile["calls"]:
        place = call["kind"], call["index"]
        assert place not in seen, f"{place} has two rows"
        seen.add(place)
        assert call["function"] in ("micro", "combine", "update"), call
        entry = tables[call["kind"]][call["index"]]
        if call["kind"] != "collective":
            for key in ("positions", "layers", "flops", "bytes_read", "bytes_written"):
                assert entry[key] == call[key], (entry, call)
        if call["kind"] == "kernel":
            assert entry["kernel"] == call["name"], (entry, call)
    # A kernel of one launch is named after the function that launches it.
    names = [launch["kernel"] for launch in target["launches"]]
    fallbacks = {call["fallback_launch"] for call in target["library_calls"]} if "GPU" in bench["device"] else set()
    for index, name in enumerate(names):
        if name.startswith(("micro_", "update_")) and names.count(name) == 1 and index not in fallbacks:
            assert ("kernel", index) in seen, f"{name} has no row"
    if "ms_per_step" in profile:
        calls = sum(call["ms_per_step"] for call in profile["calls"])
        rest = profile["outside_ms_per_step"]
        assert 0 <= rest and 0 < calls <= profile["ms_per_step"], (calls, rest)
        assert abs(calls + rest - profile["ms_per_step"]) < 1e-6 * profile["ms_per_step"]
        order = [call["ms_per_step"] for call in profile["calls"]]
        assert order == sorted(order, reverse=True), order
    if "peaks" in profile:
        assert profile["peaks"]["flops_per_s"] > 1e9 and profile["peaks"]["bytes_per_s"] > 1e8
    for call in sorted(profile["calls"], key=lambda call: (call["function"], call["kind"], call["index"])):
        print(f"{call['function']} {call['kind']} [{call['layers']}] calls {call['calls_per_step']:g} "
              f"flops {call['flops']} read {call['bytes_read']} written {call['bytes_written']}")


def check_trace(trace, steps):
    events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert sum(event["cat"] == "step" for event in events) == steps
    depth = {"step": 0, "function": 1, "kernel": 2, "library_call": 2, "collective": 2}
    open_events = []
    for event in events:
        begin, end = event["ts"], event["ts"] + event["dur"]
        assert event["dur"] >= 0
        del open_events[depth[event["cat"]]:]
        assert len(open_events) == depth[event["cat"]], "an event lies in none of the kind above it"
        for outer in open_events:
            assert outer["ts"] <= begin + 1e-3 and end <= outer["ts"] + outer["dur"] + 1e-3, (outer, event)
        open_events.append(event)
        if depth[event["cat"]] == 2:
            assert {"layers", "positions", "flops", "bytes_read", "bytes_written"} == event["args"].keys()
    print(f"{steps} steps")


if sys.argv[1] == "table":
    check_table(read(sys.argv[2]), read(sys.argv[3]))
else:
    check_trace(read(sys.argv[2]), int(sys.argv[3]))
