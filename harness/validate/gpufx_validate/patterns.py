"""Laws against patterns that nobody chose: random cases are drawn afresh, measured, and compared with what the laws and
the fits of an earlier archive of the same device predict.

`gpufx list` says which probe can draw cases, and along which axis; gpufx_plot.judging.fit_checks what the fits predict,
what is right, and whether the probe's own accuracy goals are met."""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

from gpufx_plot.archive.load import load
from gpufx_plot.judging.fit_checks import Aim, judge, predicting, today

from . import UserError
from .context import Context
from .results import Report, Row, waived

TITLE = "random patterns, drawn afresh, cost what the laws predict (on the device)"
SEEDS, QUICK_SEEDS = 16, 1
ARCHIVES = ("*.jsonl", "*.jsonl.gz")


def draw(probe: dict, quick: bool) -> list[str]:
    """The axis that draws cases, with values that nobody chose, and what narrows them."""
    words = probe["drawn_by"].split()
    name = next(word for word in words if "=" not in word)
    axis = next(axis for axis in probe["axes"] if axis["name"] == name)
    seeds = QUICK_SEEDS if quick else SEEDS
    first = random.SystemRandom().randint(axis["min"], axis["max"] - seeds)
    return [f"{name}={first}:{first + seeds - 1}", *(word for word in words if word != name)]


def _unpredicted(aim: dict) -> str:
    """Why cases have no prediction, which is all that waives them."""
    beyond, no_fit = aim["not_claimed"], aim["unpredicted"] - aim["not_claimed"]
    parts = [f"{beyond} where the law is not claimed"] * bool(beyond) + [f"{no_fit} that no fit predicts"] * bool(
        no_fit
    )
    return "waived: " + ", ".join(parts)


def row_of(aim: dict) -> Row:
    right, off = aim["right"], aim["off"]
    row = Row("patterns", f"{aim['where']}: within {aim['tolerance_pct']:g} % of the law", right, off)
    row.waived, row.said = aim["unpredicted"], aim["verdict"]
    target = "no aim is set" if aim["share_pct"] is None else f"the aim is {aim['share_pct']:g} %"
    reasons = [f"{100 * right / (right + off):.2f} % right, {target}"] if off else []
    reasons += [_unpredicted(aim)] if row.waived else []
    row.reason = "; ".join(reasons) or None
    return row


def worst_of(aim: dict) -> list[str]:
    return [
        f"{far['off_pct']:+7.1f} %  {far['measured']:8.3f} for {far['predicted']:8.3f}  {far['name']}"
        for far in aim["farthest"]
        if abs(far["off_pct"]) > aim["tolerance_pct"]
    ]


def _waived(name: str, reason: str) -> Report:
    return Report([Row("patterns", name, reason=reason)])


def report(aims: list[Aim], failed: dict[str, int], archive: str, axis: str, name: str = "all") -> Report:
    """The accuracy goals of a probe, judged by an archive's fits; failed: cases by status."""
    found = [aim.as_json() for aim in aims]
    rows = [row_of(aim) for aim in found]
    rows += [Row("patterns", f"runs that failed: {name}", failed=count) for name, count in failed.items()]
    cases = sum(aim.right + aim.off for aim in aims)
    details = [f"patterns: {axis}, {cases} of them, predicted by the fits of {archive}"]
    details += [line for aim in found for line in worst_of(aim)]
    return Report(rows, details, {"drawn": axis, "fits": archive, "aims": found})


def check(context: Context, probe: dict) -> Report:
    axes = draw(probe, context.options.quick)
    axis = f"{probe['name']} {' '.join(axes)}"
    selection = [word for one in axes for word in ("--axis", one)]
    selection += ["--filter", context.options.filter] if context.options.filter else []
    try:
        context.ask("list", probe["name"], "--json", *selection)
    except UserError as error:  # the filter leaves nothing of it
        return _waived(probe["name"], str(error))
    print(f"gpufx validate: random patterns, {axis}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="gpufx-validate-") as folder:
        words = [context.path, "run", probe["name"], "--out", folder, *context.device_arguments, *selection]
        ran = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        written = [path for pattern in ARCHIVES for path in Path(folder).glob(pattern)]
        if not written:
            said = ran.stderr.strip().splitlines() or [f"gpufx run ended with status {ran.returncode}"]
            return Report([Row("patterns", probe["name"], failed=1, reason=said[-1].removeprefix("gpufx: "))])
        new, now = load(written[0]), today()
    base = predicting(new, probe["name"], now)
    if base is None:
        return _waived(probe["name"], "no archive of this device under results/ has fits of this probe: run `gpufx "
                       "characterize` first.")  # fmt: skip
    archive, fits = base
    return report(*judge(fits, new, now), archive.path.name, axis, probe["name"])


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
