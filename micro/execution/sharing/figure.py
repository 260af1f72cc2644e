"""What work keeps of its own speed beside other work, by where that runs."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel

QUESTION = "What does other work on the same GPU cost, from another stream, green context or process?"
PLACES = {"stream": "another stream", "green": "another green context", "process": "another process", "mps": "MPS"}
KINDS = {"sm": "Arithmetic", "l2": "Reads from the L2", "dram": "Reads from DRAM", "link": "Copies to the device"}


def _kept(point, value):
    """The archive has it for the median alone."""
    found = point.extras.get("kept_pct")
    return found * point.value / value if found is not None and value > 0 else None


def finding(source):
    return source.said(
        "Next to an equal load, arithmetic keeps {sharing.stream_sm_keep} of its speed in streams",
        "{sharing.green_sm_keep} in green contexts",
        "{sharing.process_sm_keep} in processes",
        "; reads from DRAM {sharing.stream_dram_keep}, {sharing.green_dram_keep} and {sharing.process_dram_keep}",
    )


def _bars(kind):
    def draw(pen):
        named = {name: {"neighbour": place, "work": kind, "beside": kind} for place, name in PLACES.items()}
        pen.bars([row for row in pen.cases(named) if row[2].extras.get("kept_pct")], y=_kept)
        pen.axes(f"{KINDS[kind]} next to an equal load", "% of its own speed", "", scales.zero, None)

    return draw


def panels(_):
    return [Panel(_bars(kind)) for kind in KINDS]
