"""Exporting: our own form holds everything and imports back to an equal project; the papers' forms hold the gold."""

import csv
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from annotator.domain.instances import Draft
from annotator.domain.measurements import Whose
from annotator.domain.own_sources import SourceEvent
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.sources import SourceAnnotation, SourceInstance, is_numbered_in_text
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.errors import ExportRefused, ImportRefused, InvalidValue, NotAllowed, NotFound
from annotator.store import Store, open_store
from annotator.store.project.guidelines import note_read, readings_of, versions_of
from annotator.usecases.annotate import work
from annotator.usecases.databases import find_project
from annotator.usecases.gold import GoldOptions, gold_instances
from annotator.usecases.lead.decisions import decide, open_proposals
from annotator.usecases.project.guidelines import change_guidelines
from annotator.usecases.project.projects import change_project, create_project, events_of
from annotator.usecases.project.splits import split_project
from annotator.usecases.project.word_lists import save_word_list, word_lists
from annotator.usecases.transfer.export import WITH_PEOPLE, WRITABLE, Pseudonyms, everything_of, export_file
from annotator.usecases.transfer.file_import import import_file

SETS = (RationaleSet.of((5, 7), (1, 2)), RationaleSet.of((0, 2), (2, 3)))


def content_of(store: Store, project: Project) -> list[object]:
    """Everything of a project but its name and the record of exports and imports, which differ by nature."""
    items = list(everything_of(store, project))
    header = replace(items[0], name="")  # type: ignore[type-var]
    return [
        header,
        *(
            item
            for item in items[1:]
            if not (isinstance(item, SourceEvent) and item.action in {"import", "export", "create"})
        ),
    ]


def worked_on(store: Store, project: Project, annotator: User) -> None:
    """A project in every state: submitted, contested and decided, skipped, in work with a draft, proposed."""
    first = work.next_work(store, annotator, project.id).work
    assert first is not None
    work.note_seen(store, annotator, first.assignment.id, "2026-01-01T10:00:00.000Z")
    work.submit(store, annotator, first.assignment.id, 0, Draft(sets=SETS, note="“quoted”\nnote"))
    second = work.next_work(store, annotator, project.id).work
    assert second is not None
    work.submit(store, annotator, second.assignment.id, 0, Draft(result="negative", sets=SETS[:1]))
    [(proposal, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    decide(store, LOCAL_OPERATOR, proposal.id, "relabel")
    third = work.next_work(store, annotator, project.id).work
    assert third is not None
    work.propose_discard(store, annotator, third.assignment.id, "other", "not a review")
    fourth = work.next_work(store, annotator, project.id).work
    assert fourth is not None
    work.save_draft(store, annotator, fourth.assignment.id, 0, Draft(sets=SETS[1:]))


def test_our_own_export_imports_back_to_an_equal_project(
    store: Store, project: Project, annotator: User, tmp_path: Path
) -> None:
    settings = ProjectSettings(order="random", seed=5, required_segments={"positive": ("text",)}, lease_minutes=7)
    project = change_project(store, LOCAL_OPERATOR, replace(project, settings=settings, guidelines="# Guide\n\n*x*"))
    worked_on(store, project, annotator)
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    with open_store(tmp_path / "other.db", create=True) as other:
        copy = create_project(other, LOCAL_OPERATOR, "Copy", get_task("sentiment"))
        import_file(other, LOCAL_OPERATOR, copy, "jsonl", path)
        copy = find_project(other, "Copy")
        assert content_of(other, copy) == content_of(store, project)
        assert copy.settings == settings
        assert other.problems() == []


def test_versions_of_guidelines_come_back_with_who_has_read_them_and_which_annotation_was_made_after_which(
    store: Store, project: Project, annotator: User, tmp_path: Path
) -> None:
    change_guidelines(store, LOCAL_OPERATOR, project.id, "Mark all.", based_on=0)
    note_read(store, project.id, number_of(annotator), 1)
    change_guidelines(store, LOCAL_OPERATOR, project.id, "Mark little.", based_on=1)
    worked_on(store, project, annotator)
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, find_project(store, project.name), "jsonl", path)
    with open_store(tmp_path / "other.db", create=True) as other:
        copy = create_project(other, LOCAL_OPERATOR, "Copy", get_task("sentiment"))
        import_file(other, LOCAL_OPERATOR, copy, "jsonl", path)
        assert versions_of(other, copy.id) == versions_of(store, project.id)
        assert readings_of(other, copy.id) == readings_of(store, project.id)
        assert versions_read(other, find_project(other, "Copy")) == versions_read(store, project) == {1}


def test_numbers_of_versions_that_a_project_does_not_have_are_left_out_and_counted(
    store: Store, project: Project, annotator: User, tmp_path: Path
) -> None:
    change_guidelines(store, LOCAL_OPERATOR, project.id, "Mark all.", based_on=0)
    note_read(store, project.id, number_of(annotator), 1)
    worked_on(store, project, annotator)
    path, rows = tmp_path / "all.jsonl", tmp_path / "rows.jsonl"
    export_file(store, LOCAL_OPERATOR, find_project(store, project.name), "jsonl", path)
    rows.write_text('{"id": "x1", "text": "Fine soup.", "label": "positive"}\n', encoding="utf-8")
    other = create_project(
        store, LOCAL_OPERATOR, "Other", get_task("sentiment"), labels=project.labels, guidelines="Mark."
    )
    import_file(store, LOCAL_OPERATOR, other, "jsonl", rows)
    report = import_file(store, LOCAL_OPERATOR, other, "jsonl", path)
    n_made = sum(item.guidelines == 1 for item in all_annotations(store, project))
    assert any(note.startswith(f"{n_made} annotation") for note in report.notes)
    assert versions_read(store, other) == {None}
    assert [version.text for version in versions_of(store, other.id)] == ["Mark."]


def number_of(user: User) -> int:
    assert user.id is not None
    return user.id


def all_annotations(store: Store, project: Project) -> list[SourceAnnotation]:
    items = everything_of(store, project)
    return [annotation for item in items if isinstance(item, SourceInstance) for annotation in item.annotations]


def versions_read(store: Store, project: Project) -> set[int | None]:
    return {annotation.guidelines for annotation in all_annotations(store, project)}


def test_an_empty_project_takes_over_the_labels_of_our_own_export(
    store: Store, project: Project, annotator: User, tmp_path: Path
) -> None:
    worked_on(store, project, annotator)
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    copy = create_project(store, LOCAL_OPERATOR, "Copy", get_task("sentiment"), labels=["bad", "good"])
    import_file(store, LOCAL_OPERATOR, copy, "jsonl", path)
    assert content_of(store, find_project(store, "Copy")) == content_of(store, project)


def test_our_own_export_with_other_labels_is_refused_by_a_project_that_holds_texts(
    store: Store, project: Project, annotator: User, tmp_path: Path
) -> None:
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    other = create_project(store, LOCAL_OPERATOR, "Other", get_task("sentiment"), labels=["bad", "good"])
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": "x1", "text": "Fine soup.", "label": "good"}\n', encoding="utf-8")
    import_file(store, LOCAL_OPERATOR, other, "jsonl", rows)
    with pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, other, "jsonl", path)
    assert "No label 'negative' (only 'bad', 'good');" in refused.value.problems[0].reason


def test_our_own_export_imported_twice_changes_nothing(
    store: Store, project: Project, annotator: User, tmp_path: Path
) -> None:
    worked_on(store, project, annotator)
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    before = content_of(store, project)
    report = import_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    assert (report.n_new, report.n_updated) == (0, 0)
    assert content_of(store, project) == before


@pytest.mark.parametrize("name", ["Sentiment", "Similarity", "Reading"])
def test_the_demonstration_imports_back_equal_in_our_own_form(demonstration: Path, tmp_path: Path, name: str) -> None:
    shutil.copy(demonstration, tmp_path / "demo.db")
    with open_store(tmp_path / "demo.db") as store:
        project = find_project(store, name)
        path = tmp_path / "all.jsonl"
        export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
        copy = create_project(store, LOCAL_OPERATOR, "Copy", project.task)
        import_file(store, LOCAL_OPERATOR, copy, "jsonl", path)
        assert content_of(store, find_project(store, "Copy")) == content_of(store, project)


PAPERS = [
    ("eraser", "Sentiment"), ("eraser", "Similarity"), ("eraser", "Reading"), ("benchmark", "Sentiment"),
    ("benchmark", "Similarity"), ("benchmark", "Reading"), ("benchmark-trustai", "Sentiment"),
    ("benchmark-trustai", "Similarity"), ("benchmark-trustai", "Reading"),
]  # fmt: skip


@pytest.mark.parametrize(("format_name", "name"), PAPERS)
def test_the_papers_forms_bring_the_same_sets_back(
    demonstration: Path, tmp_path: Path, format_name: str, name: str
) -> None:
    shutil.copy(demonstration, tmp_path / "demo.db")
    with open_store(tmp_path / "demo.db") as store:
        project = find_project(store, name)
        # The benchmark's first dialect holds one flat set for pairs and reading; ERASER holds the first annotation's sets.
        policy = "union" if format_name == "benchmark" and name != "Sentiment" else "chosen"
        export_file(store, LOCAL_OPERATOR, project, format_name, tmp_path / "out", GoldOptions(policy))  # type: ignore[arg-type]
        copy = create_project(store, LOCAL_OPERATOR, "Copy", project.task, labels=project.labels)
        report = import_file(store, LOCAL_OPERATOR, copy, format_name.removesuffix("-trustai"), tmp_path / "out")
        assert report.n_problems == 0
        assert sets_of(store, find_project(store, "Copy"), policy) == sets_of(store, project, policy)


def sets_of(store: Store, project: Project, policy: str) -> list[tuple[list[tuple[str, ...]], str | None]]:
    """For each instance with gold, the words of each set (keys and token numbers may differ between the forms)."""
    found = []
    for gold in gold_instances(store, project, policy):  # type: ignore[arg-type]
        words = [tuple(gold.instance.token(i) for i in s.token_indices) for s in gold.sets]
        found.append((sorted(words), gold.result))
    return sorted(found, key=str)


def test_instances_without_gold_and_discarded_ones_are_not_in_the_papers_forms(
    store: Store, project: Project, annotator: User
) -> None:
    worked_on(store, project, annotator)
    keys = [gold.instance.key for gold in gold_instances(store, project, "chosen")]
    assert keys == ["t1", "t2"]
    [(proposal, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    decide(store, LOCAL_OPERATOR, proposal.id, "discard")
    assert [gold.instance.key for gold in gold_instances(store, project, "all")] == ["t1", "t2"]


def test_a_split_alone_can_be_exported(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], tmp_path: Path
) -> None:
    project = make_project()
    rows = [{"id": f"t{n}", "text": f"Text {n}.", "split": split} for n, split in enumerate(("train", "test", "train"))]
    import_rows(project, rows)
    assert export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "t.jsonl", GoldOptions(split="train")).n == 2
    kinds = [json.loads(line)["record"] for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert kinds.count("instance") == 2


def test_annotators_cannot_export(store: Store, project: Project, annotator: User, tmp_path: Path) -> None:
    with pytest.raises(
        NotAllowed,
        match=r"annotator-a can't export in 'Project'\. An administrator can grant a role \(researcher or lead\)\.",
    ):
        export_file(store, annotator, project, "jsonl", tmp_path / "x.jsonl")
    assert not (tmp_path / "x.jsonl").exists()


def test_a_researcher_exports_gold_but_not_everybodys_unfinished_work(
    store: Store, project: Project, annotator: User, add_person: Callable[..., User], tmp_path: Path
) -> None:
    worked_on(store, project, annotator)
    researcher = add_person("researcher-a", project, "researcher")
    with pytest.raises(NotAllowed, match="see all annotations"):
        export_file(store, researcher, project, "jsonl", tmp_path / "x.jsonl")
    with pytest.raises(NotAllowed, match="see all annotations"):
        export_file(store, researcher, project, "benchmark", tmp_path / "x", GoldOptions(include_submitted=True))
    assert export_file(store, researcher, project, "benchmark", tmp_path / "gold").n == 2


def test_originals_and_perturbed_versions_are_written_apart_when_that_is_asked(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], tmp_path: Path
) -> None:
    pairs = make_project(name="Pairs")
    rows = [
        {"id": "a", "text": "a good book", "label": "positive", "rationales": [[[1, 2]]]},
        {"id": "a-not", "text": "no good book", "label": "negative", "rationales": [[[0, 2]]], "parent": "a", "perturbation_kind": "logic"},
    ]  # fmt: skip
    import_rows(pairs, rows, split="test")
    for half, keys in (("originals", {"a"}), ("perturbed", {"a-not"}), ("both", {"a", "a-not"})):
        folder = tmp_path / half
        n = export_file(store, LOCAL_OPERATOR, pairs, "eraser", folder, GoldOptions(half=half)).n  # type: ignore[arg-type]
        lines = [
            line
            for file in folder.glob("*.jsonl")
            if file.name != "docs.jsonl"
            for line in file.read_text().splitlines()
        ]
        assert ({json.loads(line)["annotation_id"] for line in lines}, n) == (keys, len(keys))


def versions_without_gold(
    make_project: Callable[..., Project], import_rows: Callable[..., object], *, annotated: int
) -> Project:
    """Three originals with gold; of the first two there is a changed version, of which some have gold."""
    made = make_project(name="Pairs")
    rows: list[dict[str, object]] = [
        {"id": key, "text": "a good book", "label": "positive", "rationales": [[[1, 2]]]} for key in "abc"
    ]
    for place, key in enumerate("ab"):
        version = {
            "id": f"{key}-not",
            "text": f"no good book {place}",
            "label": "negative",
            "parent": key,
            "perturbation_kind": "logic",
        }
        rows.append(version | ({"rationales": [[[0, 2]]]} if place < annotated else {}))
    import_rows(made, rows, split="test")
    return made


def test_a_contrast_export_counts_what_the_file_holds_and_says_how_many_versions_have_no_gold_yet(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], tmp_path: Path
) -> None:
    pairs = versions_without_gold(make_project, import_rows, annotated=1)
    exported = export_file(store, LOCAL_OPERATOR, pairs, "contrast", tmp_path / "sets.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "sets.jsonl").read_text().splitlines()]
    assert exported.n == sum(1 + len(row["contrasts"]) for row in rows) == 2
    assert exported.left_out == "1 perturbed version without gold skipped."
    [event] = [e for e in events_of(store, LOCAL_OPERATOR, pairs.id) if e.action == "export"]
    assert event.detail["instances"] == 2


def test_a_contrast_export_without_gold_of_any_version_says_how_many_wait(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], tmp_path: Path
) -> None:
    pairs = versions_without_gold(make_project, import_rows, annotated=0)
    with pytest.raises(ExportRefused, match=r"2 perturbed versions have no gold yet\."):
        export_file(store, LOCAL_OPERATOR, pairs, "contrast", tmp_path / "sets.jsonl")
    with pytest.raises(ExportRefused, match=r"Contrast sets need perturbed versions too\. Export both halves\."):
        export_file(store, LOCAL_OPERATOR, pairs, "contrast", tmp_path / "x.jsonl", GoldOptions(half="originals"))


@pytest.mark.parametrize("format_name", [name for name in WRITABLE if name not in {"jsonl", "contrast"}])
def test_every_other_format_writes_each_text_that_has_gold(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    tmp_path: Path,
    format_name: str,
) -> None:
    pairs = versions_without_gold(make_project, import_rows, annotated=1)
    exported = export_file(store, LOCAL_OPERATOR, pairs, format_name, tmp_path / "out")
    assert (exported.n, exported.left_out) == (4, "")


def test_word_lists_travel_in_our_own_form_and_do_not_replace_what_is_there(
    store: Store, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    first, second = make_project(name="First"), make_project(name="Second")
    lists = [save_word_list(store, LOCAL_OPERATOR, first, "praise", ["good | fine", "kind"], role="keep")]
    lists.append(save_word_list(store, LOCAL_OPERATOR, first, "blame", ["bad"]))
    kept = save_word_list(store, LOCAL_OPERATOR, second, "blame", ["poor"])
    export_file(store, LOCAL_OPERATOR, first, "jsonl", tmp_path / "all.jsonl")
    import_file(store, LOCAL_OPERATOR, second, "jsonl", tmp_path / "all.jsonl")
    assert word_lists(store, LOCAL_OPERATOR, second) == [kept, lists[0]]


@pytest.mark.parametrize("format_name", ["jsonl", "csv", "parquet-annotations", "conll"])
def test_a_split_that_is_not_there_is_refused_with_those_that_are(
    store: Store, project: Project, tmp_path: Path, format_name: str
) -> None:
    split_project(store, LOCAL_OPERATOR, project, "train=.5,test=.5", 0)
    path = tmp_path / "out"
    with pytest.raises(InvalidValue, match="No split 'tst' in"):
        export_file(store, LOCAL_OPERATOR, project, format_name, path, GoldOptions(split="tst"))
    assert not path.exists()


# Nobody is named in an exported file unless names are asked for.

PEOPLE = ("zqx-81", "zqx-07")
FORMATS = sorted(set(WRITABLE) - {"jsonl"})


@pytest.fixture
def named(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """An original and its changed version, which two people marked, and of whom the file told a group."""
    made = make_project(gold_policy="chosen", may_be_empty=True)
    facts = {"annotations": [{"annotator": name, "group_id": f"G{n}"} for n, name in enumerate(PEOPLE)]}
    both = {"split": "test", "metadata": facts}
    row = {"id": "a", "text": "so good", "label": "positive", "rationales": [[[0, 1]]]} | both
    change = {"id": "b", "text": "so bad", "label": "negative", "rationales": [[[1, 2]]], "parent": "a"} | both
    rows = [row, change | {"perturbation_kind": "synonym"}]
    import_rows(made, [of | {"annotator": name} for of in rows for name in PEOPLE])
    return made


def contents(path: Path) -> list[tuple[str, bytes]]:
    """Each file's bytes, and of Parquet, which is compressed, what a reader sees."""
    files = [file for file in path.rglob("*") if file.is_file()] or [path]
    tables = [(file.name, pq.read_table(file)) for file in files if file.read_bytes()[:4] == b"PAR1"]
    read = [(name, f"{table.to_pylist()} {table.schema.metadata}".encode()) for name, table in tables]
    return [(file.name, file.read_bytes()) for file in files] + read


def naming(path: Path) -> set[str]:
    return {name for name, content in contents(path) for person in PEOPLE if person.encode() in content}


@pytest.mark.parametrize("policy", ["chosen", "all"])
@pytest.mark.parametrize("name", FORMATS)
def test_no_file_of_any_format_names_anybody(
    store: Store, named: Project, tmp_path: Path, name: str, policy: str
) -> None:
    options = GoldOptions("union" if policy == "all" and name == "benchmark" else policy)  # type: ignore[arg-type]
    export_file(store, LOCAL_OPERATOR, named, name, tmp_path / "out", options)
    assert not naming(tmp_path / "out")


@pytest.mark.parametrize("name", FORMATS)
def test_names_are_written_where_they_are_asked_for_and_can_be(
    store: Store, named: Project, tmp_path: Path, name: str
) -> None:
    if name in WITH_PEOPLE:
        export_file(store, LOCAL_OPERATOR, named, name, tmp_path / "out", has_names=True)
        assert naming(tmp_path / "out")
        assert [event.detail["names"] for event in events_of(store, LOCAL_OPERATOR, named.id)[:1]] == [True]
    else:
        with pytest.raises(InvalidValue, match="--names is only for"):
            export_file(store, LOCAL_OPERATOR, named, name, tmp_path / "out", has_names=True)
        assert not (tmp_path / "out").exists()


ADA = Whose("annotator", "ada")


@pytest.fixture
def disagreeing(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Of the first text ada marked another word than ben; of the second, two against her, she gave another label."""
    made = make_project(gold_policy="all")
    text = {"text": "so good so", "split": "test"}
    people = {"ada": ("negative", [0, 1]), "ben": ("positive", [1, 2]), "cy": ("positive", [1, 3])}
    rows = [
        {"id": key, **text, "annotator": name, "annotator_label": label, "rationales": [[span]]}
        for key in ("a", "b") for name, (label, span) in people.items() if key == "b" or name != "cy"
    ]  # fmt: skip
    import_rows(made, rows)
    return made


@pytest.mark.parametrize("name", ["csv", "eraser", "datasets", "conll"])
def test_one_persons_sets_and_labels_are_written_alone(
    store: Store, disagreeing: Project, tmp_path: Path, name: str
) -> None:
    assert export_file(store, LOCAL_OPERATOR, disagreeing, name, tmp_path / "out", GoldOptions(whose=ADA)).n == 2
    if name == "csv":
        rows = pd.read_csv(tmp_path / "out")
        assert (rows["marked"].tolist(), rows["label"].tolist()) == (["so", "so"], ["negative", "negative"])
        assert set(rows["gold_policy"]) == {"personal"}
    if name == "datasets":
        assert pd.read_parquet(tmp_path / "out" / "annotations")["label"].tolist() == [0, 0]  # negative


def test_one_persons_export_needs_the_person_the_right_and_a_format_of_gold(
    store: Store, disagreeing: Project, add_person: Callable[..., User], tmp_path: Path
) -> None:
    researcher = add_person("researcher-a", disagreeing, "researcher")
    refused = [
        (LOCAL_OPERATOR, "csv", GoldOptions(whose=Whose("annotator", "dee")), NotFound, "is by 'dee'"),
        (researcher, "csv", GoldOptions(whose=ADA), NotAllowed, "see all annotations"),
        (LOCAL_OPERATOR, "jsonl", GoldOptions(whose=ADA), InvalidValue, "--annotator is for gold formats"),
        (LOCAL_OPERATOR, "csv", GoldOptions("union", whose=ADA), InvalidValue, "without --gold-policy"),
    ]
    for actor, name, options, error, message in refused:
        with pytest.raises(error, match=message):
            export_file(store, actor, disagreeing, name, tmp_path / "out", options)
    assert not (tmp_path / "out").exists()


def test_our_own_form_holds_all_names_and_says_so(store: Store, named: Project, tmp_path: Path) -> None:
    export_file(store, LOCAL_OPERATOR, named, "jsonl", tmp_path / "all.jsonl")
    assert naming(tmp_path / "all.jsonl")
    with pytest.raises(InvalidValue, match="--names is only for"):
        export_file(store, LOCAL_OPERATOR, named, "jsonl", tmp_path / "x.jsonl", has_names=True)


@pytest.mark.parametrize("name", WITH_PEOPLE)
def test_names_are_for_those_who_may_see_all_annotations(
    store: Store, named: Project, add_person: Callable[..., User], tmp_path: Path, name: str
) -> None:
    researcher = add_person("researcher-a", named, "researcher")
    with pytest.raises(NotAllowed, match="see all annotations"):
        export_file(store, researcher, named, name, tmp_path / "out", has_names=True)
    assert not (tmp_path / "out").exists()


def test_one_person_has_one_pseudonym_in_a_file_and_another_in_the_next(
    store: Store, named: Project, tmp_path: Path
) -> None:
    def people(path: Path) -> dict[str, set[str]]:
        export_file(store, LOCAL_OPERATOR, named, "parquet-annotations", path)
        table = pd.read_parquet(path)
        return {key: set(rows["annotator"]) for key, rows in table.groupby("key")}

    first, second = people(tmp_path / "first"), people(tmp_path / "second")
    assert first["a"] == first["b"]
    assert len(first["a"]) == 2
    assert not first["a"] & second["a"]


def test_a_set_of_several_has_their_pseudonyms_in_an_order_that_tells_nothing(
    store: Store, named: Project, tmp_path: Path
) -> None:
    export_file(store, LOCAL_OPERATOR, named, "csv", tmp_path / "gold.csv", GoldOptions("all"))
    rows = list(csv.DictReader((tmp_path / "gold.csv").read_text(encoding="utf-8").splitlines()))
    [people] = {row["annotators"] for row in rows}
    assert people.split("; ") == sorted(people.split("; "))


def test_pseudonyms_follow_neither_names_nor_the_order_of_the_file() -> None:
    names = [f"annotator {number}" for number in range(1, 9)]
    orders = {tuple(sorted(names, key=Pseudonyms(bytes([secret]) * 32))) for secret in range(20)}
    assert len(orders) == 20
    assert len({Pseudonyms(b"a" * 32)(name) for name in names}) == 8


def test_no_pseudonym_looks_like_a_number_that_begins_anew_in_each_text() -> None:
    pseudonyms = Pseudonyms(b"a secret")
    assert not any(
        is_numbered_in_text(pseudonyms(f"person {n}"), {}) for n in range(3000)
    )  # of hex digits some eleven would
