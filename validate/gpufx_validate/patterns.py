"""Laws against patterns that nobody chose: random access patterns are drawn afresh, measured by the probe `pattern`,
and compared with what the laws and the fits of an earlier archive of the same device predict.

A pattern is right where the measured cycles lie within the tolerance of the predicted ones. The aims are those that the
project holds itself to; a memory without an aim is reported and can't fail."""

import random
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from gpufx_plot.names import find

from .lines import lines
from .program import Context, root
from .results import Report, Row, waived

TITLE = "random patterns, drawn afresh, cost what the laws predict (on the device)"
SEEDS, QUICK_SEEDS = 16, 1
HIGHEST_SEED = 1_000_000
WORST = 5  # patterns that are printed for each row


@dataclass(frozen=True)
class Aim:
    memory: str
    op: str  # beginning of the operation's name
    tolerance: float  # of the predicted cycles
    share: float | None  # of the patterns that must be right; None: no aim


AIMS = (
    Aim("shared", "load", 0.02, 0.999),
    Aim("shared", "store", 0.02, 0.99),
    Aim("shared", "atomic", 0.02, 0.99),
    Aim("constant", "load", 0.02, 0.99),
    Aim("l1", "load", 0.05, 0.95),
    Aim("l2", "load", 0.05, None),
    Aim("l2", "store", 0.05, None),
)


def read(path: Path, kind: str) -> list[dict]:
    """The lines of one type of the probe `pattern`."""
    return [line for line in lines(path, kind) if line["probe"] == "pattern"]


def fits_of(lines: list[dict]) -> dict[tuple, tuple[float, float]]:
    """(memory, op, width): a and b, the means over the launches."""
    found: dict[tuple, list[tuple[float, float]]] = {}
    for line in lines:
        group = line["group"]
        found.setdefault((group["memory"], group["op"], group["width"]), []).append((line["a"], line["b"]))
    return {key: tuple(sum(part) / len(part) for part in zip(*pairs, strict=True)) for key, pairs in found.items()}


def nearest_fits(slug: str) -> tuple[str, dict]:
    """The newest archive of the device that has fits of the probe, and these."""
    for entry in find(root() / "results"):
        if entry.slug == slug and not entry.synthetic:
            fits = fits_of(read(entry.path, "fit"))
            if fits:
                return entry.path.name, fits
    return "", {}


def judge(cases: list[dict], fits: dict) -> tuple[list[Row], list[str], list[dict]]:
    """Rows, the patterns farthest from their law, and the figures of each row."""
    rows, details, figures = [], [], []
    for aim in AIMS:
        mine = [c for c in cases if c["params"]["memory"] == aim.memory and c["params"]["op"].startswith(aim.op)]
        errors = []
        for case in mine:
            params = case["params"]
            a, b = fits.get((params["memory"], params["op"], params["width"]), (None, None))
            if a is not None and case["law"]:
                predicted = a + b * case["law"]["count"]
                errors.append((case["median"] / predicted - 1, predicted, case))
        if not errors:
            continue
        right = sum(abs(error) <= aim.tolerance for error, _, _ in errors)
        share = right / len(errors)
        ok = aim.share is None or share >= aim.share
        row = Row("patterns", f"{aim.memory} {aim.op}: within {100 * aim.tolerance:g} % of the law")
        row.agree, rest = right, len(errors) - right
        row.failed, row.waived = (0, rest) if ok else (rest, 0)
        target = "no aim" if aim.share is None else f"aim {100 * aim.share:g} %"
        row.reason = f"{100 * share:.2f} % right, {target}" if rest else None
        rows.append(row)
        errors.sort(key=lambda e: -abs(e[0]))
        worst = [e for e in errors[:WORST] if abs(e[0]) > aim.tolerance]
        details += [f"{100 * error:+7.1f} %  {case['median']:8.3f} for {predicted:8.3f}  {case['name']}"
                    for error, predicted, case in worst]  # fmt: skip
        figures.append({"memory": aim.memory, "op": aim.op, "patterns": len(errors), "right": right,
                        "tolerance": aim.tolerance, "aim": aim.share, "farthest": errors[0][0]})  # fmt: skip
    return rows, details, figures


def run(context: Context) -> Report:
    if "pattern" not in {probe["name"] for probe in context.probes}:
        return waived("patterns", "the probe 'pattern' is not among the selected ones.")
    if reason := context.no_device():
        return waived("patterns", reason)
    archive, fits = nearest_fits(context.info["opened"]["device"]["slug"])
    if not fits:
        return waived("patterns", "no archive of this device under results/ has fits of the probe 'pattern': run "
                      "`gpufx characterize pattern` first.")  # fmt: skip
    seeds = QUICK_SEEDS if context.options.quick else SEEDS
    first = random.SystemRandom().randrange(HIGHEST_SEED - seeds)
    axis = f"seed={first}:{first + seeds - 1}"
    print(f"gpufx validate: random patterns, {axis}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="gpufx-validate-") as folder:
        words = [context.path, "run", "pattern", "--axis", axis, "--out", folder, *context.device_arguments]
        words += ["--filter", context.options.filter] if context.options.filter else []
        ran = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        paths = list(Path(folder).glob("*.jsonl"))
        cases = [case for path in paths for case in read(path, "case")]
        failed = [line for path in paths for line in read(path, "failed")]
    if not cases:
        said = ran.stderr.strip().splitlines() or [f"gpufx run ended with status {ran.returncode}"]
        row = Row("patterns", "all", failed=1, reason=said[-1].removeprefix("gpufx: "))
        return Report([row])
    rows, details, figures = judge(cases, fits)
    for name, count in Counter(line["status"] for line in failed).items():
        rows.append(Row("patterns", f"runs that failed: {name}", failed=count))
    details.insert(0, f"patterns: {axis}, {len(cases)} of them, predicted by the fits of {archive}")
    return Report(rows, details, {"seeds": [first, first + seeds - 1], "fits": archive, "groups": figures})
