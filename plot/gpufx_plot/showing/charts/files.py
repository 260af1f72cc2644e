"""Figures as files, side by side in two processes."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ... import UserError
from ...archive.load import Archive
from ...call.output import make_folder, write
from ...call.terminal import counted_off
from ...call.text import clipped
from ...call.workers import shared
from . import NAME, Wanted, chart, content, draw, numbers

SIDE_BY_SIDE = 2


class NoFigureError(UserError):
    """No probe that was to be drawn has a figure; the text says why."""


def draw_all(
    archives: list[Archive],
    folder: Path,
    probes: Sequence[str],
    formats: tuple[str, ...],
    wanted: Wanted | None = None,
    data: bool = False,
) -> list[Path]:
    """Draws these probes; none: all of the first archive. Returns the files in the order of the probes' names."""
    wanted = wanted or Wanted()
    probes = probes or archives[0].probes
    if not probes:
        raise UserError("the first archive has no finished case, so there is nothing to draw")
    for name in probes:
        if not re.fullmatch(NAME, name):
            raise UserError(f"'{clipped(name)}' is not a probe name, so no file can be called by it")
    make_folder(folder)
    one = partial(_files, archives, folder=folder, formats=formats, wanted=wanted, data=data)
    written = [*counted_off("drawing", shared(one, probes, SIDE_BY_SIDE), len(probes))]
    if not any(written):
        reasons = [f"{name}: {chart(name).without}" for name in probes if chart(name).without]
        if wanted.supplement and len(reasons) < len(probes):
            raise UserError("there is no supplement to draw; leave --supplement out")
        raise NoFigureError(f"no figure of {'; '.join(reasons)}")
    return [path for files in written for path in files]


def _files(archives: list[Archive], probe: str, folder, formats, wanted: Wanted, data: bool) -> list[Path]:
    drawing = draw(archives, probe, wanted)
    if drawing is None:
        return []
    page = wanted.supplement
    name = probe + "-supplement" * (page > 0) + f"-{page}" * (page > 1) + f"-{wanted.sheet}" * (wanted.sheet != "page")
    written = [(f"{name}.{kind}", content(drawing, kind, wanted.sheet)) for kind in formats]
    if data:
        written.append((f"{name}.csv", numbers(drawing)))
    for file, text in written:
        write(folder / file, text)
    files = [folder / file for file, _ in written]
    more = replace(wanted, supplement=page + 1)
    return files + (_files(archives, probe, folder, formats, more, data) if drawing.more else [])
