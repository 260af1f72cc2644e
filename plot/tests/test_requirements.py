"""What pyproject.toml asks for is pinned in plot/requirements.txt, in a version that the package takes."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


def test_every_dependency_is_pinned_in_a_version_that_the_package_takes():
    wanted = [
        Requirement(text) for text in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    ]
    pins = dict(re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / "plot" / "requirements.txt").read_text(), re.M))
    assert len(wanted) > 3
    for one in wanted:
        assert one.specifier.contains(pins[one.name]), one
