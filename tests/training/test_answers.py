"""Models that answer a question with a stretch of the text: the answer follows a word that is known, or is not there."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.attribution.base import Input
from annotator.attribution.methods import make_explainer
from annotator.attribution.transformers_answer_spans import Chosen, Finding, Stretches, findings_in
from annotator.attribution.transformers_extractive_qa import Reader
from annotator.attribution.transformers_models import explainer, load
from annotator.attribution.transformers_subwords import Batch, panes_of
from annotator.errors import ModelError
from annotator.training.answers import Judged, answer_loss, asked_for_answers, texts_of, threshold_by
from annotator.training.examples import Example, GoldAnswer, Place, Row, answer_rows, place_of
from annotator.training.loop import Checkpoint, FittingOptions, fit
from annotator.training.trainable_models import NewModel, Trainable, make
from tests.models.conftest import reading, words

QUESTION, MARKER = "what follows treasure", "treasure"
LENGTH = 10
_NEUTRAL = [f"word{n}" for n in range(40)]
_PLACES = (1, 6)
SHAPE = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
NEW = NewModel((), architecture="reading", shape={**SHAPE, "max_position_embeddings": 24}, n_subwords=1_000)


def example(number: int, tokens: Sequence[str], answer_at: int | None) -> Example:
    """A passage with its question; answer_at: the token that is the answer."""
    passage = " ".join(tokens)
    if answer_at is None:
        return Example(number, f"text{number}", reading(passage, QUESTION), "")
    start = len(" ".join(tokens[:answer_at])) + (answer_at > 0)
    place = Place("passage", start, start + len(tokens[answer_at]))
    return Example(number, f"text{number}", reading(passage, QUESTION), tokens[answer_at], (), place)


def texts(n: int, seed: int) -> list[Example]:
    "In three of four texts the prediction is the word after the known one; in the others that is not there, nor an answer."
    generator = np.random.default_rng(seed)
    made = []
    for number in range(n):
        tokens = [str(word) for word in generator.choice(_NEUTRAL, LENGTH)]
        place = int(generator.choice(_PLACES))
        has_answer = generator.random() < 0.75
        if has_answer:
            tokens[place] = MARKER
        made.append(example(number, tokens, place + 1 if has_answer else None))
    return made


def fresh(new: NewModel = NEW, seed: int = 0) -> Trainable:
    return make(new, [*_NEUTRAL, MARKER, *QUESTION.split()] * 3, seed)


@pytest.fixture(scope="module")
def trained(torch: Any) -> Trainable:
    trainable = fresh()
    rows = answer_rows(trainable.cutter, texts(1_200, 0))
    fit(trainable, rows, [], FittingOptions(epochs=5, learning_rate=5e-3, batch_size=32))
    return trainable


@pytest.fixture(scope="module")
def saved(trained: Trainable, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("readers") / "saved"
    trained.state_threshold(0.0)
    trained.save(folder)
    return load(str(folder), device="cpu")


def test_the_word_after_a_known_one_is_learned_and_that_there_is_none(trained: Trainable, saved: Any) -> None:
    unseen = texts(200, 9)
    rows = answer_rows(trained.cutter, unseen)
    given = texts_of(rows, asked_for_answers(trained, rows)[1], 0.0)
    judged = Judged.of(rows, given)
    assert judged.exact.mean() > 0.95
    assert (judged.is_none == judged.says_none).mean() > 0.95
    assert [p.result for p in saved.answers([e.input for e in unseen])] == given


def test_a_checkpoint_of_a_reading_model_is_gone_on_from_to_the_same_weights(torch: Any, tmp_path: Path) -> None:
    options = FittingOptions(epochs=3, learning_rate=5e-3, batch_size=16)

    class Killed(Exception):
        pass

    def kill(done: int, of: int) -> None:
        if done > of / 2:
            raise Killed

    def fitted(trainable: Trainable, **more: Any) -> Any:
        rows = (answer_rows(trainable.cutter, texts(n, seed)) for n, seed in ((48, 0), (24, 1)))
        return fit(trainable, *rows, options, **more)

    whole, first, second = fresh(), fresh(), fresh(seed=5)
    at_once = fitted(whole)
    checkpoint = Checkpoint(tmp_path / "checkpoint.pt", "plan")
    with pytest.raises(Killed):
        fitted(first, checkpoint=checkpoint, progress=kill)
    went_on = fitted(second, checkpoint=checkpoint)
    losses = [[epoch.validation_loss for epoch in of.epochs] for of in (at_once, went_on)]
    assert losses[0] == losses[1]
    for name, weights in whole.state().items():
        assert bool((second.state()[name] == weights).all()), name


def test_a_loss_that_is_no_number_names_the_step_and_its_instances(torch: Any) -> None:
    trainable = fresh()
    torch.nn.init.constant_(trainable.model.qa_outputs.bias, torch.nan)
    with pytest.raises(ModelError, match=r"step 1 of epoch 1 the loss is no number any more \(instances text"):
        fit(trainable, answer_rows(trainable.cutter, texts(8, 0)), [], FittingOptions(epochs=1))


def test_an_encoder_learns_from_its_base_and_a_decoder_has_no_subword_for_no_answer(
    folders: Any, tmp_path: Path
) -> None:
    trainable = make(NewModel((), base=str(folders["bert"]), architecture="reading", too_long="windows"), [], 0)
    trainable.state_threshold(-0.5)
    trainable.save(tmp_path / "saved")
    saved: Any = load(str(tmp_path / "saved"), device="cpu")
    assert type(saved.loaded.model).__name__ == "BertForQuestionAnswering"
    assert (saved.loaded.none_threshold, saved.loaded.cutter.too_long) == (-0.5, "windows")
    given = [reading("the director wrote the script in a week " * 12, "who wrote the script")]
    rows = answer_rows(trainable.cutter, [Example(0, "a", given[0], "")])
    assert len(rows[0].encoded.ids) > (trainable.cutter.limit or 0)
    assert [p.result for p in saved.answers(given)] == texts_of(rows, asked_for_answers(trainable, rows)[1], -0.5)
    with pytest.raises(ModelError, match=r"has no \[CLS\] for “no answer”\. Use an encoder\."):
        make(NewModel((), base=str(folders["gpt2"]), architecture="reading"), [], 0)


# Explaining ----------------------------------------------------------------------------------------------------------


def answerable(n: int, seed: int) -> list[Example]:
    return [one for one in texts(2 * n, seed) if one.label][:n]


@pytest.mark.parametrize(
    ("method", "least", "most"),
    [
        ("occlusion", 0.9, 1),
        ("lime", 0.9, 1),
        ("shap-partition", 0.9, 1),
        ("integrated-gradients", 0.9, 1),
        ("random", 0, 0.35),
    ],
)
def test_the_known_word_counts_most_for_the_answer_by_every_method_but_random(
    saved: Any, method: str, least: float, most: float
) -> None:
    """By chance it is the first of ten tokens in a tenth of the texts."""
    given = answerable(20, 7)
    made = make_explainer(saved, method, {"samples": 120} if method == "lime" else {})
    answers = [p.result for p in saved.answers([one.input for one in given])]
    found = made.explain([one.input for one in given], answers)
    if method != "random":
        assert [of.attributions[0].label for of in found] == answers
    first = [int(np.argmax(of.attributions[0].scores)) for of in found]
    known = [one.input.segments[0].tokens.index(MARKER) for one in given]
    assert least <= np.mean(np.equal(first, known)) <= most


def test_occlusion_follows_the_logits_where_the_answer_stood(torch: Any, saved: Any) -> None:
    (one,) = answerable(1, 3)
    (found,) = make_explainer(saved, "occlusion", {}).explain([one.input], [""])
    tokens, at = one.input.segments[0].tokens, one.input.segments[0].tokens.index(one.label)

    def number(passage: str) -> float:
        given = saved.loaded.tokenizer(QUESTION, passage, return_tensors="pt")
        place = given.sequence_ids(0).index(1) + at  # every word is one subword
        with torch.no_grad():
            out = saved.loaded.model(**given)
        return float(out.start_logits[0, place] + out.end_logits[0, place])

    for token in (0, at, LENGTH - 1):
        covered = [saved.mask_token if n == token else word for n, word in enumerate(tokens)]
        expected = number(" ".join(tokens)) - number(" ".join(covered))
        assert found.attributions[0].scores[token] == pytest.approx(expected, abs=1e-4)
    assert found.facts["full"] == pytest.approx(number(" ".join(tokens)), abs=1e-4)


def test_no_answer_is_explained_by_its_score_at_cls(torch: Any, saved: Any) -> None:
    one = next(e for e in texts(40, 3) if not e.label)
    (answer,) = saved.answers([one.input])
    assert answer.result == ""
    assert answer.probabilities[""] > 0.9
    (found,) = explainer(saved, "gradient-x-input", {}).explain([one.input], [""])
    given = saved.loaded.tokenizer(QUESTION, one.input.segments[0].text, return_tensors="pt")
    embedded = saved.loaded.model.get_input_embeddings()(given.pop("input_ids")).detach().requires_grad_()
    out = saved.loaded.model(inputs_embeds=embedded, **given)
    (out.start_logits[0, 0] + out.end_logits[0, 0]).backward()
    expected = (embedded.grad * embedded).sum(2)[0].detach().numpy()
    assert [score for _, score in found.attributions[0].subwords] == pytest.approx(expected, abs=1e-5)
    (covered,) = make_explainer(saved, "occlusion", {"output": "probability"}).explain([one.input], [""])
    assert covered.facts["full"] == pytest.approx(answer.probabilities[""], abs=1e-5)


def test_tokens_are_covered_and_never_deleted_as_the_answer_would_lose_its_place(saved: Any) -> None:
    assert make_explainer(saved, "occlusion", {}).parameters["removal"] == "cover"
    with pytest.raises(
        ModelError, match=r"'saved' extracts its answer; removal=delete would move it\. Use removal=cover\."
    ):
        make_explainer(saved, "lime", {"removal": "delete"})
    without_mask = Reader(saved.name, (), saved.loaded)
    for removal in ("default", "cover"):
        with pytest.raises(
            ModelError, match=r"'saved' has no mask token. Use a gradient method, e\.g\. gradient-x-input"
        ):
            make_explainer(without_mask, "occlusion", {} if removal == "default" else {"removal": removal})


def test_a_passage_without_words_has_no_answer_and_that_is_certain(saved: Any) -> None:
    (one,) = answerable(1, 3)
    (answer,) = saved.answers([one.input.kept(np.zeros(LENGTH, dtype=bool))])
    assert (answer.result, answer.probabilities) == ("", {"": 1.0})


# Windows -------------------------------------------------------------------------------------------------------------


def test_a_long_passage_is_answered_by_the_best_stretch_of_its_windows(torch: Any, saved: Any) -> None:
    """24 subwords a window, of which question and special subwords take 6: windows of 18 words, each 9 after the one before."""
    generator = np.random.default_rng(1)
    tokens = [str(word) for word in generator.choice(_NEUTRAL, 40)]
    one = Input((words("passage", " ".join(tokens)), words("question", QUESTION, is_selectable=False)))
    model = load(saved.loaded.model.config._name_or_path, device="cpu", too_long="windows")
    windows = [tokens[start : start + 18] for start in (0, 9, 18, 27)]
    best, lowest = [], []
    for start, of_window in zip((0, 9, 18, 27), windows, strict=True):
        given = saved.loaded.tokenizer(QUESTION, " ".join(of_window), return_tensors="pt")
        with torch.no_grad():
            out = saved.loaded.model(**given)
        starts, ends = out.start_logits[0], out.end_logits[0]
        inside = [n for n, side in enumerate(given.sequence_ids(0)) if side == 1]
        score, a, b = max((float(starts[a] + ends[b]), a, b) for a in inside for b in inside if a <= b)
        best.append((score, start + a - inside[0], start + b - inside[0]))
        lowest.append(float(starts[0] + ends[0]))
    batch = model.loaded.batch([model.loaded.encoded(one)])
    with torch.no_grad():
        stretches = model.loaded.ask(batch)
    assert len(stretches.panes.rows) == 4
    (found,) = findings_in(stretches, 1)
    score, first, last = max(best)
    before = 4  # [CLS] and the question's three words come before the passage, with [SEP] between
    assert (found.stretch.score, found.none.score) == pytest.approx((score, min(lowest)), abs=1e-4)
    assert (found.stretch.first - before - 1, found.stretch.last - before - 1) == (first, last)
    (answer,) = model.answers([one])
    expected = "" if min(lowest) > score else " ".join(tokens[first : last + 1])
    assert answer.result == expected


def test_gradients_occlusion_and_attention_of_a_long_passage(saved: Any) -> None:
    model = load(saved.loaded.model.config._name_or_path, device="cpu", too_long="windows")
    one = reading(" ".join(["word1"] * 30 + [MARKER, "word7"] + ["word2"] * 8), QUESTION)
    (answer,) = model.answers([one])
    (found,) = explainer(model, "integrated-gradients", {"steps": 20}).explain([one], [answer.result])
    assert found.attributions[0].label == answer.result
    assert np.isfinite(found.attributions[0].scores).all()
    (covered,) = make_explainer(model, "occlusion", {}).explain([one], [answer.result])
    assert np.isfinite(covered.attributions[0].scores).all()
    with pytest.raises(ModelError, match=r"in windows\. Choose another method, or truncate\."):
        explainer(model, "attention", {}).explain([one], [""])


def test_each_window_without_the_whole_answer_learns_that_it_has_none(torch: Any) -> None:
    "Two windows of three subwords behind [CLS]; the prediction is the third and fourth subword, whole in the second window alone."
    ids = torch.tensor([[2, 11, 12, 13, 14]])
    may_answer = torch.tensor([[False, True, True, True, True]])
    batch = Batch(ids, torch.ones_like(ids), None, may_answer)
    panes = panes_of(batch, 4)
    assert panes.places.tolist() == [[0, 1, 2, 3], [0, 2, 3, 4]]
    starts = torch.tensor([[1.0, 0, 0, 0], [0.0, 0, 2, 0]])
    ends = torch.tensor([[3.0, 0, 0, 0], [0.0, 0, 0, 1]])
    loss = answer_loss(Stretches.of(starts, ends, panes, batch, 2), [(3, 4)])

    def entropy(right: float, *others: float) -> float:
        return float(np.log(np.exp([right, *others]).sum()) - right)

    by_hand = entropy(1, 0, 0, 0) + entropy(2, 0, 0, 0) + entropy(3, 0, 0, 0) + entropy(1, 0, 0, 0)
    assert float(loss) == pytest.approx(by_hand / 4, abs=1e-6)


# Thresholds and places -----------------------------------------------------------------------------------------------


def found(margin: float) -> Finding:
    return Finding(Chosen(0, 5, 5, 0.0, 0.5), Chosen(0, 0, 0, margin, 0.5, is_none=True))


def test_no_answer_is_said_where_its_margin_is_above_the_threshold() -> None:
    of = found(0.5)
    assert of.margin == 0.5
    chosen = [of.chosen(threshold) for threshold in (None, 0.4, 0.5)]
    assert [one is not None and one.is_none for one in chosen] == [False, True, False]


def test_the_threshold_is_the_one_with_the_highest_f1_and_the_nearest_to_0(trained: Trainable) -> None:
    """Ten texts without an answer at margins from 2, ten with one that is right at margins up to 1."""
    one, *_ = answer_rows(trained.cutter, answerable(1, 0))
    gold = texts_of([one], [found(0)], None)[0]
    rows = [Row(f"t{n}", one.encoded, 0, answer=GoldAnswer("" if n < 10 else gold, None)) for n in range(20)]
    margins = [*np.linspace(2, 3, 10), *np.linspace(-1, 1, 10)]
    assert threshold_by(rows, [found(margin) for margin in margins]) == pytest.approx(1.5)
    assert threshold_by(rows, [found(margin - 1.5) for margin in margins]) == 0
    assert threshold_by(rows[:10] * 2, [found(margin) for margin in margins]) is None
    assert threshold_by(rows[:19], [found(margin) for margin in margins[:19]]) is None


def test_an_answer_is_looked_for_among_whole_tokens_first_and_where_a_rationale_is() -> None:
    def place(passage: str, answer: str, *sets: set[int]) -> tuple[int, int, int] | None:
        of = place_of(reading(passage, "when?"), answer, [frozenset(tokens) for tokens in sets])
        return None if of is None else (of.start, of.end, of.n)

    assert place("in 1985 or on day 8", "8") == (18, 19, 1)
    assert place("in 1985 or then", "8") == (5, 6, 1)
    assert place("red then blue then red", "red") == (0, 3, 2)
    assert place("red then blue then red", "red", {2, 4}) == (19, 22, 2)
    assert place("The  Old Man", "the old") == (0, 8, 1)
    assert place("red then blue", "green") is None
    assert place("red then blue", "") is None
    assert place("when? red", "when?") == (0, 5, 1)  # never in the question


def test_an_answer_inside_of_one_subword_is_that_subword_and_one_of_several_tokens_all_of_theirs(loaded: Any) -> None:
    cutter = loaded("reader").loaded.cutter
    passage = "the unbelievable director wrote"
    places = {"believable": Place("passage", 6, 16), "director wrote": Place("passage", 17, 31)}
    for answer, place in places.items():
        (row,) = answer_rows(cutter, [Example(0, "a", reading(passage, "who?"), answer, (), place)])
        first, last = row.answer.subwords  # type: ignore[union-attr,misc]
        offsets = [row.encoded.offsets[n] for n in (first, last)]
        assert offsets[0][0] <= place.start < offsets[0][1]
        assert offsets[1][0] < place.end <= offsets[1][1]


def test_a_question_that_leaves_no_room_for_the_passage_is_refused_however_long_texts_are_read(loaded: Any) -> None:
    long_question = reading("the director wrote the script", "who wrote the script " * 20)
    with pytest.raises(ModelError, match="has no room for the rest"):
        loaded("reader", too_long="windows").answers([long_question])
    with pytest.raises(ModelError, match=r"'reader' \(40\) has no room for the rest"):
        loaded("reader", too_long="cut").answers([long_question])
