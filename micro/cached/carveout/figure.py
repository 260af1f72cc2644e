"""The carve-out: the walk's cost by footprint for each share, the L1 that is left, and what it means for throughput."""

from functools import partial

from gpufx_plot.charts.series import pick, plot, split, values
from gpufx_plot.charts.style import (
    GREY,
    MARKERS,
    PALE,
    bytes_axis,
    canvas,
    decorate,
    finish,
    from_zero,
    legend_above,
    shade,
    tiled,
)
from gpufx_plot.model import number, size_text
from gpufx_plot.sizes import sizes

TITLE = "What does shared memory take from the L1?"
MODES = {"throughput": "Throughput of one SM, alone", "device": "Throughput of each SM, all at once"}
DRIVER = -1  # the share that stands for the driver's choice
MOST_NAMES = 12
MOST_HIT = 1.2  # a flat part that costs more than this many hits is no longer the L1


def _shares(sources, mode):
    return values([p for s in sources for p in pick(s.points, mode=mode)], "carveout")


def _word(share):
    return "driver's choice" if share == DRIVER else f"{share} %"


def _look(c, source, share, shares):
    """The more shared memory, the paler; the driver's choice lies broad and grey behind."""
    if share == DRIVER:
        return {"color": PALE, "linewidth": 4, "linestyle": source.dash, "marker": "o", "markersize": 7,
                "zorder": 1.5}  # fmt: skip
    asked = [s for s in shares if s != DRIVER]
    index = asked.index(share)
    look = c.look(source, index, len(asked))
    return look | {"color": shade(source.colour, index, len(asked)), "marker": MARKERS[index % len(MARKERS)]}


def _walks(c, ax, mode):
    shares, drawn = _shares(c.sources, mode), []
    for source in c.sources:
        for series in split(pick(source.points, mode=mode), "footprint", "carveout"):
            share = series.key["carveout"]
            look = _look(c, source, share, shares)
            plot(c, ax, source, series, "footprint", look, _word(share), law=None, own=True)
            drawn += series.points
    return drawn


def _latency(c, ax):
    drawn = _walks(c, ax, "latency")
    decorate(ax, "Latency of a walk, by the share asked for", "footprint", "SM cycles per access")
    bytes_axis(ax.xaxis, [p.params["footprint"] for p in drawn])
    from_zero(ax, [p.value for p in drawn])
    legend_above(ax, 6)
    hit, miss = min(p.value for p in drawn), max(p.value for p in drawn)
    if len(c.sources) == 1 and miss > 1.5 * hit > 0:
        axis = ax.secondary_yaxis(
            "right",
            functions=(lambda v: 100 * (miss - v) / (miss - hit), lambda v: miss - v * (miss - hit) / 100),
        )
        axis.set_ylabel("hits (%), if a miss costs the most seen")
        axis.set_yticks([0, 25, 50, 75, 100])


def _brackets(source):
    """(share, size) of the L1 for each share whose walk shows where it ends."""
    walks = pick(source.points, mode="latency")
    hit = min((p.value for p in walks), default=0)
    for series in split(walks, "footprint", "carveout"):
        share = series.key["carveout"]
        size = next((z for z in sizes(series.points, "footprint") if z.cost < MOST_HIT * hit), None)
        if share != DRIVER and size and size.low:
            yield share, size


def _left(c, ax):
    """The size of the L1 by the share: the bracket between the last footprint that fits and the first that does not."""
    marks, highest = [], 0.0
    for source in c.sources:
        look = c.look(source, 0, 1)
        for share, size in _brackets(source):
            high = size.high or size.low
            place = share + 1.1 * (source.index - (len(c.sources) - 1) / 2)
            ax.plot([place] * 2, [size.low / 1024, high / 1024], linewidth=4, color=look["color"], alpha=0.45)
            ax.plot([place], [size.low / 1024], marker=look["marker"], color=look["color"], markersize=4)
            if len(c.sources) == 1:
                marks.append((share, high / 1024, size.text))
            highest = max(highest, high / 1024)
        whole = source.archive.run["device"]["shared_per_sm_bytes"] / 1024
        ax.plot([0, 100], [whole, 0], **c.law_look(source))
        highest = max(highest, whole)
    last = ""
    for share, y, text in marks[:MOST_NAMES]:
        if text != last:  # neighbours that were rounded to one size share its name
            at = {"xytext": (0, 3), "textcoords": "offset points", "rotation": 40, "rotation_mode": "anchor"}
            ax.annotate(text.removesuffix(" KiB"), (share, y), fontsize=7, **at)
        last = text
    style = {"fontsize": 7.5, "color": GREY, "ha": "left", "va": "bottom"}
    size = f", {size_text(whole * 1024)}," if len(c.sources) == 1 else ""
    ax.text(1, 2, f"line: the most shared memory of an SM{size} less the share", **style)
    decorate(ax, "What is left as L1", "share asked for as shared memory (%)", "L1 (KiB)")
    ax.set_xlim(-4, 110)
    ax.set_ylim(0, 1.15 * highest)


def _throughput(c, ax, mode):
    drawn = _walks(c, ax, mode)
    decorate(ax, MODES[mode], "footprint", "SM cycles per access (256 bytes)")
    bytes_axis(ax.xaxis, [p.params["footprint"] for p in drawn])
    from_zero(ax, [p.value for p in drawn])
    legend_above(ax, 6)
    if len(c.sources) == 1 and drawn:
        best = min(p.value for p in drawn)
        ax.axhline(best, color=GREY, linewidth=0.7, linestyle=":")
        at = {"fontsize": 7.2, "color": GREY, "xytext": (0, -3), "textcoords": "offset points", "va": "top"}
        text = f"{number(256 / best, 3)} bytes a cycle"
        ax.annotate(text, (min(p.params["footprint"] for p in drawn), best), **at)


def draw(sources):
    panels = []
    if _shares(sources, "latency"):
        panels.append(_latency)
    if any(True for s in sources for _ in _brackets(s)):
        panels.append(_left)
    panels += [partial(_throughput, mode=mode) for mode in MODES if _shares(sources, mode)]
    if not panels:
        return None
    c = canvas(sources, 13, 3.6 * -(-len(panels) // 2))
    tiled(c, [partial(panel, c) for panel in panels], 2)
    c.note("the more shared memory, the paler; the driver rounds a share up to what the chip can do")
    if _left in panels:
        c.note("bars on the right: from the last footprint that fits to the first that does not")
    return finish(c, TITLE)
