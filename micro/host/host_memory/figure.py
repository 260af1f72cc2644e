"""The host's own access to its memory, by how it was allocated."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by, rate

QUESTION = "How fast does the host access each kind of host memory?"
KINDS = {"pageable": "pageable", "pinned": "pinned", "write_combined": "write-combined"}
TASKS = ("host_read", "host_write")
SLOW = 2  # times an ordinary read: memory that is write-combined at all is many times slower to read


def finding(source):
    found = {p.params["kind"]: p.value for p in source.points if p.params["task"] == "host_read"}
    if {"pinned", "write_combined"} <= found.keys() and found["write_combined"] < SLOW * found["pinned"]:
        return "This host reads write-combined memory as fast as pinned memory, so its pages are ordinary ones"
    return source.said(
        "Write-combined memory takes the host {host.write_combined_ratio} as long to read as pinned memory"
    )


def _rates(pen):
    rows = [row for index, task in enumerate(TASKS) for row in pen.cases(by("kind", KINDS, task=task), index)]
    pen.bars(rows, rate, series=["the host reads", "the host writes"])
    pen.axes("One host thread", "GB/s", "", scales.zero, None)


def panels(sources):
    return [Panel(_rates)]
