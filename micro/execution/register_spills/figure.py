"""Spilled registers: the cost by the number of live values, and by the local memory that they take."""

from gpufx_plot.call.number_text import size_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, cost
from gpufx_plot.showing.charts.series import pick, split, values

QUESTION = "What does it cost when a thread has more live values than registers?"


def _few(source):
    return min(values(source.points, "registers"), default=0)


def _ratios(source):
    """Live values to the cost with few registers over that with many, at the fewest warps."""
    few, many = _few(source), max(values(source.points, "registers"), default=0)
    warps = min(values(source.points, "warps"), default=0)
    cost_of = {
        n: {p.params["live"]: p.value for p in pick(source.points, registers=n, warps=warps)} for n in (few, many)
    }
    return (
        {live: v / cost_of[many][live] for live, v in cost_of[few].items() if cost_of[many].get(live)}
        if few < many
        else {}
    )


def finding(source):
    ratios = _ratios(source)
    if not ratios:
        return ""
    if max(ratios.values()) < 1.1:
        return f"{max(ratios)} live values in {_few(source)} registers cost no more than in many"
    return source.said("With 64 registers, 200 live values cost {register.spill_ratio} as much each as 16 values")


def _lines(source):
    return split(source.points, "live", "registers", "warps")


def _live(pen):
    for source in pen.sources:
        fewest = min(values(source.points, "warps"), default=0)
        for index, series in enumerate(_lines(source)):
            if series.key["warps"] == fewest:
                pen.plot(source, series.points, "live", cost, f"{series.key['registers']} registers", index)
                if series.key["registers"] == _few(source):
                    pen.say("live", series.key | {"live": 200}, "{register.spill_ratio} as much as at 16", ha="right")
        pen.mark(_few(source), f"{_few(source)} registers", source)
    pen.headroom(1.1)
    pen.axes(f"Values in a loop, {fewest} warps", "live values per thread", "SM cycles per value", scales.zero)


def _spilled(pen):
    for source in pen.sources:
        for index, series in enumerate(_lines(source)):
            points = [p for p in series.points if p.extras.get("local_KiB")]
            pen.plot(
                source, points, lambda p: p.extras["local_KiB"] * 1024, cost, f"{series.key['warps']} warps", index
            )
        if size := source.device.get("shared_per_sm_bytes"):
            pen.mark(size, f"L1 and shared,\n{size_text(size)}", source, top=False)
    pen.axes(
        f"{_few(source)} registers, by bytes spilled",
        "spilled bytes per SM",
        "SM cycles per value",
        scales.sizes,
    )


def panels(_):
    return [Panel(_live, 1.2, wide=True)]


def supplement(_):
    return [Panel(_spilled, wide=True)]
