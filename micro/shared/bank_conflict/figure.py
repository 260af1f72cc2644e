"""Bank conflicts: the cost by stride over the law, what cures a column of a tile, and all patterns against the law."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What does a shared-memory bank conflict cost?"
MODES = {"throughput": "a full SM", "latency": "one warp, latency"}
TILES = {"column": "a column of a 32 × 32 tile", "padded": "the same, padded by one word", "xor": "the same, swizzled"}
TOGETHER = (("load", "store"), ("atomic_add", "atomic_cas"))


def _loads(source, **wanted):
    return pick(source.points, **{"mode": "throughput", "op": "load", "width": 4} | wanted)


def _strides(source, **wanted):
    return pick(_loads(source, **wanted), pattern="stride", offset=[0, None])


def finding(source):
    return source.said(
        "A 32-way bank conflict costs {shared.conflict_ratio} as much as no conflict",
        "; a column of a padded tile costs {shared.padded_ratio} as much as a row",
    )


def _stairs(pen, mode, width, ops):
    for source in pen.sources:
        for index, op in enumerate(ops):
            points = _strides(source, mode=mode, width=width, op=op)
            pen.plot(
                source,
                points,
                "stride",
                label=op.replace("_", " ") if len(ops) > 1 else "",
                index=index,
                law="default",
                size=1.1,
            )
            if pen.alone and len(ops) == 1:
                for point in points:
                    stride = point.params["stride"]
                    if 16 <= stride <= 64 and not stride & (stride - 1):
                        pen.write(stride, point.value, f"stride {stride}", 0, 5, "center", "bottom")
    pen.headroom(1.25)
    what = "loads" if ops == ("load",) else "atomics" if len(ops) > 1 else ops[0] + "s"
    pen.axes(
        f"{what.capitalize()}, {width} bytes per lane: {MODES[mode]}",
        f"stride ({width}-byte words)",
        "SM cycles per access",
        scales.ticks_at(*range(0, 65, 8)),
        scales.log2 if mode == "throughput" else scales.zero,
    )
    if pen.xs:  # the mark at 0 whole, and no more than the strides
        pen.ax.set_xlim(-1, max(pen.xs) + 1)
    if ops == ("load",) and mode == "throughput":
        pen.notes.add(_stores(pen))


def _stores(pen):
    """What is said in place of a second line that would lie on the first."""
    apart = [
        abs(store.value / load.value - 1)
        for source in pen.sources
        for store in pick(source.points, mode="throughput", op="store", width=4, pattern="stride")
        for load in _strides(source, stride=store.params["stride"])
    ]
    return f"stores of 4 bytes cost the same as loads within {100 * max(apart):.1f} %" if apart else "loads only"


def _tiles(pen):
    rows = []
    for source in pen.sources:
        base = next((p.value for p in _strides(source, stride=1)), None)
        for pattern, name in TILES.items():
            if base:
                for point in _loads(source, pattern=pattern):
                    rows.append(
                        (name, source, tuple(v / base for v in (point.value, *point.spread)), pattern != "column")
                    )
    pen.bars(rows, text="{:#.3g}x".format)
    pen.axes("Cures, 4 bytes per lane", "time vs a conflict-free read", "", scales.zero, None)


def _residuals(pen, mode):
    title = f"Residuals of the law, all patterns: {MODES[mode]}"
    pen.residuals(
        title, lambda p: p.params["mode"] == mode and f"{p.params['op']}, {p.params['width']} B".replace("_", " ")
    )


def panels(_):
    return [Panel(partial(_stairs, mode="throughput", width=4, ops=("load",)), wide=True), Panel(_tiles, wide=True)]


def supplement(sources):
    found = []
    for mode in MODES:
        for width in values([p for s in sources for p in s.points], "width"):
            if (mode, width) != ("throughput", 4):
                found.append(Panel(partial(_stairs, mode=mode, width=width, ops=("load",)), 0.85))
        found.append(Panel(partial(_stairs, mode=mode, width=4, ops=TOGETHER[1]), 0.85))
    return found + [Panel(partial(_residuals, mode=mode), 0.85, wide=True) for mode in MODES]
