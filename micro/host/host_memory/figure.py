"""The host's own access to its memory, by how it was allocated."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, rate
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does host memory of each kind cost the host itself?"
KINDS = {"pageable": "pageable", "pinned": "pinned", "write_combined": "write-combined"}
TASKS = {"host_read": "read", "host_write": "write"}


def _case(source, task, kind):
    return next(iter(pick(source.points, task=task, kind=kind)), None)


def finding(source):
    return source.said(
        "Write-combined memory takes the host {host.write_combined_ratio} as long to read as pinned memory"
    )


def _rates(pen):
    rows = [
        (f"{name}, {words}", source, point, index)
        for index, (task, name) in enumerate(TASKS.items())
        for kind, words in KINDS.items()
        for source in pen.sources
        if (point := _case(source, task, kind))
    ]
    pen.bars(rows, rate)
    pen.axes("One thread of the host", "GB/s", "", scales.zero, None)


def panels(sources):
    return (
        [Panel(_rates, 0.9, bars=True)]
        if any(_case(s, task, k) for s in sources for task in TASKS for k in KINDS)
        else []
    )
