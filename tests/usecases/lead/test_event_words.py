"""The record says what happened in sentences, for every kind of event."""

import ast
from collections.abc import Iterator

import pytest

from annotator.store.events import Event
from annotator.usecases.lead.event_words import KINDS, OF_ANNOTATIONS, SENTENCES, event_actor, event_lines, event_words
from tests.conftest import REPOSITORY

SOURCES = sorted((REPOSITORY / "annotator" / "usecases").rglob("*.py"))
WRITERS = frozenset({"add_event", "record_event", "_note", "_tell"})


def event(action: str, actor: str = "Lead", **detail: object) -> Event:
    return Event(1, "2026-03-01T10:00:00", actor, action, "project", 1, detail)


def _actions() -> Iterator[str]:
    """What the use cases write down, as it stands in the source."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                if name in WRITERS:
                    said = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
                    yield from said[:1] if said and said[0] not in ("instance", "project", "user") else ()


def test_every_action_that_is_written_down_has_its_words() -> None:
    actions = set(_actions())
    assert len(actions) > 30
    assert sorted(actions - SENTENCES.keys() - OF_ANNOTATIONS.keys()) == []


CASES = [
    (
        event("import", format="jsonl", file="a.jsonl", new=1, updated=0, annotations=2),
        "imported “a.jsonl” (format jsonl): 1 new text, 2 annotations",
    ),
    (
        event("import", format="ferret", file="a.json", new=2, updated=1),
        "imported “a.json” (format ferret): 2 texts with model output, 1 changed",
    ),
    (
        event("change", changed=["name", "settings"], settings=["max_rounds"]),
        "changed the name, the number of rounds",
    ),
    (event("change", changed=["settings"]), "changed a rule"),
    (event("change", changed=[], settings=[]), "changed nothing in the rules"),
    (
        event("train model", model="built-in", digest="a0", seed=0, examples=1, split="train", changes_numbers=False),
        "trained model built-in on 1 instance of the split train (seed 0)",
    ),
    (
        event("map labels", model="m", learned_in="", names={"pos": "Positive", "mixed": ""}, labels=["Positive"]),
        "confirmed the labels of m: “pos” is “Positive”, “mixed” is never an answer",
    ),
    (
        event("start attributing", model="m", method="lime", seeds=[0, 1], parameters={"n_samples": 100, "bow": True}),
        "began to compute answers and attributions from model m by lime (n_samples 100, bow yes, seeds 0, 1)",
    ),
    (
        event("attribute", model="m", method="linear", seeds=[None], parameters={}, answers=1, attributions=3, reduced=0,
              left_out=0),
        "computed 1 answer, 3 attributions from model m by linear",
    ),
    (
        event("split", parts={"train": "0.8", "test": "0.2"}, seed=3),
        "divided the project into splits: train 0.8, test 0.2 (seed 3)",
    ),
    (
        event("make token", token=4, of="Ann", scopes=["read", "write"], days=1),
        "made access token no. 4 for Ann that allows read, write, valid for 1 day",
    ),
    (event("submit", round=1, result=None, sets=1), "submitted round 1: no result, 1 set"),
    (event("review", round=2, scores={}), "scored an annotation, round 2"),
    (event("decide round: returned", round=1, annotator="Ann", reason="unclear"), "returned round 1 of Ann: unclear"),
    (event("change list", list="b", note="", before={"list": "a", "note": ""}), "renamed the list “a” to “b”"),
    (event("remove word list", list="w", words=["a"], role="keep"), "removed the word list “w” (1 word)"),
    (
        event("make suite", suite="s", tests=1, cases=20, left_out=[]),
        "made the suite “s”: 1 test, 20 cases",
    ),
    (event("disable user", name="Ann"), "disabled the account of Ann"),
    (
        event("reset user", name="Ann", was_disabled=True),
        "made a new sign-in link for Ann and enabled their account again",
    ),
    (event("reset user", name="Ann", was_disabled=False), "made a new sign-in link for Ann"),
    (event("fail to sign in", n=4), "failed to sign in (4 times within the hour)"),
    (event("restore", file="a.backup", kept=""), "restored the backup “a.backup”"),
    (event("remove test", suite="s", test="t", cases=1), "removed the test “t” of the suite “s”: 1 case"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "words"), CASES, ids=[one.action for one, _ in CASES])
def test_an_event_is_told_in_a_sentence(one: Event, words: str) -> None:
    assert event_words(one) == words


def test_whose_annotation_it_was_is_said_where_it_is_known() -> None:
    assert event_words(event("review", scores={}), "Ann, round 2") == "scored Ann, round 2"


def test_the_scores_of_a_review_are_told_set_by_set() -> None:
    one = event("review", round=1, scores={"comprehensiveness": 3, "sets": [[3, None]]})
    assert event_lines(one) == (
        "set A: sufficiency score 3, compactness score –", "comprehensiveness score 3",
    )  # fmt: skip


def test_the_gate_is_named_where_the_scores_decided() -> None:
    assert event_actor(event("decide round: accepted", "gate")) == "the thresholds"
    assert event_actor(event("submit", "gate")) == "gate"


def test_an_action_of_another_version_is_told_by_its_values_as_people_write_them() -> None:
    one = event("polish", parts=["a", "b"], is_last=True, was=None, rules={"x": 1, "y": False})
    assert event_words(one) == "polish (parts a, b; is last yes; rules x 1; y no)"


def test_an_event_of_a_file_without_its_values_is_told_by_what_is_there() -> None:
    assert event_words(event("submit", round=1)) == "submit (round 1)"
    assert event_lines(event("review", scores=[1])) == ()


def test_every_entry_of_this_version_is_of_one_kind() -> None:
    kinds = [action for actions in KINDS.values() for action in actions]
    assert sorted(kinds) == sorted({*SENTENCES, *OF_ANNOTATIONS, "decide round: "})
