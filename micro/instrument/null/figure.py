"""The harness measured by itself: one number."""

from gpufx_plot.chip.quantities import infer
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, between

ID = "instrument.overhead"
QUESTION = "What does the harness itself cost?"


def finding(source):
    known = any(q.determined for q in infer(source.archive, wanted={ID}))
    measured = [f"about {p.value:.1f} ns" for p in source.points] or ["little"]
    return source.said(f"The harness adds {f'{{{ID}}}' if known else measured[0]} to each call that it times")


def _overhead(pen):
    rows, after = [], {}
    for source in pen.sources:
        for p in source.points:
            ends = [(q.estimate.low, q.estimate.high) for q in infer(source.archive, wanted={ID}) if q.determined]
            low, high = next((found for found in ends if None not in found), p.spread)
            rows.append(("a timed call of an empty host function", source, (p.value, low, high, p.name), 0))
            said = between([low, high], "{:.2g}".format)
            after[source.index, p.name] = f" ({said})" if " to " in said else ""
    pen.notes.add("dot: median of the processes; line: 99 % confidence interval")
    pen.bars(rows, text="{:.1f}".format, dots=True, after=after)
    pen.ax.set_ylim(0.6, -0.6)
    pen.axes("", "ns", "", scales.zero, None)


def panels(sources):
    return [Panel(_overhead)]
