"""Tiny models, made once; without the extra `models` the tests are skipped, loudly, unless they are required."""

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from annotator.attribution.base import Input, SegmentTokens
from annotator.attribution.transformers_models import load
from tests.models.tiny_models import copier, save_all


def _give_up(reason: str) -> None:
    """Skip, or fail where model tests are required (`.ci/run` requires them)."""
    sentence = f"NO MODELS, so nothing of the transformers models was tested: {reason}"
    if os.environ.get("ANNOTATOR_REQUIRE_MODELS") == "1":
        pytest.fail(sentence)
    pytest.skip(sentence)


@pytest.fixture(scope="session")
def torch() -> Any:
    """The package, when everything of the extra is there."""
    try:
        for package in ("transformers", "captum.attr"):
            import_module(package)
        return import_module("torch")
    except ImportError as error:
        _give_up(f"{error} (pip install torch, then the extra 'models')")


@pytest.fixture(scope="session")
def folders(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folder of each tiny model."""
    return save_all(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def copier_folder(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A decoder that learned to write the cue word of a text."""
    folder = tmp_path_factory.mktemp("writing") / "copier"
    copier(folder)
    return folder


@pytest.fixture(scope="session")
def loaded(folders: dict[str, Path]) -> Callable[..., Any]:
    """Loads a tiny model by its name, once for each set of options; tests that change a model load it themselves."""
    there: dict[str, Any] = {}

    def get(name: str, **options: Any) -> Any:
        key = f"{name} {sorted(options.items())}"
        if key not in there:
            there[key] = load(str(folders[name]), device="cpu", **options)
        return there[key]

    return get


def words(name: str, text: str, *, is_selectable: bool = True) -> SegmentTokens:
    """A segment of the words between blanks; two blanks stay two."""
    tokens, spaces = [], []
    for part in text.split(" ") if text else ():
        if not part:
            spaces[-1] += " "
            continue
        tokens.append(part)
        spaces.append(" ")
    if spaces:
        spaces[-1] = ""
    return SegmentTokens(name, tuple(tokens), tuple(spaces), is_selectable)


def one_text(text: str) -> Input:
    return Input((words("text", text),))


def pair(first: str, second: str) -> Input:
    return Input((words("sentence1", first), words("sentence2", second)))


def reading(passage: str, question: str) -> Input:
    return Input((words("passage", passage), words("question", question, is_selectable=False)))
