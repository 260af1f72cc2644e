"""Lines of one kind of an archive: archives are long, so that only what is asked for is parsed."""

import json
from collections.abc import Iterator
from pathlib import Path

from gpufx_plot.archive.reading import lines_of


def lines(path: Path, kind: str) -> Iterator[dict]:
    """The complete lines of this type, which stands first in each."""
    begin = f'{{"type":"{kind}"'.encode()
    for text in lines_of(path):
        if text.startswith(begin) and text.endswith(b"\n"):
            yield json.loads(text)
