"""The host's own access to its memory, by how it was allocated."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, between, by, rate
from gpufx_plot.showing.charts.series import pick

QUESTION = "How fast does the host access each kind of host memory?"
KINDS = {"pageable": "pageable", "pinned": "pinned", "write_combined": "write-combined"}
TASKS = ("host_read", "host_write")


_text, _whole = "{:.1f}".format, "{:.0f}".format


def finding(source):
    found = [pick(source.points, task=task, kind=[*KINDS]) for task in TASKS]
    if all(len(of) > 1 and max(p.spread[0] for p in of) <= min(p.spread[1] for p in of) for of in found):
        rates = sorted(rate(p, p.value) for of in found for p in of)
        ends = sorted(rate(p, end) for of in found for p in of for end in p.spread)
        said = f"One host thread gets {between(rates, _text)} GB/s from every kind of host memory"
        return said + f"; processes differ more, from {between(ends, _whole)}" * (source.processes_text != "1 process")
    return source.said(
        "Write-combined memory takes the host {host.write_combined_ratio} as long to read as pinned memory"
    )


def _rates(pen):
    rows = [row for index, task in enumerate(TASKS) for row in pen.cases(by("kind", KINDS, task=task), index)]
    pen.bars(rows, rate, _text, dots=True, series=["the host reads", "the host writes"])
    pen.notes.add("why processes differ is not known")
    pen.axes("One host thread", "GB/s", "", scales.zero, None)


def panels(sources):
    return [Panel(_rates)]
