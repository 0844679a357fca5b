"""The table of metrics as text: numbers below one another, not wider than a terminal, names and heads broken where they are long."""

from annotator.figures.text_tables import WIDTH, TextCell, TextHead, TextLine, metric_table_text


def printed(heads: list[TextHead], lines: list[TextLine], notes: tuple[str, ...] = ()) -> list[str]:
    return metric_table_text(heads, lines, corner="Model", caption="Numbers", notes=notes).splitlines()


def test_values_and_deviations_end_below_one_another_and_signs_stand_behind_them() -> None:
    cells = [TextCell("0.512", "0.01", "▲★"), TextCell("−0.04"), TextCell("0.3", "", "≈", ("[0.1, 0.5]",))]
    lines = [TextLine(name, [cell]) for name, cell in zip(("a", "b", "c"), cells, strict=True)]
    assert printed([TextHead("quality", "F1", "↑ n 7")], lines)[-4:] == [
        "a      0.512 ± 0.01 ▲★",
        "b      −0.04",
        "c        0.3        ≈",
        "            [0.1, 0.5]",
    ]


def test_what_is_too_wide_stands_below_with_the_names_once_more() -> None:
    heads = [TextHead("one", f"Metric number {n}") for n in range(12)]
    lines = [TextLine("a model", [TextCell(f"{n}.000 ± 0.001") for n in range(12)])]
    made = printed(heads, lines)
    assert max(map(len, made)) <= WIDTH
    assert sum(line.startswith("a model") for line in made) == 2
    assert [value for value in " ".join(made).split() if value.endswith(".000")] == [f"{n}.000" for n in range(12)]


def test_long_names_and_long_words_go_on_in_the_next_line() -> None:
    made = printed(
        [TextHead("", "Comprehensiveness")],
        [TextLine("a model with a name that is longer than others", [TextCell("1")])],
    )
    assert made[2:] == [
        "                             Comprehen-",
        "Model                          siveness",
        "---------------------------------------",
        "a model with a name that is           1",
        "  longer than others",
    ]


def test_a_hostile_name_stays_in_its_row_and_notes_are_paragraphs() -> None:
    made = printed([TextHead("", "F1")], [TextLine("a\nb\tc", [TextCell("1")])], ("First. " * 20, "Second."))
    assert "a b c   1" in made
    assert made[-1] == "Second."
    assert max(map(len, made)) <= WIDTH


def test_baselines_are_set_apart() -> None:
    lines = [TextLine("a", [TextCell("1")]), TextLine("random", [TextCell("2")], is_baseline=True)]
    assert printed([TextHead("", "F1")], lines)[-3:] == ["a        1", "", "random   2"]
