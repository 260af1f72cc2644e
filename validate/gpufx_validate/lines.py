"""Lines of one kind of an archive: archives are long, so that only what is asked for is parsed."""

import json
from collections.abc import Iterator
from pathlib import Path


def lines(path: Path, kind: str) -> Iterator[dict]:
    """The complete lines of this type, which stands first in each."""
    begin = f'{{"type":"{kind}"'
    with path.open(encoding="utf-8") as file:
        for text in file:
            if text.startswith(begin) and text.endswith("\n"):
                yield json.loads(text)
