"""Laws against patterns that nobody chose: random cases are drawn afresh, measured, and compared with what the laws and
the fits of an earlier archive of the same device predict.

`gpufx list` says which probe can draw cases, and along which axis; gpufx_plot.judging.fit_checks what the fits predict,
what is right, and whether the probe's own accuracy goals are met."""

import random
import subprocess
import tempfile
from pathlib import Path

from gpufx_plot import UserError
from gpufx_plot.archive.load import load
from gpufx_plot.call.program import path_of_program
from gpufx_plot.call.terminal import notice
from gpufx_plot.judging.fit_checks import Aim, judge, predicting, today

from .results import Context, Report, Row, waived

SEEDS, QUICK_SEEDS = 16, 1
NO_FITS = "no archive of this device under results/ has fits of this probe: run `gpufx characterize` first."


def draw(probe: dict, quick: bool) -> list[str]:
    """The axis that draws cases, with values that nobody chose, and what narrows them."""
    words = probe["drawn_by"].split()
    name = next(word for word in words if "=" not in word)
    axis = next(axis for axis in probe["axes"] if axis["name"] == name)
    seeds = QUICK_SEEDS if quick else SEEDS
    first = random.SystemRandom().randint(axis["min"], axis["max"] - seeds)
    return [f"{name}={first}:{first + seeds - 1}", *(word for word in words if word != name)]


def row_of(aim: Aim) -> Row:
    what = f"{aim.where}: within {aim.tolerance_pct:g} % of the law"
    row = Row("patterns", what, aim.right, aim.off, aim.unpredicted, said=aim.verdict)
    target = "no aim is set" if aim.share_pct is None else f"the aim is {aim.share_pct:g} %"
    reasons = [f"{100 * aim.right / (aim.right + aim.off):.2f} % right, {target}"] if aim.off else []
    ways = ((aim.not_claimed, "where the law is not claimed"), (aim.no_fit, "that no fit predicts"))
    if missing := ", ".join(f"{count} {why}" for count, why in ways if count):
        reasons.append(f"waived: {missing}")
    row.reason = "; ".join(reasons) or None
    return row


def report(aims: list[Aim], failed: dict[str, int], archive: str, axis: str, name: str = "all") -> Report:
    """The accuracy goals of a probe, judged by an archive's fits; failed: cases by status."""
    rows = [*map(row_of, aims), *(Row("patterns", f"runs that failed: {name}", failed=n) for n in failed.values())]
    cases = sum(aim.right + aim.off for aim in aims)
    details = [f"patterns: {axis}, {cases} of them, predicted by the fits of {archive}"]
    details += [f"{far.off_pct:+7.1f} %  {far.measured:8.3f} for {far.predicted:8.3f}  {far.name}"
                for aim in aims for far in aim.farthest if abs(far.off_pct) > aim.tolerance_pct]  # fmt: skip
    return Report(rows, details, {"drawn": axis, "fits": archive, "aims": [aim.as_json() for aim in aims]})


def check(context: Context, probe: dict) -> Report:
    name, axes = probe["name"], draw(probe, context.options.quick)
    selection = [word for one in axes for word in ("--axis", one)]
    selection += ["--filter", context.options.filter] if context.options.filter else []
    try:
        context.ask("list", name, "--json", *selection)
    except UserError as error:  # the filter leaves nothing of it
        return Report([Row("patterns", name, reason=str(error))])
    axis = f"{name} {' '.join(axes)}"
    notice(f"gpufx validate: random patterns, {axis}")
    with tempfile.TemporaryDirectory(prefix="gpufx-validate-") as folder:
        words = [path_of_program(), "run", name, "--out", folder, *context.device_arguments, *selection]
        ran = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        written = [*Path(folder).glob("*.jsonl*")]
        if not written:
            said = ran.stderr.strip().splitlines() or [f"gpufx run ended with status {ran.returncode}"]
            return Report([Row("patterns", name, failed=1, reason=said[-1].removeprefix("gpufx: "))])
        new, now = load(written[0]), today()
    base = predicting(new, name, now)
    if base is None:
        return Report([Row("patterns", name, reason=NO_FITS)])
    archive, fits = base
    return report(*judge(fits, new, now), archive.path.name, axis, name)


def run(context: Context) -> Report:
    drawn = [probe for probe in context.probes if probe["aims"] and probe["drawn_by"]]
    if not drawn:
        return waived("patterns", "none of the selected probes draws cases at random.")
    if reason := context.no_device():
        return waived("patterns", reason)
    reports = [check(context, probe) for probe in drawn]
    rows, details = ([part for one in reports for part in getattr(one, name)] for name in ("rows", "details"))
    return Report(rows, details, {probe["name"]: one.data for probe, one in zip(drawn, reports, strict=True)})
