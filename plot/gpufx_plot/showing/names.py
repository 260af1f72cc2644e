"""What archives are called beside each other: H200, H100; with the run where two chips are alike."""

import re
from collections.abc import Sequence

from ..archive.load import Archive
from ..call.text import clipped, shown

MAKER, MEMORY = re.compile(r"^NVIDIA "), re.compile(r" \d+ ?GB?\b.*")
MOST = 40  # characters


def chip_name(archive: Archive) -> str:
    """H100 of NVIDIA H100 80GB HBM3."""
    return clipped(MEMORY.sub("", MAKER.sub("", shown(archive.run["device"]["name"]))), MOST)


def chip_names(archives: Sequence[Archive]) -> list[str]:
    names = [chip_name(archive) for archive in archives]
    return [name if names.count(name) == 1 else f"{name} {archive.run['id']}"
            for name, archive in zip(names, archives, strict=True)]  # fmt: skip
