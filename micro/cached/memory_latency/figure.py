"""Latencies: one ladder of all memories, the staircase over the footprint, few links over many pages, and the places
of the L2."""

from functools import partial
from itertools import pairwise
from statistics import median, pvariance

from gpufx_plot.call.number_text import number, size_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import FLAT, Panel, cost, short
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "How long does one dependent access take, in each memory?"
TITLE = [
    "A dependent read takes {shared.latency} from shared memory, {l1.latency} from L1",
    "{l2.latency} from L2",
    "{dram.latency} from DRAM",
]
TITLED = {"L1": "l1.latency", "L2": "l2.latency", "DRAM": "dram.latency"}
TITLED |= {f"global, {level}": name for level, name in TITLED.items()} | {"shared memory": "shared.latency"}
LINE_BYTES, LEAST_L2_BYTES = 128, 512 << 10


def _dense(source, space):
    """Walks whose links lie line by line (constant memory's lines are shorter), in order of the footprint."""
    points = [p for p in pick(source.points, space=space) if p.params.get("stride", LINE_BYTES) <= LINE_BYTES]
    return sorted((p for p in points if p.params.get("footprint")), key=lambda p: p.params["footprint"])


def _placed(source):
    """One line, read by one SM, in the first process alone: with other physical pages a line changes sides. It has been
    read many times: what a first touch costs these cases do not say."""
    points = [p for p in pick(source.points, space="l2") if p.params.get("stride", 0) <= LINE_BYTES]
    return [p.part({p.processes[0]}) for p in points]


def _ladder(source):
    """Label to points of each memory and level that was measured. A level is told by its size: the smallest one for the
    first, a quarter of the L2 at most for the L2, four times the L2 at least for the DRAM."""
    l2 = source.device["l2_bytes"]
    found = {"register": pick(source.points, space="register")}
    for space, name in (("shared", "shared memory"), ("local", "local memory, in the L1")):
        found[name] = _dense(source, space)[:1]
    constants = _dense(source, "constant")
    found["constant memory, small"] = constants[:1]
    found["constant memory, large"] = [p for p in constants[-1:] if p.params["footprint"] >= 16 << 10]
    for space, name in (("global", "global"), ("texture", "texture")):
        points = _dense(source, space)
        found[f"{name}, L1"] = [p for p in points if p.params["footprint"] < 64 << 10][:1]
        found[f"{name}, L2"] = [p for p in points if LEAST_L2_BYTES <= p.params["footprint"] <= l2 / 4][-1:]
        found[f"{name}, DRAM"] = [p for p in points if p.params["footprint"] >= 4 * l2][-1:]
    return {name: points for name, points in found.items() if points}


def _steps(pen):
    rows, words = [], {}
    for source in pen.sources:
        for name, points in _ladder(source).items():
            every = [p.value for p in points]
            footprint = {p.params["footprint"] for p in points}
            room = f" ({size_text(max(footprint))})" if len(footprint) == 1 and max(footprint) >= 4 * 32 else ""
            low, high = (min(every), max(every)) if len(points) > 1 else points[0].spread
            rows.append((name, room, source, (median(every), low, high), 0))
            words[median(every)] = _said(source, name) or _cycles(median(every))
    rows.sort(key=lambda row: row[3][0])
    # Archives that were swept otherwise took a level at other footprints, which then are not named.
    alike = {name: len({room for other, room, *_ in rows if other == name}) == 1 for name, *_ in rows}
    pen.bars([(name + room * alike[name], *rest) for name, room, *rest in rows], text=words.get, dots=True)
    pen.axes("All memories, one access after the other", "SM cycles", "", scales.log10, None)
    clocks = pen.sources[0].archive.clocks.sm_mhz
    if pen.alone and clocks:
        pen.above(f"ns, at {median(clocks):.0f} MHz", 1000 / median(clocks))


def _cycles(value):
    return number(round(value, 1) if value < 10 else round(value), 3)


def _level(source, size):
    """The name of a flat part, by its last footprint."""
    if size.last <= (source.device.get("shared_per_sm_bytes") or 0):
        return "L1"
    return "L2" if size.last <= source.device["l2_bytes"] else "DRAM"


def _levels(source, points):
    """Words for the flat parts of the title, with its numbers: the first of the L1 and of the L2, the last of DRAM."""
    sizes = [s for s in source.walks.sizes(points, "footprint") if s.last >= FLAT * s.first]
    found = {_level(source, size): size for size in [*reversed(sizes), *sizes[-1:]]}
    return {size: f"{name} {_said(source, name) or short(size.cost)}" for name, size in found.items()}


def _said(source, name):
    return source.said(f"{{{TITLED[name]}}}").removesuffix(" cycles") if name in TITLED else ""


def _staircase(pen):
    for source in pen.sources:
        points = pick(_dense(source, "global"), stride=[LINE_BYTES, None])
        pen.plot(source, points, "footprint", cost)
        if pen.alone:
            words = _levels(source, points)
            pen.stairs(source, points, "footprint", lambda size, words=words: words.get(size, ""))
        pen.mark(source.device["l2_bytes"], "", source)
        pen.notes.add("dotted: L2 size reported by the device")
    pen.axes("Global memory, by footprint", "footprint, every line of it", "SM cycles", scales.sizes, scales.log10)


def _spread(source, space="l2"):
    """Few links over many pages; past the L1, whose hits need no translation."""
    return [p for p in pick(source.points, space=space) if p.params.get("stride", 0) > LINE_BYTES]


def _pages(pen):
    for source in pen.sources:
        strides = values(_spread(source), "stride")
        names = [*(f"one per {size_text(stride)}" for stride in strides), "through the L1"]
        for index, (stride, name) in enumerate(zip(strides, names, strict=False)):
            pen.plot(source, pick(_spread(source), stride=stride), "footprint", cost, name, index)
        pen.plot(source, _spread(source, "global"), "footprint", cost, names[-1], len(strides))
    pen.axes("Few lines over many pages: the TLBs", "footprint", "SM cycles", scales.sizes)


def _quick(points) -> set:
    """The lines that are quicker for the source's first SM than for others. What all SMs see alike says nothing of that
    and can hide it, so the latencies of the SM that sees most otherwise are subtracted, if that sets the lines further
    apart. They are parted at their widest gap."""
    seen = {sm: {p.params.get("line"): p.value for p in pick(points, sm=sm)} for sm in values(points, "sm")}
    first, *others = seen.values()
    whole = [dict.fromkeys(first, 0.0), *(other for other in others if other.keys() == first.keys())]
    ways = [{line: first[line] - other[line] for line in first} for other in whole]
    against = max(ways, key=lambda way: pvariance(way.values()))
    ranked = sorted(first, key=against.get)
    gaps = [against[b] - against[a] for a, b in pairwise(ranked)]
    return set(ranked[: gaps.index(max(gaps)) + 1] if gaps else ranked)


def _places(pen, source):
    """Each line as one dot, SM by SM. Lines keep on all SMs the colour that they have on the first: sides change."""
    points = _placed(source)
    quick, sms = _quick(points), values(points, "sm")
    for index, name in enumerate(("faster for the first SM", "slower for the first SM")):
        mine = [p for p in points if (p.params.get("line") in quick) is (index == 0)]
        pen.plot(source, mine, lambda p: sms.index(p.params["sm"]), cost, name, index, join=False)
    title = f"{source.label}: lines of the L2, read from each of {len(sms)} SMs"
    pen.axes(title, "SM", "SM cycles", scales.named([str(sm) for sm in sms]), scales.linear)
    pen.notes.add("one mark per line, read repeatedly, one process; the first touch of a far line costs more")


def panels(_):
    return [Panel(_steps, wide=True), Panel(_staircase)]


def supplement(sources):
    places = [Panel(partial(_places, source=s), wide=True) for s in sources if len(_placed(s)) > 1]
    return [Panel(_pages), *places]
