"""The reference archives, one a chip. Pages show them and tests hold to them, whatever else lies in results/."""

import json
from pathlib import Path

FILE = "results/reference.json"


def references(top: Path) -> dict[str, Path]:
    """Word for the chip to archive, in the order in which pages show them; nothing where the tree names none."""
    path = top / FILE
    named = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {chip: top / "results" / archive for chip, archive in named.items()}
