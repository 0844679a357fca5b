"""Sufficient sets through models: what is asked, stored, resumed, left out, forgotten and counted."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.attribution.base import Input
from annotator.cli.sufficient import table_lines
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.sufficient_sets import SufficientSets, Threshold
from annotator.errors import ImportRefused, InvalidValue, ModelError, NotAllowed
from annotator.metrics.ragged import Floats
from annotator.scoring.sufficient_sets import SufficientNumbers
from annotator.store import Store, open_store
from annotator.store.instances import find_instance_ids
from annotator.store.models import forget_model, has_outputs, list_models, list_runs, sufficient_sets_of
from annotator.store.project.label_replacement import replace_label
from annotator.store.projects import get_project
from annotator.store.saved_lists import keys_on_list, lists_of
from annotator.usecases.inspect.saliency import show_instance
from annotator.usecases.inspect.saliency_messages import ShownFamilies
from annotator.usecases.inspect.saliency_sets import (
    has_sets,
    pile_rows,
    question_rows,
    save_pile_lists,
    set_numbers,
    set_ways,
    summary,
    way_words,
)
from annotator.usecases.models import project_model
from annotator.usecases.models.sufficient_sets import (
    BesideExact,
    SufficientOptions,
    SufficientReport,
    find_sufficient_sets,
)
from annotator.usecases.persons.erasure import erase
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from tests.attribution_inputs import Scripted, weighing

# Logits of "positive"; τ is .5, so that a set is enough where its weights outweigh the bias of −1 (by hand).
WEIGHTS = {"good": 3.0, "kind": 1.5, "bad": -2.0, "book": 0.1}
TEXTS = {
    "p": ("good kind bad book", "positive", [[[0, 1]], [[1, 2]]]),  # {good}, then kind is outvoted; people: good, kind
    "q": ("good book and good food", "positive", [[[0, 2]]]),  # {4th}, {1st}; people: a phrase around the first
    "n": ("a book", "positive", [[[1, 2]]]),  # answered negative, and so is nothing: without reading
}
HALF = Threshold(fixed=0.5)


@pytest.fixture
def tastes(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(name="Tastes", gold_policy="all", annotators_per_instance=2)
    rows = [
        {"id": key, "text": text, "label": label, "annotator": "source", "rationales": sets}
        for key, (text, label, sets) in TEXTS.items()
    ]
    import_rows(made, rows)
    return made


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scripted]:
    def use(model: Scripted | None = None) -> Scripted:
        model = model or weighing(WEIGHTS, bias=-1.0)
        model.labels, model.name = ("negative", "positive"), "scripted"
        monkeypatch.setattr(project_model, "load_predictor", lambda *_: model)
        return model

    return use


def families(store: Store, person: User, instance: int) -> tuple[ShownFamilies, ...]:
    shown = show_instance(store, person, instance, []).families
    assert isinstance(shown, tuple)
    return shown


def run(store: Store, project: Project, **options: Any) -> SufficientReport:
    chosen = SufficientOptions(**{"threshold": HALF, **options})
    return find_sufficient_sets(store, LOCAL_OPERATOR, project, "spacy:x", chosen)


def stored(store: Store, project: Project, report: SufficientReport) -> dict[str, SufficientSets]:
    keys = {
        row["id"]: row["key"] for row in store.rows("SELECT id, key FROM instances WHERE project_id = ?", (project.id,))
    }
    sets = sufficient_sets_of(store, project.id, report.model, report.parameters, list(keys))
    return {keys[number]: of_one for number, of_one in sets.items()}


def numbers(report: SufficientReport) -> SufficientNumbers:
    assert report.numbers is not None
    return report.numbers


def test_sets_of_a_linear_model_are_those_by_hand_and_people_are_asked_beside_them(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    model = scripted()
    report = run(store, tastes)
    sets = stored(store, tastes, report)
    assert (report.n_examined, report.n_known, report.n_left_out) == (3, 0, 0)
    assert report.n_calls == model.n_asked == sum(of.n_calls for of in sets.values())
    assert sets["p"].own.tokens == ((0,),)
    assert sets["q"].own.tokens == ((3,), (0,))  # of equal tokens the first goes
    assert (sets["n"].reason, sets["n"].label) == ("answers without reading", "negative")
    people = sets["p"].people
    assert people is not None
    assert people.tokens == ((0,), (1,))
    assert [judged.is_sufficient(0.5) for judged in people.sets] == [True, True]
    assert people.is_comprehensive(0.5)


def test_beyond_the_stop_rule_outvoted_sets_come_too_and_both_are_stored_beside_each_other(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted()
    paper, further = run(store, tastes), run(store, tastes, goes_on=True)
    assert stored(store, tastes, paper)["p"].own.tokens == ((0,),)
    late = stored(store, tastes, further)["p"].own
    assert late.tokens == ((0,), (1,))
    assert [judged.is_late for judged in late.sets] == [False, True]
    assert numbers(further).n_late == 1


def test_the_saliency_page_is_told_each_set_with_its_pile_and_what_the_model_answers(
    store: Store, tastes: Project, scripted: Callable[..., Scripted], add_person: Callable[..., User]
) -> None:
    scripted()
    run(store, tastes)
    first, second, third = (find_instance_ids(store, tastes.id, key)[0] for key in ("p", "q", "n"))
    [shown] = families(store, LOCAL_OPERATOR, second)
    assert (shown.model, shown.removal, shown.label, shown.is_right) == ("scripted", "delete", "positive", True)
    assert [(of.tokens, of.pile, of.partner) for of in shown.own.sets] == [((3,), "unmarked", None), ((0,), "same", 0)]
    assert shown.people is not None
    assert [(of.pile, of.partner, of.is_sufficient, of.is_compact) for of in shown.people.sets] == [
        ("same", 1, True, False)
    ]
    assert (shown.own.is_comprehensive, shown.people.is_comprehensive) == (True, False)
    assert shown.iou == ((0.0,), (0.5,))
    [shown] = families(store, LOCAL_OPERATOR, first)
    assert shown.people is not None
    assert [of.pile for of in shown.people.sets] == ["same", "redundant"]
    [shown] = families(store, LOCAL_OPERATOR, third)
    assert (shown.trouble, shown.own.sets) == ("The model answers without reading.", ())
    may_annotate = add_person("Ann", tastes, "annotator", "researcher")
    [closed] = families(store, may_annotate, first)
    assert (closed.people, [of.pile for of in closed.own.sets]) == (None, ["unmarked"])


def test_peoples_sets_that_are_no_longer_gold_are_shown_to_nobody(
    store: Store, tastes: Project, scripted: Callable[..., Scripted], add_person: Callable[..., User]
) -> None:
    """They may be of an annotation that is closed to whoever looks, who could be given the text."""
    scripted()
    run(store, tastes)
    second = find_instance_ids(store, tastes.id, "q")[0]
    with store.transaction():
        store.run("UPDATE annotations SET state = 'returned' WHERE instance_id = ?", (second,))
    for person in (LOCAL_OPERATOR, add_person("Ann", tastes, "annotator", "researcher")):
        [shown] = families(store, person, second)
        assert (shown.people, shown.iou) == (None, ((), ()))
        assert shown.note == "People's sets have changed. Find the model's sets again to compare."
    run(store, tastes)
    [shown] = families(store, LOCAL_OPERATOR, second)
    assert (shown.people, shown.note) == (None, "")


def test_where_all_subsets_were_tried_too_the_search_is_compared_with_them(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted()
    assert run(store, tastes).beside_exact is None
    assert run(store, tastes, is_exact=True).beside_exact == BesideExact(2, 2, 2, 0)


def test_numbers_are_over_texts_and_every_set_lies_in_a_pile(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted()
    report = run(store, tastes)
    told = numbers(report)
    assert told.reasons == {
        "no token": 0,
        "answers too weakly": 0,
        "answers without reading": 1,
        "answers otherwise": 0,
    }
    assert (told.model.n_sets, told.people.n_sets) == (3, 3)
    assert told.people.questions["sufficient"]["value"] == 1.0
    assert (
        told.people.questions["compact"]["value"] == 0.5
    )  # {good, book} holds {good}; both of the other text are compact
    assert told.people.questions["comprehensive"]["value"] == 0.5  # a second “good” is left
    assert told.piles == {"same": 2, "cores": 0, "unmarked": 1, "ignored": 0, "needed": 0, "redundant": 1}
    assert told.families["given"]["value"] == 0.75
    lines = list(table_lines(told))
    assert "The model's sets: 3 in 2 texts, 1.00 tokens each." in lines
    assert any(line.startswith("right, for a reason nobody marked") for line in lines)


def test_the_page_has_the_numbers_of_each_way_in_the_words_of_the_command(
    store: Store, tastes: Project, scripted: Callable[..., Scripted], add_person: Callable[..., User]
) -> None:
    assert (has_sets(store, LOCAL_OPERATOR, tastes), set_ways(store, LOCAL_OPERATOR, tastes)) == (False, {})
    scripted()
    run(store, tastes)
    run(store, tastes, goes_on=True, is_exact=True, removal="blank")
    ways = set_ways(store, LOCAL_OPERATOR, tastes)
    assert {way_words(way): n for way, n in ways.items()} == {
        "scripted, fixed threshold 0.5, removal blank, rule continue, search exact": 3,
        "scripted, fixed threshold 0.5, removal delete": 3,
    }
    told = set_numbers(store, LOCAL_OPERATOR, tastes, list(ways)[1])
    assert question_rows(told)[2] == ("people's sets", "1.00 [1.00, 1.00]", "0.500 [0, 1.00]", "0.500 [0, 1.00]")
    assert pile_rows(told)[1:4] == [
        ("same reason", "2", "0"),
        ("same reason, a core of ours", "0", "0"),
        ("right, for a reason nobody marked", "1", "0"),
    ]
    assert summary(told).startswith("The model's sets: 3 in 2 texts, 1.00 tokens each. People's sets: 3 in 2 texts, ")
    assert summary(told).endswith("1 text without sets: 1 answers without reading.")
    assert set(" ".join(table_lines(told)).split()) > {word for row in question_rows(told) for word in row[0].split()}
    ann = add_person("Ann", tastes, "annotator")
    for refused in (has_sets, set_ways):
        with pytest.raises(NotAllowed):
            refused(store, ann, tastes)
    with pytest.raises(NotAllowed):
        set_numbers(store, ann, tastes, list(ways)[1])


def test_without_a_set_only_the_reasons_are_told(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted(weighing({}, bias=-1.0))
    told = numbers(run(store, tastes))
    assert (question_rows(told), pile_rows(told)) == ([], [])
    assert summary(told) == "3 texts without sets: 3 answers without reading."


def test_peoples_sets_of_a_text_that_the_model_answers_otherwise_are_counted_apart(
    store: Store, tastes: Project, import_rows: Callable[..., object], scripted: Callable[..., Scripted]
) -> None:
    scripted()
    import_rows(
        tastes,
        [{"id": "w", "text": "good food", "label": "negative", "annotator": "a", "rationales": [[[0, 1]], [[1, 2]]]}],
    )
    counts = numbers(run(store, tastes))
    assert (counts.n_other_answer, counts.people.n_texts, counts.model.n_texts) == (1, 2, 3)
    assert counts.people.n_sets == 3  # as without that text
    assert counts.other_piles == {"same": 1, "cores": 0, "unmarked": 0, "ignored": 1, "needed": 0, "redundant": 0}


def test_what_is_stored_is_not_asked_again_and_a_stopped_run_goes_on(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    model = scripted()
    with pytest.raises(KeyboardInterrupt):
        find_sufficient_sets(
            store,
            LOCAL_OPERATOR,
            tastes,
            "spacy:x",
            SufficientOptions(threshold=HALF, at_once=1),
            progress=_stop_after(1),
        )
    n_before = model.n_asked
    assert len(store.rows("SELECT * FROM sufficient_sets")) == 1
    report = run(store, tastes)
    assert (report.n_known, report.n_examined) == (1, 2)
    assert report.n_calls == model.n_asked - n_before
    assert run(store, tastes).n_calls == 0


def test_a_long_text_goes_on_behind_the_sets_that_a_stopped_run_found(
    store: Store, tastes: Project, import_rows: Callable[..., object], scripted: Callable[..., Scripted]
) -> None:
    words = [f"w{number}" for number in range(90)]
    words[7], words[30], words[66] = "good", "fine", "kind"
    import_rows(tastes, [{"id": "long", "text": " ".join(words), "label": "positive", "split": "far"}])
    answers: list[str] = []
    is_stopped = False

    def logit(given: Input) -> float:
        text = " ".join(token for segment in given.segments for token in segment.tokens)
        if is_stopped and store.value("SELECT json_array_length(examined, '$.own.sets') FROM sufficient_sets") == 2:
            raise KeyboardInterrupt
        answers.append(text)
        return -1.0 + 3.0 * len({"good", "fine", "kind"} & set(text.split()))

    scripted(Scripted(logit))
    whole = stored(store, tastes, run(store, tastes, split="far"))["long"]
    in_full = set(answers)
    assert sorted(whole.own.tokens) == [(7,), (30,), (66,)]
    answers.clear()
    is_stopped = True
    with pytest.raises(KeyboardInterrupt):
        run(store, tastes, split="far", is_anew=True)
    before = set(answers)
    assert store.value("SELECT label FROM sufficient_sets") == ""
    number = find_instance_ids(store, tastes.id, "long")[0]
    assert (families(store, LOCAL_OPERATOR, number), has_sets(store, LOCAL_OPERATOR, tastes)) == ((), False)
    answers.clear()
    is_stopped = False
    report = run(store, tastes, split="far")
    assert (report.n_examined, report.n_known, report.n_calls) == (1, 0, len(answers))
    after = stored(store, tastes, report)["long"]
    assert after == replace(whole, n_calls=report.n_calls)
    assert before | set(answers) == in_full
    again = before & set(
        answers
    )  # the text and nothing, what judges the two sets, and rests that two searches have in common
    assert 10 * len(again) < len(before), (len(again), len(before), len(in_full))


def _stop_after(n: int) -> Callable[[int, int], None]:
    def progress(done: int, _of: int) -> None:
        if done == n:
            raise KeyboardInterrupt

    return progress


def test_how_many_texts_advance_together_changes_nothing(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted()
    together = stored(store, tastes, run(store, tastes))
    assert stored(store, tastes, run(store, tastes, at_once=1, is_anew=True)) == together


def test_only_peoples_sets_are_asked_again_when_they_have_changed(
    store: Store, tastes: Project, import_rows: Callable[..., object], scripted: Callable[..., Scripted]
) -> None:
    scripted()
    before = stored(store, tastes, run(store, tastes))["q"]
    text, label, _ = TEXTS["q"]
    import_rows(tastes, [{"id": "q", "text": text, "label": label, "annotator": "b", "rationales": [[[3, 5]]]}])
    report = run(store, tastes)
    after = stored(store, tastes, report)["q"]
    assert (report.n_examined, report.n_known) == (1, 2)
    assert 0 < report.n_calls < before.n_calls
    assert after.own == before.own
    assert after.people is not None
    assert after.people.tokens != (before.people and before.people.tokens)


def test_strong_comprehensiveness_is_asked_afterwards_of_what_is_stored(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted()
    assert numbers(run(store, tastes)).people.strongly["n"] == 0
    strong = numbers(run(store, tastes, is_strong=True)).people.strongly
    assert (strong["n"], strong["value"]) == (2, 0.5)


def test_exact_sets_of_short_texts_and_long_ones_are_left_out_by_name(
    store: Store, tastes: Project, import_rows: Callable[..., object], scripted: Callable[..., Scripted]
) -> None:
    scripted()
    import_rows(tastes, [{"id": "long", "text": "good " * 13}])
    report = run(store, tastes, is_exact=True)
    assert report.reasons == {"longer than 12 tokens": 1}
    assert [key for key, _ in report.left_out] == ["long"]
    sets = stored(store, tastes, report)
    assert sets["q"].own.tokens == ((0,), (3,))  # of equal sets the first
    assert sets["q"].search == "exact"


def test_a_text_without_words_is_asked_about_and_has_no_token(
    store: Store, tastes: Project, import_rows: Callable[..., object], scripted: Callable[..., Scripted]
) -> None:
    """Taking out every word leaves an empty text, which this model answers from its bias."""
    seen: list[int] = []

    def logit(given: Input) -> float:
        seen.append(given.n_tokens)
        return weighing(WEIGHTS, bias=-1.0).logit(given)

    scripted(Scripted(logit))
    report = run(store, tastes)
    assert 0 in seen
    assert numbers(report).empty["value"] == pytest.approx(
        (2 * 0.26894 + 0.73106) / 3, abs=1e-4
    )  # σ(−1), and of “negative”


def test_blanked_words_stay_in_their_places_and_a_mask_needs_a_mask_token(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    lengths: set[int] = set()

    def logit(given: Input) -> float:
        lengths.add(given.n_tokens)
        return weighing(WEIGHTS, bias=-1.0).logit(given)

    scripted(Scripted(logit))
    report = run(store, tastes, removal="blank")
    assert lengths == {2, 4, 5}
    assert json.loads(report.parameters)["removal"] == "blank"
    with pytest.raises(ModelError, match="no mask token"):
        run(store, tastes, removal="mask")


def test_a_model_that_covers_masks_by_default(store: Store, tastes: Project, scripted: Callable[..., Scripted]) -> None:
    model = scripted()
    model.mask_token = "[MASK]"  # type: ignore[attr-defined]
    report = run(store, tastes)
    assert json.loads(report.parameters)["removal"] == "mask"
    assert stored(store, tastes, report)["p"].own.tokens == ((0,),)


class ThreeLabels(Scripted):
    """Gives a probability too many for texts with one word."""

    def probabilities(self, inputs: Sequence[Input]) -> Floats:
        two = super().probabilities(inputs)
        is_other = any("food" in segment.tokens for given in inputs for segment in given.segments)
        return np.concatenate([two, two[:, :1]], axis=1) if is_other else two


def test_a_wrong_number_of_labels_stops_that_text_and_not_the_run(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted(ThreeLabels(weighing(WEIGHTS, bias=-1.0).logit))
    report = run(store, tastes)
    assert (report.n_examined, report.n_left_out) == (2, 1)
    assert report.left_out == [("q", "'scripted' gives 3 probabilities for 2 labels.")]
    assert run(store, tastes).n_known == 2


def test_forgetting_a_model_forgets_its_sets_and_no_run_is_listed_for_them(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted()
    report = run(store, tastes)
    assert (list_runs(store, tastes.id), list_models(store, tastes.id)) == (
        [],
        [],
    )  # lists and scores have no empty row
    assert has_outputs(store, tastes.id, "scripted")
    with store.transaction():
        forget_model(store, tastes.id, "scripted")
    assert stored(store, tastes, report) == {}


def test_sets_of_a_person_who_is_erased_are_forgotten_and_the_models_own_stay(
    store: Store,
    tastes: Project,
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
    scripted: Callable[..., Scripted],
) -> None:
    scripted()
    add_person("ann", tastes, "annotator")
    import_rows(
        tastes, [{"id": "e", "text": "good food", "label": "positive", "annotator": "ann", "rationales": [[[0, 2]]]}]
    )
    report = run(store, tastes)
    before = stored(store, tastes, report)
    assert before["e"].people is not None
    erase(store, LOCAL_OPERATOR, "ann")
    after = stored(store, tastes, report)
    assert after["e"] == replace(before["e"], people=None)
    assert after["p"] == before["p"]
    assert run(store, tastes).n_calls == 0  # nobody's sets are left to ask about


def test_a_label_that_is_replaced_is_replaced_in_what_is_stored(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted()
    report = run(store, tastes)
    with store.transaction():
        replace_label(store, tastes.id, "positive", "fine")
    assert {sets.label for sets in stored(store, tastes, report).values()} == {"fine", "negative"}


def test_whoever_may_not_use_models_is_refused_and_nothing_is_stored(
    store: Store, tastes: Project, add_person: Callable[..., User], scripted: Callable[..., Scripted]
) -> None:
    scripted()
    with pytest.raises(NotAllowed):
        find_sufficient_sets(store, add_person("ann", tastes, "annotator"), tastes, "spacy:x")
    with pytest.raises(InvalidValue, match="No split"):
        run(store, tastes, split="nowhere")
    assert store.rows("SELECT * FROM sufficient_sets") == []


def test_our_own_export_brings_a_models_sets_back_and_a_set_outside_of_the_text_is_a_problem(
    store: Store, tastes: Project, scripted: Callable[..., Scripted], tmp_path: Path
) -> None:
    scripted()
    report = run(store, tastes)
    export_file(store, LOCAL_OPERATOR, tastes, "jsonl", tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()
    with open_store(tmp_path / "other.db", create=True) as other:
        copy = create_project(other, LOCAL_OPERATOR, "Copy", tastes.task)
        import_file(other, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl")
        back = stored(other, get_project(other, "Copy"), report)
        assert back == stored(store, tastes, report)
        assert len(back) == 3
        wrong = create_project(other, LOCAL_OPERATOR, "Wrong", tastes.task)
        changed = "\n".join(line.replace('"tokens":[3]', '"tokens":[33]') for line in lines)
        (tmp_path / "wrong.jsonl").write_text(changed, encoding="utf-8")
        with pytest.raises(ImportRefused) as refused:
            import_file(other, LOCAL_OPERATOR, wrong, "jsonl", tmp_path / "wrong.jsonl")
        assert [problem.reason for problem in refused.value.problems] == ["No token 33: the input has 5."]


def test_texts_to_look_at_next_become_lists_which_a_later_run_replaces(
    store: Store, tastes: Project, scripted: Callable[..., Scripted], import_rows: Callable[..., object]
) -> None:
    """In a fourth text both annotators mark the word that does nothing; in “q” the model has a second reason."""
    text = {"id": "r", "text": "good kind bad book", "label": "positive", "rationales": [[[3, 4]]]}
    import_rows(tastes, [{**text, "annotator": name} for name in ("ada", "ben")])
    scripted()
    report = run(store, tastes)
    for _ in range(2):
        unmarked, ignored = save_pile_lists(store, LOCAL_OPERATOR, tastes, report.model, report.parameters)
    assert (unmarked.name, ignored.name) == (
        "scripted: right, for a reason nobody marked",
        "scripted: ignores what everyone marked",
    )
    assert [key for key, _ in keys_on_list(store, unmarked.id)] == ["q", "r"]
    assert [key for key, _ in keys_on_list(store, ignored.id)] == ["r"]
    assert len(lists_of(store, tastes.id)) == 2
