"""The reference archives, one a chip. Pages show them and tests hold to them, whatever else lies in results/. An effect
that is younger than the reference archive of a chip is shown from an archive of its own."""

import json
from pathlib import Path

FILE = "results/reference.json"
YOUNGER = "results/reference_younger.json"


def _named(top: Path, file: str) -> dict[str, Path]:
    path = top / file
    named = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {chip: top / "results" / archive for chip, archive in named.items()}


def references(top: Path) -> dict[str, Path]:
    """Word for the chip to archive, in the order in which pages show them; nothing where the tree names none."""
    return _named(top, FILE)


def younger(top: Path) -> dict[str, Path]:
    """Word for the chip to the archive that shows the effects which its reference archive does not have."""
    return _named(top, YOUNGER)
