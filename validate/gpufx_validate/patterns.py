"""Laws against patterns that nobody chose: random cases are drawn afresh, measured, and compared with what the laws and
the fits of an earlier archive of the same device predict.

Everything that is decided here is decided by gpufx: which probe can draw cases, and along which axis (`list`); what the
fits predict, what is right, and whether the probe's own aims are met (`fits --on`)."""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

from . import UserError
from .program import Context
from .results import Report, Row, waived

TITLE = "random patterns, drawn afresh, cost what the laws predict (on the device)"
SEEDS, QUICK_SEEDS = 16, 1
ARCHIVES = ("*.jsonl", "*.jsonl.gz")


def draw(probe: dict, quick: bool) -> str:
    """The axis that draws cases, with values that nobody chose."""
    axis = next(axis for axis in probe["axes"] if axis["name"] == probe["drawn_by"])
    seeds = QUICK_SEEDS if quick else SEEDS
    first = random.SystemRandom().randint(axis["min"], axis["max"] - seeds)
    return f"{axis['name']}={first}:{first + seeds - 1}"


def row_of(aim: dict) -> Row:
    right, off = aim["right"], aim["off"]
    row = Row("patterns", f"{aim['where']}: within {aim['tolerance_pct']:g} % of the law", right, off)
    row.waived, row.said = aim["unpredicted"], aim["verdict"]
    target = "no aim is set" if aim["share_pct"] is None else f"the aim is {aim['share_pct']:g} %"
    if off:
        row.reason = f"{100 * right / (right + off):.2f} % right, {target}"
    elif row.waived:
        row.reason = "the earlier archive has no fit for them"
    return row


def worst_of(aim: dict) -> list[str]:
    return [
        f"{far['off_pct']:+7.1f} %  {far['measured']:8.3f} for {far['predicted']:8.3f}  {far['name']}"
        for far in aim["farthest"]
        if abs(far["off_pct"]) > aim["tolerance_pct"]
    ]


def report(told: dict, axis: str) -> Report:
    """Of what `gpufx fits --on` says."""
    if told["same"] != "device":
        return waived("patterns", "no archive of this device under results/ has fits of this probe: run `gpufx "
                      "characterize` first.")  # fmt: skip
    aims = told["aims"]
    rows = [row_of(aim) for aim in aims]
    rows += [Row("patterns", f"runs that failed: {name}", failed=count) for name, count in told["failed"].items()]
    cases = sum(aim["right"] + aim["off"] for aim in aims)
    archive = Path(told["archive"]).name
    details = [f"patterns: {axis}, {cases} of them, predicted by the fits of {archive}"]
    details += [line for aim in aims for line in worst_of(aim)]
    return Report(rows, details, {"drawn": axis, "fits": archive, "aims": aims})


def check(context: Context, probe: dict) -> Report:
    axis = draw(probe, context.options.quick)
    print(f"gpufx validate: random patterns, {axis}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="gpufx-validate-") as folder:
        words = [context.path, "run", probe["name"], "--axis", axis, "--out", folder, *context.device_arguments]
        words += ["--filter", context.options.filter] if context.options.filter else []
        ran = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if not any(path for pattern in ARCHIVES for path in Path(folder).glob(pattern)):
            said = ran.stderr.strip().splitlines() or [f"gpufx run ended with status {ran.returncode}"]
            return Report([Row("patterns", "all", failed=1, reason=said[-1].removeprefix("gpufx: "))])
        try:
            return report(context.ask("fits", "--on", folder, "--json"), axis)
        except UserError as error:
            if error.status != 77:
                raise
            return waived("patterns", str(error))


def run(context: Context) -> Report:
    drawn = [probe for probe in context.probes if probe["aims"] and probe["drawn_by"]]
    if not drawn:
        return waived("patterns", "none of the selected probes draws cases at random.")
    if reason := context.no_device():
        return waived("patterns", reason)
    reports = [check(context, probe) for probe in drawn]
    data = {probe["name"]: one.data for probe, one in zip(drawn, reports, strict=True)}
    rows, details = ([part for one in reports for part in getattr(one, name)] for name in ("rows", "details"))
    return Report(rows, details, data)
