#!/usr/bin/env python3
"""Data beside a probe is what its schema says, and speaks of what the probe can produce: each selection in the JSON
files of micro/GROUP/EFFECT parses, lies within the limits of the axes, and holds a case of the full sweeps; what
claims compare has one unit and partners that `gpufx list` finds as well; figures, counts and axes have names that
there are. Usage: check_probe_data.py ROOT GPUFX; exit status 1 for each problem printed. It begins by finding planted
ones."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "plot"))
try:
    import jsonschema
    from gpufx_plot import UserError
    from gpufx_plot.archive.selection import axes_of, parse
    from gpufx_plot.judging.ratios import Terms
    from gpufx_plot.showing.charts import figure_file
except ImportError:
    sys.exit(77)

KINDS = ("claims", "quantities", "synthetic", "figure")
ANY = {"cost", "rate", "peak_pct"}  # figures of any probe
MOST = 16  # selections of a claim


class Probe:
    def __init__(self, listed: dict):
        self.listed, self.cases = listed, listed["cases"]
        self.axes = axes_of(listed["axes"])
        self.units = {metric["name"]: metric["unit"] for metric in listed["metrics"]}
        self.figures = {*ANY, *(listed["extras"] or "").split()}

    def selected(self, text: str) -> list[dict]:
        """The cases. Raises UserError where there is none."""
        selection = parse(text, self.axes)
        held = [case for case in self.cases if selection.holds(case["params"])]
        if not held:
            raise UserError(f"no case has {text}")
        return held

    def beside(self, params: dict) -> list[dict]:
        return [case for case in self.cases if case["params"] == params]


def validator(kind: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((ROOT / "results" / "schema" / f"{kind}-1.schema.json").read_text(encoding="utf-8"))
    if kind == "synthetic":  # a probe's file is a list of a device's models
        schema = {"$defs": schema["$defs"], "type": "array", "minItems": 1, "items": {"$ref": "#/$defs/model"}}
    return jsonschema.Draft202012Validator(schema)


def claimed(probes: dict[str, Probe], name: str, claim: dict) -> None:
    """Raises UserError for what a claim, or what is given for it, can't compare."""
    if name not in probes:
        raise UserError(f"there is no probe {name}")
    probe = probes[name]
    terms = Terms.of(name, {"against": None, "low": None, "high": None} | claim, probe.axes)
    if len(terms.selections) > MOST:
        raise UserError(f"{len(terms.selections)} selections; at most {MOST}")
    if terms.quantity not in probe.figures:
        raise UserError(f"'{terms.quantity}' is neither cost, rate, peak_pct nor an extra")
    if ("best kernel" in claim.get("text", "")) != terms.best:
        raise UserError("what the best kernel reaches is best_pct, and that alone")
    pairs = []
    for case in probe.cases:
        for partner in terms.partners(case["params"]):
            others = [case] if partner is None else probe.beside(partner)
            pairs += [(case, other) for other in others]
    if not pairs:
        raise UserError("no case decides it")
    for case, other in pairs:
        if probe.units[case["metric"]] != probe.units[other["metric"]]:
            raise UserError(f"{case['name']} and {other['name']} have not one unit")
    for text in claim["where"].split(";"):
        probe.selected(text)


def of_claim(probes: dict[str, Probe], name: str, claim: dict) -> None:
    given = claim.get("given", {})
    if "where" in given:
        claimed(probes, given.get("probe", name), given)
    if "where" in claim:
        claimed(probes, name, claim)


def compared(probe: Probe, cases: str, against: str) -> None:
    instead = parse(against, probe.axes).alone()
    if not any(probe.beside(case["params"] | instead) for case in probe.selected(cases)):
        raise UserError(f"no case with {against} to compare with")


def of_quantity(probes: dict[str, Probe], name: str, quantity: dict) -> None:
    probe = probes[name]
    cases = probe.selected(quantity.get("cases", ""))
    if "along" in quantity and quantity["along"] not in probe.axes:
        raise UserError(f"there is no axis {quantity['along']}")
    if "count" in quantity and not any(quantity["count"] in case["counts"] for case in cases):
        raise UserError(f"no case counts {quantity['count']}")
    if "against" in quantity:
        compared(probe, quantity.get("cases", ""), quantity["against"])
    if saves := quantity.get("saves"):
        if saves["probe"] not in probes:
            raise UserError(f"there is no probe {saves['probe']}")
        compared(probes[saves["probe"]], saves["cases"], saves["against"])


def of_model(probes: dict[str, Probe], name: str, model: dict) -> None:
    probe = probes[name]
    other = {key: term for key, term in model.get("match", {}).items() if key in ("metric", "sweep")}
    terms = []
    for key, term in model.get("match", {}).items():
        axis = probe.axes.get(key)
        if axis and isinstance(term, dict):  # also of sizes that no sweep has; an open end is the axis' own limit
            parse(f"{key}={term.get('min', axis.low)}:{term.get('max', axis.high)}", probe.axes)
        elif axis or key not in other:
            terms.append(f"{key}={','.join(map(str, term if isinstance(term, list) else [term]))}")
    cases = probe.selected(" ".join(terms))
    if not any(
        all(case[key] in (term if isinstance(term, list) else [term]) for key, term in other.items()) for case in cases
    ):
        raise UserError(f"no case has {model['match']}")


def by_axes(probe: Probe, text: str) -> None:
    """AXIS or AXIS=VALUE,... of one or more axes. Raises UserError."""
    for word in text.split():
        if "=" in word:
            probe.selected(word)
        elif word not in probe.axes:
            raise UserError(f"there is no axis {word}")


def of_panel(probe: Probe, panel: figure_file.Panel) -> None:
    for key in ("each", "residuals", "bars", "series"):
        if isinstance(text := getattr(panel, key), str):
            by_axes(probe, text)
    places = {*probe.axes, *probe.figures, "count"} | {name for case in probe.cases for name in case["counts"]}
    if unknown := [word for word in panel.x.split("*") if word and word not in places]:
        raise UserError(f"x: '{unknown[0]}' is neither an axis, a count nor an extra")
    parts = [
        part for key in ("bars", "series") if isinstance(value := getattr(panel, key), dict) for part in value.values()
    ]
    for name in [panel.of, *(part.of for part in parts if not isinstance(part, str) and part.of)]:
        if name not in probe.figures:
            raise UserError(f"of: '{name}' is neither cost, rate, peak_pct nor an extra")
    for axis in [panel.scale] if isinstance(panel.scale, str) else panel.scale if isinstance(panel.scale, dict) else ():
        if axis not in probe.axes:
            raise UserError(f"scale: there is no axis {axis}")
    held = []
    for key, text in selections(panel):
        try:
            held += [case for part in text.split(";") for case in probe.selected(part)]
        except UserError as error:
            raise UserError(f"{key}: {error}") from None
    if panel.against:
        instead = parse(panel.against, probe.axes).alone()
        if not any(probe.beside(case["params"] | instead) for case in held or probe.cases):
            raise UserError(f"against: no case with {panel.against} to compare with")


def selections(panel: figure_file.Panel) -> list[tuple[str, str]]:
    """All selections of a panel whose cases it wants: key and text."""
    found = [("cases", panel.cases)] if panel.cases else []
    for key in ("bars", "series"):
        value = getattr(panel, key)
        for name, part in value.items() if isinstance(value, dict) else ():
            text = part if isinstance(part, str) else part.cases
            if not figure_file.ALONE.fullmatch(text):
                found.append((f"{key}.{name}", figure_file.joined(panel.cases, text)))
    found += [(f"labels.{text}", figure_file.joined(panel.cases, text)) for text in panel.labels]
    return found + ([("titled", figure_file.joined(panel.cases, panel.titled))] if panel.titled else [])


def of_figure(probes: dict[str, Probe], name: str, ids: set[str], data: dict) -> None:
    figure, probe = figure_file.checked(data), probes[name]
    if unknown := [axis for axis in figure.names if axis not in probe.axes]:
        raise UserError(f"names: there is no axis {unknown[0]}")
    for where, text in figure_file.texts(figure):
        if unknown := [found for found, _ in figure_file.FIELD.findall(text) if found and found not in ids]:
            raise UserError(f"{where}: there is no quantity {unknown[0]}")
    for where, panel in figure_file.named_panels(figure):
        try:
            of_panel(probe, panel)
        except UserError as error:
            raise UserError(f"{where}.{error}") from None


def problems(probes: dict[str, Probe], files: dict[tuple[str, str], list]) -> list[str]:
    """files: by effect and kind."""
    ids = {quantity["id"] for (_, kind), rows in files.items() if kind == "quantities" for quantity in rows}
    checks = {
        "claims": lambda name, row: of_claim(probes, name, row),
        "quantities": lambda name, row: of_quantity(probes, name, row),
        "synthetic": lambda name, row: of_model(probes, name, row),
        "figure": lambda name, row: of_figure(probes, name, ids, row),
    }
    schemas = {kind: validator(kind) for kind in KINDS}
    found = []
    for (name, kind), rows in files.items():
        here = f"{name}/{kind}.json"
        wrong = [f"{here}: {error.json_path}: {error.message}" for error in schemas[kind].iter_errors(rows)]
        found += wrong or ([f"{here}: there is no probe {name}"] if name not in probes else [])
        each = rows if isinstance(rows, list) else [rows]
        for number, row in enumerate(each if not wrong and name in probes else (), start=1):
            try:
                checks[kind](name, row)
            except UserError as error:
                of_row = f"{row.get('id', number)}: " if isinstance(rows, list) else ""
                found.append(f"{here}: {of_row}{error}")
    return found


def planted() -> list[str]:
    """What should have been found in rows that are wrong (wrong_probe_data.json: by kind a row, changes of it, and what
    is said of them), and was not, of a probe with one axis."""
    cases = [{"name": f"x/{d}", "params": {"distance": d}, "metric": "shuffle_cycles", "counts": {}} for d in (1, 2, 4)]
    listed = {
        "axes": [{"name": "distance", "unit": "lanes", "min": 1, "max": 31}],
        "metrics": [{"name": "shuffle_cycles", "unit": "cycles"}],
        "extras": None,
        "sweeps": [],
    }
    probes = {"x": Probe(listed | {"cases": cases, "claims": []})}
    missed = []
    for kind, of in json.loads((ROOT / "tests/wrong_probe_data.json").read_text(encoding="utf-8")).items():
        for change, words in of["wrong"]:
            wrong = of["row"] | change
            told = problems(probes, {("x", kind): wrong if kind == "figure" else [wrong]})
            if len(told) != 1 or words not in told[0]:
                missed.append(f"planted {json.dumps(wrong)}: {told} does not say '{words}'")
    return missed


def main() -> int:
    told = subprocess.run([sys.argv[2], "list", "--cases", "--json"], stdout=subprocess.PIPE, check=True)
    probes = {listed["name"]: Probe(listed) for listed in json.loads(told.stdout)["answer"]}
    files = {}
    for path in sorted(ROOT.glob("micro/*/*/*.json")):
        try:
            files[path.parent.name, path.stem] = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            print(f"{path}: {error}")
            return 1
    if unknown := {kind for _, kind in files} - set(KINDS):
        print(f"no schema describes {sorted(unknown)}")
        return 1
    found = planted() + problems(probes, files)
    print("\n".join(found) or f"{len(files)} files of {len(probes)} probes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
