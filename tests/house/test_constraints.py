"""The versions with which everything is tried (constraints.txt) are exact, name no source, and are ones that pyproject.toml allows."""

import re
import tomllib

from packaging.requirements import Requirement

from tests.house.test_house import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINES = [
    line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#")
]
VERSIONS = {name.lower().replace("_", "-"): version for name, _, version in (line.partition("==") for line in LINES)}


def test_every_line_is_an_exact_version_that_any_index_may_give():
    assert [line for line in LINES if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!]+", line)] == []


def test_every_dependency_has_a_version_that_pyproject_allows():
    extras = PROJECT["optional-dependencies"].values()
    wanted = [Requirement(text) for text in [*PROJECT["dependencies"], *(text for extra in extras for text in extra)]]
    assert [str(each) for each in wanted if not each.specifier.contains(VERSIONS.get(each.name, "0"))] == []
