"""Suggestions: each changes the text for sure, says so in edits, and leaves the rationale of all else where it was."""

import random
from collections.abc import Sequence
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.domain.instances import Segment
from annotator.domain.perturbations import KINDS
from annotator.domain.texts import RationaleSet
from annotator.errors import InvalidValue
from annotator.perturb.passage import ProjectWords
from annotator.perturb.suggested_texts import SUGGESTERS, Suggestion, suggest, suggester, suggesters_for
from annotator.perturb.suggestions import replacements
from annotator.perturb.versions import carry_sets, compare
from annotator.text.edits import Edit
from annotator.text.token_diff import tokenise_like
from annotator.text.tokenisation import tokenise
from tests.text.test_edits import apply_edits

EVERY = "a kind of the project's own"  # which gets the suggestions of all functions
GIVEN = ProjectWords(
    synonyms={"dog": ["hound"], "狗": ["犬"], "服务员": ["店员"]},
    related={"dog": ["puppy", "cat"], "餐厅": ["食堂"]},
    antonyms={"day": ["night"]},
    names=("Zaphod", "Trillian"),
    places=("Springfield", "Shelbyville"),
)

# For every function: a text, and one of the texts that it must suggest (None: whatever is drawn, checked elsewhere).
EXAMPLES: dict[str, list[tuple[str, str, str | None]]] = {
    "expand_contraction": [
        ("en", "I don't like it.", "I do not like it."),
        ("en", "He Can’t go.", "He Can not go."),
        ("en", "We won't go.", "We will not go."),
        ("en", "it 's a film , is n't bad .", "it is a film , is n't bad ."),
        ("en", "it 's a film , is n't bad .", "it 's a film , is not bad ."),
        ("en", "It's been fun.", "It has been fun."),
        ("en", "Let's go.", "Let us go."),
        ("en", "I'd like tea.", "I would like tea."),
    ],
    "contract": [
        ("en", "I do not.", "I don't."),  # CheckList's needs a blank after the phrase (er_test.md 3.1)
        ("en", "We cannot go, we will not.", "We cannot go, we won't."),
        ("en", "We cannot go.", "We can't go."),
        ("en", "It is a film , and bad .", "It 's a film , and bad ."),
        ("en", "Do not go.", "Don't go."),  # the case of the first letter is kept
    ],
    "swap_letters": [("en", "abcd", None), ("zh", "手机good", None)],
    "swap_letters_twice": [("en", "some words here", None)],
    "drop_letter": [("en", "some words here", None)],
    "press_neighbour": [("en", "some words here", None)],
    "confuse_character": [("zh", "他在家", "他再家")],
    "swap_characters": [("zh", "好吃", "吃好")],
    "strip_last_sign": [("en", "It is.", "It is"), ("en", "It is .", "It is"), ("zh", "好吃！", "好吃")],
    "change_last_sign": [("en", "It is", "It is."), ("en", "It is.", "It is!"), ("en", '"It is."', '"It is!!!"'), ("zh", "好吃", "好吃。")],
    "drop_comma": [("en", "Well, it is.", "Well it is."), ("en", "Well , it is .", "Well it is .")],
    "exclaim_within": [("en", "It is. He said so.", "It is! He said so.")],
    "narrow_signs": [("zh", "好，不好。", "好,不好.")],
    "widen_signs": [("zh", "好,不好。", "好，不好。")],
    "add_link": [("en", "It is.", None)],
    "add_handle": [("en", "It is.", None)],
    "drop_link": [("en", "See www.example.com now @someone", "See now @someone"), ("en", "Hi @someone", "Hi")],
    "insert_filler": [("en", "Emily left.", None), ("en", "The end is near.", None)],
    "drop_filler": [("en", "It is basically slow.", "It is slow."), ("en", "Actually, it is.", "It is."), ("en", "a really odd end", "an odd end")],
    "insert_chinese_filler": [("zh", "好吃。", None)],
    "drop_chinese_filler": [("zh", "其实，好吃。", "好吃。")],
    "change_particle": [("zh", "很好吃的。", "很好吃。"), ("zh", "很好吃。", "很好吃的。"), ("zh", "太好吃了！", "太好吃！"), ("zh", "好吃啊", "好吃")],
    "intensify": [("en", "It is slow.", None)],
    "reduce": [("en", "It is slow.", None)],
    "change_degree": [("en", "It is very slow.", "It is slow."), ("en", "a very odd end", "an odd end")],
    "insert_chinese_degree": [("zh", "味道好吃", None)],
    "change_chinese_degree": [("zh", "很好吃", "好吃"), ("zh", "很好吃", "比较好吃")],
    "change_name": [("en", "Zaphod saw Emily Smith; Zaphod's dog", "Trillian saw Emily Smith; Trillian's dog"), ("zh", "李明来了", None)],
    "change_place": [("en", "in Springfield, in New York", "in Shelbyville, in New York"), ("zh", "在北京", None)],
    "change_nationality": [("en", "a French film", None), ("en", "an Italian film", None)],
    "exchange_two": [
        ("en", "Emily told John.", "John told Emily."),
        ("en", "from Springfield to Shelbyville", "from Shelbyville to Springfield"),
        ("zh", "李明打了王芳", "王芳打了李明"),
    ],
    "change_number": [("en", "for 30 days", None)],
    "change_number_word": [("en", "for two days", None), ("en", "for forty days", None)],
    "change_chinese_number": [("zh", "等了三天", None)],
    "add_praise": [("en", "It is.", "It is. I enjoyed it."), ("en", "It is", "It is. I enjoyed it."), ("zh", "好吃", "好吃。我很喜欢。")],
    "add_blame": [("en", "It is .", "It is . I did not enjoy it ."), ("zh", "好吃！", "好吃！我不喜欢。")],
    "use_synonym": [("en", "a DOG", "a HOUND"), ("en", "an awful end", "a dreadful end"), ("zh", "服务员热情", "店员热情")],
    "use_related_word": [("en", "my dog", "my puppy"), ("zh", "这家餐厅", "这家食堂")],
    "use_antonym": [("en", "one day", "one night"), ("en", "a bad end", "a good end"), ("zh", "很好吃", "很难吃")],
    "use_wordnet": [("en", "a lonesome hill", "a lonely hill")],
    "negate": [
        ("en", "It is good.", "It is not good."),
        ("en", "it 's a film .", "it 's not a film ."),
        ("en", "I like it, he likes it.", "I do not like it, he likes it."),
        ("en", "I like it, he likes it.", "I like it, he does not like it."),
    ],
    "affirm": [
        ("en", "It is not good.", "It is good."),
        ("en", "It can't hurt.", "It can hurt."),
        ("en", "He doesn't like it.", "He likes it."),
        ("en", "I do n't like it .", "I like it ."),
        ("en", "It did not work.", "It did work."),
        ("en", "It never ends.", "It ends."),
    ],
    "exchange_with": [("en", "tea with milk", "tea without milk"), ("en", "Without milk, it is.", "With milk, it is.")],
    "negate_chinese": [("zh", "很热情", "不热情"), ("zh", "我喜欢。", "我不喜欢。"), ("zh", "店里有空调", "店里没有空调")],
    "affirm_chinese": [("zh", "不推荐。", "推荐。"), ("zh", "服务不好。", "服务好。"), ("zh", "没有空调", "有空调")],
    "clause_to_the_end": [
        ("en", "Although it is slow, I liked it.", "I liked it, although it is slow."),
        ("en", "In 1990, the film was banned.", "The film was banned in 1990."),
        ("en", "because it is slow , he left .", "he left , because it is slow ."),
    ],
    "clause_to_the_front": [
        ("en", "I liked it because it is odd.", "Because it is odd, I liked it."),
        ("en", "The plot works, although it is odd.", "Although it is odd, the plot works."),
    ],
    "exchange_adjectives": [("en", "It is slow and boring.", "It is boring and slow.")],
    "passive_to_active": [("en", "The film was directed by an old friend.", "An old friend directed the film.")],
    "chinese_clause_to_the_end": [("zh", "虽然贵，但是好吃。", "好吃，虽然贵。")],
    "chinese_passive_to_active": [("zh", "杯子被我打碎了。", "我把杯子打碎了。")],
    "chinese_active_to_passive": [("zh", "他把我吓到了。", "我被他吓到了。")],
}  # fmt: skip

# What a careless rule would suggest, and the function that must not.
TRAPS: list[tuple[str, str, str, str]] = [
    ("expand_contraction", "en", "Isn't it odd?", "Is not it odd?"),
    ("expand_contraction", "en", "the dog's tail", "the dog is tail"),
    ("contract", "en", "That is what it is.", "That is what it's."),
    ("contract", "en", "It is not only slow.", "It isn't only slow."),
    ("negate", "en", "Is it good?", "Is not it good?"),
    ("negate", "en", "It is not good.", "It is not not good."),
    ("negate", "en", "It is never dull.", "It is not never dull."),
    ("affirm", "en", "It is not only slow.", "It is only slow."),
    ("affirm", "en", "It's good, isn't it?", "It's good, is it?"),
    ("affirm_chinese", "zh", "味道不错", "味道错"),
    ("affirm_chinese", "zh", "好不好？", "好好？"),
    ("affirm_chinese", "zh", "一点也不好。", "一点也好。"),
    ("affirm_chinese", "zh", "有没有空调", "有有空调"),
    ("negate_chinese", "zh", "所有人", "所没有人"),
    ("use_antonym", "zh", "好像不行", "差像不行"),
    ("change_place", "en", "the New York Times", "the Berlin Times"),
    ("exchange_two", "en", "Emily and John left.", "John and Emily left."),
    ("exchange_two", "en", "Emily left. John stayed.", "John left. Emily stayed."),
    ("change_nationality", "en", "a French-speaking cook", "an Italian-speaking cook"),
    ("change_number_word", "en", "forty-two days", "thirty-two days"),
    ("change_number_word", "en", "two hundred days", "three hundred days"),
    ("drop_filler", "en", "this kind of film", "this film"),
    ("drop_filler", "en", "not really", "not"),
    ("passive_to_active", "en", "The house was located by the river.", "The river located the house."),
    ("clause_to_the_end", "en", "In 1990, bread, milk, and tea were cheap.", "Bread, milk, and tea were cheap in 1990."),
    ("clause_to_the_front", "en", "Emily left because it is odd.", "Because it is odd, emily left."),
    ("swap_letters", "en", "aaaa aaab", "aaaa aaab"),
    ("clause_to_the_end", "en", "At least, it was short.", "It was short at least."),
    ("drop_link", "en", "a smart@ss", "a smart"),
    ("use_antonym", "en", "It is like that.", "It is dislike that."),
    ("insert_chinese_filler", "zh", "好吃吗", "其实，好吃吗"),
]  # fmt: skip


def texts_of(text: str, language: str, maker: str, *, seed: int = 0, project_words: ProjectWords = GIVEN) -> list[str]:
    """What one function makes of a text."""
    found = suggest(tokenise(text, language), language, EVERY, seed, project_words, most=200)
    return [apply_edits(text, one.edits) for one in found if one.maker == maker]


@pytest.fixture(autouse=True)
def a_wordnet_of_one_word(monkeypatch: pytest.MonkeyPatch) -> None:
    sense = SimpleNamespace(lemma_names=lambda: ["lonesome", "lonely", "all_alone"])
    wordnet = SimpleNamespace(synsets=lambda word: [sense] if word == "lonesome" else [])
    monkeypatch.setattr(replacements, "_wordnet", lambda: wordnet)
    replacements.wordnet_synonyms.cache_clear()


def test_every_function_has_an_example_here() -> None:
    assert set(EXAMPLES) == set(SUGGESTERS), "give each function in annotator/perturb/suggestions an example"
    for name, one in SUGGESTERS.items():
        wanted = one.languages or {"en"}
        assert wanted & {language for language, _, _ in EXAMPLES[name]} == wanted, f"{name} lacks one for a language"


CASES = [(name, *example) for name, examples in EXAMPLES.items() for example in examples]


@pytest.mark.parametrize(("maker", "language", "text", "expected"), CASES)
def test_every_function_suggests_its_example(maker: str, language: str, text: str, expected: str | None) -> None:
    found = texts_of(text, language, maker)
    assert found
    assert expected is None or expected in found


@pytest.mark.parametrize(("maker", "language", "text", "wrong"), TRAPS)
def test_no_function_walks_into_its_trap(maker: str, language: str, text: str, wrong: str) -> None:
    for seed in range(5):
        assert wrong not in texts_of(text, language, maker, seed=seed)


# What holds for all --------------------------------------------------------------------------------------------------

PARTS = {
    language: sorted({text for examples in EXAMPLES.values() for code, text, _ in examples if code == language})
    + [wrong[2] for wrong in TRAPS if wrong[1] == language]
    for language in ("en", "zh")
}
LOOSE = {"en": "aAn b'’t.,!?  sé\n-@1", "zh": "不好很的了，。 没有a1\n三天"}


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str]:
    """A language, and a text of examples and loose characters."""
    language = draw(st.sampled_from(["en", "zh"]))
    part = st.sampled_from(PARTS[language]) | st.text(LOOSE[language], max_size=8)
    return language, draw(st.sampled_from(["", " ", "  ", "\n\n"])).join(draw(st.lists(part, max_size=5)))


def untouched(text: str, edits: Sequence[Edit], start: int, end: int) -> int | None:
    """By how much a stretch of text moves that no edit touches; None when one does."""
    shift = 0
    for edit in edits:
        if edit.end <= start:
            shift += len(edit.replacement) - (edit.end - edit.start)
        elif edit.start < end:
            return None
    return shift


@given(texts(), st.integers(0, 3))
def test_edits_apply_cleanly_and_change_something(drawn: tuple[str, str], seed: int) -> None:
    language, text = drawn
    body = tokenise(text, language)
    for one in suggest(body, language, EVERY, seed, GIVEN, most=20):
        assert all(0 <= edit.start <= edit.end <= len(text) for edit in one.edits)
        assert all(edit.end <= other.start for edit, other in pairwise(one.edits))
        changed = apply_edits(text, one.edits)
        after = Segment("text", True, tokenise_like(body, changed, language))
        change = compare([Segment("text", True, body)], [after])
        assert not change.is_no_op, one
        assert one.why


@given(texts(), st.integers(0, 3), st.integers(0, 10**6))
def test_every_untouched_token_keeps_its_rationale(drawn: tuple[str, str], seed: int, marks: int) -> None:
    language, text = drawn
    body = tokenise(text, language)
    draw = random.Random(marks)
    marked = {token for token in range(body.n_tokens) if draw.random() < 0.4}
    for one in suggest(body, language, EVERY, seed, GIVEN, most=6):
        after = tokenise_like(body, apply_edits(text, one.edits), language)
        segments = ([Segment("text", True, side)] for side in (body, after))
        found = carry_sets(
            [RationaleSet.of_tokens(marked)] if marked else [], compare(*segments, edits={"text": one.edits})
        )
        carried = {token for one_set in found.sets for token in one_set.token_indices}
        places = {place: number for number, place in enumerate(zip(after.starts, after.ends, strict=True))}
        for token, (start, end) in enumerate(zip(body.starts, body.ends, strict=True)):
            shift = untouched(text, one.edits, start, end)
            place = None if shift is None else places.get((start + shift, end + shift))
            if place is not None:
                assert (place in carried) == (token in marked), one


@given(texts(), st.integers(0, 3))
@settings(max_examples=30)
def test_the_same_seed_gives_the_same_suggestions(drawn: tuple[str, str], seed: int) -> None:
    language, text = drawn
    body = tokenise(text, language)
    assert suggest(body, language, EVERY, seed, GIVEN) == suggest(body, language, EVERY, seed, GIVEN)


@pytest.mark.parametrize(("language", "text"), [("en", "The soup was cold."), ("zh", "汤很冷。")])
def test_what_was_put_in_is_not_suggested_at_the_same_place_again(language: str, text: str) -> None:
    for maker in ("add_blame", "insert_filler" if language == "en" else "insert_chinese_filler"):
        for once in texts_of(text, language, maker):
            phrase = max((once[len(text) - 1 :], once[: len(once) - len(text)]), key=len).strip(" .。")
            assert not [again for again in texts_of(once, language, maker) if again.count(phrase) > 1]


def test_another_seed_draws_others() -> None:
    text = " ".join(f"word{chr(97 + n)}abc" for n in range(20))
    first, second = ({one.edits for one in suggest(tokenise(text, "en"), "en", "robustness", seed)} for seed in (0, 1))
    assert first != second


def test_each_function_gives_at_most_so_many() -> None:
    body = tokenise("It is good. " * 40, "en")
    found = suggest(body, "en", EVERY, most=3)
    assert max([one.maker for one in found].count(name) for name in SUGGESTERS) == 3


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_every_kind_has_functions_in_both_languages(kind: str, language: str) -> None:
    names = {one.name for one in suggesters_for(kind, language)}
    assert names
    text = {"en": "Emily isn't slow and dull in Paris.", "zh": "李明在北京等了3天，不推荐。虽然贵，但是很好。"}[
        language
    ]
    assert {one.maker for one in suggest(tokenise(text, language), language, kind)} <= names


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The very good cook in Paris made it for 30 people, and it is a slow evening with Emily."),
        ("zh", "李明在北京等了3天，服务很好，很好吃。"),
    ],
)
@pytest.mark.parametrize("kind", ["contrast", "logic"])
def test_of_a_kind_that_changes_the_label_come_first_those_that_turn_it(kind: str, language: str, text: str) -> None:
    found = suggest(tokenise(text, language), language, kind, project_words=GIVEN)
    turns = [SUGGESTERS[one.maker].turns for one in found]
    assert turns == sorted(turns, reverse=True)
    assert turns[0] == 2
    assert SUGGESTERS["use_antonym"].turns > SUGGESTERS["change_number"].turns > SUGGESTERS["intensify"].turns


def test_praise_and_blame_are_added_only_to_texts_that_are_classified_as_a_whole() -> None:
    body = tokenise("The stadium was opened in 1915.", "en")
    judging = {"add_praise", "add_blame"}
    assert judging <= {one.maker for one in suggest(body, "en", "vocabulary")}
    assert not judging & {one.maker for one in suggest(body, "en", "vocabulary", is_classified=False)}


def test_opposites_are_no_suggestions_for_important_words_which_become_synonyms() -> None:
    names = {one.name for one in suggesters_for("important", "en")}
    assert names == {"use_synonym", "use_related_word", "use_wordnet"}


def test_a_negation_comes_before_a_stronger_word_and_an_opposite_before_a_number() -> None:
    found = suggest(tokenise("It is a very bad film, for 30 years.", "en"), "en", "contrast")
    makers = list(dict.fromkeys(one.maker for one in found))
    assert (
        makers.index("negate")
        < makers.index("use_antonym")
        < makers.index("change_number")
        < makers.index("change_degree")
    )


@pytest.mark.parametrize(
    ("language", "text", "makers"),
    [
        ("en", "Emily paid 30 euros in Paris.", {"change_name", "change_place", "change_number"}),
        (
            "en",
            "An Italian cook in China waited forty years.",
            {"change_nationality", "change_place", "change_number_word"},
        ),
        ("zh", "李明在北京等了三天。", {"change_name", "change_place", "change_chinese_number"}),
    ],
)
def test_entities_are_names_places_and_numbers(language: str, text: str, makers: set[str]) -> None:
    assert {one.maker for one in suggest(tokenise(text, language), language, "entity")} == makers


def test_the_article_follows_another_nationality() -> None:
    for seed in range(20):
        for text in texts_of("an Italian film", "en", "change_nationality", seed=seed):
            article, nationality, _ = text.split()
            assert (article == "an") == (nationality[0] in "AEIO"), text


def test_other_languages_get_what_needs_no_grammar() -> None:
    makers = {one.maker for one in suggest(tokenise("Das Haus ist 30 Jahre alt.", "de"), "de", EVERY)}
    assert {"swap_letters", "add_link", "change_number", "strip_last_sign"} <= makers
    assert not any(SUGGESTERS[maker].languages for maker in makers)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("text", ["", " ", "\n", "a", ".", "👍", "é", "的"])
def test_the_shortest_texts_do_no_harm(text: str, language: str) -> None:
    # CheckList's add_typos fails on texts of fewer than two characters (er_test.md 3.1).
    body = tokenise(text, language)
    assert all(apply_edits(text, one.edits) != text for one in suggest(body, language, EVERY))


# Traps of CheckList's functions (er_test.md 3.1) -----------------------------------------------------------------------


def test_a_typo_is_one_real_swap_within_a_word() -> None:
    for seed in range(30):
        for text in texts_of("aaaa baaab moon", "en", "swap_letters", seed=seed):
            words = text.split()
            assert sorted(map(sorted, words)) == sorted(map(sorted, ["aaaa", "baaab", "moon"]))
            assert sum(word != was for word, was in zip(words, ["aaaa", "baaab", "moon"], strict=True)) == 1


def test_two_typos_are_in_two_words_so_that_they_cannot_cancel() -> None:
    for seed in range(30):
        for text in texts_of("some words here", "en", "swap_letters_twice", seed=seed):
            assert sum(word != was for word, was in zip(text.split(), ["some", "words", "here"], strict=True)) == 2


def test_numbers_change_by_at_most_a_fifth_and_2_and_4_stay() -> None:
    for seed in range(20):
        for text in texts_of(
            "2 of 4, 30 and 30, 1 or 0, 3 7.50 1,200 1998 v3.2.1 10:30 b2 007", "en", "change_number", seed=seed
        ):
            words = text.replace(",", "").split()
            assert (words[0], words[2]) == ("2", "4")
            assert words[3] == words[5], "the same number everywhere"
            assert 24 <= int(words[3]) <= 36
            assert words[9] in {"2", "3", "4"}
            assert 6.0 <= float(words[10]) <= 9.0
            assert 960 <= int(words[11]) <= 1440
            assert 1989 <= int(words[12]) <= 2007
            assert words[13:] == ["v3.2.1", "10:30", "b2", "007"]


def test_a_number_that_nobody_reads_as_an_amount_is_left_alone() -> None:
    assert list(texts_of("9" * 5000, "en", "change_number")) == []  # Python reads no such number


def test_a_number_is_written_as_it_was() -> None:
    found = [text for seed in range(20) for text in texts_of("9.05 or 1,000", "en", "change_number", seed=seed)]
    assert all(len(text.split()[0].partition(".")[2]) == 2 for text in found)
    assert any(text.split()[2] != "1,000" for text in found)
    assert {text.split()[2] for text in found if len(text.split()[2]) == 5} >= {"1,000"}


def test_a_name_changes_everywhere_to_one_of_the_same_sort_and_a_full_name_by_its_parts() -> None:
    text = "Emily Smith met John. Emily left. emily"
    names = synonyms_of_first_names()
    for changed in texts_of(text, "en", "change_name", project_words=ProjectWords()):
        words = changed.replace(".", "").split()
        assert words[-1] == "emily"
        assert words[0] == words[4]
        differing = {was for was, now in zip(text.replace(".", "").split(), words, strict=True) if was != now}
        assert len(differing) == 1
        if differing == {"Emily"}:
            assert words[0] in names


def synonyms_of_first_names() -> set[str]:
    from annotator.perturb.passage import own_words

    return set(own_words("en").list("names_female"))


def test_punctuation_goes_or_changes_and_never_comes_twice_by_itself() -> None:
    assert texts_of("It is...", "en", "strip_last_sign") == ["It is"]
    assert texts_of("It is", "en", "strip_last_sign") == []
    assert texts_of("It is.", "en", "change_last_sign") == ["It is!", "It is!!!"]


# The register ---------------------------------------------------------------------------------------------------------


def test_two_functions_of_one_name_or_for_an_unknown_kind_are_refused() -> None:
    def negate(passage):
        yield from ()

    with pytest.raises(InvalidValue, match="two suggestion functions named 'negate'"):
        suggester("Negate again", kinds="logic")(negate)
    negate.__name__ = "quite_new"
    with pytest.raises(InvalidValue, match="unknown kinds: logik"):
        suggester("Negate again", kinds="logik")(negate)
    assert "quite_new" not in SUGGESTERS


@pytest.mark.parametrize(
    "edits", [(), (Edit(3, 2, ""),), (Edit(0, 2, "a"), Edit(1, 3, "b")), (Edit(0, 0, "a"), Edit(0, 0, "b"))]
)
def test_edits_that_do_not_go_together_are_refused(edits: tuple[Edit, ...]) -> None:
    with pytest.raises(InvalidValue, match="of some_function"):
        Suggestion(edits, "why", "some_function")


def test_without_wordnet_its_function_is_silent(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NLTK_DATA", raising=False)
    monkeypatch.setattr(replacements, "_has_corpus", lambda: False)
    replacements._wordnet.cache_clear()
    replacements.wordnet_synonyms.cache_clear()
    assert texts_of("a lonesome hill", "en", "use_wordnet") == []
    replacements._wordnet.cache_clear()
