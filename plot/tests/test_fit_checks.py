"""Which fits may predict, and what they say of the cases of their own archive and of another. The truth is planted:
a = 1, b = 2."""

import pytest
from conftest import vectors
from invent import CYCLES, case_line, failed_line, fit_line, run_line, sealed, write

from gpufx_plot import UserError
from gpufx_plot.archive.load import load
from gpufx_plot.archive.pooled_fits import Fit
from gpufx_plot.call.program import Entry
from gpufx_plot.judging import fit_checks
from gpufx_plot.judging.fit_checks import Today, costs, judge, predicting, why_not

AXES = [{"name": "mode", "unit": "", "choices": ["load", "store", "walk"]}, {"name": "steps", "unit": "", "help": ""}]
AIMS = [
    {"where": "mode=load steps=4", "tolerance_pct": 2, "share_pct": 99.9},
    {"where": "mode=load,store", "tolerance_pct": 5, "share_pct": None},
]
TODAY = Today(6, {"null": {"name": "null", "method_version": 1, "axes": AXES, "aims": AIMS}}, {"steps": (6, 6)})


def archived(path, modes=("load",), scale=None, failed=(), law_version=6, processes=1, claimed=lambda steps: True):
    """Cases that cost 1 + 2 x steps, times what `scale` says of them."""
    lines, fitted = [], []
    for mode in modes:
        for process in range(processes):
            for steps in (1, 2, 3, 4):
                spec = {"sweep": "s", "metric": ("step_cycles", *CYCLES), "params": {"mode": mode, "steps": steps}}
                cost = (1 + 2 * steps) * (scale or {}).get((mode, steps), 1)
                line = case_line("null", spec, process, [cost] * 8)
                law = {"name": "steps", "count": steps, "in_fit": claimed(steps), "why_not": None, "counts": {}}
                lines.append(line | {"law": law})
        fitted.append(fit_line(None, "null", {"mode": mode}, "steps", "step_cycles", 1, 2))
    lines += [failed_line(0, "null", {"mode": "load", "steps": 9}, "no") | {"status": status} for status in failed]
    run = run_line(processes)
    run["law_version"] = law_version
    run["probes"]["null"] = {**run["probes"].get("null", {}), "method_version": 1, "fit_by": ["mode"], "axes": AXES}
    return load(write(path, sealed([run, *lines, *fitted])))


@pytest.mark.parametrize("row", vectors("usable_fits.json"), ids=str)
def test_usable_as_the_vectors_say(row):
    def version(name: str, today: int) -> int:
        return {"today": today, "priced": 5, "before": 4}.get(row[name], row[name])

    run = {
        "law_version": version("law_version", 6),
        "probes": {"null": {"method_version": version("method_version", 3)}},
    }
    now = Today(6, {"null": {"method_version": 3}} if row["known_probe"] else {}, {"steps": (6, 5)})
    fit = Fit("null", {}, "steps", "step_cycles", 1.0, row["b"], 0.1, "x", 3)
    assert (why_not(fit, run, now) is None) == row["usable"]


def test_what_fits_say_of_the_cases_of_their_archive(tmp_path):
    archive = archived(tmp_path / "a.jsonl", claimed=lambda steps: steps < 4)
    found = costs(archive.merged_fits, archive.points)
    assert found["null/mode:load/steps:2"] == 5
    assert found["null/mode:load/steps:4"] == 9  # also where the law makes no claim


def test_right_off_not_claimed_and_without_a_fit(tmp_path):
    base = archived(tmp_path / "a.jsonl", modes=("load",))
    scale = {("load", 4): 1.03, ("load", 2): 1.07}
    other = archived(tmp_path / "b.jsonl", ("load", "store", "walk"), scale, ["wrong_result", "io", "io"], processes=2,
                     claimed=lambda steps: steps != 3)  # fmt: skip
    aims, failed = judge(base.merged_fits, other, TODAY)
    first, second = aims  # what walks has no aim
    assert (first.right, first.off, first.verdict) == (0, 2, "OFF")  # of each process
    assert (second.right, second.off, second.not_claimed, second.no_fit) == (2, 2, 4, 6)
    assert second.verdict == "no goal"
    assert [round(far.off_pct, 9) for far in second.farthest][:2] == [7, 7]
    assert failed == {"wrong_result": 1, "io": 2}


def test_an_aim_that_nothing_could_be_predicted_for_is_waived(tmp_path):
    other = archived(tmp_path / "b.jsonl")
    assert {aim.verdict for aim in judge([], other, TODAY)[0]} == {"waived"}
    assert judge([], archived(tmp_path / "c.jsonl", modes=("walk",)), TODAY) == ([], {})


def test_the_newest_measured_archive_of_the_device_predicts(tmp_path, monkeypatch):
    """Not another device's, nor a synthetic one, nor one outside results/, nor one whose fits are of another law."""
    (tmp_path / "results").mkdir()
    other = archived(tmp_path / "new.jsonl")
    slug = other.run["device"]["slug"]

    def entry(name: str, slug: str = slug, synthetic: bool = False, law_version: int = 6, folder: str = "results"):
        path = tmp_path / folder / f"{name}.jsonl"
        archived(path, law_version=law_version)
        return Entry(path, name, slug, "sm_90", synthetic, 1)

    listed = [entry("another", "another-gpu"), entry("made_up", synthetic=True), entry("old_law", law_version=5)]
    listed += [entry("elsewhere", folder="."), entry("right"), entry("older")]
    monkeypatch.setattr(fit_checks, "archives", lambda: listed)
    monkeypatch.setattr(fit_checks, "root", lambda: tmp_path)
    monkeypatch.setattr(fit_checks, "home", lambda: tmp_path)
    archive, fits = predicting(other, "null", TODAY)
    assert archive.path.stem == "right" and [fit.b for fit in fits] == [2]
    assert predicting(other, "transfer", TODAY) is None


def test_counts_of_another_law_version_are_refused(tmp_path):
    old = archived(tmp_path / "a.jsonl", law_version=5)
    with pytest.raises(UserError, match="law version 5, and this gpufx has 6; measure again"):
        judge([], old, TODAY)
