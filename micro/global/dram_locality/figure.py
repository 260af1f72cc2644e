"""The memory itself: strides, random runs, mixtures of reads and writes, and the best rate of each way to use it."""

from functools import partial

from gpufx_plot.charts.series import pick, plot, split, values
from gpufx_plot.charts.style import (
    GREY,
    bytes_axis,
    canvas,
    decorate,
    finish,
    from_zero,
    legend_above,
    log2_axis,
    peak_line,
    tiled,
)

TITLE = "What do stride, order and direction cost at the memory itself?"
TASKS = ("read", "write", "copy")
MIXTURES = {"mix_fine": "each thread does both", "mix_coarse": "a block does only one"}
RESTS = {"variant": "plain", "width": 16, "threads": 256, "data": "random"}


def _peak(source) -> float | None:
    return source.archive.run["device"]["memory_peak_GBps"] or None


def _known(points):
    return [p for p in points if p.gbps]


def _in_order(source, task):
    """The same code in ascending order, which random runs and strides are compared with."""
    found = _known(pick(source.points, task=task, order="linear", grid="once", loads=8, **RESTS))
    return found[0].gbps if found else None


def _peaks(c, ax):
    """The theoretical peak as a line."""
    for source in c.sources:
        if peak := _peak(source):
            peak_line(c, ax, source, peak, f"peak {peak:.0f} GB/s")


def _rates(c, ax, drawn):
    """A y axis of useful rates from zero to the peak, with the rate of reads in order as a line."""
    for source in c.sources:
        if height := _in_order(source, "read"):
            look = c.law_look(source) | {"linestyle": (0, (1, 1.5))}
            ax.axhline(height, **look)
            c.key("reads in order", **look)
    _peaks(c, ax)
    from_zero(ax, [*drawn, *(peak for s in c.sources if (peak := _peak(s)))])


def _strided(source):
    return _known(pick(source.points, order="strided"))


def _stride(c, ax):
    drawn = []
    for source in c.sources:
        points = _strided(source)
        powers = [p for p in points if not p.params["stride"] & (p.params["stride"] - 1)]
        kinds = (("powers of two", powers), ("a line more or less", [p for p in points if p not in powers]))
        for index, (label, some) in enumerate(kinds):
            look = c.look(source, 2 * index, 3) | ({"linestyle": "none"} if index else {})
            for series in split(some, "stride"):
                plot(c, ax, source, series, "stride", look, label, None, True, own=True)
        drawn += points
    decorate(ax, "Reads of 128-byte lines, by stride", "from line to line", "useful GB/s")
    _rates(c, ax, [p.gbps for p in drawn])
    bytes_axis(ax.xaxis, [p.params["stride"] for p in drawn], 7)
    legend_above(ax)


def _random(source):
    return _known(pick(source.points, order="random", window=0))


def _order(c, ax):
    drawn = []
    for source in c.sources:
        for series in split(_random(source), "run", "task"):
            task = series.key["task"]
            look = c.look(source, 2 * TASKS.index(task), 3)
            plot(c, ax, source, series, "run", look, task, None, True, own=True)
            drawn += series.points
    decorate(ax, "Runs in random order, all over the memory", "contiguous bytes of a run", "useful GB/s")
    _rates(c, ax, [p.gbps for p in drawn])
    bytes_axis(ax.xaxis, [p.params["run"] for p in drawn], 9)
    legend_above(ax)


def _windowed(source):
    return _known(p for p in pick(source.points, order="random") if p.params["window"])


def _window(c, ax):
    drawn = []
    for source in c.sources:
        for index, series in enumerate(split(_windowed(source), "window", "task", "run")):
            task, run = series.key.values()
            look = c.look(source, index, 3)
            plot(c, ax, source, series, "window", look, f"{task}s of {run} bytes", None, True, own=True)
            drawn += series.points
    decorate(ax, "Random order within windows", "window that is worked through at random", "useful GB/s")
    _rates(c, ax, [p.gbps for p in drawn])
    bytes_axis(ax.xaxis, [p.params["window"] for p in drawn], 7)
    legend_above(ax)


def _mixed(source):
    return pick(source.points, task=list(MIXTURES))


def _turnaround(c, ax):
    drawn, said = [], []
    for source in c.sources:
        pure = {w: pick(_mixed(source), writes=w)[:1] for w in (0, 8)}
        ends = [(w, p.value) for w, found in pure.items() for p in found]
        if len(ends) == 2:
            look = c.law_look(source) | {"linestyle": (0, (6, 2, 1, 2))}
            ax.plot(*zip(*ends, strict=True), **look)
            c.key("reads and writes one after the other, by their bytes", **look)
        for index, (task, label) in enumerate(MIXTURES.items()):
            for series in split(pick(source.points, task=task), "writes"):
                plot(c, ax, source, series, "writes", c.look(source, 2 * index, 3), label, None, own=True)
                drawn += series.points
                if len(ends) == 2:
                    (_, read), (_, write) = ends
                    over = [p.value * 8 / (read * (8 - p.params["writes"]) + write * p.params["writes"]) - 1
                            for p in series.points]  # fmt: skip
                    said.append(f"{label}: up to {100 * max(over):+.1f} %")
    decorate(ax, "Reads and writes at a time", "share of the bytes that is written", "ns per 128 bytes")
    if len(c.sources) == 1:
        ax.text(0.02, 0.04, "\n".join(said), transform=ax.transAxes, fontsize=7.2, color=GREY, linespacing=1.4)
    ax.set_xticks(range(0, 9, 2), ["0", "1/4", "1/2", "3/4", "1"])
    from_zero(ax, [p.value for p in drawn])
    legend_above(ax, 2)


def _flown(source):
    points = pick(source.points, task=list(TASKS), order="linear", **RESTS)
    return [s for s in split(_known(points), "loads", "task", "grid") if len(s.points) > 2]


def _flight(c, ax):
    drawn = []
    for source in c.sources:
        for series in _flown(source):
            task, grid = series.key.values()
            look = c.look(source, TASKS.index(task), 3)
            if grid == "persistent":
                look |= {"linestyle": (0, (1, 1.5)), "markerfacecolor": "none"}
            plot(c, ax, source, series, "loads", look, f"{task}, {grid}", None, True, own=True)
            drawn += series.points
    decorate(ax, "16 bytes per lane, by accesses in flight", "accesses of a thread in flight", "useful GB/s")
    log2_axis(ax.xaxis, [p.params["loads"] for p in drawn])
    rates = [p.gbps for p in drawn] + [peak for s in c.sources if (peak := _peak(s))]
    low, high = min(rates), max(rates)
    ax.set_ylim(low - 0.15 * (high - low) - 1, high + 0.1 * (high - low) + 1)
    _peaks(c, ax)
    legend_above(ax, 2)


def _ways(point) -> str | None:
    """Which way of doing a task a case is, in words; None for what is not a question of the best rate."""
    p = point.params
    if p.get("order") != "linear" or p.get("task") not in TASKS:
        return None
    if p["variant"] == "runtime":
        return "by the runtime"
    if p["variant"] != "plain":
        return f"hint {p['variant'].replace('_', ' ')}"
    if p["width"] != 16:
        return f"{p['width']} bytes per lane"
    if p["grid"] == "persistent":
        return "persistent blocks"
    return "larger blocks" if p["threads"] > RESTS["threads"] else "16 bytes per lane"


def _best(c, ax):
    """All ways of each task as dots on one scale: per cent of the peak, or GB/s where it is not known."""
    found: dict[tuple, list] = {}
    for source in c.sources:
        for point in _known(source.points):
            if way := _ways(point):
                constant = point.params["data"] == "constant"
                task = f"{point.params['task']} of one byte" if constant else point.params["task"]
                found.setdefault((task, way), []).append((source, point))
    in_pct = all(_peak(s) for s in c.sources)
    order = sorted({task for task, _ in found}, key=lambda task: (TASKS.index(task.split()[0]), len(task)))
    places, labels, place = [], [], 0.0
    for task in order:
        ax.text(0.01, place, task, transform=ax.get_yaxis_transform(), fontsize=8, fontweight="bold", va="center")
        ways = sorted((way for named, way in found if named == task), key=lambda way: (way == "by the runtime", way))
        for way in ways:
            place += 1
            rates = []
            for source, point in found[task, way]:
                rates.append(100 * point.gbps / _peak(source) if in_pct else point.gbps)
                look = c.look(source, 2 if way == "by the runtime" else 0, 3)
                ax.plot([rates[-1]], [place], **look | {"linestyle": "none", "markersize": 4})
            text = f"{max(rates):.1f}" if in_pct else f"{max(rates):.0f}"
            at = {"xytext": (6, 0), "textcoords": "offset points", "va": "center", "fontsize": 7.2, "color": GREY}
            if len(c.sources) == 1:
                ax.annotate(text, (max(rates), place), **at)
            places.append(place)
            labels.append(way)
        place += 1.4
    ax.set_yticks(places, labels, fontsize=7.5)
    ax.set_ylim(place - 0.6, -0.7)
    decorate(ax, "The best rate of each way, by number", "% of the peak" if in_pct else "GB/s", "")
    ax.margins(x=0.12)
    ax.grid(visible=False, axis="y")


def draw(sources):
    def swept(which, axis):
        return any(len(values(which(s), axis)) > 1 for s in sources)

    panels = [
        (swept(_strided, "stride"), _stride),
        (swept(_random, "run"), _order),
        (swept(_windowed, "window"), _window),
        (swept(_mixed, "writes"), _turnaround),
        (any(_flown(s) for s in sources), _flight),
    ]
    panels = [panel for there, panel in panels if there]
    ways = {way for s in sources for p in _known(s.points) if (way := _ways(p))}
    if not panels and not ways:
        return None
    columns = min(2, len(panels))
    rows = max(2 if ways else 1, -(-len(panels) // 2))
    c = canvas(sources, 13, 3.1 * rows)
    drawn = [partial(panel, c) for panel in panels]
    if ways and panels:
        grid = c.figure.add_gridspec(1, 2, width_ratios=[columns, 1])
        tiled(c, drawn, columns, grid[0])
        tiled(c, [partial(_best, c)], 1, grid[1])
    else:
        tiled(c, drawn or [partial(_best, c)], max(1, columns))
    c.note(
        "points: medians over the processes; the same footprint, 4 GiB where there is room, and the same bytes in all "
        "cases; a copied byte counts as one read and one written"
    )
    return finish(c, TITLE)
