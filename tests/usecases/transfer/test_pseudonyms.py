"""Nobody is named in an exported file unless names are asked for."""

import csv
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.sources import is_numbered_in_text
from annotator.errors import InvalidValue, NotAllowed
from annotator.store import Store
from annotator.usecases.gold import GoldOptions
from annotator.usecases.project.projects import events_of
from annotator.usecases.transfer.export import WITH_PEOPLE, WRITABLE, Pseudonyms, export_file

PEOPLE = ("zqx-81", "zqx-07")
FORMATS = sorted(set(WRITABLE) - {"jsonl"})


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
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
    store: Store, project: Project, tmp_path: Path, name: str, policy: str
) -> None:
    options = GoldOptions("union" if policy == "all" and name == "benchmark" else policy)  # type: ignore[arg-type]
    export_file(store, LOCAL_OPERATOR, project, name, tmp_path / "out", options)
    assert not naming(tmp_path / "out")


@pytest.mark.parametrize("name", FORMATS)
def test_names_are_written_where_they_are_asked_for_and_can_be(
    store: Store, project: Project, tmp_path: Path, name: str
) -> None:
    if name in WITH_PEOPLE:
        export_file(store, LOCAL_OPERATOR, project, name, tmp_path / "out", has_names=True)
        assert naming(tmp_path / "out")
        assert [event.detail["names"] for event in events_of(store, LOCAL_OPERATOR, project.id)[:1]] == [True]
    else:
        with pytest.raises(InvalidValue, match=f"--names is for csv, .*; '{name}' tells of no annotator"):
            export_file(store, LOCAL_OPERATOR, project, name, tmp_path / "out", has_names=True)
        assert not (tmp_path / "out").exists()


def test_our_own_form_holds_all_names_and_says_so(store: Store, project: Project, tmp_path: Path) -> None:
    export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "all.jsonl")
    assert naming(tmp_path / "all.jsonl")
    with pytest.raises(InvalidValue, match="'jsonl' holds everybody's name anyway. Leave --names out"):
        export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "x.jsonl", has_names=True)


@pytest.mark.parametrize("name", WITH_PEOPLE)
def test_names_are_for_those_who_may_see_all_annotations(
    store: Store, project: Project, add_person: Callable[..., User], tmp_path: Path, name: str
) -> None:
    researcher = add_person("researcher-a", project, "researcher")
    with pytest.raises(NotAllowed, match="see all annotations"):
        export_file(store, researcher, project, name, tmp_path / "out", has_names=True)
    assert not (tmp_path / "out").exists()


def test_one_person_has_one_pseudonym_in_a_file_and_another_in_the_next(
    store: Store, project: Project, tmp_path: Path
) -> None:
    def people(path: Path) -> dict[str, set[str]]:
        export_file(store, LOCAL_OPERATOR, project, "parquet-annotations", path)
        table = pd.read_parquet(path)
        return {key: set(rows["annotator"]) for key, rows in table.groupby("key")}

    first, second = people(tmp_path / "first"), people(tmp_path / "second")
    assert first["a"] == first["b"]
    assert len(first["a"]) == 2
    assert not first["a"] & second["a"]


def test_a_set_of_several_has_their_pseudonyms_in_an_order_that_tells_nothing(
    store: Store, project: Project, tmp_path: Path
) -> None:
    export_file(store, LOCAL_OPERATOR, project, "csv", tmp_path / "gold.csv", GoldOptions("all"))
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
