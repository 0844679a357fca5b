"""Texts longer than a model takes, in windows that overlap by half and keep their middle."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annotator.attribution.base import Input
from annotator.attribution.methods import make_explainer
from annotator.attribution.transformers_models import explainer, load
from annotator.attribution.transformers_subwords import has_window_with, panes_of, windows_of
from annotator.errors import InvalidValue, ModelError
from annotator.text.tokenisation import tokenise
from tests.models.conftest import SegmentTokens, one_text, pair, reading
from tests.models.tiny_models import LABELS, LONGEST, save, small, wordpiece_tokenizer

WORDS = ["the", "film", "was", "great", "and", "the", "plot", "was", "not", "dull"]
ROOM = LONGEST - 2  # less [CLS] and [SEP]


def long_text(n_words: int) -> str:
    return " ".join(WORDS[number % len(WORDS)] for number in range(n_words))


def words_model(folder: Path) -> str:
    """A token classifier whose label is the mean over words, as a training in windows saves it."""
    from transformers import BertConfig

    tokenizer = wordpiece_tokenizer()
    shape = small()
    save(
        "BertForTokenClassification",
        BertConfig(vocab_size=len(tokenizer), pad_token_id=0, read_for_label="words", **shape),
        tokenizer,
        folder,
    )
    return str(folder)


@pytest.fixture(scope="module")
def of_words(torch, tmp_path_factory):
    return load(words_model(tmp_path_factory.mktemp("words") / "words"), device="cpu")


def batch_of_one(model, text):
    return model.loaded.batch([model.loaded.encoded(one_text(text))])


# Which subwords stand in which window ----------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [2, 3, 7, 8, 38, 510])
@pytest.mark.parametrize("n", [1, 7, 8, 9, 12, 39, 511, 765, 766, 3_000])
def test_each_subword_is_kept_once_by_a_window_that_reads_it_with_context_on_both_sides(n, room):
    windows = windows_of(n, room)
    assert [subword for w in windows for subword in range(w.kept_from, w.kept_to)] == list(range(n))
    edge = (room - room // 2) // 2
    for w in windows:
        assert 0 < w.end - w.start <= room
        assert w.kept_from >= w.start + edge or w.kept_from == 0
        assert w.kept_to <= w.end - edge or w.kept_to == n
    starts = [w.start for w in windows]
    assert starts == [room // 2 * number for number in range(len(starts))]


def test_no_window_only_reads_what_the_one_before_it_read():
    assert len(windows_of(510, 510)) == 1
    assert len(windows_of(765, 510)) == 2  # the second begins at 255 and ends with the text: a third would be redundant
    assert len(windows_of(766, 510)) == 3


@pytest.mark.parametrize(
    ("first", "last", "is_held"),
    [
        (
            2,
            11,
            True,
        ),  # the first window: a question of one subword between special ones, then ten subwords of the text
        (2, 12, False),  # it would need eleven
        (6, 13, False),  # eight that begin before the second window and end after the first
        (7, 13, True),  # the second window begins five later
        (17, 21, True),
    ],
)
def test_a_stretch_that_no_window_reads_whole_is_known(first: int, last: int, is_held: bool) -> None:
    may_answer = [False, False, *[True] * 20, False]
    assert has_window_with(may_answer, first, last, 13) is is_held
    assert has_window_with(may_answer, first, last, None)
    assert has_window_with(may_answer, first, last, 23)


def test_the_number_of_windows_grows_with_the_length_and_not_faster():
    n_windows = [len(windows_of(n, 510)) for n in (1_250, 2_500, 5_000)]
    assert n_windows == [4, 9, 19]
    assert n_windows[2] - n_windows[1] == 2 * (n_windows[1] - n_windows[0])


def test_what_stands_around_a_text_is_in_each_of_its_windows(loaded):
    model = loaded("bert", too_long="windows")
    encoded = model.loaded.encoded(reading(long_text(100), "who wrote the script"))
    batch = model.loaded.batch([encoded])
    panes = panes_of(batch, LONGEST)
    around = {n for n, side in enumerate(encoded.sides) if side is None or side == encoded.question}
    assert len(panes.rows) > 3
    for places, real in zip(panes.places.tolist(), panes.real.tolist(), strict=True):
        there = [place for place, is_real in zip(places, real, strict=True) if is_real]
        assert around < set(there)
        assert there == sorted(there)
        assert len(there) <= LONGEST
    kept = sorted(panes.places[panes.kept].tolist())
    assert kept == [n for n in range(len(encoded.ids)) if n not in around]


# Models that were only loaded ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2", "bart"])
def test_a_text_that_fits_is_answered_as_without_windows_also_beside_a_longer_one(loaded, name):
    in_windows, plain = loaded(name, too_long="windows"), loaded(name)
    short = one_text("the film was dull")
    beside, _ = in_windows.logits([short, one_text(long_text(90))])
    assert beside == pytest.approx(plain.logits([short])[0], abs=1e-5)
    assert in_windows.logits([short])[0] == pytest.approx(plain.logits([short])[0], abs=1e-5)


def test_a_longer_text_is_answered_in_the_mean_of_its_windows(torch, loaded):
    model = loaded("bert", too_long="windows")
    text = long_text(60)
    tokenizer = model.loaded.tokenizer
    subwords = tokenizer(text, add_special_tokens=False)["input_ids"]
    parts = [subwords[w.start : w.end] for w in windows_of(len(subwords), ROOM)]
    with torch.no_grad():
        of_each = [
            model.loaded.model(torch.tensor([[tokenizer.cls_token_id, *part, tokenizer.sep_token_id]])).logits[0]
            for part in parts
        ]
    assert len(parts) > 2
    assert model.logits([one_text(text)])[0] == pytest.approx(torch.stack(of_each).mean(0).numpy(), abs=1e-5)


def test_every_token_was_seen_and_none_lacks_a_score(loaded):
    model = loaded("bert", too_long="windows")
    assert model.seen(one_text(long_text(90))).all()
    for method in ("gradient-x-input", "integrated-gradients", "occlusion", "lime"):
        parameters = {"integrated-gradients": {"steps": 3}, "lime": {"samples": 10}}.get(method, {})
        (found,) = make_explainer(model, method, parameters).explain([one_text(long_text(90))], ["neutral"])
        assert len(found.attributions[0].scores) == 90
        assert np.isfinite(found.attributions[0].scores).all()
        assert "unseen_tokens" not in found.facts


def test_integrated_gradients_over_windows_add_up(loaded):
    method = explainer(loaded("bert", too_long="windows"), "integrated-gradients", {"steps": 60})
    (found,) = method.explain([one_text(long_text(90))], ["neutral"])
    assert found.facts["convergence_share"] < 0.05


def test_windows_may_be_asked_for_by_one_method_alone(loaded):
    one = one_text(long_text(90))
    method = explainer(loaded("bert"), "gradient-x-input", {"too_long": "windows"})
    assert method.parameters["too_long"] == "windows"
    (found,) = method.explain([one], ["neutral"])
    assert np.isfinite(found.attributions[0].scores).all()
    with pytest.raises(
        ModelError,
        match=r"Input 'the film was great and the plot was not dull the f' \(110 subwords\) exceeds 'bert' \(40\)\. Shorten it, or have long texts windowed or cut\.",
    ):
        loaded("bert").logits([one])


def test_attention_reaches_over_no_second_window(loaded):
    method = explainer(loaded("bert", too_long="windows"), "attention", {})
    assert len(method.explain([one_text("the film")], ["neutral"])[0].attributions[0].scores) == 2
    with pytest.raises(ModelError, match=r"in windows\. Choose another method, or truncate\.") as refused:
        method.explain([one_text(long_text(90))], ["neutral"])
    assert refused.value.reason


def test_a_pair_too_long_for_one_window_is_refused_since_none_would_hold_both(loaded):
    with pytest.raises(ModelError, match=r"even in windows\. Shorten it\."):
        loaded("bert", too_long="windows").logits([pair(long_text(60), "the film")])


def test_a_question_that_leaves_no_room_is_refused(loaded):
    with pytest.raises(ModelError, match=r"'bert' \(40\) has no room for the rest"):
        loaded("bert", too_long="windows").logits([reading(long_text(60), long_text(40))])


def test_a_reading_model_explains_its_answer_in_windows_where_one_method_alone_asks_for_them(loaded):
    one = reading(long_text(90), "was it dull?")
    method = explainer(loaded("reader"), "gradient-x-input", {"too_long": "windows"})
    (found,) = method.explain([one], [""])
    (answer,) = loaded("reader", too_long="windows").answers([one])
    assert found.attributions[0].label == answer.result
    with pytest.raises(ModelError, match="Shorten it, or have long texts"):
        loaded("reader").answers([one])


# Models that answer from their words ---------------------------------------------------------------------------------


def test_a_model_that_reads_words_answers_in_the_mean_of_what_it_says_of_each_subword(torch, of_words):
    text = "the unbelievable film was dull"
    given = of_words.loaded.tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        by_subword = of_words.loaded.model(**given).logits[0, 1:-1]
    assert of_words.labels == tuple(LABELS.values())
    beside, _ = of_words.logits([one_text(text), one_text(long_text(200))])
    assert beside == pytest.approx(by_subword.mean(0).numpy(), abs=1e-5)


def test_changing_one_token_changes_what_its_windows_keep_and_nothing_else(torch, of_words):
    words = long_text(150).split()
    network = of_words.loaded.network
    before = batch_of_one(of_words, " ".join(words))
    panes = panes_of(before, LONGEST)
    changed = 70
    after = batch_of_one(of_words, " ".join([*words[:changed], "dull", *words[changed + 1 :]]))
    assert int((before.ids != after.ids).sum()) == 1
    place = int((before.ids != after.ids).nonzero()[0, 1])
    with torch.no_grad():
        moved = (network.by_subword(before, panes) - network.by_subword(after, panes)).abs().amax(dim=2)[0] > 1e-6
    reading_it = (panes.places == place).logical_and(panes.real).any(dim=1)
    theirs = set(panes.places[panes.kept & reading_it[:, None]].tolist())
    assert set(moved.nonzero()[:, 0].tolist()) == theirs
    assert len(theirs) < before.ids.shape[1] / 2


@pytest.mark.parametrize("method", ["gradient-x-input", "attnlrp"])
def test_a_token_far_into_a_text_has_a_gradient(of_words, method):
    text = long_text(3_001)
    (found,) = explainer(of_words, method, {}).explain([one_text(text)], ["neutral"])
    assert found.attributions[0].scores[3_000] != 0
    assert np.isfinite(found.attributions[0].scores).all()


def test_a_text_without_words_is_answered_from_what_stands_around_it(of_words):
    empty = one_text("the film").kept(np.zeros(2, dtype=bool))
    assert np.isfinite(of_words.logits([empty])).all()


def test_a_model_that_reads_words_needs_not_be_told_of_windows_and_has_no_attention(of_words):
    assert of_words.loaded.cutter.too_long == "windows"
    assert explainer(of_words, "gradient-x-input", {}).parameters["too_long"] == "windows"
    with pytest.raises(InvalidValue, match=r"has no attention to read\. Choose another method\."):
        explainer(of_words, "attention", {})


def test_a_token_classifier_that_does_not_say_so_is_refused(torch, tmp_path):
    folder = tmp_path / "tagger"
    words_model(folder)
    config = json.loads((folder / "config.json").read_text())
    del config["read_for_label"]
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=r"'tagger' is a BertForTokenClassification\."):
        load(str(folder))


def test_windows_are_asked_some_at_a_time(of_words):
    network = of_words.loaded.network
    batch = batch_of_one(of_words, long_text(200))
    few, many = (replace(network, at_once=n).answer(batch).logits for n in (1, 100))
    assert few.tolist() == [pytest.approx(many[0].tolist(), abs=1e-5)]


# Subwords of every family of tokenizers lie on the words they come from.

FAMILIES = ["bert", "roberta", "unigram", "byte-fallback"]

# subwords by word: what each family makes of an emoji that is not in its vocabulary
EXPECTED = {
    "bert": {"😀": ["[UNK]"], "it’s": ["it", "’", "s"]},
    "roberta": {"😀": ["Ġ", "ð", "Ł", "ĺ", "Ģ"]},
    "unigram": {"😀": ["▁", "😀"]},
    "byte-fallback": {"😀": ["▁", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>"]},
}


def by_word(attribution, words, text):
    """The subwords over each word's characters and the blank before it, found by their offsets alone."""
    found, place = {}, 0
    for word in words:
        start, place = place, text.index(word, place) + len(word)
        found[word] = [
            (p, s) for p, s in attribution.subwords if p.start is not None and start <= max(p.start, p.end - 1) < place
        ]
    return found


@pytest.mark.parametrize("name", FAMILIES)
def test_a_words_score_is_the_sum_over_its_own_subwords(loaded, name):
    text = "it’s unbelievable that that 😀 schöner Film, 中文 dull"
    words = text.split(" ")
    (one,) = explainer(loaded(name), "gradient-x-input", {}, None).explain([one_text(text)], ["positive"])
    attribution = one.attributions[0]
    assert len(attribution.scores) == len(words)
    assert sum(attribution.scores) == pytest.approx(sum(s for p, s in attribution.subwords if not p.is_special))
    # "that" twice: told apart by place, and no subword of one counts for the other
    assert attribution.scores[2] != attribution.scores[3]
    for number, word in enumerate(words):
        if words.count(word) == 1:
            subwords = by_word(attribution, words, text)[word]
            assert attribution.scores[number] == pytest.approx(sum(score for _, score in subwords)), word
    for word, expected in EXPECTED[name].items():
        found = [subword.text for subword, _ in by_word(attribution, words, text)[word]]
        assert [p for p in found if p not in "Ġ▁"] == [p for p in expected if p not in "Ġ▁"]


@pytest.mark.parametrize("name", FAMILIES)
def test_subwords_that_cross_our_tokens_are_shared_and_nothing_is_lost(loaded, name):
    # one character a token, as the project cuts Chinese; the families cut otherwise
    body = tokenise("中文电影很好看。", "zh")
    spaces = tuple("" for _ in body.starts)
    one = Input((SegmentTokens("text", tuple(body.tokens()), spaces),), "zh")
    (explained,) = explainer(loaded(name), "attention", {}, None).explain([one], [""])
    attribution = explained.attributions[0]
    assert len(attribution.scores) == body.n_tokens
    assert all(score > 0 for score in attribution.scores)
    assert sum(attribution.scores) == pytest.approx(sum(s for p, s in attribution.subwords if not p.is_special))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_text_of_unknown_signs_alone_gets_a_score_for_each(loaded, name):
    (explained,) = explainer(loaded(name), "attention", {}, None).explain([one_text("😀 👩‍👩‍👧 🇩🇪")], [""])
    assert all(score > 0 for score in explained.attributions[0].scores)


def test_a_name_of_a_special_subword_in_the_text_is_special_for_the_model_too(loaded):
    (explained,) = explainer(loaded("bert"), "attention", {}, None).explain([one_text("dull [SEP] plot")], [""])
    attribution = explained.attributions[0]
    assert attribution.scores[1] == 0
    assert [p.text for p, _ in attribution.subwords if p.is_special] == ["[CLS]", "[SEP]", "[SEP]"]


def test_what_a_tokenizer_drops_at_the_end_was_not_seen(loaded):
    # a vocabulary without a subword for unknown letters drops them
    from tokenizers import Tokenizer, models, pre_tokenizers

    from annotator.attribution.transformers_subwords import encode, merged
    from tests.models.tiny_models import wrapped

    tokenizer = Tokenizer(models.BPE(vocab={"a": 0, "b": 1}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    cutter = loaded("bert").loaded.cutter
    encoded = encode(type(cutter)(wrapped(tokenizer, {}), "tiny", None), one_text("a c b c"))
    first, dropped, last, unseen = merged(encoded, [1.0, 2.0], "sum").scores
    assert (first, dropped, last) == (1, 0, 2)
    assert unseen != unseen  # noqa: PLR0124  (NaN)
