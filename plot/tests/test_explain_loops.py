"""How often loops run, by their machine code; of which nobody knows is the program's to say, by the same vectors."""

import pytest
from conftest import vectors

from gpufx_plot.explain.loops import rounds
from gpufx_plot.explain.sass_text import WORD, Instruction


def instruction(line: str) -> Instruction:
    head, _, operands = line.rpartition(" ")
    return Instruction(head.split()[-1], operands, head.split()[0] if "@" in head else "")


@pytest.mark.parametrize("case", vectors("loops.json"), ids=lambda case: case["loop"])
def test_rounds_are_computed_from_numbers(case):
    code = {i * WORD: instruction(line) for i, line in enumerate(case["code"])}
    assert rounds(code) == {at * WORD: n for at, n in case["rounds"]}
