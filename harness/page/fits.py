"""Of each archive the lines that price a pattern: its first line, cut to what is read, and the fits of some probes.
Standard library alone. fits.py FOLDER PROBE,... [ARCHIVE...]; default: those that results/reference.json names. Writes
FOLDER/ID.jsonl and FOLDER/chips.json, a list of {file, name, archive}."""

import gzip
import json
import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[2] / "results"
HEAD = ("type", "schema", "id", "provenance", "device", "law_version")


def cut(path: Path, probes: list[str]) -> tuple[dict, list[dict]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        run = json.loads(next(lines))
        fits = [json.loads(line) for line in lines if line.startswith('{"type":"fit"')]
    fits = [fit for fit in fits if fit["probe"] in probes]
    head = {key: run[key] for key in HEAD}
    head["probes"] = {
        name: {"method_version": probe["method_version"]} for name, probe in run["probes"].items() if name in probes
    }
    return head, fits


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    named = json.loads((RESULTS / "reference.json").read_text(encoding="utf-8"))
    chips = []
    for path in [Path(given) for given in sys.argv[3:]] or [RESULTS / archive for archive in named.values()]:
        head, fits = cut(path, sys.argv[2].split(","))
        name = f"{head['id']}.jsonl"
        lines = [json.dumps(line, separators=(",", ":")) for line in (head, *fits)]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        chips.append({"file": f"/{name}", "name": head["device"]["name"], "archive": head["id"]})
    (folder / "chips.json").write_text(json.dumps(chips), encoding="utf-8")


if __name__ == "__main__":
    main()
