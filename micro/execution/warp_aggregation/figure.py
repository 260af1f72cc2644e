"""A warp's sum first: one word per warp or block, by how the lanes' values get there."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, short
from gpufx_plot.showing.charts.series import pick

QUESTION = "How much does a warp reduction before the atomic gain?"
SPACES = ("global", "shared")
METHODS = {
    "plain": "one atomic per lane",
    "shuffle": "shuffles, then one atomic",
    "redux": "redux, then one atomic",
    "compiler": "plain atomicAdd, as compiled",
}
LANES = 32


def _block(source, space, kind="int32"):
    """Method to point: one word per block."""
    points = pick(source.points, mode="throughput", space=space, type=kind, owner="block")
    return {method: found[0] for method in METHODS if (found := pick(points, method=method))}


def finding(source):
    found = {method: point.value for method, point in _block(source, "global").items()}
    if not {"plain", "redux", "compiler"} <= found.keys():
        return ""
    redux, compiler = (short(found["plain"] / found[method]) for method in ("redux", "compiler"))
    return (
        f"Redux, then one atomic, adds to a global word {redux}x as fast as one atomic per lane; "
        f"a plain atomicAdd, which the compiler aggregates, {compiler}x"
    )


def _gathered(pen, space, kind="int32"):
    rows, after = [], {}
    for index, (method, name) in enumerate(METHODS.items()):
        for source in pen.sources:
            points = _block(source, space, kind)
            if point := points.get(method):
                rows.append((name, source, point, index))
                if method != "plain" and "plain" in points and pen.alone:
                    after[source.index, point.name] = f" ({short(points['plain'].value / point.value)}x as fast)"
    pen.bars(rows, after=after)
    title = f"One SM, {space} {kind} per block"
    pen.axes(title, "SM cycles per warp", "", scales.zero, None)


def _whole(source, method):
    return pick(source.points, mode="device", method=method)


def _device(pen):
    for source in pen.sources:
        for index, (method, name) in enumerate(METHODS.items()):
            points = _whole(source, method)
            pen.plot(
                source,
                points,
                lambda p, s=source: p.params["blocks"] or s.device.get("sm_count") or 128,
                lambda p, v: LANES / v if v > 0 else None,
                name,
                index,
            )
    pen.axes("The whole device adds to one word", "blocks", "10⁹ values per second", scales.counts, scales.log10)


def panels(_):
    return [Panel(partial(_gathered, space=space)) for space in SPACES]


def supplement(_):
    return [Panel(_device, wide=True), *(Panel(partial(_gathered, space=space, kind="float32")) for space in SPACES)]
