"""Contrast sets: originals with their changed versions come in linked, go out together, and come back equal."""

import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.instances import GoldInstance, Segment
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.sources import SourceInstance, SourceItem, SourceSpan, SourceText
from annotator.domain.tasks import TASKS, SegmentSpec, custom_task
from annotator.domain.texts import RationaleSet, Span, TokenizedText, TokenLayout
from annotator.errors import ExportRefused, InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.contrast.reader import read, write
from annotator.formats.registry import guess_format
from annotator.store import Store
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from tests.conftest import SHARED_DATA, needs_data
from tests.formats.test_eraser import body, gold, options
from tests.formats.test_parquet import NAMES, gold_instances

ORIGINAL = {"id": "1", "text": "A calm film.", "label": "positive", "split": "test", "language": "en"}
DULL = {"text": "A dull film.", "label": "negative"}


def items_of(folder: Path, *rows: object, name: str = "sets.jsonl", **told: object) -> list[SourceItem]:
    path = folder / name
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), encoding="utf-8")
    task = told.pop("task", "sentiment")
    return list(read(path, ReadOptions(TASKS[task] if isinstance(task, str) else task, **told)))  # type: ignore[arg-type]


def instances_of(folder: Path, *rows: object, **told: object) -> list[SourceInstance]:
    items = items_of(folder, *rows, **told)
    assert [str(item) for item in items if isinstance(item, Problem)] == []
    return [item for item in items if isinstance(item, SourceInstance)]


def with_contrasts(*contrasts: dict[str, object], **changes: object) -> dict[str, object]:
    return {**ORIGINAL, "contrasts": list(contrasts), **changes}


def test_a_line_gives_the_original_and_its_linked_contrasts(tmp_path: Path) -> None:
    contrast = {**DULL, "kind": "negation", "reason": "word", "edits": [[2, 6, "dull"]], "rationales": [[[1, 2]]]}
    original, changed = instances_of(tmp_path, with_contrasts(contrast, rationales=[[[1, 2]]]))
    assert (original.key, original.parent_key, original.perturbation_kind) == ("1", None, None)
    assert changed == SourceInstance(
        "1#1", {"text": SourceText("A dull film.")}, "sets.jsonl", 1, "test", "en", "negative",
        annotations=(replace(original.annotations[0], result="negative"),),
        parent_key="1", perturbation_kind="negation", metadata={"reason": "word", "edits": [[2, 6, "dull"]]},
    )  # fmt: skip
    assert original.annotations[0].sets == ((SourceSpan("text", 1, 2),),)


def test_a_contrast_without_id_is_numbered_by_its_place_and_its_kind_is_contrast(tmp_path: Path) -> None:
    row = with_contrasts(DULL, {**DULL, "id": "own", "text": "B"}, {**DULL, "text": "C"})
    found = instances_of(tmp_path, row, key_prefix="dev-")
    assert [(i.key, i.parent_key, i.perturbation_kind) for i in found[1:]] == [
        ("dev-1#1", "dev-1", "contrast"),
        ("dev-own", "dev-1", "contrast"),
        ("dev-1#3", "dev-1", "contrast"),
    ]


def test_a_kind_may_be_unknown_and_has_the_name_of_plain_rows_too(tmp_path: Path) -> None:
    row = with_contrasts({**DULL, "kind": None}, {"text": "B", "perturbation_kind": "order"})
    assert [i.perturbation_kind for i in instances_of(tmp_path, row)[1:]] == [None, "order"]


def test_what_a_pair_does_not_change_is_the_originals_under_any_name(tmp_path: Path) -> None:
    row = {
        "id": 7, "premise": "A dog runs.", "sentence2": "It moves.", "label": "entailment",
        "tokens": {"premise": ["A", "dog", "runs."], "hypothesis": ["It", "moves."]},
        "contrasts": [{"hypothesis": "It rests.", "label": "contradiction"}, {"sentence1": "A cat sleeps.", "label": "neutral"}],
    }  # fmt: skip
    original, first, second = instances_of(tmp_path, row, task="inference")
    assert first.segments == {"hypothesis": SourceText("It rests."), "premise": original.segments["premise"]}
    assert second.segments == {"premise": SourceText("A cat sleeps."), "hypothesis": original.segments["hypothesis"]}
    assert [i.key for i in (original, first, second)] == ["7", "7#1", "7#2"]


def test_an_original_without_contrasts_and_a_label_that_stays_are_taken(tmp_path: Path) -> None:
    assert len(instances_of(tmp_path, with_contrasts())) == 1
    assert [i.result for i in instances_of(tmp_path, with_contrasts({**DULL, "label": "positive"}))] == ["positive"] * 2


def test_segments_of_a_custom_task_may_be_called_like_a_contrasts_fields(tmp_path: Path) -> None:
    task = custom_task((SegmentSpec("kind", "Kind"), SegmentSpec("reason", "Reason")), "label")
    row = {"id": "1", "kind": "a", "reason": "b", "contrasts": [{"kind": "c"}]}
    _, changed = instances_of(tmp_path, row, task=task)
    assert changed.segments == {"kind": SourceText("c"), "reason": SourceText("b")}
    assert changed.perturbation_kind == "contrast"


PROBLEMS = [
    (with_contrasts({"text": ORIGINAL["text"]}), "contrasts[0].text", "Same texts as the original.", "a no-op"),
    (with_contrasts({"label": "negative"}), "contrasts[0].text", "Same texts as the original.", "a label alone is no change"),
    (with_contrasts(DULL, dict(DULL)), "contrasts[1].text", "Same texts as contrasts[0]. Keep one.", "one change twice"),
    (with_contrasts({**DULL, "id": "1"}), "contrasts[0].parent", "An instance can't be its own perturbed version.", "the original's own key"),
    (with_contrasts(DULL, {"text": "B", "id": "1#1"}), "contrasts[1].id", "Duplicate of line 1.", "a key twice"),
    (with_contrasts({**DULL, "contrasts": []}), "contrasts[0].contrasts", "Add contrasts to the original only.", "nested"),
    (with_contrasts({**DULL, "parent": "2"}), "contrasts[0].parent", "Remove this; the parent is always the original.", "another parent"),
    (with_contrasts(DULL, parent="2"), "parent", "An original can't be perturbed. Remove the field.", "an original with a parent"),
    (with_contrasts({**DULL, "label": "great"}), "contrasts[0].label", "No label 'great' (only 'negative', 'positive'); add it (--add-label great), rename it (--rename great=negative), or skip it (--leave-out-label great).", "an unknown label"),
    (with_contrasts({**DULL, "text": " "}), "contrasts[0].text", "Must not be empty.", "an empty text"),
    (with_contrasts({**DULL, "kind": 3}), "contrasts[0].kind", "Must be text or null.", "a kind that is no text"),
    (with_contrasts({**DULL, "rationales": [[[0, 99]]], "tokens": ["A", "dull", "film."]}),
     "contrasts[0].rationales[0][0]", "Ends at token 99 (exclusive); 'text' has 3.", "a span past the end"),
    (with_contrasts(contrasts={"text": "B"}), "contrasts", "Must be like [{...}].", "no list"),
    (with_contrasts(contrasts=["B"]), "contrasts", "Must be like [{...}].", "no objects"),
    (dict(ORIGINAL), "contrasts", "Must be like [{...}].", "no contrasts at all"),
    ('{"id": "1", "text": "A", "contrasts": [{"text": "B"', "line", "Invalid JSON: truncated at character 51.", "a half-written line"),
    ('{"id": "1", "text": "A", "contrasts": [{"text": "B", "p": NaN}]}', "line", "NaN isn't JSON. Write a number or null.", "NaN"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "field", "reason", "why"), PROBLEMS)
def test_a_bad_line_gives_its_problem_and_neither_original_nor_contrast(
    tmp_path: Path, row: object, field: str, reason: str, why: str
) -> None:
    good = with_contrasts(DULL, id="next")
    items = items_of(tmp_path, row, good, labels=("negative", "positive"))
    problem, *others = [item for item in items if isinstance(item, Problem)]
    assert (problem.source, problem.line, problem.field) == ("sets.jsonl", 1, field)
    assert reason in problem.reason
    assert len(others) == (why == "the original's own key")  # which appears twice, too
    assert [i.key for i in items if isinstance(i, SourceInstance)] == ["next", "next#1"]


def test_a_task_with_a_target_counts_another_target_as_a_change(tmp_path: Path) -> None:
    row = {"id": "1", "text": "A b", "target": [0, 1], "contrasts": [{"target": [1, 2]}]}
    assert [i.target for i in instances_of(tmp_path, row, task="entity")] == [
        SourceSpan("text", 0, 1),
        SourceSpan("text", 1, 2),
    ]
    [problem] = items_of(tmp_path, {**row, "contrasts": [{"text": "A c"}]}, task="entity")
    assert problem.field == "contrasts[0].target"  # another text has other tokens, so it must say its own


# Pairs in a TSV


def test_batches_of_a_tsv_are_contrast_sets_with_cells_as_they_stand(tmp_path: Path) -> None:
    found = instances_of(
        tmp_path,
        "Sentiment\tText\tbatch_id",
        'Negative\t"It is ""bad"".<br />\t4',
        "Positive\tIt is good.\t4",
        name="dev.tsv",
    )
    assert [(i.key, i.result, i.parent_key, i.line) for i in found] == [
        ("4", "Negative", None, 2),
        ("4#1", "Positive", "4", 2),
    ]
    assert found[0].segments == {"text": SourceText('"It is ""bad"".<br />')}


def test_half_a_batch_is_a_problem_and_never_an_original(tmp_path: Path) -> None:
    rows = ["Text\tSentiment\tbatch_id", "a\tx", "b\ty\t1", "c\tx\t2", "d\ty\t2", "e\0\tx\t3", "f\ty\t3"]
    items = items_of(tmp_path, *rows, name="dev.tsv")
    problems = sorted((i.line, i.field) for i in items if isinstance(i, Problem))
    assert problems == [(2, "line"), (3, "batch_id"), (6, "line"), (7, "batch_id")]
    assert [i.key for i in items if isinstance(i, SourceInstance)] == ["2", "2#1"]


def test_a_tsv_without_batches_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidValue, match=r"No column 'batch_id' in '.*nli\.tsv' \(only 'sentence1', 'gold_label'\)\."
    ):
        items_of(tmp_path, "sentence1\tgold_label", "a\tneutral", name="nli.tsv", task="inference")


# Writing


def changed_version(original: GoldInstance, key: str, kind: str | None, *sets: RationaleSet) -> GoldInstance:
    first = original.instance.segments[0]
    tokens = [*first.body.tokens()[:-1], f"{key}-changed"]
    other = Segment(first.name, first.is_selectable, body("  ".join(tokens), tokens))
    instance = replace(
        original.instance, key=key, parent_key=original.instance.key, perturbation_kind=kind,
        segments=(other, *original.instance.segments[1:]),
    )  # fmt: skip
    return replace(original, instance=instance, sets=sets)


def gold_of(source: SourceInstance) -> tuple[object, ...]:
    """What a row says of gold, in the instance's token indices."""
    task = TASKS["sentiment" if "text" in source.segments else _task_of(source)]
    bodies: dict[str, TokenizedText] = {n: b.tokens for n, b in source.segments.items()}  # type: ignore[union-attr,misc]
    names = task.in_numbering_order(list(bodies))
    layout = TokenLayout.of([(name, True, bodies[name].n_tokens) for name in names])

    def span(placed: SourceSpan) -> Span:
        first = layout.segment(placed.segment).first_token
        return Span(first + placed.start, first + placed.end)

    [annotation] = source.annotations
    target = source.target and span(source.target)
    return (
        source.key, source.split, source.language, source.result,
        {name: (b.text, b.starts, b.ends) for name, b in bodies.items()},
        tuple(RationaleSet(tuple(span(placed) for placed in one)) for one in annotation.sets),
        target and (target.start, target.end), source.parent_key, source.perturbation_kind, source.is_exhaustive, source.metadata,
    )  # fmt: skip


def _task_of(source: SourceInstance) -> str:
    return next(task for task, names in NAMES.items() if names[0] in source.segments)


def told(item: GoldInstance) -> tuple[object, ...]:
    """The same of the gold itself; an empty optional segment and an unnamed document are not told."""
    instance = item.instance
    return (
        instance.key, instance.split, instance.language, item.result,
        {s.name: (s.body.text, s.body.starts, s.body.ends) for s in instance.segments if s.body.text},
        item.sets, instance.target, instance.parent_key, instance.perturbation_kind, instance.is_exhaustive, instance.metadata,
    )  # fmt: skip


@st.composite
def families(draw: st.DrawFn, task: str) -> list[GoldInstance]:
    items = []
    for number in range(draw(st.integers(1, 3))):
        made = draw(gold_instances(task))
        result = None if made.result == "" and TASKS[task].result_kind == "label" else made.result
        instance = replace(made.instance, key=f"k{number}", parent_key=None, perturbation_kind=None, target=None)
        original = replace(made, instance=instance, result=result)
        kinds = draw(st.lists(st.none() | st.sampled_from(["contrast", "order"]), min_size=1, max_size=3))
        items.append(original)
        items += [changed_version(original, f"{n}-{number}", kind, *original.sets) for n, kind in enumerate(kinds)]
    return draw(st.permutations(items))


TASK_AND_FAMILIES = st.sampled_from(sorted(NAMES)).flatmap(lambda task: st.tuples(st.just(task), families(task)))


@given(TASK_AND_FAMILIES)
def test_what_is_written_reads_back_as_the_same_gold(task_and_items: tuple[str, list[GoldInstance]]) -> None:
    task, items = task_and_items
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sets.jsonl"
        write(path, iter(items), options(task))
        found = list(read(path, ReadOptions(TASKS[task])))
    assert [str(item) for item in found if isinstance(item, Problem)] == []
    by_key = {item.key: gold_of(item) for item in found if isinstance(item, SourceInstance)}
    assert by_key == {item.instance.key: told(item) for item in items}


def test_a_set_is_one_readable_line_and_whoever_has_no_contrast_is_left_out(tmp_path: Path) -> None:
    original = gold({"text": body("A calm film")}, RationaleSet.of((1, 2)), metadata={"reason": "why", "year": 1999})
    changed = gold(
        {"text": body("A dull film")},
        RationaleSet.of((1, 2)),
        key="c",
        result="negative",
        parent_key="1",
        perturbation_kind="word",
    )
    alone = gold({"text": body("Fine")}, key="0")
    write(tmp_path / "sets.jsonl", [changed, alone, original], options())
    [line] = (tmp_path / "sets.jsonl").read_text(encoding="utf-8").splitlines()
    marked = [[{"segment": "text", "start_token": 1, "end_token": 2}]]
    assert json.loads(line) == {
        "id": "1", "text": "A calm film", "label": "positive", "reason": "why", "language": "en",
        "tokens": {"text": ["A", "calm", "film"]}, "rationales": marked, "metadata": {"year": 1999}, "split": "train",
        "contrasts": [
            {"id": "c", "text": "A dull film", "label": "negative", "language": "en",
             "tokens": {"text": ["A", "dull", "film"]}, "rationales": marked, "kind": "word"}
        ],
    }  # fmt: skip


def test_a_target_goes_out_and_comes_in(tmp_path: Path) -> None:
    original = gold({"text": body("A calm film")}, task="entity", target=(1, 2))
    other = replace(original, instance=replace(original.instance, key="c", parent_key="1", target=(2, 3)))
    write(tmp_path / "sets.jsonl", [original, other], options("entity"))
    found = read(tmp_path / "sets.jsonl", ReadOptions(TASKS["entity"]))
    assert [item.target for item in found if isinstance(item, SourceInstance)] == [
        SourceSpan("text", 1, 2),
        SourceSpan("text", 2, 3),
    ]


def chain() -> list[GoldInstance]:
    first = gold({"text": body("a b")}, key="a")
    second = changed_version(first, "b", "x")
    return [first, second, changed_version(second, "c", "x")]


def odd_tokens() -> list[GoldInstance]:
    first = gold({"text": TokenizedText("a a", (2,), (3,), (0,))}, key="a")
    return [first, changed_version(gold({"text": body("a b")}, key="a"), "b", "x")]


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        (lambda: chain()[:1], "No perturbed versions to write."),
        (
            lambda: chain()[1:2],
            r"1 instances are perturbed versions of an unexported instance\. Finish originals or --include submitted \(instances: 'b'\)\.",
        ),
        (chain, r"are perturbed versions of an unexported instance\. Finish originals or --include submitted"),
        (odd_tokens, "Instance 'a': segment 'text' doesn't fit a token list. Export as jsonl."),
    ],
)
def test_what_cannot_be_written_is_refused_and_leaves_no_file(
    tmp_path: Path, items: Callable[[], list[GoldInstance]], reason: str
) -> None:
    with pytest.raises(ExportRefused, match=reason):
        write(tmp_path / "sets.jsonl", items(), options())
    assert list(tmp_path.iterdir()) == []


def test_contrast_sets_go_through_a_project_and_come_out_as_they_came_in(
    store: Store, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    marked = {"rationales": [[[1, 2]]], "language": "en", "tokens": {"text": ["A", "calm", "film."]}}
    contrast = {
        "id": "1-dull",
        **DULL,
        **marked,
        "tokens": {"text": ["A", "dull", "film."]},
        "kind": "word",
        "reason": "why",
    }
    path = tmp_path / "sets.jsonl"
    path.write_text(json.dumps(with_contrasts(contrast, **marked)) + "\n", encoding="utf-8")
    project = make_project()
    import_file(store, LOCAL_OPERATOR, project, "contrast", path)
    export_file(store, LOCAL_OPERATOR, project, "contrast", tmp_path / "out.jsonl")
    [line] = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    spans = [[{"segment": "text", "start_token": 1, "end_token": 2}]]
    wanted = with_contrasts({**contrast, "rationales": spans}, **{**marked, "rationales": spans})
    assert json.loads(line) == wanted
    export_file(store, LOCAL_OPERATOR, project, "parquet", tmp_path / "out.parquet", has_names=True)
    rows = pq.read_table(tmp_path / "out.parquet", columns=["key", "parent_key", "rationale_origins"]).to_pylist()
    origins = [[{"annotator": "gold", "round": 1, "set": 0, "help": None}]]
    assert rows == [
        {"key": "1", "parent_key": None, "rationale_origins": origins},
        {"key": "1-dull", "parent_key": "1", "rationale_origins": origins},
    ]


@needs_data
def test_the_counterfactual_reviews_come_in_whole() -> None:
    path = SHARED_DATA / "cad" / "raw" / "sentiment_dev_paired.tsv"
    found = list(read(path, ReadOptions(TASKS["sentiment"])))
    instances = [item for item in found if isinstance(item, SourceInstance)]
    assert len(instances) == len(found) == 490  # 245 pairs; the file has 490 rows
    results = {item.key: item.result for item in instances}
    changed = [item for item in instances if item.parent_key is not None]
    assert len(changed) == 245
    assert all(results[item.parent_key or ""] != item.result for item in changed)  # every edit flips the label


# Counterfactually augmented pairs: originals, and beside them files with revisions, two for each in their order.

HEADER = "sentence1\tsentence2\tgold_label\n"
ORIGINALS = "A man sleeps.\tHe rests.\tentailment\nA cat runs.\tIt is red.\tneutral\n"
PREMISES = (
    "A man works.\tHe rests.\tcontradiction\nA man lies down.\tHe rests.\tneutral\n"
    "A red cat runs.\tIt is red.\tentailment\nA blue cat runs.\tIt is red.\tcontradiction\n"
)
HYPOTHESES = (
    "A man sleeps.\tHe works.\tcontradiction\nA man sleeps.\tHe dreams.\tneutral\n"
    "A cat runs.\tIt moves.\tentailment\nA cat runs.\tIt sits.\tcontradiction\n"
)


@pytest.fixture(params=["names", "folders"])
def folder(request, tmp_path: Path) -> Path:
    """The files as they lie in the repository (folders), and with their folders in their names."""
    roles = {"original": ORIGINALS, "revised_premise": PREMISES, "revised_hypothesis": HYPOTHESES}
    for role, content in roles.items():
        path = tmp_path / (f"NLI_{role}_dev.tsv" if request.param == "names" else f"{role}/dev.tsv")
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEADER + content, encoding="utf-8")
    return tmp_path


def items(path: Path) -> tuple[list[SourceInstance], list[Problem]]:
    found = list(read(path, ReadOptions(TASKS["inference"])))
    return [i for i in found if isinstance(i, SourceInstance)], [i for i in found if isinstance(i, Problem)]


def originals(folder: Path) -> Path:
    return next(path for path in folder.rglob("*.tsv") if "original" in str(path.relative_to(folder)))


def test_revisions_become_contrasts_of_their_original(folder):
    instances, problems = items(folder)
    assert problems == []
    assert [(i.key, i.parent_key, i.perturbation_kind, i.result, i.split) for i in instances[:5]] == [
        ("1", None, None, "entailment", "val"),
        ("1#1", "1", "revised premise", "contradiction", "val"),
        ("1#2", "1", "revised premise", "neutral", "val"),
        ("1#3", "1", "revised hypothesis", "contradiction", "val"),
        ("1#4", "1", "revised hypothesis", "neutral", "val"),
    ]
    texts = {name: body.text for name, body in instances[3].segments.items()}
    assert texts == {"premise": "A man sleeps.", "hypothesis": "He works."}
    assert items(originals(folder))[0] == instances


def test_a_revision_that_changes_nothing_is_left_out_with_a_warning(folder):
    path = next(path for path in folder.rglob("*.tsv") if "revised_premise" in str(path))
    path.write_text(path.read_text().replace("A blue cat runs.", "A cat runs."))
    instances, [problem] = items(folder)
    assert (problem.is_warning, problem.line, problem.field, len(instances)) == (True, 5, "sentence1", 9)


def test_revisions_in_another_order_or_without_their_originals_are_refused(folder):
    path = next(path for path in folder.rglob("*.tsv") if "revised_premise" in str(path))
    with pytest.raises(InvalidValue, match=r"has only revisions\. Put '"):
        items(path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    with pytest.raises(InvalidValue, match=r"Sort both files alike\."):
        items(folder)
    path.write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(InvalidValue, match=r"has 3 rows; 2 originals need two each\."):
        items(folder)


def test_originals_alone_say_what_is_missing_beside_them(tmp_path):
    path = tmp_path / "NLI_original_dev.tsv"
    path.write_text(HEADER + ORIGINALS)
    with pytest.raises(InvalidValue, match=r"Choose their folder\."):
        items(path)


def test_the_format_is_guessed_by_the_names(folder):
    guess = guess_format(originals(folder))
    assert guess is not None
    assert guess.format_name == "contrast"


def test_a_cell_in_quotation_marks_is_read_without_them(tmp_path):
    path = tmp_path / "pairs.tsv"
    rows = 'Negative\t"A ""dull"" film."\t1\nPositive\t"A ""calm"" film."\t1\nNegative\t"Dull," she said: "no"\t2\nPositive\tBad\t2\n'
    path.write_text("Sentiment\tText\tbatch_id\n" + rows)
    found = [i for i in read(path, ReadOptions(TASKS["sentiment"])) if isinstance(i, SourceInstance)]
    assert [i.segments["text"].text for i in found] == [
        'A "dull" film.', 'A "calm" film.', '"Dull," she said: "no"', "Bad",
    ]  # fmt: skip


@needs_data
def test_the_real_files_come_in_whole():
    instances, problems = items(SHARED_DATA / "cad" / "raw")
    assert (len(instances), [p.is_warning for p in problems]) == (999, [True])
    found = list(read(SHARED_DATA / "cad" / "raw", ReadOptions(TASKS["sentiment"])))
    assert len([item for item in found if isinstance(item, SourceInstance)]) == len(found) == 490
