"""A text that is typed on the Saliency page: answered and explained by the models that can be asked, and stored nowhere."""

from collections.abc import Callable

import pytest

from annotator.domain.models import Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.models import list_runs
from annotator.usecases.inspect.saliency import show_instance
from annotator.usecases.inspect.saliency_panels import PanelChoice
from annotator.usecases.inspect.typed_text import MOST_TOKENS, show_typed
from annotator.usecases.models.attributions import attribute
from annotator.usecases.models.built_in_model import built_in_model
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.intake import Intake

TEXT = "bad slow soup"


@pytest.fixture
def trained(make_project: Callable[..., Project], import_rows: Callable[..., object], store: Store) -> Project:
    """A project with a built-in model, its occlusion and exact weights, and a model whose output was imported."""
    project = make_project()
    rows = [
        {"id": f"{label}{n}", "text": f"{word} {adverb} soup", "label": label, "rationales": [[[0, 1]]]}
        for label, word in (("negative", "bad"), ("positive", "good"))
        for n, adverb in enumerate(("slow", "fast", "warm", "cold"))
    ]
    import_rows(project, rows)
    built_in_model(store, LOCAL_OPERATOR, project, "built-in", trains=True)
    for method in ("linear", "occlusion"):
        attribute(store, LOCAL_OPERATOR, project, "built-in", method)
    imported = SourceOutput(
        "negative0", Run("far away", "ig"), "f", 1, None, (), (SourceAttribution((ScoredPart((0.5, 0.25, 0.1)),)),)
    )
    with store.transaction():
        Intake(store, project, ImportOptions(), ImportReport(), lambda _: None).run([imported])
    return project


def opened(store: Store, project: Project) -> tuple[int, dict[tuple[str, str], PanelChoice]]:
    [number] = find_instance_ids(store, project.id, "negative0")
    runs = {(one.run.model, one.run.method): PanelChoice(one.id, "negative") for one in list_runs(store, project.id)}
    return number, runs


def test_the_stored_text_typed_again_has_the_stored_answer_and_scores(store: Store, trained: Project) -> None:
    number, runs = opened(store, trained)
    panels = [runs["built-in", "linear"], runs["built-in", "occlusion"]]
    stored = show_instance(store, LOCAL_OPERATOR, number, panels)
    typed = show_typed(store, LOCAL_OPERATOR, number, {"text": TEXT}, panels)
    for before, after in zip(stored.panels, typed.panels, strict=True):
        assert (after.answer, after.label, after.scores) == (before.answer, before.label, pytest.approx(before.scores))
        assert after.numbers == {}
    assert (typed.aligned, typed.trouble, typed.gold) == ((0, 1, 2), "", ())


def test_a_changed_text_has_another_answer_and_the_same_label_is_explained(store: Store, trained: Project) -> None:
    number, runs = opened(store, trained)
    [panel] = show_typed(
        store, LOCAL_OPERATOR, number, {"text": "good slow soup!"}, [runs["built-in", "linear"]]
    ).panels
    assert panel.answer is not None
    assert panel.answer.label == "positive"
    assert panel.label == "negative"
    assert panel.scores is not None
    assert panel.scores[0] is not None
    assert panel.scores[0] < 0
    assert len(panel.scores) == 4
    assert panel.seen is None  # whether the model learned from a text that nobody stored, is no question


def test_what_is_typed_is_stored_nowhere(store: Store, trained: Project) -> None:
    number, runs = opened(store, trained)
    before = list(store.connection.iterdump())
    show_typed(store, LOCAL_OPERATOR, number, {"text": "something else"}, list(runs.values()))
    assert list(store.connection.iterdump()) == before


def test_a_model_that_cannot_be_asked_is_named_and_the_others_answer(store: Store, trained: Project) -> None:
    number, runs = opened(store, trained)
    typed = show_typed(
        store, LOCAL_OPERATOR, number, {"text": "good"}, [runs["far away", "ig"], runs["built-in", "linear"]]
    )
    far, near = typed.panels
    assert (far.answer, far.scores) == (None, None)
    assert near.scores is not None
    assert (
        typed.trouble == "The model “far away” cannot be asked here: what it said was imported, or its folder is gone."
    )


@pytest.mark.parametrize("text", ["", " ", "\u202eسيئ جدا", "🙂👩‍👩‍👧", "<img src=x onerror=alert(1)>"])
def test_any_text_is_answered(store: Store, trained: Project, text: str) -> None:
    number, runs = opened(store, trained)
    panels = [runs["built-in", "linear"], runs["built-in", "occlusion"]]
    typed = show_typed(store, LOCAL_OPERATOR, number, {"text": text}, panels)
    assert all(panel.answer is not None for panel in typed.panels)
    n = len(typed.segments[0].tokens)
    assert [len(panel.scores or ()) for panel in typed.panels] == [n, n]


def test_a_long_text_is_explained_by_what_asks_once_alone(store: Store, trained: Project) -> None:
    number, runs = opened(store, trained)
    panels = [runs["built-in", "linear"], runs["built-in", "occlusion"]]
    typed = show_typed(store, LOCAL_OPERATOR, number, {"text": "soup " * (MOST_TOKENS + 1)}, panels)
    exact, by_removal = typed.panels
    assert exact.scores is not None
    assert by_removal.scores is None
    assert by_removal.answer == exact.answer
    assert isinstance(typed.trouble, str)
    assert "up to 500 tokens" in typed.trouble


def test_other_segments_and_too_many_maps_are_refused(
    store: Store, trained: Project, add_person: Callable[..., User]
) -> None:
    number, runs = opened(store, trained)
    with pytest.raises(InvalidValue, match="no segment 'title'"):
        show_typed(store, LOCAL_OPERATOR, number, {"title": "x"}, [])
    with pytest.raises(InvalidValue, match="At most 8 maps"):
        show_typed(store, LOCAL_OPERATOR, number, {}, [runs["built-in", "linear"]] * 9)
    with pytest.raises(NotAllowed):
        show_typed(store, add_person("ann", trained, "annotator"), number, {}, [])
