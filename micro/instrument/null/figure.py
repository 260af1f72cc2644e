"""The harness measured by itself: one number."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel

QUESTION = "What does the harness itself cost?"


def finding(source):
    return source.said("The harness adds {instrument.overhead} to each call that it times")


def _overhead(pen):
    pen.bars(pen.cases({"a timed call of an empty host function": {}}), text="{:.1f}".format)
    pen.ax.set_ylim(0.6, -0.6)
    pen.axes("", "ns", "", scales.zero, None)


def panels(sources):
    return [Panel(_overhead)]
