"""What a project calls the labels of a model: what is proposed, and what a table says."""

import pytest

from annotator.domain.labels import LabelTable, not_given_words, proposed_names

# labels of a model, labels of a project, what is proposed, why
PROPOSALS = [
    (["negative", "positive"], ["negative", "positive"], ["negative", "positive"], "equal names are equal"),
    (["positive", "negative"], ["Negative", "Positive"], ["Positive", "Negative"], "they differ in case, never by place"),
    (["POS", "neg"], ["negative", "positive"], ["positive", "negative"], "common short forms"),
    (["entailment", "contradiction"], ["SUPPORTS", "REFUTES"], ["SUPPORTS", "REFUTES"], "the words of inference and of facts"),
    (["entails", "refuted"], ["entailment", "contradiction"], ["entailment", "contradiction"], "other forms of them"),
    (["not-enough info", "x"], ["NOT ENOUGH INFO", "x"], ["NOT ENOUGH INFO", "x"], "they differ in case and punctuation"),
    (["negative", "neutral", "positive"], ["Negative", "Positive"], ["Negative", "", "Positive"], "no label is left for neutral"),
    (["LABEL_0", "LABEL_1"], ["negative", "positive"], [None, None], "numbers tell nothing"),
    (["LABEL_0", "positive"], ["negative", "positive"], [None, "positive"], "what is left is not taken for the rest"),
    (["negative", "positive"], ["negative", "neutral", "positive"], ["negative", "positive"], "one of the project's is left"),
    (["pos", "positive"], ["Positive", "negative"], [None, "Positive"], "the nearer name first, and never two for one"),
    (["Yes", "yes"], ["YES", "no"], [None, None], "two that are equally near"),
    (["+", "-"], ["-", "other"], [None, "-"], "signs without a letter are compared as they are"),
    (["Ｐｏｓｉｔｉｖｅ", "负面"], ["positive", "负面"], ["positive", "负面"], "wide letters, and other scripts"),
    (["a"], [], [""], "a project without labels"),
    ([], ["a"], [], "a model without labels"),
]  # fmt: skip


@pytest.mark.parametrize(("labels", "ours", "names", "_"), PROPOSALS)
def test_a_proposal_names_what_a_label_seems_to_be_or_that_nothing_does(
    labels: list[str], ours: list[str], names: list[str | None], _: str
) -> None:
    assert proposed_names(labels, ours) == dict(zip(labels, names, strict=True))


def test_a_table_tells_what_either_side_does_not_have() -> None:
    table = LabelTable({"pos": "positive", "neg": "negative", "mixed": ""})
    assert (table.dropped, table.not_given(["positive", "negative", "neutral"])) == (("mixed",), ("neutral",))
    assert table.words() == "“pos” is “positive”, “neg” is “negative”, “mixed” is never predicted"
    assert not_given_words(["neutral"]) == "It can't predict “neutral”; those texts count as wrong."
    assert not_given_words([]) == ""


@pytest.mark.parametrize(
    ("names", "is_plain"),
    [
        ({"a": "a", "b": "b"}, True),
        ({"a": "b", "b": "a"}, False),
        ({"a": "a"}, False),  # b is missing
        ({"a": "a", "b": "b", "c": ""}, False),
    ],
)
def test_a_table_says_nothing_where_both_sides_have_the_same_labels(names: dict[str, str], is_plain: bool) -> None:
    assert LabelTable(names).is_of(["a", "b"]) is is_plain
