"""The harness measured by itself: one number."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel

QUESTION = "What does the harness itself cost?"


def finding(source):
    return source.said("The harness adds {instrument.overhead} per call of an empty function")


def _overhead(pen):
    pen.bars(pen.cases({"call of an empty function": {}}))
    pen.axes("", "ns", "", scales.zero, None)


def panels(sources):
    return [Panel(_overhead)]
