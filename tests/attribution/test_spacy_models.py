"""Any spaCy pipeline with a text classifier as a predictor, and models that cannot be loaded."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from annotator.attribution.base import Input, SegmentTokens
from annotator.attribution.loaders import LoadOptions, load_predictor
from annotator.attribution.model_specs import stated_labels
from annotator.attribution.removal_methods import Occlusion
from annotator.attribution.spacy_models import SpacyPipeline, load
from annotator.errors import InvalidValue, ModelError
from tests.attribution_inputs import pair, words

TEXTS = {"good": ["good food", "a good cat"], "bad": ["bad food", "a bad cat"]}


def pipeline(factory: str, *, before: tuple[str, ...] = (), after: tuple[str, ...] = ()) -> Language:
    nlp = spacy.blank("en")
    for part in before:
        nlp.add_pipe(part)
    model = {
        "@architectures": "spacy.TextCatBOW.v3", "exclusive_classes": factory == "textcat", "ngram_size": 1,
        "no_output_layer": False, "length": 1024,
    }  # fmt: skip
    textcat = nlp.add_pipe(factory, config={"model": model})
    for part in after:
        nlp.add_pipe(part)
    rows = [
        Example.from_dict(nlp.make_doc(text), {"cats": {other: float(other == label) for other in TEXTS}})
        for label, texts in TEXTS.items()
        for text in texts
    ]
    optimizer = nlp.initialize(lambda: rows)
    optimizer.learn_rate = 0.05
    for _ in range(20):
        textcat.update(rows, sgd=optimizer)  # type: ignore[attr-defined]
    return nlp


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spacy") / "tastes"
    pipeline("textcat").to_disk(path)
    return path


def test_a_pipeline_in_a_folder_answers_for_the_projects_tokens(folder: Path) -> None:
    model = load(str(folder), name="tastes")
    found = model.probabilities([words("good soup"), words("bad soup")])
    assert sorted(model.labels) == ["bad", "good"]
    assert found[0, model.labels.index("good")] > 0.6
    assert found[1, model.labels.index("bad")] > 0.6
    assert found.sum(axis=1) == pytest.approx(1.0)


def test_the_answer_is_spacys_for_the_same_tokens(folder: Path) -> None:
    nlp = spacy.load(folder)
    expected = nlp(Doc(nlp.vocab, words=["good", "bad-ish", "food"], spaces=[True, False, False])).cats
    model = load(str(folder), name="tastes")
    one = Input((SegmentTokens("text", ("good", "bad-ish", "", "food"), (" ", "", "", "")),))
    assert dict(zip(model.labels, model.probabilities([one])[0], strict=True)) == pytest.approx(expected, abs=1e-6)


def test_answers_do_not_depend_on_what_is_asked_beside(folder: Path) -> None:
    model = load(str(folder), name="tastes")
    texts = [words(f"good food number {number}") for number in range(70)]
    together = model.probabilities(texts)
    assert together[[0, 33, 69]] == pytest.approx(model.probabilities([texts[0], texts[33], texts[69]]), abs=1e-7)


def test_an_empty_text_is_answered_by_the_model_itself(folder: Path) -> None:
    """spaCy answers zeros for a batch without any token, although the model has a bias."""
    model = load(str(folder), name="tastes")
    alone, beside = model.probabilities([words("")])[0], model.probabilities([words(""), words("good")])[0]
    assert alone == pytest.approx(beside)
    assert alone.sum() == pytest.approx(1.0)


def test_independent_labels_are_brought_to_the_sum_one() -> None:
    model = SpacyPipeline(pipeline("textcat_multilabel"), "textcat_multilabel", name="m")
    found = model.probabilities([words("good food"), pair("good", "bad")])
    assert found.sum(axis=1) == pytest.approx(1.0)
    assert found[0, model.labels.index("good")] > 0.6


def test_parts_before_the_classifier_run_and_those_after_do_not() -> None:
    ran = []

    @Language.component("notes_before")
    def before(doc: Doc) -> Doc:
        ran.append("before")
        return doc

    @Language.component("notes_after")
    def after(doc: Doc) -> Doc:
        ran.append("after")
        return doc

    nlp = pipeline("textcat", before=("notes_before",), after=("notes_after",))
    ran.clear()
    SpacyPipeline(nlp, "textcat", name="m").probabilities([words("good")])
    assert set(ran) == {"before"}


def test_a_crash_inside_the_pipeline_becomes_a_sentence() -> None:
    @Language.component("breaks")
    def breaks(doc: Doc) -> Doc:
        if len(doc) == 3:
            raise RuntimeError("three is too many\nand a trace")
        return doc

    model = SpacyPipeline(pipeline("textcat", before=("breaks",)), "textcat", name="fragile")
    model.probabilities([words("good food")])
    with pytest.raises(ModelError, match=r"^'fragile' failed \(RuntimeError: “three is too many”\)\.$"):
        model.probabilities([words("good food again")])


def test_occlusion_of_such_a_model_is_a_probabilitys_fall(folder: Path) -> None:
    explainer = Occlusion(load(str(folder), name="tastes"))
    found = explainer.explain([words("good soup good")], ["good"])[0].attributions[0].scores
    assert explainer.unit == "probability"
    assert found[0] == pytest.approx(found[2])
    assert found[0] > found[1]


# What cannot be loaded -----------------------------------------------------------------------------------------------


def test_a_folder_that_is_no_model_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"has no config\.cfg\. Use the nlp\.to_disk folder\."):
        load(str(tmp_path), name="m")
    with pytest.raises(ModelError, match=r"'en_none_sm' isn't a spaCy folder or pipeline \(available:"):
        load("en_none_sm", name="m")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A package that is installed, and whose code leaves a trace when it is run; whether it says that it is a pipeline."""

    def install(name: str, code: str = "", *, is_pipeline: bool) -> Path:
        ran = tmp_path / f"{name}-ran"
        for folder in (name, f"{name}-1.0.dist-info"):
            (tmp_path / "site" / folder).mkdir(parents=True)
        (tmp_path / "site" / name / "__init__.py").write_text(f"open({str(ran)!r}, 'w').close()\n{code}")
        about = tmp_path / "site" / f"{name}-1.0.dist-info"
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        if is_pipeline:
            (about / "entry_points.txt").write_text(f"[spacy_models]\n{name} = {name}\n")
        monkeypatch.syspath_prepend(tmp_path / "site")
        return ran

    return install


def test_a_package_that_is_no_pipeline_is_not_run(installed: Callable[..., Path]) -> None:
    ran = installed("no_pipeline", "def load(**_): raise SystemExit", is_pipeline=False)
    with pytest.raises(ModelError, match=r"'no_pipeline' isn't a spaCy folder or pipeline \(available:"):
        load("no_pipeline", name="m")
    with pytest.raises(ModelError, match=r"'blank:en' isn't a spaCy folder or pipeline \(available:"):
        load("blank:en", name="m")
    assert not ran.exists()


def test_an_installed_pipeline_is_found_by_its_name(installed: Callable[..., Path], folder: Path) -> None:
    code = f"import spacy\ndef load(**given): return spacy.load({str(folder)!r}, **given)"
    ran = installed("xx_tastes", code, is_pipeline=True)
    assert sorted(load("xx_tastes", name="tastes").labels) == ["bad", "good"]
    assert ran.exists()


def test_a_pipeline_that_takes_parts_from_a_package_is_refused_before_that_is_run(
    installed: Callable[..., Path], folder: Path, tmp_path: Path
) -> None:
    ran = installed("some_package", is_pipeline=False)
    spacy.load(folder).to_disk(tmp_path / "m")
    config = (tmp_path / "m" / "config.cfg").read_text()
    config = config.replace("[components.textcat]\n", '[components.textcat]\nsource = "some_package"\n')
    (tmp_path / "m" / "config.cfg").write_text(config.replace('factory = "textcat"\n', ""))
    with pytest.raises(ModelError, match=r"'.*m' takes textcat from another package\. Re-save it \(nlp\.to_disk\)\."):
        load(str(tmp_path / "m"), name="m")
    assert not ran.exists()


def test_a_folder_is_meant_before_an_installed_pipeline_of_its_name(
    installed: Callable[..., Path], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = installed(folder.name, is_pipeline=True)
    monkeypatch.chdir(folder.parent)
    assert load(folder.name, name="m").labels
    assert not ran.exists()


def test_a_pipeline_without_a_classifier_says_what_it_has(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "m")
    with pytest.raises(ModelError, match=r"'.*m' has no textcat or textcat_multilabel \(it has sentencizer\)\."):
        load(str(tmp_path / "m"), name="m")


def test_a_damaged_pipeline_is_said(folder: Path, tmp_path: Path) -> None:
    spacy.load(folder).to_disk(tmp_path / "m")
    (tmp_path / "m" / "textcat" / "model").write_bytes(b"x")
    with pytest.raises(
        ModelError,
        match=r"Can't load '.*m': \[E149\] Error deserializing model\. Check that the config used to create the component matches the model being loaded\.",
    ):
        load(str(tmp_path / "m"), name="m")


@pytest.mark.parametrize("spec", ["", "spacy:", "huggingface:x", "model", "spacy: "])
def test_a_spec_of_no_kind_says_which_there_are(spec: str) -> None:
    with pytest.raises(
        InvalidValue,
        match="built-in, built-in:NAME, spacy:FOLDER-OR-NAME, transformers:FOLDER-OR-NAME, transformers-zero-shot:",
    ):
        load_predictor(spec, LoadOptions())


def test_a_spec_names_the_model_by_its_folder(folder: Path) -> None:
    assert load_predictor(f"spacy:{folder}", LoadOptions()).name == "tastes"


# The labels of a model as its folder states them: they are what it answers with when it is loaded.

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
