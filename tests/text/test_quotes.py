"""What models quote, found in the texts of an instance."""

import pytest

from annotator.domain.instances import Instance, Segment
from annotator.text.search import quotes_on_tokens
from annotator.text.tokenisation import tokenise


def instance(*texts: str, asked: str = "") -> Instance:
    segments = [Segment(f"text{n}", True, tokenise(text, "en")) for n, text in enumerate(texts, 1)]
    segments += [Segment("question", False, tokenise(asked, "en"))] if asked else []
    return Instance(1, "k", "", "en", tuple(segments), None)


def words(rationale, of: Instance) -> list[str]:
    return [" ".join(of.token(token) for token in range(start, end)) for start, end in rationale.spans]


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("soup was", "The soup was cold.", ["soup was"]),
        (" soup was ", "The soup was cold.", ["soup was"]),  # blanks around it belong to nothing
        ("SOUP  was", "The soup\n was cold.", ["soup was"]),  # case and white space are folded
        ("Soup", "Soup, soup and SOUP", ["Soup"]),  # as it stands goes before what is folded
        ("soup", "soup and soup", ["soup", "soup"]),  # every occurrence
        ("art", "An art party", ["art"]),  # whole tokens go before cut ones
        ("art", "A party", ["party"]),  # where there is nothing else, a cut token is taken whole
        ("art", "Art at a party", ["Art"]),  # ... and a whole one in other case before a cut one as it stands
        ("STRASSE", "Die Straße war leer", ["Straße"]),  # folding may change the length
        ("soup is", "The soup was cold.", []),
        ("...", "Cold soup", []),
        ("   ", "Cold soup", []),
    ],
)
def test_a_quote_is_laid_on_the_tokens_of_its_occurrences(quote, text, found):
    of = instance(text)
    rationale = quotes_on_tokens([quote], of)
    assert words(rationale, of) == found
    assert rationale.quotes is not None
    assert rationale.quotes.n_missing == (not found)


def test_quotes_of_a_pair_are_found_in_both_texts_and_not_in_what_cannot_be_marked():
    of = instance("A man sleeps.", "A man is awake.", asked="Is the man tall?")
    rationale = quotes_on_tokens(["man", "tall"], of)
    assert words(rationale, of) == ["man", "man"]
    assert (rationale.quotes.n, rationale.quotes.missing) == (2, ("tall",))


def test_missing_quotes_are_all_counted_and_the_first_are_kept_cut():
    rationale = quotes_on_tokens(["x" * 1000, *(f"nowhere {n}" for n in range(50))], instance("Cold soup"))
    assert (rationale.quotes.n, rationale.quotes.n_missing, len(rationale.quotes.missing)) == (51, 51, 20)
    assert len(rationale.quotes.missing[0]) == 300
