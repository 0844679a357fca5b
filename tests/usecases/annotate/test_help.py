"""Help while annotating leaves a trace: who gets it, what was shown, and what it had to do with each set."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from annotator.domain.instances import Draft
from annotator.domain.measurements import WITHOUT_HELP
from annotator.domain.models import MachineRationale, Output, Quotes, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.sufficient_sets import JudgedFamily, JudgedSet, SufficientSets
from annotator.domain.texts import HelpOrigin, RationaleSet
from annotator.errors import InvalidValue, NotAllowed, NotFound
from annotator.store import Store, open_store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.annotate.proposals import help_of, helping_models
from annotator.store.instances import find_instance_ids
from annotator.store.models import RunFinder, add_model, store_outputs, store_sufficient_sets
from annotator.store.projects import get_project
from annotator.usecases.annotate import proposals as annotate_proposals
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.my_work import Work
from annotator.usecases.annotate.panel_messages import show_work
from annotator.usecases.gold import GoldOptions, agreement_of
from annotator.usecases.inspect.metric_values import groupings_of
from annotator.usecases.lead.quality import help_words, knows_help, quality_of
from annotator.usecases.models.model_places import models_with_sets
from annotator.usecases.models.previews import preview
from annotator.usecases.project.projects import change_project, create_project
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.review.rounds import decide_round
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake

TEXT = "The plot is slow but the acting is superb ."
Make = Callable[..., Project]
Rows = Callable[..., object]
People = Callable[..., User]


@pytest.fixture
def praised(store: Store, make_project: Make, import_rows: Rows) -> Project:
    """Eight texts, in each of which a keep list proposes the word 8."""
    made = make_project(name="Praised", reviewers_per_annotation=0, proposed_word_lists=("praise",))
    import_rows(made, [{"id": f"t{n}", "text": TEXT, "tokens": TEXT.split(), "label": "positive"} for n in range(8)])
    save_word_list(store, LOCAL_OPERATOR, made, "praise", ["superb"], role="keep")
    return made


def settings(store: Store, project: Project, **changes: object) -> Project:
    now = get_project(store, project.name)
    return change_project(store, LOCAL_OPERATOR, replace(now, settings=replace(now.settings, **changes)))  # type: ignore[arg-type]


def next_work(store: Store, person: User, project: Project) -> Work:
    work = annotate_work.next_work(store, person, project.id).work
    assert work is not None
    return work


def submit(store: Store, person: User, work: Work, *spans: tuple[int, int], said: dict[int, str] | None = None) -> None:
    sets = tuple(RationaleSet.of(span) for span in spans)
    draft = Draft("positive", sets, proposed=said)  # type: ignore[arg-type]
    annotate_work.submit(store, person, work.assignment.id, work.assignment.revision, draft)


def point(store: Store, project: Project, model: str, first: int) -> None:
    """A model's attributions of all texts, which rank one word first and the others in their order."""
    scores = tuple(10.0 if token == first else -float(token) for token in range(10))
    maps = (SourceAttribution((ScoredPart(scores),)),)
    with store.transaction():
        Intake(store, project, ImportOptions(), ImportReport(), lambda _: None).run(
            [SourceOutput(f"t{n}", Run(model, "ig"), "f", n, None, (), maps) for n in range(8)]
        )


def origins(store: Store, work: Work) -> list[HelpOrigin | None]:
    annotation = annotations_of(store, [work.instance.id])[work.instance.id][-1]
    return [rationale_set.origin for rationale_set in annotation.sets]


def test_sets_say_whether_they_were_proposed_changed_or_marked_beside_what_was_proposed(
    store: Store, praised: Project, add_person: People
) -> None:
    ann = add_person("Ann", praised, "annotator")
    work = next_work(store, ann, praised)
    [number] = annotate_proposals.propose(store, ann, work.assignment.id).numbers
    submit(store, ann, work, (8, 9), (3, 4), said={number: "accepted"})
    assert origins(store, work) == ["accepted", "free-after-help"]
    work = next_work(store, ann, praised)
    [number] = annotate_proposals.propose(store, ann, work.assignment.id).numbers
    submit(store, ann, work, (7, 9), said={number: "accepted"})
    assert origins(store, work) == ["edited"]
    work = next_work(store, ann, praised)
    [number] = annotate_proposals.propose(store, ann, work.assignment.id).numbers
    submit(store, ann, work, (8, 9), said={number: "rejected"})
    assert origins(store, work) == ["accepted"], "who types again what was proposed has been told it"


def test_without_help_sets_are_free_and_what_is_older_than_the_log_says_nothing(
    store: Store, praised: Project, add_person: People
) -> None:
    nobody = settings(store, praised, help_for="none")
    ann = add_person("Ann", praised, "annotator")
    work = next_work(store, ann, nobody)
    assert (show_work(work, nobody).proposes, show_work(work, nobody).is_blind) == (False, True)
    assert annotate_proposals.propose(store, ann, work.assignment.id).proposals.sets == ()
    submit(store, ann, work, (8, 9))
    assert origins(store, work) == ["free"]
    work = next_work(store, ann, nobody)
    with store.transaction():
        store.run("UPDATE assignments SET arm = NULL WHERE id = ?", (work.assignment.id,))
    submit(store, ann, annotate_work.current_work(store, ann, work.assignment.id), (8, 9))
    assert origins(store, work) == [None]


def test_the_lot_helps_one_of_the_two_people_of_each_text_and_they_stay_in_their_arm(
    store: Store, praised: Project, add_person: People
) -> None:
    drawn = settings(store, praised, help_for="lot", annotators_per_instance=2)
    people = [add_person(name, drawn, "annotator") for name in ("Ann", "Ben")]
    for _ in range(8):
        for person in people:
            work = next_work(store, person, drawn)
            assert show_work(work, drawn).proposes == (work.assignment.arm == "helped")
            annotate_work.skip(store, person, work.assignment.id)
            again = annotate_work.next_work(store, person, drawn.id, work.instance.id).work
            assert again is not None
            assert again.assignment.arm == work.assignment.arm
            annotate_proposals.propose(store, person, work.assignment.id)
            submit(store, person, again, (8, 9))
    arms = store.rows("SELECT instance_id, group_concat(arm, ' ') AS arms FROM assignments GROUP BY instance_id")
    assert {" ".join(sorted(row["arms"].split())) for row in arms} == {"blind helped"}
    report = quality_of(store, LOCAL_OPERATOR, drawn).help
    assert report is not None
    assert (report.n_helped, report.n_blind, report.n_people, report.n_instances) == (8, 8, 2, 8)
    assert help_words(report).startswith("8 annotations with help and 8 without, by lot; 2 annotators on 8 texts.")
    assert "these annotators only" in help_words(report)
    agreement = agreement_of(store, LOCAL_OPERATOR, drawn, WITHOUT_HELP)
    assert agreement.n_annotations == 8
    assert agreement_of(store, LOCAL_OPERATOR, drawn).n_annotations == 16


def test_who_has_a_blind_text_in_hand_is_not_told_what_the_model_says_and_a_look_is_help(
    store: Store, praised: Project, add_person: People
) -> None:
    asked = settings(store, praised, help_for="none", model_previews="annotators")
    lead = add_person("Lea", asked, "lead", "annotator")
    work = next_work(store, lead, asked)
    with pytest.raises(NotAllowed, match="annotated without help"):
        preview(store, lead, work.instance.id, None, [RationaleSet.of((8, 9))])
    asked = settings(store, asked, help_for="all", proposed_word_lists=())
    with pytest.raises(NotFound, match="Train built-in first"):
        preview(store, add_person("Leo", asked, "lead"), work.instance.id, None, [RationaleSet.of((8, 9))])
    ann = add_person("Ann", asked, "annotator")
    work = next_work(store, ann, asked)
    with pytest.raises(NotFound, match="Ask a lead to train built-in"):
        preview(store, ann, work.instance.id, None, [RationaleSet.of((8, 9))])
    assert store.value("SELECT count(*) FROM help_log") == 0, "nothing was shown"
    point(store, asked, "other", 3)
    for _ in range(2):
        assert preview(store, ann, work.instance.id, None, [RationaleSet.of((8, 9))]).attributions
    assert store.value("SELECT count(*) FROM help_log WHERE source = 'model' AND name = 'built-in'") == 1
    submit(store, ann, work, (8, 9))
    assert origins(store, work) == ["free-after-help"]


def test_a_correction_keeps_what_help_had_to_do_with_a_set(store: Store, praised: Project, add_person: People) -> None:
    reviewed = settings(store, praised, reviewers_per_annotation=1)
    ann = add_person("Ann", reviewed, "annotator")
    work = next_work(store, ann, reviewed)
    [number] = annotate_proposals.propose(store, ann, work.assignment.id).numbers
    submit(store, ann, work, (8, 9), (3, 4), said={number: "accepted"})
    [annotation] = annotations_of(store, [work.instance.id])[work.instance.id]
    decide_round(store, LOCAL_OPERATOR, annotation.id, "returned", "more")
    work = annotate_work.next_work(store, ann, reviewed.id, work.instance.id).work  # type: ignore[assignment]
    assert (work.assignment.round_number, work.assignment.arm) == (2, "all")
    sets = (RationaleSet.of((8, 9)), RationaleSet.of((3, 5)), RationaleSet.of((1, 2)))
    draft = Draft("positive", sets, origins=(0, 1, None))
    annotate_work.submit(store, ann, work.assignment.id, work.assignment.revision, draft)
    assert origins(store, work) == ["accepted", "free-after-help", "free-after-help"]


def test_what_lay_there_when_the_work_began_is_carried(
    store: Store, make_project: Make, tmp_path: Path, import_rows: Rows, add_person: People
) -> None:
    made = make_project(name="Drafts", reviewers_per_annotation=0)
    rows = [{"id": "t", "text": TEXT, "tokens": TEXT.split(), "label": "positive", "rationales": [[[8, 9]], [[3, 4]]]}]
    import_rows(made, rows, gold="draft")
    ann = add_person("Ann", made, "annotator")
    work = next_work(store, ann, made)
    submit(store, ann, work, (8, 9), (3, 5), (0, 1))
    assert origins(store, work) == ["carried", "edited", "free-after-help"]


def test_arms_the_log_and_origins_come_back_with_our_own_export_and_other_exports_name_them(
    store: Store, praised: Project, add_person: People, tmp_path: Path
) -> None:
    ann = add_person("Ann", praised, "annotator")
    helped = next_work(store, ann, praised)
    [number] = annotate_proposals.propose(store, ann, helped.assignment.id).numbers
    submit(store, ann, helped, (8, 9), said={number: "accepted"})
    annotate_work.skip(store, ann, next_work(store, ann, praised).assignment.id)
    nobody = settings(store, praised, help_for="none")
    for name in ("Ben", "Cy"):
        submit(store, person := add_person(name, nobody, "annotator"), next_work(store, person, nobody), (3, 4))
    export_file(store, LOCAL_OPERATOR, nobody, "jsonl", tmp_path / "all.jsonl")
    with open_store(tmp_path / "other.db", create=True) as other:
        copy = create_project(other, LOCAL_OPERATOR, "Copy", nobody.task)
        import_file(other, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl")
        for table, columns in (("help_log", "at, source, name, spans, step"), ("assignments", "round, arm"),
                               ("rationale_sets", "spans, origin")):  # fmt: skip
            both = [sorted(map(tuple, of.rows(f"SELECT {columns} FROM {table}")), key=str) for of in (store, other)]
            assert both[0] == both[1]
            assert both[0]
    export_file(store, LOCAL_OPERATOR, nobody, "csv", tmp_path / "gold.csv")
    assert sorted(pd.read_csv(tmp_path / "gold.csv")["help"]) == ["accepted", "free", "free"]
    assert export_file(store, LOCAL_OPERATOR, nobody, "csv", tmp_path / "x.csv", GoldOptions(whose=WITHOUT_HELP)).n == 2
    assert set(pd.read_csv(tmp_path / "x.csv")["gold_policy"]) == {"chosen"}
    export_file(store, LOCAL_OPERATOR, nobody, "parquet-annotations", tmp_path / "a.parquet")
    assert sorted(map(list, pd.read_parquet(tmp_path / "a.parquet")["rationale_help"])) == [
        ["accepted"],
        ["free"],
        ["free"],
    ]
    with pytest.raises(InvalidValue, match="--unhelped is for gold formats"):
        export_file(store, LOCAL_OPERATOR, nobody, "jsonl", tmp_path / "y.jsonl", GoldOptions(whose=WITHOUT_HELP))
    assert "help" in groupings_of(store, LOCAL_OPERATOR, nobody)
    assert knows_help(store, LOCAL_OPERATOR, nobody)


def test_imported_gold_is_not_known_to_be_without_help(
    store: Store, make_project: Make, import_rows: Rows, tmp_path: Path
) -> None:
    made = make_project(name="Old")
    import_rows(
        made, [{"id": "t", "text": TEXT, "tokens": TEXT.split(), "label": "positive", "rationales": [[[8, 9]]]}]
    )
    with pytest.raises(NotFound, match="known to be without help"):
        export_file(store, LOCAL_OPERATOR, made, "csv", tmp_path / "x.csv", GoldOptions(whose=WITHOUT_HELP))
    assert "help" not in groupings_of(store, LOCAL_OPERATOR, made)


def test_words_that_are_shown_as_no_rationale_asked_complements_and_undoing_are_logged(
    store: Store, praised: Project, add_person: People
) -> None:
    save_word_list(store, LOCAL_OPERATOR, praised, "fillers", ["the", "is", "but", "."], role="ignore")
    on = settings(store, praised, proposed_word_lists=("fillers",))
    ann = add_person("Ann", on, "annotator")
    work = next_work(store, ann, on)
    [number] = annotate_proposals.propose(store, ann, work.assignment.id).numbers
    had = help_of(store, work.assignment.id)
    assert (had.is_given, had.steps) == (True, {}), "words were shown as no rationale, and no set was"
    annotate_proposals.propose(store, ann, work.assignment.id)
    for said in ({number: "accepted"}, {}):
        draft = Draft("positive", (RationaleSet.of((8, 9)),), proposed=said)  # type: ignore[arg-type]
        annotate_work.save_draft(store, ann, work.assignment.id, work.assignment.revision, draft)
        work = annotate_work.current_work(store, ann, work.assignment.id)
    steps = [row["step"] for row in store.rows("SELECT step FROM help_log ORDER BY id")]
    assert steps == ["unasked", "shown", "accepted", "unasked"]
    assert set(help_of(store, work.assignment.id).steps.values()) == {"unasked"}
    assert find_instance_ids(store, on.id, "t0")


def test_the_score_of_the_model_that_helped_is_held_against_that_of_another(
    store: Store, praised: Project, add_person: People
) -> None:
    """Helped people mark the word 8 that the model points to first, blind ones the word 3, as the other model does.

    The helping model ranks word 3 fifth (1 − 1/5), the other one word 8 ninth (1/9 − 1): 0.8 + 8/9.
    """
    rules = {"help_for": "lot", "annotators_per_instance": 2, "model_previews": "annotators", "proposed_word_lists": ()}
    drawn = settings(store, praised, **rules)
    people = [add_person(name, drawn, "annotator") for name in ("Ann", "Ben")]
    point(store, drawn, "built-in", 8)
    point(store, drawn, "other", 3)
    for _ in range(8):
        for person in people:
            work = next_work(store, person, drawn)
            is_helped = work.assignment.arm == "helped"
            if is_helped:
                preview(store, person, work.instance.id, None, [RationaleSet.of((8, 9))])
            submit(store, person, work, (8, 9) if is_helped else (3, 4))
    report = quality_of(store, LOCAL_OPERATOR, drawn).help
    assert report is not None
    [effect] = [effect for effect in report.effects if effect.outcome == "model"]
    assert (effect.value, effect.low, effect.n) == (pytest.approx(0.8 + 8 / 9), None, 8)


def test_a_models_own_sets_are_proposed_dashed_and_leave_their_trace(
    store: Store, praised: Project, add_person: People
) -> None:
    on = settings(store, praised, proposed_word_lists=(), proposed_model="tiny")
    found = SufficientSets("positive", 0.5, 0.9, 0.2, own=JudgedFamily((JudgedSet((1, 8), 0.8, 0.4, 0.3),), 0.3))
    with store.transaction():
        model = add_model(store, on.id, "tiny")
        numbers = [find_instance_ids(store, on.id, f"t{n}")[0] for n in range(8)]
        store_sufficient_sets(store, model, '{"removal":"delete","rule":"paper"}', dict.fromkeys(numbers, found))
    assert models_with_sets(store, LOCAL_OPERATOR, on) == ["tiny"]
    ann = add_person("Ann", on, "annotator")
    work = next_work(store, ann, on)
    offer = annotate_proposals.propose(store, ann, work.assignment.id)
    assert [(of.source, of.title, of.rationale_set.token_indices) for of in offer.proposals.sets] == [
        ("model", "tiny 1", (1, 8))
    ]
    submit(store, ann, work, (8, 9), said={offer.numbers[0]: "accepted"})
    assert origins(store, work) == ["edited"]
    assert helping_models(store, on.id) == {"tiny"}
    blind = settings(store, on, help_for="none")
    ben = add_person("Ben", blind, "annotator")
    work = next_work(store, ben, blind)
    assert annotate_proposals.propose(store, ben, work.assignment.id).proposals.sets == ()


def test_sets_that_a_language_model_quoted_are_proposed_and_not_those_that_another_model_was_asked_about(
    store: Store, praised: Project, add_person: People
) -> None:
    judged = SufficientSets(
        "positive", 0.5, 0.9, 0.2, "", "given", JudgedFamily((JudgedSet((1,), 0.8, None, 0.3),), 0.3)
    )
    quoted = MachineRationale("hard", ((1, 2), (8, 9)), quotes=Quotes(2, n_sets=2, sets=(((8, 9),), ((1, 2),))))
    with store.transaction():
        numbers = [find_instance_ids(store, praised.id, f"t{n}")[0] for n in range(8)]
        run = RunFinder(store, praised.id).id_of(Run("llama", "quotes"))
        store_outputs(store, run, [Output(number, rationales=(quoted,)) for number in numbers])
        tiny = add_model(store, praised.id, "tiny")
        store_sufficient_sets(store, tiny, '{"removal":"delete","sets_of":"llama"}', dict.fromkeys(numbers, judged))
    assert models_with_sets(store, LOCAL_OPERATOR, praised) == ["llama"]
    for model, sets in (("llama", [(8,), (1,)]), ("tiny", [])):
        on = settings(store, praised, proposed_word_lists=(), proposed_model=model)
        person = add_person(f"Ann with {model}", on, "annotator")
        offer = annotate_proposals.propose(store, person, next_work(store, person, on).assignment.id)
        assert [of.rationale_set.token_indices for of in offer.proposals.sets] == sets
