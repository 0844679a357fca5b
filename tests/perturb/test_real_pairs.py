"""Pairs that people wrote: their diffs reproduce the changed text, and suggestions for their texts apply cleanly."""

import json
from collections import defaultdict
from collections.abc import Iterator

import pytest

from annotator.domain.instances import Segment
from annotator.domain.texts import RationaleSet, TokenizedText, TokenLayout, check_spans
from annotator.perturb.suggested_texts import suggest
from annotator.perturb.versions import carry_sets, compare
from annotator.text.alignment import align_tokens
from annotator.text.edits import apply_edits
from annotator.text.token_diff import diff_tokens, moved_tokens, tokenise_like
from annotator.text.tokenisation import tokenise
from tests.conftest import SHARED_DATA, needs_data

# folder, language, changed fields of the pairs there (counted in the files), of which change nothing but white space
SOURCES = [("dutrust_samples", "zh", 65, 0), ("dutrust_samples", "en", 60, 0), ("cad", "en", 1043, 1)]


def pairs(folder: str, language: str) -> Iterator[tuple[TokenizedText, str]]:
    """Each field of an original with its tokens, and its text in a changed version, where the two differ."""
    groups: dict[tuple[str, str], list[dict[str, object]]] = defaultdict(list)
    for line in (SHARED_DATA / folder / "canonical.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        groups[record["dataset"], record["pair"]["group"]].append(record)
    for records in groups.values():
        originals = [
            record for record in records if record["pair"]["role"] == "original" and record["lang"] == language
        ]
        others = [record for record in records if record["pair"]["role"] == "perturbed"]
        for original in originals:
            for other in others:
                for name, field in original["fields"].items():
                    text = other["fields"].get(name, field)["text"]
                    if text != field["text"]:
                        yield body_of(field, language), text


def body_of(field: dict[str, object], language: str) -> TokenizedText:
    """The field with the source's tokens; those of the reading task also hold the title, which is another field."""
    text = str(field["text"])
    tokens = [str(token) for token in field.get("tokens") or []]  # type: ignore[union-attr]
    if "".join(tokens).replace(" ", "") == text.replace(" ", "") and tokens:
        return align_tokens(text, tokens)
    return tokenise(text, language)


def segments(body: TokenizedText) -> list[Segment]:
    return [Segment("text", is_selectable=True, body=body)]


@needs_data
@pytest.mark.parametrize(("folder", "language", "n", "n_no_ops"), SOURCES)
def test_the_diff_of_every_real_pair_reproduces_the_changed_text(
    folder: str, language: str, n: int, n_no_ops: int
) -> None:
    found = list(pairs(folder, language))
    assert len(found) == n
    no_ops = 0
    for body, text in found:
        after = tokenise_like(body, text, language)
        after.check()
        change = compare(segments(body), segments(after))
        no_ops += change.is_no_op
        old, new = body.tokens(), after.tokens()
        rebuilt = [
            token
            for run in change.segments[0].diff.runs
            for token in (old[run.start : run.end] if run.kind == "kept" else new[run.other_start : run.other_end])
        ]
        assert rebuilt == new
        assert "".join("".join(rebuilt).split()) == "".join(text.split())
    assert no_ops == n_no_ops


@needs_data
@pytest.mark.parametrize(("folder", "language", "n", "n_no_ops"), SOURCES)
def test_every_kept_or_moved_token_of_a_real_pair_keeps_its_mark(
    folder: str, language: str, n: int, n_no_ops: int
) -> None:
    for body, text in pairs(folder, language):
        after = tokenise_like(body, text, language)
        change = compare(segments(body), segments(after))
        sets = [RationaleSet.of_tokens(range(start, body.n_tokens, 3)) for start in range(min(3, body.n_tokens))]
        found = carry_sets(sets, change)
        check_spans(found.sets, TokenLayout.of([("text", True, after.n_tokens)]))
        carried = {origin: set(one.token_indices) for origin, one in zip(found.origins, found.sets, strict=True)}
        diff = diff_tokens(body.tokens(), after.tokens())
        kept = [
            (run.start + step, run.other_start + step)
            for run in diff.runs
            if run.kind == "kept"
            for step in range(run.n_before)
        ]
        for i, j in [*kept, *moved_tokens(body.tokens(), after.tokens(), diff)]:
            origin = i % 3
            equal_to = [note.other_index for note in found.notes if note.kind == "equal" and note.set_index == origin]
            assert j in carried[equal_to[0] if equal_to else origin]  # type: ignore[index]


@needs_data
@pytest.mark.parametrize(("folder", "language", "n", "n_no_ops"), SOURCES)
def test_suggestions_for_real_texts_apply_cleanly_and_change_something(
    folder: str, language: str, n: int, n_no_ops: int
) -> None:
    n_found = 0
    for body, _ in list(pairs(folder, language))[::7]:
        for one in suggest(body, language, "own", most=3):
            after = tokenise_like(body, apply_edits(body.text, one.edits), language)
            assert not compare(segments(body), segments(after), {"text": one.edits}).is_no_op
            n_found += 1
    assert n_found > 100
