"""What an import plans for a batch of rows: no store is opened here."""

from dataclasses import replace

import pytest

from annotator.domain.imports import (
    InstancePlan,
    KnownAdditions,
    KnownContent,
    KnownInstance,
    KnownRows,
    NewDocument,
    NewSegment,
    PreparedRow,
    PreparedRows,
)
from annotator.domain.instances import Annotation, Draft
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.sources import (
    SourceAnnotation,
    SourceDocument,
    SourceInstance,
    SourceProposedSet,
    SourceSpan,
    SourceText,
    SourceWork,
)
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet, TokenizedText, TokenLayout
from annotator.errors import InvalidAnnotation, Problem
from annotator.usecases.transfer.import_report import ImportOptions
from annotator.usecases.transfer.instance_plan import divide, plan_additions, plan_documents, plan_instances

BODY = TokenizedText("Good food .", (0, 5, 10), (4, 9, 11), (0,))
PROJECT = Project(1, "P", get_task("sentiment"), ("negative", "positive"), "en", ProjectSettings())
SOURCE = SourceInstance("t1", {"text": SourceText(BODY.text)}, "rows.jsonl", 1, result="positive")
PRINT, OTHER, TODAY = b"row", b"other row", b"row of today"
TEXT, OTHER_TEXT = b"text", b"other text"
SETS = ((SourceSpan("text", 0, 2),),)
GOLD = SourceAnnotation("ada", "positive", SETS)
STORED = Annotation(9, "ada", 1, "accepted", "positive", (RationaleSet.of((0, 2)),))
KNOWN = KnownInstance(7, PRINT, "positive", 0, 0)
PLACE = ("t1", "")
NOTHING = KnownRows({}, {}, {})


def row(source: SourceInstance = SOURCE, fingerprint: bytes = PRINT) -> PreparedRow:
    return PreparedRow(source, "en", (NewSegment("text", True, 3, TEXT),), {"text": BODY}, fingerprint)


def known(
    there: KnownInstance | None = None, content: KnownContent | None = None, *annotations: Annotation
) -> KnownRows:
    if there is None:
        return NOTHING
    return KnownRows({PLACE: there}, {there.id: content} if content else {}, {there.id: list(annotations)})


def plan(
    *rows: PreparedRow | Problem, of: KnownRows = NOTHING, project: Project = PROJECT, **options: object
) -> InstancePlan:
    return plan_instances(PreparedRows((), rows), of, project, ImportOptions(**options))  # type: ignore[arg-type]


def reasons(made: InstancePlan) -> list[str]:
    return [problem.reason for problem in made.problems]


def test_a_row_whose_key_is_free_is_new_and_its_labels_are_met() -> None:
    source = replace(SOURCE, annotations=(replace(GOLD, result="negative"),))
    made = plan(row(source))
    [new] = made.new
    assert (new.source.key, new.state, new.open_slots) == ("t1", "complete", 0)
    assert new.annotations[0].sets == (RationaleSet.of((0, 2)),)
    assert made.labels == {"negative", "positive"}
    assert (made.changes, made.problems) == ((), ())


@pytest.mark.parametrize(
    ("gold", "state", "open_slots"), [("accepted", "complete", 0), ("draft", "open", 1), ("reference", "open", 1)]
)
def test_gold_that_is_not_accepted_leaves_the_instance_open(gold: str, state: str, open_slots: int) -> None:
    [new] = plan(row(replace(SOURCE, annotations=(GOLD,))), gold=gold).new
    assert (new.annotations[0].state, new.state, new.open_slots) == (gold, state, open_slots)


def test_the_same_row_again_changes_nothing() -> None:
    made = plan(row(replace(SOURCE, annotations=(GOLD,))), of=known(KNOWN, None, STORED))
    [change] = made.changes
    assert (change.instance_id, change.is_update, made.new, made.problems) == (7, False, (), ())


def test_a_row_that_says_what_a_lead_made_of_the_instance_changes_nothing() -> None:
    content = KnownContent(TODAY, (("text", TEXT),), has_output=False)
    [change] = plan(row(fingerprint=TODAY), of=known(KNOWN, content)).changes
    assert not change.is_update


def test_a_changed_row_is_refused_and_named_unless_it_may_overwrite() -> None:
    of = known(KNOWN, KnownContent(TODAY, (("text", TEXT),), has_output=True))
    refused = plan(row(fingerprint=OTHER), of=of)
    [problem] = refused.problems
    assert (problem.line, problem.field, problem.value) == (1, "id", "t1")
    assert "Exists with different content. Use --update to overwrite." in problem.reason
    assert "--update" in problem.reason
    assert refused.changes == ()
    [change] = plan(row(fingerprint=OTHER), of=of, update=True).changes
    assert change.content is not None
    assert not change.forgets_output  # its text is the same


@pytest.mark.parametrize(
    ("n_annotations", "n_works", "said"),
    [(1, 0, "1 annotation and 0 pieces of work"), (0, 1, "0 annotations and 1 piece of work")],
)
def test_a_text_is_never_changed_under_annotations_or_work(n_annotations: int, n_works: int, said: str) -> None:
    there = replace(KNOWN, n_annotations=n_annotations, n_works=n_works)
    of = known(there, KnownContent(TODAY, (("text", OTHER_TEXT),), has_output=True))
    made = plan(row(fingerprint=OTHER), of=of, update=True)
    assert made.changes == ()
    assert f"Text or tokens changed, but it has {said}. Change the ID." in reasons(made)[0]


@pytest.mark.parametrize("has_output", [True, False])
def test_what_models_said_of_an_old_text_is_forgotten_with_a_warning(has_output: bool) -> None:
    of = known(KNOWN, KnownContent(TODAY, (("text", OTHER_TEXT),), has_output))
    made = plan(row(fingerprint=OTHER), of=of, update=True)
    assert made.changes[0].forgets_output is has_output
    assert [problem.is_warning for problem in made.problems] == [True] * has_output


def test_an_annotation_that_is_not_there_yet_is_added() -> None:
    made = plan(row(replace(SOURCE, annotations=(GOLD, replace(GOLD, annotator="ben")))), of=known(KNOWN, None, STORED))
    [change] = made.changes
    assert ([a.annotator for a in change.added], change.replaced, change.is_update) == (["ben"], (), True)


def test_an_annotation_that_is_there_otherwise_is_refused_unless_it_may_be_overwritten() -> None:
    changed, of = row(replace(SOURCE, annotations=(replace(GOLD, note="new"),))), known(KNOWN, None, STORED)
    refused = plan(changed, of=of)
    assert "'ada' annotated this differently; use --update to overwrite" in reasons(refused)[0]
    assert not refused.changes[0].is_update
    [(number, annotation)] = plan(changed, of=of, update=True).changes[0].replaced
    assert (number, annotation.note) == (9, "new")


def test_a_file_never_changes_what_somebody_annotated_here() -> None:
    here = SourceAnnotation("ada", "negative", SETS, by_user=True)
    source = replace(SOURCE, annotations=(here,))
    assert plan(row(source), of=known(KNOWN, None, replace(STORED, user_id=3)), update=True).changes[0].added
    # Without work of that name the annotation counts as a source's, which stands beside the person's own.
    owned = replace(source, work=(SourceWork("ada", 1, "submitted", 0, here),))
    made = plan(row(owned), of=known(KNOWN, None, replace(STORED, user_id=3)), update=True)
    assert "annotated this differently here; files can't change that" in reasons(made)[0]
    assert not made.changes[0].is_update


def test_a_label_that_the_project_does_not_have_is_refused_and_one_without_labels_takes_any() -> None:
    strange = row(replace(SOURCE, result="odd"))
    [problem] = plan(strange).problems
    assert (problem.field, problem.value) == ("label", "odd")
    assert (
        "No label 'odd' (only 'negative', 'positive'); add it (--add-label odd), rename it (--rename odd=negative), or skip it (--leave-out-label odd)."
        in problem.reason
    )
    assert plan(strange, project=replace(PROJECT, labels=())).labels == {"odd"}


def test_a_strange_label_of_an_annotation_refuses_its_row() -> None:
    made = plan(row(replace(SOURCE, annotations=(replace(GOLD, result="odd"),))))
    assert [problem.field for problem in made.problems] == ["label", "rationales"]
    assert (made.rows, made.new) == ((), ())


def test_spans_that_do_not_fit_refuse_their_row_alone() -> None:
    outside = SourceAnnotation("ada", None, ((SourceSpan("text", 2, 5),),))
    made = plan(row(replace(SOURCE, annotations=(outside,))), row(replace(SOURCE, key="t2")))
    assert "Set 1: Tokens 2 to 5 aren't in segment 'text' (3 tokens, from 0, end exclusive)." in reasons(made)[0]
    assert [instance.source.key for instance in made.new] == ["t2"]


def test_characters_that_end_within_a_token_are_widened_and_told() -> None:
    within = SourceAnnotation("ada", None, ((SourceSpan("text", 0, 2, "char"),), (SourceSpan("text", 0, 4, "char"),)))
    made = plan(row(replace(SOURCE, annotations=(within,))))
    assert made.new[0].annotations[0].sets == (RationaleSet.of((0, 1)), RationaleSet.of((0, 1)))
    assert (made.n_character_spans, made.widened) == (2, ("rows.jsonl, line 1: “Go” became “Good”",))


def test_what_could_not_be_prepared_is_told_in_its_place_and_the_rest_is_planned() -> None:
    bad = Problem("rows.jsonl", 1, "text", "t1", "There is no tokeniser.")
    made = plan(bad, row(replace(SOURCE, key="t2")))
    assert (made.problems, len(made.new)) == ((bad,), 1)


ADDING = replace(SOURCE, segments={}, annotations=(GOLD,), is_addition=True)


def test_a_row_without_a_text_adds_and_one_with_a_text_only_where_its_instance_is_known_or_in_the_batch() -> None:
    with_text = replace(SOURCE, is_addition=True)
    assert divide([ADDING], {}) == ([], [ADDING])
    assert divide([with_text], {}) == ([with_text], [])
    assert divide([with_text], {PLACE: KNOWN}) == ([], [with_text])
    assert divide([SOURCE, with_text], {}) == ([SOURCE], [with_text])
    other_split = replace(with_text, split="test")
    assert divide([SOURCE, other_split], {}) == ([SOURCE, other_split], [])


def known_addition(there: KnownInstance | None = KNOWN, *annotations: Annotation) -> KnownAdditions:
    if there is None:
        return KnownAdditions({}, {}, {}, {})
    layout = TokenLayout.of([("text", True, 3)])
    return KnownAdditions({PLACE: there}, {there.id: layout}, {there.id: {"text": BODY}}, {there.id: list(annotations)})


def test_gold_is_added_to_a_stored_instance_with_a_result_where_there_is_none() -> None:
    bare = replace(KNOWN, result=None)
    [change] = plan_additions([ADDING], known_addition(bare), PROJECT, ImportOptions()).changes
    assert (change.instance_id, change.result, change.content) == (7, "positive", None)
    assert change.added[0].sets == (RationaleSet.of((0, 2)),)
    [labelled] = plan_additions([ADDING], known_addition(), PROJECT, ImportOptions()).changes
    assert labelled.result is None


def test_the_same_gold_again_changes_nothing() -> None:
    [change] = plan_additions([ADDING], known_addition(KNOWN, STORED), PROJECT, ImportOptions()).changes
    assert not change.is_update


def test_gold_for_no_instance_is_refused_by_its_key() -> None:
    made = plan_additions([ADDING], known_addition(None), PROJECT, ImportOptions())
    assert (made.problems[0].value, made.changes) == ("t1", ())
    assert "Unknown ID. Correct it, or import the text first." in reasons(made)[0]


def test_gold_that_does_not_fit_the_stored_tokens_is_refused() -> None:
    outside = replace(ADDING, annotations=(replace(GOLD, sets=((SourceSpan("text", 0, 9),),)),))
    made = plan_additions([outside], known_addition(), PROJECT, ImportOptions())
    assert "Set 1: Tokens 0 to 9 aren't in segment 'text' (3 tokens, from 0, end exclusive)." in reasons(made)[0]
    assert made.changes == ()


def test_a_document_is_new_or_there_or_contradicts_one_of_its_name() -> None:
    batch = [SourceDocument(name, SourceText(BODY.text), None, "docs.jsonl", n) for n, name in enumerate("abbcd", 1)]
    bad = Problem("docs.jsonl", 5, "document", "d", "There is no tokeniser.")
    prints = (TEXT, TEXT, OTHER_TEXT, TEXT)
    prepared = [NewDocument(d.docid, BODY, digest) for d, digest in zip(batch, prints, strict=False)]
    made = plan_documents(batch, [*prepared, bad], {"a": TEXT, "c": OTHER_TEXT})
    assert made.new == (prepared[1],)
    assert made.problems[0] == bad
    assert [(problem.line, problem.value) for problem in made.problems[1:]] == [(3, "b"), (4, "c")]


def test_the_drafts_of_work_on_a_new_instance_are_planned_in_the_instance_s_tokens() -> None:
    draft = SourceAnnotation("ada", "negative", SETS, "a note")
    source = replace(SOURCE, work=(SourceWork("ada", 1, "leased", 4, draft, no_rationale=True, unlocked=(0,)),))
    [new] = plan(row(source)).new
    assert new.drafts == (Draft("negative", (RationaleSet.of((0, 2)),), "a note", no_rationale=True, unlocked=(0,)),)
    assert new.source.is_worked_on
    [change] = plan(row(source), of=known(KNOWN)).changes
    assert change.content is None


@pytest.mark.parametrize(
    "work",
    [
        SourceWork("ada", 1, "leased", 4, SourceAnnotation("ada", None, ((SourceSpan("text", 2, 5),),))),
        SourceWork("ada", 1, "leased", 4, GOLD, proposed=(SourceProposedSet("lexicon", "N", ((2, 5),), "undecided"),)),
    ],
)
def test_work_that_marks_what_its_instance_does_not_have_is_met_before_anything_is_written(work: SourceWork) -> None:
    with pytest.raises(InvalidAnnotation, match="Set 1"):
        plan(row(replace(SOURCE, work=(work,))))
