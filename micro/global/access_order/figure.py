"""Access order: the rate of a sum by blocks and by size, and how many times longer chunks take."""

from functools import partial

from gpufx_plot.charts.series import pick, split, values
from gpufx_plot.charts.style import (
    GREY,
    bytes_axis,
    canvas,
    decorate,
    finish,
    from_zero,
    legend_above,
    log10_axis,
    panel_key,
    peak_line,
    tiled,
)
from gpufx_plot.model import size_text

TITLE = "What does it cost to read an array in the wrong order?"
ORDERS = ("interleaved", "blocked", "chunked")
LIST = ["interleaved", "blocked", "chunked"]
WIDEST_GAP = 4  # between neighbouring sizes that a line may join


def _blocks(points) -> list[int]:
    """Numbers of blocks as they stand on the axis: the full grid, which is 0, last."""
    return sorted(values(points, "blocks"), key=lambda v: (v == 0, v))


def _blocks_axis(ax, blocks):
    ax.set_xticks(range(len(blocks)), ["full" if b == 0 else str(b) for b in blocks])
    ax.grid(visible=False, axis="x")


def _peak(c, ax, top):
    """The theoretical peak of the memory, where the panel's cases come near it; returns what the axis must hold."""
    peaks = [(s, s.archive.run["device"]["memory_peak_GBps"] or 0) for s in c.sources]
    for source, peak in peaks:
        if peak and top > 0.2 * peak:
            peak_line(c, ax, source, peak, f"DRAM peak {peak:.0f} GB/s", left=True)
    return [peak for _, peak in peaks if peak and top > 0.2 * peak]


def _all_l1s(source) -> int:
    """What the L1s of all SMs hold together, each its own part of the array; 0 where the device did not tell."""
    device = source.archive.run["device"]
    return (device.get("shared_per_sm_bytes") or 0) * (device.get("sm_count") or 0)


def _fits(sources, size) -> str:
    """Where an array of this size is kept, in words; nothing where the sources differ."""
    words = set()
    for source in sources:
        l1, l2 = _all_l1s(source), source.archive.run["device"].get("l2_bytes") or 0
        words.add(", fits all L1s" if size <= l1 else ", fits the L2" if size <= l2 else "")
    return words.pop() if len(words) == 1 else ""


def _curve(c, ax, source, index, label, pairs, **more):
    """One line of (place, height), labelled in the panel's own legend."""
    look = c.look(source, index, 3) | {"markersize": 4.2, "linewidth": 1.3} | more
    ax.plot([x for x, _ in pairs], [y for _, y in pairs], **look)
    panel_key(ax, label if pairs else "", **look)


def _with_gaps(pairs):
    """Breaks the line where sizes are missing that might lie on another level."""
    for before, pair in zip([None, *pairs], pairs, strict=False):
        if before and pair[0] > WIDEST_GAP * before[0]:
            yield pair[0], float("nan")
        yield pair


def _by_blocks(c, ax, size):
    every = [p for s in c.sources for p in pick(s.points, size=size, width=[4, None])]
    blocks, heights = _blocks(every), []
    for source in c.sources:
        for order in ORDERS:
            points = pick(source.points, size=size, width=[4, None], order=order)
            pairs = sorted((blocks.index(p.params["blocks"]), p.gbps) for p in points if p.gbps)
            _curve(c, ax, source, ORDERS.index(order), order, pairs)
            heights += [y for _, y in pairs]
    decorate(ax, f"{size_text(size)}{_fits(c.sources, size)}: rate by blocks of 256 threads", "blocks", "GB/s")
    heights += _peak(c, ax, max(heights))
    log10_axis(ax.yaxis, heights)
    ax.set_ylim(top=1.8 * max(heights))  # room for the peak's name
    _blocks_axis(ax, blocks)
    legend_above(ax)


def _by_size(c, ax):
    drawn = []
    for source in c.sources:
        lines = split(pick(source.points, blocks=0, order=LIST), "size", "width", "order")
        for series in sorted(lines, key=lambda s: (s.key["width"] or 0, ORDERS.index(s.key["order"]))):
            width, order = series.key["width"], series.key["order"]
            pairs = [(p.params["size"], p.gbps) for p in series.points if p.gbps]
            more = {"markersize": 6.5 if width == 16 else 3.2}
            if len(c.sources) == 1 and width == 16:
                more |= {"markerfacecolor": "none", "linestyle": (0, (1, 1.5))}
            _curve(c, ax, source, ORDERS.index(order), f"{order}, {width} bytes", [*_with_gaps(pairs)], **more)
            drawn += pairs
    decorate(ax, "Full grid: rate by size of the array, by bytes per load", "size", "GB/s")
    bytes_axis(ax.xaxis, [x for x, _ in drawn])
    top = max(y for _, y in drawn)
    from_zero(ax, [1.2 * top, *_peak(c, ax, top)])
    _levels(c, ax, [x for x, _ in drawn])
    legend_above(ax)


def _levels(c, ax, sizes):
    """Up to which size the L1s of all SMs together hold the array, and the L2: the rates are theirs, not the DRAM's."""
    for source in c.sources:
        l1, l2 = _all_l1s(source), source.archive.run["device"].get("l2_bytes") or 0
        for size, text, side in ((l1, "fits all L1s", "right"), (l2, "L2", "left")):
            if not min(sizes) < size < max(sizes):
                continue
            ax.axvline(size, color=c.law_look(source)["color"], linewidth=0.8, linestyle=":")
            if len(c.sources) == 1:
                at = {"xytext": (-3 if side == "right" else 3, -2), "textcoords": "offset points", "va": "top"}
                words = f"{text}\n{size_text(size)}"
                ax.annotate(words, (size, 1), xycoords=ax.get_xaxis_transform(), ha=side, fontsize=7.2, color=GREY,
                            **at)  # fmt: skip
        if l1 > min(sizes):
            c.note("dotted: what all L1s hold together, where each SM reads its own part of the array again; the L2")


def _times(points, order):
    """How many times as long `order` takes as interleaved: (point, ratio) where both are there."""
    rest = {tuple(p.params[a] for a in ("blocks", "size", "width")): p for p in pick(points, order="interleaved")}
    found = []
    for point in pick(points, order=order):
        other = rest.get(tuple(point.params[a] for a in ("blocks", "size", "width")))
        if other and other.value > 0:
            found.append((point, point.value / other.value))
    return found


def _swept(sources) -> list[int]:
    """Sizes that were read by several numbers of blocks."""
    every = [p for s in sources for p in s.points]
    return [
        size for size in values(every, "size") if len(values(pick(every, size=size, width=[4, None]), "blocks")) > 1
    ]


def _ratios(c, ax):
    """The answer: chunks against interleaved, by blocks, a line per size."""
    chosen = [s for s in _swept(c.sources) if any(_times(pick(x.points, size=s), "chunked") for x in c.sources)]
    every = [p for s in c.sources for p in pick(s.points, size=chosen, width=[4, None], order="chunked")]
    blocks, heights = _blocks(every), [1]
    for source in c.sources:
        for index, size in enumerate(chosen[:3]):
            pairs = []
            for point, ratio in _times(pick(source.points, size=size, width=[4, None]), "chunked"):
                pairs.append((blocks.index(point.params["blocks"]), ratio))
            _curve(c, ax, source, index, size_text(size), sorted(pairs))
            if len(c.sources) == 1:
                for x, y in pairs:
                    at = {"xytext": (0, 4), "textcoords": "offset points", "ha": "center", "va": "bottom"}
                    ax.annotate(f"{y:.2g}", (x, y), fontsize=7, color=GREY, **at)
            heights += [y for _, y in pairs]
    decorate(ax, "Chunks against interleaved: times as long", "blocks", "chunked / interleaved")
    ax.axhline(1, color=GREY, linewidth=0.9)
    from_zero(ax, [1.05 * h for h in heights])
    _blocks_axis(ax, blocks)
    legend_above(ax)


def _has(sources, **wanted) -> bool:
    return any(p.gbps for s in sources for p in pick(s.points, **wanted))


def draw(sources):
    c = canvas(sources, 13, 3.1)
    panels = []
    if any(_times(pick(s.points, size=size, width=[4, None]), "chunked") for s in sources for size in _swept(sources)):
        panels.append(_ratios)
    sizes = [s for s in _swept(sources) if _has(sources, size=s, width=[4, None], order=LIST)]
    panels += [partial(_by_blocks, size=size) for size in sizes[:2]]
    if _has(sources, blocks=0, order=LIST):
        panels.append(_by_size)
    if not panels:
        return None
    if len(sizes) > 2:
        c.note(f"by blocks, {size_text(sizes[0])} and {size_text(sizes[1])} are drawn; the archive has more sizes")
    columns = 2 if len(panels) in (2, 4) else 3
    c.figure.set_size_inches(13, 3.1 * -(-len(panels) // columns))
    tiled(c, [partial(panel, c) for panel in panels], columns)
    c.note("points: medians over the processes; full: as many blocks as the device holds at once")
    return finish(c, TITLE)
