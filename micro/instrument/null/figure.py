"""The harness measured by itself: one number, which the default figure draws."""

from gpufx_plot.showing.charts.pen import short

QUESTION = "What does the harness itself cost?"


def finding(source):
    point = source.points[0]
    return f"The harness adds {short(point.value)} {point.unit} per call of an empty function"
