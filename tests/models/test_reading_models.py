"""Question answering: the answer, its probability, and what speaks for it."""

import numpy as np
import pytest

from annotator.attribution.base import Input
from annotator.attribution.transformers_models import explainer, load
from annotator.errors import ModelError
from tests.models.conftest import one_text, pair, reading, words

PASSAGE, QUESTION = "the director wrote the script, in a week", "who wrote the script?"
INPUTS = [reading(PASSAGE, QUESTION), reading("a dull film", "was it dull?"), reading("unbelievable", "who?")]


def direct(torch, model, passage, question):
    """The best stretch over all starts and ends of the passage, one by one; its text and probability."""
    given = model.loaded.tokenizer(question, passage, return_tensors="pt", return_offsets_mapping=True)
    offsets = given.pop("offset_mapping")[0].tolist()
    inside = [number for number, side in enumerate(given.sequence_ids(0)) if side == 1]
    with torch.no_grad():
        out = model.loaded.model(**given)
    starts, ends = out.start_logits[0].double(), out.end_logits[0].double()
    first, last = max(
        ((a, b) for a in inside for b in inside if a <= b < a + 30), key=lambda ab: starts[ab[0]] + ends[ab[1]]
    )
    share = [torch.exp(x[k] - torch.logsumexp(x[inside], 0)) for x, k in ((starts, first), (ends, last))]
    return passage[offsets[first][0] : offsets[last][1]], float(share[0] * share[1]), first, last


def test_the_answer_is_the_stretch_of_the_passage_with_the_highest_start_and_end(torch, loaded):
    model = loaded("reader")
    for one, found in zip(INPUTS, model.answers(INPUTS), strict=True):
        text, probability, *_ = direct(torch, model, one.segments[0].text, one.segments[1].text)
        assert found.result == text
        assert found.probabilities == {text: pytest.approx(probability, rel=1e-4)}
        assert found.on == "full"


def test_a_title_that_can_be_marked_is_part_of_the_text(torch, loaded):
    one = Input(
        (words("passage", PASSAGE), words("title", "the film"), words("question", QUESTION, is_selectable=False))
    )
    (found,) = loaded("reader").answers([one])
    assert found.result == direct(torch, loaded("reader"), f"{PASSAGE}\nthe film", QUESTION)[0]
    (explained,) = explainer(loaded("reader"), "gradient-x-input", {}, None).explain([one], [""])
    assert len(explained.attributions[0].scores) == 10
    assert all(explained.attributions[0].scores)
    without = Input((words("passage", PASSAGE), words("title", ""), words("question", QUESTION, is_selectable=False)))
    assert loaded("reader").answers([without]) == loaded("reader").answers(INPUTS[:1])


def test_what_is_explained_is_the_start_logit_and_the_end_logit_of_the_answer(torch, loaded):
    model = loaded("reader")
    found = explainer(model, "gradient-x-input", {}, None).explain(INPUTS, [""] * 3)
    bare = model.loaded.model
    for one, explained in zip(INPUTS, found, strict=True):
        passage, question = (segment.text for segment in one.segments)
        text, _, first, last = direct(torch, model, passage, question)
        given = model.loaded.tokenizer(question, passage, return_tensors="pt")
        embedded = bare.get_input_embeddings()(given.pop("input_ids")).detach().requires_grad_()
        out = bare(inputs_embeds=embedded, **given)
        (out.start_logits[0, first] + out.end_logits[0, last]).backward()
        expected = (embedded.grad * embedded).sum(2)[0].detach().numpy()
        attribution = explained.attributions[0]
        assert attribution.label == text
        assert [score for _, score in attribution.pieces] == pytest.approx(expected, abs=1e-5)
        assert len(attribution.scores) == len(one.segments[0].tokens)


def test_integrated_gradients_of_an_answer_add_up(loaded):
    method = explainer(loaded("reader"), "integrated-gradients", {"steps": 60}, None)
    (one,) = method.explain(INPUTS[:1], [""])
    total = sum(score for _, score in one.attributions[0].pieces)
    assert total == pytest.approx(one.facts["output_change"], rel=0.02)


def test_the_probability_of_an_answer_may_be_explained(loaded):
    model = loaded("reader")
    (answer,) = model.answers(INPUTS[:1])
    (one,) = explainer(model, "integrated-gradients", {"output": "probability", "steps": 100}, None).explain(
        INPUTS[:1], [answer.result]
    )
    # F(x) − F(baseline) of a probability is at most the probability at x
    assert one.facts["output_change"] <= answer.probabilities[answer.result]
    assert one.facts["convergence_share"] < 0.05


def test_only_the_models_own_answer_is_explained(loaded):
    with pytest.raises(ModelError, match=r"answers '.*', not 'the moon'; only a reading model's own answer"):
        explainer(loaded("reader"), "gradient-x-input", {}, None).explain(INPUTS[:1], ["the moon"])


def test_a_reading_model_has_no_probabilities_of_labels(loaded):
    with pytest.raises(ModelError, match="answers questions with a stretch of the text, not with labels"):
        loaded("reader").probabilities(INPUTS)


@pytest.mark.parametrize("one", [one_text("the film"), pair("the film", "was dull")])
def test_without_a_question_nothing_is_answered(loaded, one):
    with pytest.raises(ModelError, match="needs a question: a text that cannot be marked"):
        loaded("reader").answers([one])


def test_a_passage_of_which_nothing_is_left_has_no_answer(loaded):
    empty = INPUTS[0].kept(np.zeros(8, dtype=bool))
    (found, other) = loaded("reader").answers([empty, INPUTS[1]])
    assert (found.result, found.probabilities) == ("", {})
    assert other.result
    with pytest.raises(ModelError, match="no text from which 'reader' could answer"):
        explainer(loaded("reader"), "gradient-x-input", {}, None).explain([empty], [""])


def test_a_long_passage_is_cut_and_the_question_is_not(loaded):
    one = reading("the cat sat on the mat " * 20, QUESTION)
    with pytest.raises(ModelError, match="sees 40 at most"):
        loaded("reader").answers([one])
    model = loaded("reader", too_long="cut")
    assert model.answers([one])[0].result
    (explained,) = explainer(model, "attention", {}, None).explain([one], [""])
    scores = np.array(explained.attributions[0].scores)
    assert explained.facts["unseen_tokens"] == np.isnan(scores).sum() == (~model.seen(one)).sum() > 80


def test_scores_that_do_not_fit_the_pieces_are_refused(torch, folders, monkeypatch):
    model = load(str(folders["reader"]))

    class Outputs:
        start_logits = end_logits = torch.zeros(1, 3)

    monkeypatch.setattr(model.loaded.model, "forward", lambda **_: Outputs())
    with pytest.raises(ModelError, match="one start and one end score for each piece"):
        model.answers(INPUTS[:1])


def test_start_scores_that_are_no_numbers_are_refused(torch, folders):
    model = load(str(folders["reader"]))
    torch.nn.init.constant_(model.loaded.model.qa_outputs.bias, torch.nan)
    with pytest.raises(ModelError, match="with what is no number"):
        model.answers(INPUTS[:1])
