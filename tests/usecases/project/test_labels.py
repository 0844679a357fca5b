"""Labels that change after work has begun: what it does is said before, and nobody who marks meanwhile loses a mark."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.instances import Draft
from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.perturbations import ChangedText
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores
from annotator.domain.suites import Case
from annotator.domain.texts import RationaleSet
from annotator.errors import AnnotatorError, InvalidAnnotation, InvalidValue, LabelInUse, ModelError, NotAllowed
from annotator.store import Store, open_store
from annotator.store.annotate.assignments import give_up_work_of
from annotator.store.events import list_events
from annotator.store.instances import get_instance
from annotator.store.models import list_runs, outputs_of_run
from annotator.store.projects import get_project_by_id
from annotator.usecases.annotate.work import next_work, save_draft, submit
from annotator.usecases.background import ask_to_measure
from annotator.usecases.gold import gold_of_instance
from annotator.usecases.inspect.measurement import is_out_of_date, measure
from annotator.usecases.lead.decisions import choose_gold
from annotator.usecases.lead.event_words import event_words
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.perturb.versions import hand_in
from annotator.usecases.project.labels import add_label, label_effects, map_label, rename_label, replace_label, uses_of
from annotator.usecases.project.projects import change_project
from annotator.usecases.releases.frozen_gold import freeze_gold
from annotator.usecases.review.reviews import next_review, submit_review
from annotator.usecases.suites.construction import save_test
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake
from annotator.usecases.upkeep import check

__all__ = ["three"]

# A label too many: what uses it is said, and another one takes its place everywhere, in one step.

LABELS = ("negative", "neutral", "positive")


@pytest.fixture
def three(make_project: Callable[..., Project], import_rows: Callable[..., object], store: Store) -> Project:
    """Five texts: one negative, two neutral, one positive, one without a label."""
    made = make_project(name="Three", result_mode="contest")
    made = change_project(store, LOCAL_OPERATOR, replace(made, labels=LABELS))
    rows = [("n", "cold soup", "negative"), ("z", "a table", "neutral"), ("zz", "two chairs", "neutral"),
            ("p", "good bread", "positive"), ("none", "what now", None)]  # fmt: skip
    import_rows(made, [
        {"id": key, "text": text, **({"label": label, "annotator": "source", "rationales": [[[0, 1]]]} if label else {})}
        for key, text, label in rows
    ])  # fmt: skip
    return made


def ids(store: Store, project: Project) -> dict[str, int]:
    return {
        row["key"]: row["id"] for row in store.rows("SELECT key, id FROM instances WHERE project_id = ?", (project.id,))
    }


def bring(store: Store, project: Project, rows: list[SourceOutput]) -> None:
    report = ImportReport()
    with store.transaction():
        Intake(store, project, ImportOptions(), report, lambda _: None).run(rows)
    assert report.problems == []


def everything(store: Store) -> str:
    return "\n".join(store.connection.iterdump())


def test_a_refusal_to_remove_a_label_names_its_texts_and_the_way(store: Store, three: Project) -> None:
    sentence = (
        "Can't remove label 'neutral': used by 2 instances and 2 annotations ('z', 'zz', …). Replace it by "
        "another label (Project, Rules)."
    )
    with pytest.raises(LabelInUse) as refused:
        change_project(store, LOCAL_OPERATOR, replace(three, labels=("negative", "positive")))
    assert (str(refused.value), refused.value.label) == (sentence, "neutral")
    uses = uses_of(store, LOCAL_OPERATOR, three, "neutral")
    assert ([row.key for row in uses.texts], uses.told, uses.refusal) == (
        ["z", "zz"],
        "2 instances and 2 annotations",
        "",
    )


def test_texts_and_annotations_get_the_other_label_and_the_old_one_is_gone(store: Store, three: Project) -> None:
    told = replace_label(store, LOCAL_OPERATOR, three, "neutral", "positive")
    assert told == "2 texts, 2 annotations"
    assert get_project_by_id(store, three.id).labels == ("negative", "positive")
    results = {key: get_instance(store, i).result for key, i in ids(store, three).items()}
    assert results == {"n": "negative", "z": "positive", "zz": "positive", "p": "positive", "none": None}
    assert store.value("SELECT count(*) FROM annotations WHERE result = 'neutral'") == 0
    event = list_events(store, three.id, limit=1)[0]
    assert event_words(event) == "replaced the label “neutral” by “positive” (2 texts, 2 annotations)"
    assert check(store) == []


def test_a_label_is_renamed_in_its_place_and_its_rules_go_with_it(store: Store, three: Project) -> None:
    settings = replace(
        three.settings,
        required_segments={"neutral": ("text",)},
        preview_labels={"LABEL_1": "neutral"},
        preview_words={"neutral": "so"},
    )
    three = change_project(store, LOCAL_OPERATOR, replace(three, settings=settings))
    replace_label(store, LOCAL_OPERATOR, three, "neutral", "mixed")
    now = get_project_by_id(store, three.id)
    assert now.labels == ("negative", "mixed", "positive")
    assert (now.settings.required_segments, now.settings.preview_labels) == ({"mixed": ("text",)}, {"LABEL_1": "mixed"})
    assert now.settings.preview_words == {"mixed": "so"}
    replace_label(store, LOCAL_OPERATOR, now, "mixed", "positive")
    now = get_project_by_id(store, three.id)
    assert (now.settings.required_segments, now.settings.preview_labels) == ({}, {"LABEL_1": "positive"})
    assert now.settings.preview_words == {}


def test_drafts_follow(store: Store, three: Project, add_person: Callable[..., User]) -> None:
    ann = add_person("ann", three, "annotator")
    work = next_work(store, ann, three.id).work
    assert work is not None
    draft = replace(work.assignment.draft, result="neutral")
    revision = save_draft(store, ann, work.assignment.id, work.assignment.revision, draft)
    replace_label(store, LOCAL_OPERATOR, three, "neutral", "positive")
    again = next_work(store, ann, three.id).work
    assert again is not None
    assert again.assignment.draft.result == "positive"
    save_draft(store, ann, work.assignment.id, revision, draft)  # from a page that still has the old label
    assert next_work(store, ann, three.id).work.assignment.draft.result == "positive"  # type: ignore[union-attr]


def test_what_reviewers_scored_and_what_is_gold_stays(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:
    made = make_project(name="Scored", reviewers_per_annotation=1, may_be_empty=True)
    made = change_project(store, LOCAL_OPERATOR, replace(made, labels=LABELS))
    import_rows(made, [{"id": "a", "text": "so so", "label": "neutral"}])
    ann, rev = add_person("ann", made, "annotator"), add_person("rev", made, "reviewer")
    work = next_work(store, ann, made.id).work
    assert work is not None
    submit(store, ann, work.assignment.id, work.assignment.revision, replace(work.assignment.draft, no_rationale=True))
    scored = next_review(store, rev, made.id).work
    assert scored is not None
    submit_review(store, rev, scored.review.id, scored.review.revision, Scores((), 3))
    choose_gold(store, LOCAL_OPERATOR, made, scored.annotation.id, "clear")
    stays = label_effects(store, LOCAL_OPERATOR, made, "neutral").stays
    assert "1 of the lead's gold choices stays, with the new label." in stays
    before = [
        tuple(row)
        for table in ("reviews", "scores", "rounds", "gold_choices")
        for row in store.rows(f"SELECT * FROM {table}")
    ]
    replace_label(store, LOCAL_OPERATOR, made, "neutral", "positive")
    after = [
        tuple(row)
        for table in ("reviews", "scores", "rounds", "gold_choices")
        for row in store.rows(f"SELECT * FROM {table}")
    ]
    assert after == before
    assert store.value("SELECT state || ' ' || result FROM annotations") == "accepted positive"
    assert gold_of_instance(store, made, get_instance(store, 1)).result == "positive"
    assert check(store) == []


def test_what_models_answered_and_explained_follows_and_numbers_are_out_of_date(store: Store, three: Project) -> None:
    p = {"negative": 0.4, "neutral": 0.35, "positive": 0.25}
    both = (
        SourceAttribution((ScoredPart((1.0, 0.0)),), "neutral"),
        SourceAttribution((ScoredPart((0.0, 2.0)),), "positive"),
    )
    bring(store, three, [
        SourceOutput("z", Run("m", "ig", is_signed=True), "f", 1, None, (Prediction("neutral", {"neutral": 0.9, "positive": 0.1}),), both),
        SourceOutput("p", Run("m", "ig", is_signed=True), "f", 2, None, (Prediction(None, p),), both),
        SourceOutput("n", Run("m", "ig", is_signed=True), "f", 3, None, (Prediction("negative", {}),), both[:1]),
    ])  # fmt: skip
    measure(store, LOCAL_OPERATOR, three)
    assert not is_out_of_date(store, three)
    told = replace_label(store, LOCAL_OPERATOR, three, "neutral", "positive")
    assert told == ("2 texts, 2 annotations, 2 predictions, 2 attributions; 2 duplicate attributions deleted")
    three = get_project_by_id(store, three.id)
    assert is_out_of_date(store, three)
    at = ids(store, three)
    own, method = (next(r for r in list_runs(store, three.id) if r.run.method == m).id for m in ("", "ig"))
    answers = {i: output.predictions[0] for i, output in outputs_of_run(store, own, list(at.values())).items()}
    assert (answers[at["z"]].result, dict(answers[at["z"]].probabilities)) == ("positive", {"positive": 1.0})
    assert answers[at["p"]].label == "positive"  # the two together are more probable than the third
    assert answers[at["p"]].probabilities["positive"] == pytest.approx(0.6)
    stored = {row["label"] for row in store.rows("SELECT label FROM predictions")}
    assert stored == {"negative", "positive"}
    explained = outputs_of_run(store, method, list(at.values()))
    assert explained[at["z"]].attributions[0].scores == (1.0, 0.0)  # of the label that the model answered
    assert explained[at["p"]].attributions[0].scores == (0.0, 2.0)
    assert [a.label for output in explained.values() for a in output.attributions] == ["positive"] * 3
    assert check(store) == []


def test_a_model_that_was_trained_with_the_label_says_that_it_has_to_be_trained_again(
    store: Store, three: Project
) -> None:
    attribute(store, LOCAL_OPERATOR, three, "built-in", "linear")
    replace_label(store, LOCAL_OPERATOR, three, "neutral", "positive")
    now = get_project_by_id(store, three.id)
    with pytest.raises(ModelError, match=r"learned label 'neutral', since removed\. Retrain it\."):
        attribute(store, LOCAL_OPERATOR, now, "built-in", "occlusion")
    attribute(store, LOCAL_OPERATOR, now, "built-in", "linear", AttributingOptions(trains=True))


def test_saved_cases_that_name_the_label_are_counted_and_stay(store: Store, three: Project) -> None:
    save_test(store, LOCAL_OPERATOR, three, "s", [Case("t", "MFT", "Logic", "1", ("So so.",), "label", ("neutral",))])
    assert uses_of(store, LOCAL_OPERATOR, three, "neutral").n_cases == 1
    assert uses_of(store, LOCAL_OPERATOR, three, "negative").n_cases == 0
    replace_label(store, LOCAL_OPERATOR, three, "neutral", "positive")
    assert json.loads(store.value("SELECT labels FROM suite_cases")) == ["neutral"]


def test_other_projects_keep_their_label(
    store: Store, three: Project, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    other = change_project(store, LOCAL_OPERATOR, replace(make_project(name="Other"), labels=LABELS))
    import_rows(other, [{"id": "o", "text": "so so", "label": "neutral", "annotator": "s", "rationales": [[[0, 1]]]}])
    bring(store, other, [SourceOutput("o", Run("m"), "f", 1, None, (Prediction("neutral", {"neutral": 1.0}),))])
    replace_label(store, LOCAL_OPERATOR, three, "neutral", "positive")
    assert store.value("SELECT result FROM annotations WHERE instance_id = ?", (ids(store, other)["o"],)) == "neutral"
    assert get_instance(store, ids(store, other)["o"]).result == "neutral"
    assert store.value("SELECT label FROM predictions") == "neutral"


@pytest.mark.parametrize(
    ("label", "by", "sentence"),
    [
        ("gone", "positive", "'gone' is no longer a project label. Reload."),
        ("neutral", "neutral", "'neutral' can't replace 'neutral'. Choose another, without commas."),
        ("neutral", " ", "'' can't replace 'neutral'. Choose another, without commas."),
        ("neutral", "a, b", "Choose another, without commas."),
    ],
)
def test_a_replacement_that_cannot_be_leaves_everything_as_it_was(
    store: Store, three: Project, label: str, by: str, sentence: str
) -> None:
    before = everything(store)
    with pytest.raises(InvalidValue, match=sentence):
        replace_label(store, LOCAL_OPERATOR, three, label, by)
    assert everything(store) == before


def test_the_last_two_labels_are_not_put_together(store: Store, project: Project) -> None:
    with pytest.raises(InvalidValue, match=r"Two labels are needed\. Add one first, or rename '"):
        replace_label(store, LOCAL_OPERATOR, project, "negative", "positive")
    replace_label(store, LOCAL_OPERATOR, project, "negative", "bad")
    assert get_project_by_id(store, project.id).labels == ("bad", "positive")


def test_the_letters_of_a_choice_project_are_not_replaced(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = change_project(store, LOCAL_OPERATOR, replace(make_project("choice"), labels=("A", "B", "C")))
    import_rows(made, [{"id": "q", "question": "What?", "choices": "A this B that C both", "label": "A"}])
    with pytest.raises(LabelInUse, match=r"Choice labels are positions, so can't be replaced either\."):
        change_project(store, LOCAL_OPERATOR, replace(made, labels=("B", "C")))
    with pytest.raises(InvalidValue, match=r"Choice labels are positions, so can't be replaced either\."):
        replace_label(store, LOCAL_OPERATOR, made, "A", "B")


def test_labels_that_an_open_proposal_sets_against_each_other_wait_for_the_decision(
    store: Store, three: Project, import_rows: Callable[..., object]
) -> None:
    import_rows(three, [{"id": "c", "text": "so so", "label": "neutral"}])
    with store.transaction():
        store.run(
            """INSERT INTO proposals (project_id, instance_id, proposed_by, kind, reason, created_at)
                VALUES (?, ?, 'ann', 'contest', 'positive', 'x')""",
            (three.id, ids(store, three)["c"]),
        )
    with pytest.raises(InvalidValue, match=r"1 open proposal concerns 'neutral' and 'positive'\. Decide it first\."):
        replace_label(store, LOCAL_OPERATOR, three, "neutral", "positive")
    replace_label(store, LOCAL_OPERATOR, three, "positive", "good")
    assert store.value("SELECT reason FROM proposals") == "good"


def test_while_a_model_is_at_work_no_label_is_replaced(store: Store, three: Project) -> None:
    ask_to_measure(store, LOCAL_OPERATOR, three)
    with pytest.raises(InvalidValue, match=r"A running model uses the old label\. Wait, or stop it\."):
        replace_label(store, LOCAL_OPERATOR, three, "neutral", "positive")


def test_only_leads_replace_labels(store: Store, three: Project, add_person: Callable[..., User]) -> None:
    ann = add_person("ann", three, "annotator", "researcher")
    before = everything(store)
    with pytest.raises(NotAllowed):
        replace_label(store, ann, three, "neutral", "positive")
    with pytest.raises(NotAllowed):
        uses_of(store, ann, three, "neutral")
    assert everything(store) == before


SETS = (RationaleSet.of((0, 1)),)
TEN = 10


@pytest.fixture
def ann(three: Project, add_person: Callable[..., User]) -> User:
    return add_person("ann", three, "annotator")


@pytest.fixture
def many(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> tuple[Project, list[User]]:
    """Fifty texts (one is leased ahead for each) without a label, and ten people who give them one."""
    project = make_project(name="Many", result_mode="give")
    project = change_project(store, LOCAL_OPERATOR, replace(project, labels=LABELS))
    import_rows(project, [{"id": f"t{n}", "text": f"Text {n} is so so."} for n in range(5 * TEN)])
    return project, [add_person(f"ann{n}", project, "annotator") for n in range(TEN)]


def _while_ten_mark(database: Path, many: tuple[Project, list[User]], change: Callable[[Store], object]) -> list[str]:
    """Each of ten people marks three texts under the label that they see at first; what went wrong for whom."""
    project, people = many
    faults: list[str] = []
    begin = threading.Barrier(TEN + 1)

    def work_as(user: User) -> None:
        try:
            with open_store(database) as own:
                begin.wait()
                for _ in range(3):
                    work = next_work(own, user, project.id).work
                    assert work is not None
                    draft = Draft("neutral", SETS)
                    revision = save_draft(own, user, work.assignment.id, work.assignment.revision, draft)
                    submit(own, user, work.assignment.id, revision, draft)
        except (AnnotatorError, AssertionError) as error:
            faults.append(f"{user.name}: {error}")

    threads = [threading.Thread(target=work_as, args=(user,)) for user in people]
    for thread in threads:
        thread.start()
    with open_store(database) as own:
        begin.wait()
        change(own)
    for thread in threads:
        thread.join()
    return faults


def test_a_rename_while_ten_people_mark_loses_no_mark(
    database: Path, store: Store, many: tuple[Project, list[User]]
) -> None:
    project, _ = many
    faults = _while_ten_mark(database, many, lambda own: rename_label(own, LOCAL_OPERATOR, project, "neutral", "mixed"))
    assert faults == []
    results = store.rows("SELECT result, count(*) AS n FROM annotations GROUP BY result")
    assert [tuple(row) for row in results] == [("mixed", 3 * TEN)]
    assert store.value("SELECT count(*) FROM rationale_sets") == 3 * TEN
    assert check(store) == []


def test_a_new_label_while_ten_people_mark_changes_nothing_for_them(
    database: Path, store: Store, many: tuple[Project, list[User]]
) -> None:
    project, people = many
    faults = _while_ten_mark(database, many, lambda own: add_label(own, LOCAL_OPERATOR, project, "mixed"))
    assert faults == []
    assert store.value("SELECT count(*) FROM annotations WHERE result = 'neutral'") == 3 * TEN
    assert next_work(store, people[0], project.id).project.labels == (*LABELS, "mixed")
    assert event_words(list_events(store, project.id, limit=3 * TEN * 2 + 1)[-1])  # every event has its sentence


def test_what_a_page_sends_under_an_old_name_is_stored_under_the_last_of_several(
    store: Store, three: Project, ann: User
) -> None:
    work = next_work(store, ann, three.id).work
    assert work is not None
    rename_label(store, LOCAL_OPERATOR, three, "neutral", "mixed")
    map_label(store, LOCAL_OPERATOR, get_project_by_id(store, three.id), "mixed", "positive")
    submit(store, ann, work.assignment.id, 0, Draft("neutral", SETS))
    assert store.value("SELECT result FROM annotations WHERE user_id = ?", (ann.id,)) == "positive"


def test_a_changed_version_that_was_written_before_a_rename_is_handed_in(
    store: Store, three: Project, add_person: Callable[..., User]
) -> None:
    lea = add_person("lea", three, "lead")
    rename_label(store, LOCAL_OPERATOR, three, "neutral", "mixed")
    made = hand_in(store, lea, ids(store, three)["z"], ChangedText("contrast", {"text": "a chair"}, "neutral"))
    assert made.current.changed.result == "mixed"


def test_a_label_that_was_taken_away_unused_is_sent_back_with_a_sentence(
    store: Store, three: Project, ann: User
) -> None:
    three = add_label(store, LOCAL_OPERATOR, three, "odd")
    work = next_work(store, ann, three.id).work
    assert work is not None
    change_project(store, LOCAL_OPERATOR, replace(three, labels=LABELS))
    with pytest.raises(InvalidAnnotation, match=r"Reload; your marks are kept\."):
        submit(store, ann, work.assignment.id, 0, Draft("odd", SETS))


def test_the_inverse_undoes_a_rename(store: Store, three: Project) -> None:
    def data() -> list[str]:
        return [line for line in everything(store).splitlines() if not line.startswith('INSERT INTO "events"')]

    bring(store, three, [SourceOutput("z", Run("m"), "f", 1, None, (Prediction("neutral", {"neutral": 1.0}),))])
    before = data()
    rename_label(store, LOCAL_OPERATOR, three, "neutral", "mixed")
    assert data() != before
    rename_label(store, LOCAL_OPERATOR, get_project_by_id(store, three.id), "mixed", "neutral")
    assert data() == before


def test_answers_that_only_name_a_label_with_a_probability_are_counted_apart(store: Store, three: Project) -> None:
    answers = {
        "p": Prediction("positive", {"positive": 0.8, "neutral": 0.2}),
        "n": Prediction("negative", {"negative": 0.9, "neutral": 0.1}),
        "z": Prediction("neutral", {"neutral": 0.8, "positive": 0.2}),
    }
    bring(
        store,
        three,
        [
            SourceOutput(key, Run("m"), "f", line, None, (answer,))
            for line, (key, answer) in enumerate(answers.items(), 1)
        ],
    )
    changes = label_effects(store, LOCAL_OPERATOR, three, "neutral").changes
    assert changes[-2:] == ("1 model prediction", "2 probabilities in other predictions")


def test_what_a_replacement_changes_and_leaves_is_said_before(store: Store, three: Project, ann: User) -> None:
    work = next_work(store, ann, three.id).work
    assert work is not None
    save_draft(store, ann, work.assignment.id, 0, Draft("neutral", SETS))
    bring(store, three, [SourceOutput("z", Run("m"), "f", 1, None, (Prediction("neutral", {"neutral": 1.0}),))])
    measure(store, LOCAL_OPERATOR, three)
    three = change_project(store, LOCAL_OPERATOR, replace(three, licence="CC0"))
    freeze_gold(store, LOCAL_OPERATOR, three, "first")
    effects = label_effects(store, LOCAL_OPERATOR, three, "neutral")
    assert effects.changes == ("2 instances", "2 annotations", "1 draft", "1 model prediction")
    assert effects.stays == (
        "Review scores and accepted rounds stay.",
        "The numbers of 1 run become out of date.",
        "1 release keeps its old labels.",
    )
    assert (
        rename_label(store, LOCAL_OPERATOR, three, "neutral", "mixed")
        == "2 texts, 2 annotations, 1 draft, 1 prediction"
    )


def test_a_name_that_open_pages_still_send_for_another_label_is_not_given_anew(
    store: Store, three: Project, ann: User
) -> None:
    work = next_work(store, ann, three.id).work
    assert work is not None
    rename_label(store, LOCAL_OPERATOR, three, "neutral", "mixed")
    three = get_project_by_id(store, three.id)
    sentence = "Reserved texts still use 'neutral' for another label. Choose another name, or wait."
    with pytest.raises(InvalidValue, match=sentence):
        add_label(store, LOCAL_OPERATOR, three, "neutral")
    with pytest.raises(InvalidValue, match=sentence):
        rename_label(store, LOCAL_OPERATOR, three, "positive", "neutral")
    with pytest.raises(InvalidValue, match=sentence):
        change_project(store, LOCAL_OPERATOR, replace(three, labels=(*three.labels, "neutral")))
    with store.transaction():
        give_up_work_of(store, ann)  # as when it was handed in: nobody holds a text from before
    assert add_label(store, LOCAL_OPERATOR, three, "neutral").labels[-1] == "neutral"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "isn't a valid label: no commas, at least one character."),
        ("a, b", "'a, b' isn't a valid label: no commas, at least one character."),
        ("positive", r"'positive' is already a project label\."),
    ],
)
def test_a_label_that_cannot_be_is_not_added(store: Store, three: Project, name: str, sentence: str) -> None:
    before = everything(store)
    with pytest.raises(InvalidValue, match=sentence):
        add_label(store, LOCAL_OPERATOR, three, name)
    assert everything(store) == before


def test_renaming_is_not_mapping_and_only_leads_do_either(store: Store, three: Project, ann: User) -> None:
    before = everything(store)
    with pytest.raises(InvalidValue, match=r"'positive' is already a project label\. To merge, map one to the other\."):
        rename_label(store, LOCAL_OPERATOR, three, "neutral", "positive")
    with pytest.raises(InvalidValue, match=r"'mixed' isn't a project label \("):
        map_label(store, LOCAL_OPERATOR, three, "neutral", "mixed")
    for act in (add_label, label_effects):
        with pytest.raises(NotAllowed):
            act(store, ann, three, "neutral")
    assert everything(store) == before
