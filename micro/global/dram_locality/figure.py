"""The memory itself: the best rates and random runs; strides, mixtures of reads and writes."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import SERIES
from gpufx_plot.showing.charts.pen import Panel, rate
from gpufx_plot.showing.charts.series import pick, split

QUESTION = "What do direction and order cost in DRAM?"
TASKS = ("read", "write", "copy")
MIXTURES = {"mix_fine": "in each thread", "mix_coarse": "in different blocks"}
LINE = 128  # bytes
RESTS = {"variant": "plain", "width": 16, "threads": 256, "data": "random"}


def _peak(source):
    return source.device.get("memory_peak_GBps") or None


def _known(points):
    return [p for p in points if p.gbps]


def _linear(source, task):
    return _known(pick(source.points, task=task, order="linear"))


def _of_random_data(source, task):
    """As the sheet has it: constant data may be written faster. Line after line is in order, too."""
    lines = _known(pick(source.points, task=task, order="strided", stride=LINE))
    return pick([*_linear(source, task), *lines], data="random")


def finding(source):
    return source.said(
        "Reads get {dram.read_rate:peak} of DRAM peak, writes {dram.write_rate:peak}, copies {dram.copy_rate:peak}",
        "; random 64-byte reads take {dram.random_ratio} as long as runs of 16 KiB",
    )


def _rates(pen):
    rows, words = [], {}
    for index, task in enumerate(TASKS):
        for kind, name in (("own", f"{task}, best kernel"), ("runtime", f"{task}, by the runtime")):
            for source in pen.sources:
                every = _of_random_data(source, task)
                found = [p for p in every if (p.params["variant"] == "runtime") == (kind == "runtime")]
                if found:
                    best = max(found, key=lambda p: p.gbps)
                    share = 100 / peak if (peak := _peak(source)) else 1
                    ends = [share * end for v in best.spread if (end := rate(best, v))]
                    said = source.said(f"{{dram.{task}_rate:peak}}") if kind == "own" else ""
                    words[share * best.gbps] = said or f"{share * best.gbps:.0f} %"
                    rows.append((name, source, (share * best.gbps, min(ends), max(ends), best.name), index))
    known = all(_peak(s) for s in pen.sources)
    pen.bars(rows, text=words.get if known else "{:.0f}".format)
    unit = "% of the peak" if all(_peak(s) for s in pen.sources) else "GB/s"
    pen.axes("Best sequential rate", f"useful bytes, {unit}", "", scales.zero, None)


def _random(source):
    return _known(pick(source.points, order="random", window=0))


def _order(pen):
    for source in pen.sources:
        for index, task in enumerate(TASKS):
            pen.plot(source, pick(_random(source), task=task), "run", rate, f"{task}s", index)
        pen.peak(source, left=False)
    for source in pen.sources if pen.alone else ():
        wanted = RESTS | {"loads": 8, "grid": "once"}  # as those in random order
        shares = [
            f"{task}s {_share(source, p, p.value):.0f} %"
            for task in ("read", "write")
            for p in pick(_linear(source, task), **wanted)[:1]
            if _peak(source)
        ]
        if shares:
            pen.notes.add(f"in order, the kernel of b {' and '.join(shares)} of the peak")
        for p in pick(_random(source), task="read", run=64):
            words, leader = "64 B: {dram.random_ratio} as long as 16 KiB", {"arrowstyle": "-", "color": SERIES[0]}
            place = (18, 0, "left", "center", SERIES[0])
            pen.write(64, p.gbps, source.said(words), *place, arrowprops=leader | {"linewidth": 0.5, "shrinkB": 0})
    pen.axes("Runs in random order, over all of the memory", "contiguous bytes of a run", "useful GB/s", scales.sizes)


def _share(source, point, value):
    """Of the peak in per cent, or GB/s where that is not known."""
    found = rate(point, value)
    return 100 * found / peak if found and (peak := _peak(source)) else found


def _near_peak(pen, title, x, xscale):
    """In per cent from the peak down, for what never gets far from it."""
    known = all(map(_peak, pen.sources))
    if known:
        pen.level(100)
    pen.axes(title, x, "% of the peak" if known else "useful GB/s", xscale, scales.linear if known else scales.zero)


def _strided(source):
    return _known(pick(source.points, order="strided"))


def _stride(pen):
    for source in pen.sources:
        points = _strided(source)
        powers = [p for p in points if not p.params["stride"] & (p.params["stride"] - 1)]
        pen.plot(source, powers, "stride", partial(_share, source), "powers of two", 0)
        pen.plot(
            source,
            [p for p in points if p not in powers],
            "stride",
            partial(_share, source),
            "±128 B from those",
            3,
            join=False,
        )
    _near_peak(pen, "Reads of 128-byte lines, by stride", "stride (bytes)", scales.sizes)


def _mixed(source):
    return pick(source.points, task=list(MIXTURES))


def _turnaround(pen):
    for source in pen.sources:
        pure = pick(_mixed(source), writes=[0, 8])
        for index, (task, name) in enumerate(MIXTURES.items()):
            mixed = [p for p in pick(source.points, task=task) if p not in pure]
            pen.plot(source, [*pure, *mixed], "writes", partial(_share, source), name, 4 + 2 * index)

    def eighths(axis, _):
        axis.set_ticks([0, 2, 4, 6, 8], ["0", "1/4", "1/2", "3/4", "1"])

    _near_peak(pen, "Mixed reads and writes", "share of bytes written", eighths)


def _windowed(source):
    return _known(p for p in pick(source.points, order="random") if p.params["window"])


def _window(pen):
    for source in pen.sources:
        for index, series in enumerate(split(_windowed(source), "window", "task", "run")):
            task, run = series.key.values()
            pen.plot(source, series.points, "window", rate, f"{task}s of {run} bytes", index)
        pen.peak(source)
    pen.axes("Random order within windows", "window of random order", "useful GB/s", scales.sizes)


def _flown(source):
    points = pick(source.points, task=list(TASKS), order="linear", **RESTS)
    return [s for s in split(_known(points), "loads", "task", "grid") if len(s.points) > 2]


def _flight(pen):
    for source in pen.sources:
        for series in _flown(source):
            task, grid = series.key.values()
            name = f"{task}, {'persistent' if grid == 'persistent' else 'a block per part'}"
            pen.plot(source, series.points, "loads", rate, name, TASKS.index(task) + 3 * (grid == "persistent"))
        pen.peak(source)
    pen.axes(
        "16 bytes per lane, by accesses in flight",
        "independent accesses of a thread",
        "useful GB/s",
        scales.counts,
        scales.linear,
    )


def _way(point):
    """Which way of doing a task a case is, in words."""
    p = point.params
    if p["variant"] == "runtime":
        return "by the runtime"
    words = [f"{p['width']} B", f"{p['loads']} in flight"]
    words += ["persistent"] * (p["grid"] == "persistent") + [f"{p['threads']} threads"] * (
        p["threads"] != RESTS["threads"]
    )
    words += [p["variant"].replace("_", " ")] * (p["variant"] != "plain")
    words += ["of one byte"] * (p["data"] == "constant")
    return ", ".join(words)


def _ways(pen):
    """Every way of each task, the best first."""
    rows = []
    for index, task in enumerate(TASKS):
        mine = [(f"{task}: {_way(p)}", s, p) for s in pen.sources for p in _linear(s, task)]
        best: dict = {}
        for name, _, point in mine:
            best[name] = max(best.get(name, 0), point.gbps)
        for name, source, p in sorted(mine, key=lambda row: -best[row[0]]):
            share = 100 / peak if (peak := _peak(source)) else 1
            ends = [share * end for v in p.spread if (end := rate(p, v))]
            rows.append((name, source, (share * p.gbps, min(ends), max(ends)), index))
    pen.bars(rows, text=lambda v: f"{v:.1f}" if v < 110 else f"{v:.0f}", dots=True)
    unit = "% of the peak" if all(_peak(s) for s in pen.sources) else "GB/s"
    pen.axes("Sequential, all variants", f"useful bytes, {unit}", "", scales.linear, None)


def panels(_):
    return [Panel(_rates), Panel(_order)]


def supplement(_):
    return [Panel(_stride), Panel(_turnaround), Panel(_window), Panel(_flight), Panel(_ways, wide=True)]
