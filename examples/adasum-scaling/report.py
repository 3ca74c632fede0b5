"""The tables and the figure of README.md, from the results of run.py."""
import math
import statistics

COLOURS = {"fc1": "#1b6ca8", "fc2": "#c8553d", "fc3": "#4f772d"}
WIDTH, HEIGHT, GAP, LEFT, TOP = 250, 170, 40, 40, 34


def cell(plan, results, runs):
    """Median and range of steps, how many got there, and how many there are if some lack."""
    lines = [results.lines[run] for run in runs if run in results.lines]
    if not lines:
        return "not measured"
    steps = [plan.steps_to_target(line["batch"], line["accuracies"]) for line in lines]
    reached = [number for number in steps if number]
    text = f"{len(reached)} of {len(steps)}"
    if reached:
        median = statistics.median(number or math.inf for number in steps)
        median = f"{median:.0f}" if median < math.inf else "over the limit"
        spread = f"{median} ({min(reached)} to {max(reached)})" if len(runs) > 1 else median
        text = f"{spread}, {text}" if len(reached) < len(steps) else spread
    return text if len(lines) == len(runs) else f"{text} [{len(lines)} seeds]"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def steps_table(plan, results, plan_runs):
    base = plan.base_rate(results.recorded)
    head = ["combined", "rate"] + [f"B = {batch}" for batch in plan.batches]
    rows = []

    def add(name, kind, method, ranks, rate_of, warmup=1):
        cells = []
        for batch in plan.batches:
            try:
                rate = rate_of(ranks, batch)
            except KeyError:
                cells.append("not measured")
                continue
            text = cell(plan, results, plan_runs(plan, method, ranks, batch, rate, warmup))
            cells.append(text if rate == base else f"{text} at {rate:g}")
        if any(not text.startswith("not measured") for text in cells):
            rows.append([name, kind, *cells])

    def tuned(method, warmup=1):
        return lambda ranks, batch: plan.tuned_rate(results.recorded, method, ranks, batch, warmup)

    few = plan.ranks[0]
    add("mean", f"base's, {base:g}", "mean", few, lambda _, batch: base)
    add("mean", "linear", "mean", few, lambda _, batch: plan.linear_rate(base, batch))
    add("mean", "tuned", "mean", few, tuned("mean"))
    add("mean", f"tuned, warm-up of {plan.long_warmup} epochs", "mean", few,
        tuned("mean", plan.long_warmup), plan.long_warmup)
    for ranks in plan.ranks:
        add(f"Adasum of {ranks}", f"base's, {base:g}", "adasum", ranks, lambda _, batch: base)
    for ranks in plan.ranks:
        add(f"Adasum of {ranks}", "tuned", "adasum", ranks, tuned("adasum"))
    for ranks in plan.ranks:
        add(f"Adasum of {ranks}", f"tuned, warm-up of {plan.long_warmup} epochs", "adasum", ranks,
            tuned("adasum", plan.long_warmup), plan.long_warmup)
    return table(head, rows)


def traced(plan, results, run_type):
    """The traces that were measured: (ranks, batch, result)."""
    base = plan.base_rate(results.recorded)
    for ranks, batch in plan.traces:
        run = run_type("adasum", ranks, batch, base, plan.seeds[0], True)
        if run in results.lines:
            yield ranks, batch, results.lines[run]


def gain_table(plan, traces):
    """How much longer than the mean's an update is, by layer and time."""
    epochs = [epoch for epoch in (0.25, 1, 2, 5, 10) if epoch <= plan.trace_epochs]
    rows = []
    for ranks, batch, result in traces:
        per_epoch = plan.steps_per_epoch(batch)
        for name in sorted(result["gain"]):
            if not name.endswith("weight"):
                continue
            cells = []
            for epoch in epochs:
                at = min(range(len(result["steps"])),
                         key=lambda i: abs(result["steps"][i] - epoch * per_epoch))
                cells.append(f"{result['gain'][name][at]:.1f}, "
                             f"{result['orthogonality'][name][at]:.2f}")
            rows.append([f"{ranks}, {batch}", name, *cells])
    return table(["ranks, B", "parameter"] + [f"epoch {epoch:g}" for epoch in epochs], rows)


def panel(plan, number, ranks, batch, result):
    x0 = LEFT + number % 3 * (WIDTH + GAP)
    y0 = TOP + number // 3 * (HEIGHT + GAP + 14)
    per_epoch = plan.steps_per_epoch(batch)

    def point(step, value):
        return (f"{x0 + WIDTH * step / per_epoch / plan.trace_epochs:.1f},"
                f"{y0 + HEIGHT * (1 - value):.1f}")

    parts = [f'<rect x="{x0}" y="{y0}" width="{WIDTH}" height="{HEIGHT}" fill="none" '
             'stroke="#888"/>',
             f'<text x="{x0}" y="{y0 - 6}">{ranks} ranks, B = {batch} (dotted: 1/{ranks})</text>',
             f'<polyline points="{point(0, 1 / ranks)} '
             f'{point(per_epoch * plan.trace_epochs, 1 / ranks)}" stroke="#888" fill="none" '
             'stroke-dasharray="1 3"/>']
    for value in (0, 0.5, 1):
        parts.append(f'<text x="{x0 - 5}" y="{y0 + HEIGHT * (1 - value) + 4}" '
                     f'text-anchor="end">{value:g}</text>')
    for epoch in (0, plan.trace_epochs):
        parts.append(f'<text x="{x0 + WIDTH * epoch / plan.trace_epochs}" '
                     f'y="{y0 + HEIGHT + 13}" text-anchor="middle">{epoch}</text>')
    for name, values in sorted(result["orthogonality"].items()):
        layer, _, kind = name.partition(".")
        points = " ".join(map(point, result["steps"], values))
        dash = "" if kind == "weight" else ' stroke-dasharray="3 2" stroke-opacity="0.6"'
        parts.append(f'<polyline points="{points}" fill="none" '
                     f'stroke="{COLOURS.get(layer, "#000")}"{dash}/>')
    return "\n".join(parts)


def figure(plan, traces):
    width = LEFT + 3 * (WIDTH + GAP)
    height = TOP + -(-len(traces) // 3) * (HEIGHT + GAP + 14) + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="11">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>']
    parts += [panel(plan, number, *trace) for number, trace in enumerate(traces)]
    for number, (layer, colour) in enumerate(COLOURS.items()):
        parts.append(f'<text x="{LEFT + 150 * number}" y="{height - 8}" fill="{colour}">{layer}: '
                     'weight, bias dashed</text>')
    parts.append(f'<text x="{LEFT + 470}" y="{height - 8}">across: epochs; up: orthogonality'
                 '</text></svg>')
    return "\n".join(parts) + "\n"


def write_report(plan, results, run_type, plan_runs, svg):
    traces = list(traced(plan, results, run_type))
    base_runs = plan_runs(plan, "mean", 1, plan.base_batch, plan.base_rate(results.recorded))
    print(f"One rank, batch {plan.base_batch}, rate {base_runs[0].rate:g}: "
          f"{cell(plan, results, base_runs)} steps.\n")
    print(steps_table(plan, results, plan_runs))
    for run in plan.mean_on_ranks(base_runs[0].rate):
        if run not in results.lines:
            continue
        print(f"- mean of {run.ranks}, B = {run.batch}, rate {run.rate:g}, seed {run.seed}: "
              f"{cell(plan, results, [run])} steps")
    print()
    print(gain_table(plan, traces), end="")
    if svg:
        svg.write_text(figure(plan, traces), encoding="utf-8")
