"""Algorithms predicted from what they ask of the chip: gpufx predict."""

import json

from gpufx_plot.program import root


def test_page_lists_the_demands():
    page = (root() / "docs/predict.md").read_text()
    known = json.loads((root() / "results/schema/demands-1.json").read_text())
    table = page.partition("<!-- demands -->")[2].partition("<!-- end -->")[0].splitlines()[3:]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table]
    meant = [
        [f"`{name}`", d["of"], d["unit"], d["meaning"] + (f"; limits `{d['limits']}`" if "limits" in d else "")]
        for name, d in known.items()
    ]
    assert rows == meant
