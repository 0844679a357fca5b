"""The demonstration: what it says of its transformer is so, its stored runs fit its texts, and nobody needs torch for it."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.files import resource_folder
from annotator.store import Store, open_store
from annotator.store.instances import find_instance_ids, iterate_instance_batches
from annotator.store.models import list_models
from annotator.store.trained_models import trainings_of
from annotator.usecases.databases import find_project
from annotator.usecases.inspect.saliency import show_instance

FOLDER = resource_folder("data") / "demo" / "sentiment"
MODEL, ALIGNED = "minilm", "minilm-aligned"
METHODS = {"integrated-gradients", "occlusion", "attention", "lime", "random"}


def rows_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def answers_of(outputs: list[dict[str, Any]]) -> dict[str, str]:
    """The label that a model gives each whole text."""
    return {
        one["key"]: max(answer["probabilities"], key=answer["probabilities"].get)
        for one in outputs
        for answer in one.get("predictions", [])
        if answer.get("on", "full") == "full"
    }


@pytest.fixture(scope="module")
def outputs() -> list[dict[str, Any]]:
    return rows_of(f"{MODEL}.jsonl")


@pytest.fixture
def shown(demonstration: Path, tmp_path: Path) -> Iterator[tuple[Store, Project]]:
    shutil.copy(demonstration, tmp_path / "demo.db")
    with open_store(tmp_path / "demo.db") as store:
        yield store, find_project(store, "Sentiment")


def test_each_method_explains_the_english_texts_that_are_short_or_have_gold_and_no_others(
    outputs: list[dict[str, Any]],
) -> None:
    english = [row for row in rows_of("instances.jsonl") if row["language"] == "en"]
    texts = {row["id"] for row in english if "\n" not in row["text"] or "rationales" in row}
    keys: dict[str, set[str]] = {}
    for output in outputs:
        if "attributions" in output:
            keys.setdefault(output["method"], set()).add(output["key"])
    assert keys == dict.fromkeys(METHODS, texts)


def test_every_stored_attribution_has_a_score_for_each_token(
    shown: tuple[Store, Project], outputs: list[dict[str, Any]]
) -> None:
    store, project = shown
    n_tokens = {i.key: i.layout.n_selectable for batch in iterate_instance_batches(store, project.id) for i in batch}
    lengths = [(one["key"], len(a["scores"])) for one in outputs for a in one.get("attributions", [])]
    assert lengths == [(key, n_tokens[key]) for key, _ in lengths]


def test_no_text_that_the_model_is_shown_on_is_among_those_that_it_learned_from() -> None:
    learned = {row["text"] for row in rows_of("training.jsonl")}
    assert learned.isdisjoint(row["text"] for row in rows_of("instances.jsonl"))


def test_the_rationale_sets_that_it_learns_beside_are_whole_words_of_their_texts_in_order() -> None:
    for row in rows_of("training.jsonl"):
        text = row["text"]
        assert row["rationales"], row["id"]
        for spans in row["rationales"]:
            places = [place for span in spans for place in (span["start_char"], span["end_char"])]
            assert places == sorted(set(places)), row["id"]
            assert places[-1] <= len(text), row["id"]
            cuts = [text[place - 1 : place + 1] for place in places if 0 < place < len(text)]
            assert not [cut for cut in cuts if cut.isalnum()], row["id"]


def test_how_often_the_card_says_that_the_model_is_right_is_counted_from_its_stored_answers(
    outputs: list[dict[str, Any]],
) -> None:
    for model, outputs_of_model in ((MODEL, outputs), (ALIGNED, rows_of(f"{ALIGNED}.jsonl"))):
        gold = {row["id"]: row["label"] for row in rows_of("instances.jsonl") if "parent" not in row}
        answers = {key: label for key, label in answers_of(outputs_of_model).items() if key in gold}
        n_right = sum(gold[key] == answer for key, answer in answers.items())
        card = re.sub(r"\s+", " ", (FOLDER / f"{model}.md").read_text(encoding="utf-8"))
        assert f"right about {n_right} of these {len(answers)} " in card


def test_some_contrast_versions_break_the_transformer_and_some_do_not(outputs: list[dict[str, Any]]) -> None:
    rows = {row["id"]: row for row in rows_of("instances.jsonl")}
    answers = answers_of(outputs)
    versions = [row for row in rows.values() if row.get("perturbation_kind") == "contrast"]
    assert all(row["label"] != rows[row["parent"]]["label"] for row in versions)
    assert all(answers[row["parent"]] == rows[row["parent"]]["label"] for row in versions)
    assert {answers[row["id"]] == row["label"] for row in versions} == {True, False}


def test_a_researcher_first_sees_maps_of_the_transformer_and_no_count_of_texts_that_it_was_chosen_by(
    shown: tuple[Store, Project],
) -> None:
    store, project = shown
    [first] = find_instance_ids(store, project.id, "sentiment-en-01")
    panel = show_instance(store, LOCAL_OPERATOR, first, None).panels[0]
    assert (panel.model, panel.method) == (MODEL, "integrated-gradients")
    assert panel.answer is not None
    assert panel.answer.label == "positive"
    assert MODEL not in trainings_of(store, project.id)
    assert (panel.trust, panel.held_out) == (None, "not tested on held-out texts")


@pytest.mark.slow
def test_the_demonstration_is_built_without_torch(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules.update(dict.fromkeys(('torch', 'transformers', 'tokenizers', 'captum')))\n"
        "from pathlib import Path\n"
        "from annotator.usecases.demonstration.construction import build\n"
        f"build(Path({str(tmp_path / 'demo.db')!r}))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    with open_store(tmp_path / "demo.db") as store:
        assert {MODEL, ALIGNED} <= set(list_models(store, find_project(store, "Sentiment").id))
