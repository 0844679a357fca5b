"""The labels of a model as its folder states them: they are what it answers with when it is loaded."""

import json
from pathlib import Path

import pytest
import spacy

from annotator.attribution.model_specs import stated_labels
from annotator.attribution.spacy_models import load

CONFIGURATIONS = [
    ({"id2label": {"1": "b", "0": "a", "10": "k", "2": "c"}}, ("a", "b", "c", "k"), "by number"),
    ({}, ("LABEL_0", "LABEL_1"), "what transformers takes where nothing is said"),
    ({"num_labels": 3}, ("LABEL_0", "LABEL_1", "LABEL_2"), "where only their number is said"),
    ({"id2label": {"0": "toxic"}}, ("not toxic", "toxic"), "one output"),
    ({"id2label": {"0": "toxic"}, "negative_label": "fine"}, ("fine", "toxic"), "one output with both names"),
    ({"architectures": ["BertForQuestionAnswering"]}, (), "it answers with stretches"),
    ({"id2label": {"a": "b"}}, None, "no numbers"),
    ({"num_labels": "two"}, None, "no number"),
    ([], None, "no configuration"),
]


@pytest.mark.parametrize(("config", "labels", "_"), CONFIGURATIONS)
def test_a_configuration_states_labels(config: object, labels: tuple[str, ...] | None, _: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert stated_labels(f"transformers: {tmp_path}") == labels


def test_a_pipeline_of_spacy_states_the_labels_that_it_answers(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    textcat = nlp.add_pipe("textcat")
    for label in ("bad", "good"):
        textcat.add_label(label)  # type: ignore[attr-defined]
    nlp.initialize()
    nlp.to_disk(tmp_path / "tastes")
    assert stated_labels(f"spacy:{tmp_path / 'tastes'}") == load(str(tmp_path / "tastes"), name="tastes").labels


@pytest.mark.parametrize("text", ["{", "\x00", '{"labels": 3}'])
def test_what_cannot_be_read_states_nothing(text: str, tmp_path: Path) -> None:
    for name in ("config.json", "meta.json"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert stated_labels(f"spacy:{tmp_path}") is None
    assert stated_labels("transformers:owner/model") is None
    assert stated_labels("built-in") is None
    assert stated_labels("transformers:") is None
