"""Every command of the pages and of every verb's help, typed: it ends by itself, with the status that it should have,
and leaves no progress on the screen. The first command of each verb answers as it does in a pipe.

On a machine with a GPU, README as its reader types it, into a built tree, which gets archives, figures and reports:
    nvcc -arch=native -lineinfo -o TREE/app tests/terminal/app.cu
    cd tests/terminal && GPUFX_TYPED_ON_GPU=TREE python -m pytest test_pages.py -k on_a_gpu"""

import os
import re
import shutil
from pathlib import Path

import commands
import pytest
import stage
from commands import Command, of_help, of_page, pages, way
from typed import COLUMNS, difference, in_a_pipe, type_in

PAGES = [page for page in pages() if of_page(page)]
TYPED = {way(one).typed.removeprefix("./") for page in PAGES for one in of_page(page) if not way(one).left_out}
GPUFX, HERE = stage.PROGRAM / "gpufx", stage.environment(stage.TREE)
VERBS = commands.verbs(GPUFX, HERE)
HELPED = {verb: of_help(GPUFX, verb, HERE) for verb in VERBS}
ON_GPU = os.environ.get("GPUFX_TYPED_ON_GPU")
PROGRESS = r"\[ *\d+ %\]|drawing  \d+ %"


def of_verb(verb: str) -> list[Command]:
    """The first example of its help that can be typed, if no page has it."""
    first = next((one for one in HELPED[verb] if not way(one).left_out), None)
    return [first] if first and way(first).typed not in TYPED else []


def compared() -> set[Command]:
    """The first command of each verb, which is typed in a pipe, too."""
    seen, found = set(), set()
    for one in [*(one for page in PAGES for one in of_page(page)), *(one for verb in VERBS for one in of_verb(verb))]:
        new = {verb for verb in VERBS if f"gpufx {verb}" in way(one).typed} - seen
        if new and not way(one).left_out and not way(one).alone:
            seen |= new
            found.add(one)
    return found


COMPARED = compared()


def faults(command: Command, folder: Path) -> list[str]:
    how = way(command)
    piped_folder = stage.copied(folder, folder.parent / "piped") if command in COMPARED else None
    typed = type_in(how.typed, folder, stage.environment(folder))
    found = [f"a control character on the screen: {one}" for one in typed.screen.garbage]
    found += [f"progress is left on the screen: {line}" for line in typed.screen.lines if re.search(PROGRESS, line)]
    if typed.status not in how.status:
        found.append(f"exit status {typed.status}, not {how.status}: {typed.screen.lines[-3:]}")
    if piped_folder:
        piped = in_a_pipe(how.typed, piped_folder, stage.environment(piped_folder) | {"COLUMNS": str(COLUMNS)})
        if typed.status != piped.status:
            found.append(f"exit status {typed.status}, in a pipe {piped.status}")
        found.append(difference(typed, piped, folder, piped_folder, how.numbers))
        shutil.rmtree(piped_folder)
    return [f"{command.page}:{command.line}: {how.typed}: {one}" for one in found if one]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_typed_from_top_to_bottom(page, folder):
    typed = [one for one in of_page(page) if not way(one).left_out]
    assert not [fault for one in typed for fault in faults(one, folder)]


@pytest.mark.parametrize("verb", [pytest.param(v, marks=pytest.mark.slow if v == "plot" else ()) for v in VERBS])
def test_the_first_example_of_a_verb_is_typed(verb, folder):
    for command in of_verb(verb):
        assert not faults(command, folder)


def test_every_verb_is_typed_by_one_of_these():
    typed = TYPED.union(way(one).typed for verb in VERBS for one in of_verb(verb))
    untyped = {verb for verb in VERBS if not any(f"gpufx {verb}" in text for text in typed)}
    assert untyped == {"setup", "test"}, "these need a row or an example that can be typed"


def test_every_rule_has_a_use_and_every_command_is_seen():
    seen = [one for page in PAGES for one in of_page(page)] + [one for of in HELPED.values() for one in of]
    for gpu in (False, True):
        for one in seen:
            way(one, gpu)
    assert not [rule for rule in commands.rules()["rules"] if not rule.get("used")]
    assert len(seen) > 2 * len(VERBS)


@pytest.mark.skipif(not ON_GPU, reason="GPUFX_TYPED_ON_GPU names no tree on a machine with a GPU")
@pytest.mark.parametrize("command", of_page("README.md"), ids=lambda command: command.text)
def test_readme_is_typed_on_a_gpu(command):
    how = way(command, gpu=True)
    if how.left_out:
        pytest.skip(how.left_out)
    typed = type_in(how.typed, Path(ON_GPU), os.environ | {"TERM": "xterm-256color"})
    assert typed.status in how.status, typed.screen.lines[-3:]
    assert not typed.screen.garbage and not [line for line in typed.screen.lines if re.search(PROGRESS, line)]
