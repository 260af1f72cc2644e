"""`gpufx fits` as text and JSON. Where the screen is narrower than a table, the figures stand below the name."""

from dataclasses import dataclass

from ..archive.load import Archive
from ..archive.pooled_fits import Fit
from ..call.program import root
from ..call.tables import wrapped
from ..call.terminal import columns
from ..call.text import json_text, shown
from ..judging.fit_checks import TOLERANCES_PCT, Aim, Judged, Today, why_not

# Columns of the tables: of fits beside that of the groups, of aims, of laws held out.
TABLE, AIMS, HELD_OUT = 120, 130, 190
GROUP = 40  # of the groups at least
NEAR = {"device": "this device", "architecture": "the same architecture"}


@dataclass(frozen=True)
class Fits:
    """same: how near an archive is that was searched for; None: it was named. aims: None: no other archive is asked
    about."""

    archive: Archive
    fits: list[Fit]
    now: Today
    same: str | None = None
    aims: list[Aim] | None = None
    failed: dict[str, int] | None = None


def _below(name: str, figures: str) -> list[str]:
    return [*wrapped(name, indent=" " * 4, whole=True), *wrapped(f"    {figures}", indent=" " * 8, whole=True)]


def _group(fit: Fit) -> str:
    return " ".join(f"{axis}:{value}" for axis, value in fit.group.items()) or "all cases"


def _unit(archive: Archive, fit: Fit) -> str:
    metrics = (archive.run["probes"].get(fit.probe) or {}).get("metrics", ())
    return next((m["unit"] for m in metrics if m["name"] == fit.metric), fit.metric.rpartition("_")[2])


def _fits(told: Fits) -> list[str]:
    if not told.fits:
        return ["", "none: a fit needs three cases of a law with two different counts"]
    width = max(GROUP, *(len(_group(fit)) for fit in told.fits))
    narrow = width + TABLE > columns()
    head = f"{'probe':16}  {'group':{width}}  {'cases':>5}  {'fit':44}  {'spread':>8}  {'farthest':>9}  law"
    lines = [""] if narrow else ["", head]
    for fit in told.fits:
        formula = f"{_unit(told.archive, fit)} = {fit.a:.4g} + {fit.b:.4g} x {fit.law}"
        holds = why_not(fit, told.archive.run, told.now) or ("holds" if fit.law_holds else "DOES NOT HOLD")
        if narrow:
            off = f"largest residual {abs(fit.residual_pct):.2f} %"
            lines += _below(f"{fit.probe}: {_group(fit)}", f"{formula}; {fit.n} cases, {off}, {holds}")
        else:
            spread = "-" if fit.residual_sd_pct is None else f"{fit.residual_sd_pct:.2f} %"
            figures = f"{fit.n:5}  {formula:44}  {spread:>8}  {fit.residual_pct:7.2f} %"
            lines.append(f"{fit.probe:16}  {_group(fit):{width}}  {figures}  {holds}")
    return lines


def _aims(aims: list[Aim]) -> list[str]:
    if not aims:
        return ["no probe of that archive declares an accuracy goal"]
    narrow = columns() < AIMS
    names = ("within", "right", "off", "not claimed", "no fit")
    head = f"{'probe':16}  {'where':50}  {names[0]:>7}  {names[1]:>7}  {names[2]:>7}  {names[3]:>11}  {names[4]:>7}"
    lines = [""] if narrow else ["", f"{head}  verdict"]
    for aim in aims:
        if narrow:
            counts = f"{aim.right} right, {aim.off} off, {aim.not_claimed} not claimed, {aim.no_fit} without a fit"
            figures = f"within {aim.tolerance_pct:g} %: {counts}: {aim.verdict}"
            lines += _below(f"{aim.probe}: {aim.where}", figures)
        else:
            lines.append(
                f"{aim.probe:16}  {aim.where:50}  {aim.tolerance_pct:5g} %  {aim.right:7}  {aim.off:7}  "
                f"{aim.not_claimed:11}  {aim.no_fit:7}  {aim.verdict}"
            )
    for index, aim in enumerate(aims):
        for rank, far in enumerate(aim.farthest):
            if abs(far.off_pct) > aim.tolerance_pct:
                if not rank and not index:
                    lines.append("")
                text = f"{far.off_pct:+7.1f} %  {far.measured:.4g} instead of {far.predicted:.4g}  {far.name}"
                lines += wrapped(text, indent=" " * 8, whole=True)
    return lines


def as_text(told: Fits) -> str:
    run = told.archive.run
    device = run["device"]["name"]
    if told.same:
        device += f", {NEAR[told.same]}{', cut off' if told.archive.incomplete else ''}"
    path = shown(told.archive.path).removeprefix(f"{shown(root())}/")
    head = wrapped(
        f"fits of {path}: {device}, {run['device']['arch']}, {run['started_utc']}", indent=" " * 4, whole=True
    )
    return "\n".join([*head, *(_fits(told) if told.aims is None else _aims(told.aims))]) + "\n"


def _fit_json(told: Fits, fit: Fit) -> dict:
    reason = why_not(fit, told.archive.run, told.now)
    return {
        "probe": fit.probe,
        "group": fit.group,
        "law": fit.law,
        "metric": fit.metric,
        "unit": _unit(told.archive, fit),
        "n": fit.n,
        "a": fit.a,
        "b": fit.b,
        "a_ci95": fit.a_ci95,
        "b_ci95": fit.b_ci95,
        "r_squared": fit.r_squared,
        "residual_sd_pct": fit.residual_sd_pct,
        "largest_residual_pct": fit.residual_pct,
        "worst_case": fit.worst_case,
        "holds": fit.law_holds,
        "processes": fit.processes,
        "holds_in": fit.holds_in,
        "usable": reason is None,
        "why_not": reason,
    }


def _aim_json(aim: Aim) -> dict:
    farthest = [
        {"name": far.name, "measured": far.measured, "predicted": far.predicted, "off_pct": far.off_pct}
        for far in aim.farthest
    ]
    names = ("probe", "where", "tolerance_pct", "share_pct", "right", "off", "unpredicted", "not_claimed", "verdict")
    return {name: getattr(aim, name) for name in names} | {"farthest": farthest}


def as_json(told: Fits) -> str:
    run = told.archive.run
    document = {
        "archive": str(told.archive.path),
        "id": run["id"],
        "started_utc": run["started_utc"],
        "complete": told.archive.incomplete is None,
        "law_version": run["law_version"],
        "provenance": run["provenance"],
        "device": {name: run["device"][name] for name in ("name", "slug", "arch")},
        "processes": run["processes"],
        "fits": [_fit_json(told, fit) for fit in told.fits],
    }
    if told.aims is not None:
        aims = [_aim_json(aim) for aim in told.aims]
        document |= {"same": told.same, "failed": told.failed, "aims": aims}
    return json_text(document, 2)


def costs_text(costs: dict[str, float]) -> str:
    return "".join(f"{cost:14.6g}  {name}\n" for name, cost in costs.items())


def held_out_text(rows: list[Judged]) -> str:
    narrow = columns() < HELD_OUT
    shares = (f"within {TOLERANCES_PCT[0]} %", *(f"{pct} %" for pct in TOLERANCES_PCT[1:]))
    head = f"{'probe':16}  {'law':16}  {'metric':14}  {'predicted':>9}  {shares[0]:>10}  {shares[1]:>7}  {shares[2]:>7}"
    lines = [] if narrow else [f"{head}  {'no claim':>8}  measured/predicted  farthest"]
    for row in rows:
        count = len(row.ratios)
        told, ratios, farthest = ["-"] * len(shares), "-", "-"
        if count:
            (most, high), (least, low) = row.most, row.least
            told = [f"{100 * within / count:.1f} %" for within in row.within]
            ratios, farthest = f"{least:.3f} to {most:.3f}", high if most - 1 > 1 - least else low
        if narrow:
            name = f"{row.probe}: {row.law}, {row.metric}: {count} predicted, {row.unclaimed} without a claim"
            shown_shares = ", ".join(f"{share}: {text}" for share, text in zip(shares, told, strict=True))
            lines += _below(name, f"{shown_shares}; measured/predicted {ratios}, farthest {farthest}")
        else:
            lines.append(
                f"{row.probe:16}  {row.law:16}  {row.metric:14}  {count:9}  {told[0]:>10}  {told[1]:>7}  {told[2]:>7}  "
                f"{row.unclaimed:8}  {ratios:18}  {farthest}"
            )
    return "".join(f"{line}\n" for line in lines)


def held_out_json(rows: list[Judged], now: Today) -> str:
    laws = []
    for row in rows:
        within = {f"within_{pct}_pct": count for pct, count in zip(TOLERANCES_PCT, row.within, strict=True)}
        names = ("ratio", "name")
        ends = {
            end: dict(zip(names, getattr(row, end), strict=True)) if row.ratios else None for end in ("most", "least")
        }
        laws.append(
            {"probe": row.probe, "law": row.law, "metric": row.metric, "predicted": len(row.ratios)}
            | within
            | {"not_claimed": row.unclaimed}
            | ends
        )
    return json_text({"law_version": now.law_version, "laws": laws}, 2)
