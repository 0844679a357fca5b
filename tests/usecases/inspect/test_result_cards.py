"""Signatures and results cards: numbers come out again from the same content, and what differs is named."""

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.domain.models import Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import InvalidValue, NotAllowed
from annotator.metrics.registry import definition_of
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.signatures import signature
from annotator.store import Store
from annotator.usecases.inspect.result_cards import (
    FORMAT,
    ResultCard,
    digest,
    read_card,
    reproduce,
    result_card,
    written_card,
)
from annotator.usecases.models.prediction_export import export_predictions
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from tests.usecases.transfer.comparing import LENGTH, key_of, output, rows_of, said, take

N = 24
DIGESTS = Path(__file__).with_name("definition_digests.json")
Changed = Callable[[list[dict[str, Any]]], None]


def scores_of(number: int) -> tuple[float, ...]:
    return tuple(((7 * number + 5 * place) % 11 - 4) / 8 for place in range(LENGTH))


def answers_of(number: int) -> tuple[Prediction, ...]:
    full = said(number, number % 5 > 0, 0.5 + (number % 4) / 10)
    first, second = full.probabilities
    parts = [
        ("rationale", None),
        ("rest", None),
        *((on, share) for on in ("rationale", "rest") for share in (0.01, 0.05, 0.1, 0.2, 0.5)),
    ]
    reduced = [
        Prediction(None, {first: p, second: 1 - p}, on, share)  # type: ignore[arg-type]
        for at, (on, share) in enumerate(parts)
        for p in [((3 * number + at) % 10) / 10]
    ]
    return (full, *reduced)


def project_with(store: Store, folder: Path, name: str, change: Changed = lambda _rows: None) -> Project:
    """Texts with gold; a model with answers, attributions and hard rationales."""
    rows = [dict(row) for row in rows_of(range(N))]
    change(rows)
    made = create_project(store, LOCAL_OPERATOR, name, get_task("sentiment"), labels=["negative", "positive"])
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_file(store, LOCAL_OPERATOR, made, "jsonl", path, ImportOptions())
    take(store, made, [output(n, Run("m"), answers=answers_of(n)[:1]) for n in range(len(rows))])
    take(store, made, [output(n, Run("m", "ig"), scores_of(n), answers_of(n)) for n in range(len(rows))])
    take(store, made, [output(n, Run("m", "select"), hard=((n % 4, n % 4 + 2),)) for n in range(len(rows))])
    return made


@pytest.fixture
def made(store: Store, tmp_path: Path) -> Project:
    return project_with(store, tmp_path, "There")


@pytest.fixture
def card(store: Store, made: Project) -> ResultCard:
    return result_card(store, LOCAL_OPERATOR, made, ScoringOptions())


def test_a_card_comes_out_again_where_the_same_content_was_read_in_another_order(
    store: Store, card: ResultCard, tmp_path: Path
) -> None:
    def reorder(rows: list[dict[str, Any]]) -> None:
        rows.reverse()

    here = project_with(store, tmp_path, "Here", reorder)
    again = reproduce(store, LOCAL_OPERATOR, here, read_card(written_card(card)))
    assert again.differences == ()
    assert (again.n_texts, again.n_numbers) == (N, len(card.numbers))
    assert again.largest < 1e-12
    assert len(card.numbers) > 50


def change_label(rows: list[dict[str, Any]]) -> None:
    rows[2]["label"] = "negative"


def change_set(rows: list[dict[str, Any]]) -> None:
    rows[3]["rationales"] = [[[0, 2]]]


def change_text(rows: list[dict[str, Any]]) -> None:
    rows[4]["text"] += " "


def leave_out(rows: list[dict[str, Any]]) -> None:
    rows.pop()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (change_label, f"The gold label of {key_of(2)} was positive, and is negative."),
        (change_set, f"The rationale sets of {key_of(3)} differ."),
        (change_text, f"The text or tokens of {key_of(4)} differ."),
        (leave_out, f"{key_of(N - 1)} has no gold here any more."),
    ],
)
def test_what_is_other_is_named(store: Store, card: ResultCard, tmp_path: Path, change: Changed, told: str) -> None:
    here = project_with(store, tmp_path, "Here", change)
    assert reproduce(store, LOCAL_OPERATOR, here, card).differences == (told,)


def test_a_changed_prediction_a_raised_definition_and_another_number_are_told(
    store: Store, made: Project, card: ResultCard
) -> None:
    number = next(of for of in card.numbers if of.of["metric"] == "sets.best_f1")
    others = [of for of in card.numbers if of is not number]
    raised = replace(number, signature=number.signature.replace("|def:1|", "|def:0|"))
    other = replace(number, value=repr(float(number.value) + 1e-6))
    close = replace(number, value=repr(float(number.value) + 1e-11))

    def differences(changed: Any) -> tuple[str, ...]:
        return reproduce(store, LOCAL_OPERATOR, made, replace(card, numbers=(*others, changed))).differences

    assert "|def:0|" in differences(raised)[0]
    assert number.value in differences(other)[0]
    assert differences(close) == ()
    run = next(name for name in card.predictions if "select" in name)
    changed = replace(card, predictions={**card.predictions, run: "0" * 16})
    assert reproduce(store, LOCAL_OPERATOR, made, changed).differences == (f"Run {run} differs.",)


def test_ferrets_k_stands_on_the_card_and_in_signatures_and_a_card_from_before_it_comes_out_again(
    store: Store, made: Project, card: ResultCard
) -> None:
    asked = result_card(store, LOCAL_OPERATOR, made, ScoringOptions(ferret_k=2))
    assert (asked.asked["ferret_k"], "|ferret_k:2|" in asked.numbers[0].signature) == (2, True)
    assert reproduce(store, LOCAL_OPERATOR, made, asked).differences == ()
    before = replace(card, asked={name: of for name, of in card.asked.items() if name != "ferret_k"})
    assert reproduce(store, LOCAL_OPERATOR, made, before).differences == ()


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format": 1}', b"\xff"])
def test_what_is_no_card_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidValue, match="Not a results card"):
        read_card(content)


def test_a_card_of_a_newer_version_is_refused_and_its_version_named(card: ResultCard) -> None:
    newer = msgspec.to_builtins(replace(card, format=FORMAT + 1, version="9.1")) | {"more": 1}
    with pytest.raises(InvalidValue, match=r"newer version \(9\.1\)"):
        read_card(json.dumps(newer).encode())


def test_annotators_get_no_card_reproduce_none_and_export_no_predictions(
    store: Store, made: Project, card: ResultCard, add_person: Callable[..., User], tmp_path: Path
) -> None:
    person = add_person("Ann", made, "annotator", "reviewer")
    with pytest.raises(NotAllowed):
        result_card(store, person, made, ScoringOptions())
    with pytest.raises(NotAllowed):
        reproduce(store, person, made, card)
    path = tmp_path / "predictions.jsonl"
    with pytest.raises(NotAllowed):
        export_predictions(store, person, made, path, model="m", method="ig")
    assert not path.exists()
    assert export_predictions(store, add_person("Lea", made, "lead"), made, path, model="m", method="ig") == N


def test_digests_are_those_of_canonical_json() -> None:
    # Values: SHA-256 of the RFC 8785 form of {"key":"k1","label":…,"sets":[[0,1],[4]]}, computed elsewhere.
    row = {"sets": [[0, 1], [4]], "key": "k1"}
    assert digest({**row, "label": "positive"}) == "56289353a2f1954b"
    assert digest({**row, "label": "negative"}) == "81993bdd6fd79517"


def test_what_ends_a_part_of_a_signature_is_encoded_in_it() -> None:
    assert signature("m", {"group": "a|b: 100%"}).startswith("m|def:1|group:a%7Cb%3A%20100%25|v:")


def test_a_definition_that_comes_to_other_values_has_another_version(card: ResultCard, tmp_path: Path) -> None:
    """What `definition_digests.json` holds: by metric its version, and a digest of its values on these texts."""
    by_metric: dict[str, list[str]] = {}
    for number in card.numbers:
        value = f"{float(number.value):.8g}" if number.value else ""
        by_metric.setdefault(number.of["metric"], []).append("·".join([*number.of.values(), value]))
    now = {
        name: [version_of(name), sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]]
        for name, lines in sorted(by_metric.items())
    }
    written = tmp_path / DIGESTS.name
    written.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    before = json.loads(DIGESTS.read_text(encoding="utf-8"))
    other = {name: of for name, of in now.items() if before.get(name) != of}
    assert other == {}, (
        f"raise the versions of these definitions where their values changed, and copy {written} over {DIGESTS.name}"
    )
    assert before.keys() == now.keys()


def version_of(name: str) -> int:
    try:
        return definition_of(name).version
    except (KeyError, InvalidValue):
        return 1
