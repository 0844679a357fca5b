"""Worked examples in guidelines."""

import pytest

from annotator.domain.project.guidelines import BadExample, Example, Piece, parts_of


def block(*lines: str) -> str:
    return "\n".join(["```example", *lines, "```"])


def test_an_example_stands_between_the_markdown_with_its_sets_label_and_reason() -> None:
    text = f"# Guide\n\n{block('label: negative', 'It was [A: slow] and [B: not [C: good]].', 'why: Three sets.')}\n\nThe end."
    assert parts_of(text) == [
        "# Guide\n",
        Example(
            (
                Piece("It was "), Piece("slow", ("A",)), Piece(" and "), Piece("not ", ("B",)), Piece("good", ("B", "C")),
                Piece("."),
            ),
            "negative",
            "Three sets.",
        ),
        "\nThe end.",
    ]  # fmt: skip


def test_brackets_that_are_no_sets_are_brackets_and_html_is_text() -> None:
    [example] = parts_of(block(r"[sic] <b>x</b> [A: a \[b\]] \[A: no]"))
    assert isinstance(example, Example)
    assert "".join(piece.text for piece in example.pieces) == "[sic] <b>x</b> a [b] [A: no]"
    assert "".join(piece.text for piece in example.pieces if piece.sets) == "a [b]"


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["It was [A: slow."], "Line 4: set A isn't closed. Add “]”."),
        (["why: because"], "Line 3: the example has no text."),
        (["x", "label: a", "label: b"], "Line 6: two “label:” lines. Remove one."),
        (["[Z: x]"], "Line 4: no set “[Z:”; use A to I."),
        (["[A: x [A: y]]"], "Line 4: set A contains itself. Remove one “[A:”."),
    ],
)
def test_a_bad_example_is_named_with_its_line_and_the_rest_is_shown(lines: list[str], problem: str) -> None:
    assert parts_of(f"One.\n\n{block(*lines)}\nTwo.") == ["One.\n", BadExample(problem), "Two."]


def test_an_example_that_is_not_closed_is_named_and_what_came_before_is_shown() -> None:
    [before, bad] = parts_of("One.\n```example\nIt was [A: slow].")
    assert before == "One."
    assert bad == BadExample("Line 2: close the example with ``` on its own line.")


def test_an_example_within_another_block_is_part_of_it() -> None:
    text = f"````\n{block('It was [A: slow].')}\n````"
    assert parts_of(text) == [text]
