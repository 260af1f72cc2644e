"""The sheet for a paper, and claims that are chosen by source and verdict."""

import re

import pytest

from gpufx_plot.archive.load import load
from gpufx_plot.chip.quantities import infer
from gpufx_plot.judging.claims import WORDS, Verdict
from gpufx_plot.showing import claims_text, sheet


@pytest.mark.slow
def test_latex_is_a_table_without_a_bare_sign(h200):
    archive = load(h200)
    found = infer(archive)
    text = sheet.as_latex([(archive, found)])
    body = text[text.index(r"\endhead") : text.index(r"\bottomrule")].splitlines()[1:]
    assert len(body) == len([q for q in found if not q.waived])
    assert all(line.count(" & ") == 3 and line.endswith(r" \\") for line in body)
    assert not re.search(r"(?<!\\)[%$#_]", "".join(body))
    assert archive.run["id"] in text
    assert r"99 \% CIs" in text


def verdict(source, word):
    return Verdict("p", "text", source, "cost", (1, None), word)


def test_claims_are_chosen_by_source_and_verdict():
    known = [verdict(f"Guide {i % 2}", word) for i, word in enumerate(WORDS)]
    assert claims_text.chosen(known, None, None) == known
    assert claims_text.chosen(known, "guide 1", None) == known[1::2]
    for entry in known:
        assert claims_text.chosen(known, None, entry.verdict.lower().replace(" ", "-")) == [entry]
    assert claims_text.chosen(known, "nobody", None) == []
