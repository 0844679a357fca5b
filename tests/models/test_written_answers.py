"""What models write, and what each subword of it came from: against torch called directly, and against a cue that was planted."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.attribution.base import Input
from annotator.attribution.loaders import LoadOptions, load_predictor
from annotator.attribution.methods import make_explainer
from annotator.attribution.transformers_generators import Writer
from annotator.attribution.transformers_prompts import Prompt
from annotator.attribution.transformers_sources import check_causal
from annotator.domain.models import Attribution, Written
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused, InvalidValue, ModelError, NotAllowed
from annotator.store import Store
from annotator.store.models import iterate_outputs, list_runs
from annotator.usecases.inspect.saliency import show_instance
from annotator.usecases.models.attribution_batches import label_in
from annotator.usecases.models.attributions import AttributingOptions, AttributingReport, attribute
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.upkeep import check
from tests.models.conftest import one_text, reading
from tests.models.tiny_models import CUES, decoder, encoder_with_decoder

TEXT = "the unbelievable plot was dull"
BARE = "{text}"


@pytest.fixture(scope="session")
def writers(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("writers")
    decoder(folder / "decoder")
    encoder_with_decoder(folder / "paired")
    return {name: folder / name for name in ("decoder", "paired")}


@pytest.fixture(scope="session")
def writer(writers: dict[str, Path]) -> Callable[..., Writer]:
    def load(name: str, template: str = BARE, longest: int = 5, **options: Any) -> Writer:
        given = LoadOptions(device="cpu", prompt=template, longest_answer=longest, **options)
        made = load_predictor(f"transformers-writing:{writers[name]}", given)
        assert isinstance(made, Writer)
        return made

    return load


def explained(model: Writer, method: str, text: str | Input = TEXT, **parameters: object):
    given = one_text(text) if isinstance(text, str) else text
    (one,) = make_explainer(model, method, parameters).explain([given], [""])
    return one.attributions[0]


def logits_by_hand(torch, model: Writer, ids: list[int], written: list[int]):
    """float[n_written, n_subwords]: of each subword of the answer the scores by which it is chosen."""
    bare = model.loaded.model
    if model.is_paired:
        return bare(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([[1, *written[:-1]]])).logits[0]
    return bare(torch.tensor([[*ids, *written[:-1]]])).logits[0, len(ids) - 1 :]


def subwords_by_hand(torch, model: Writer, text: str) -> tuple[list[int], list[int]]:
    """The subwords of a bare text, and those that follow by taking the likeliest one each time."""
    ids, written = model.loaded.tokenizer(text)["input_ids"], []
    for _ in range(model.longest):
        with torch.no_grad():
            written.append(int(logits_by_hand(torch, model, ids, [*written, 0])[-1].argmax()))
    return ids, written


@pytest.mark.parametrize("name", ["decoder", "paired"])
def test_the_answer_is_the_likeliest_subword_each_time_whatever_the_folder_asks_for(torch, writer, name):
    model = writer(name)
    ids, by_hand = subwords_by_hand(torch, model, TEXT)
    model.loaded.model.generation_config.do_sample = True
    model.loaded.model.generation_config.repetition_penalty = 100.0
    found = model.write(model.loaded.encoded(one_text(TEXT)))
    assert list(model.loaded.encoded(one_text(TEXT)).ids) == ids
    assert list(found) == by_hand[: len(found)]
    assert "".join(model.subwords_of(found)) == model.loaded.tokenizer.decode(
        found, skip_special_tokens=True, clean_up_tokenization_spaces=False
    ).rstrip("\ufffd")


@pytest.mark.parametrize("name", ["decoder", "paired"])
@pytest.mark.parametrize("output", ["logit", "probability"])
def test_gradient_x_input_of_each_subword_is_the_dot_product_by_hand(torch, writer, name, output):
    model = writer(name)
    ids, written = subwords_by_hand(torch, model, TEXT)
    bare = model.loaded.model
    found = explained(model, "gradient-x-input", output=output)
    for step, subword in enumerate(written):
        read, wrote = (
            bare.get_input_embeddings()(torch.tensor([of])).detach().requires_grad_() for of in (ids, written)
        )
        if model.is_paired:
            start = bare.get_input_embeddings()(torch.tensor([[1]]))
            given = torch.cat([start, wrote[:, :step]], dim=1)
            logits = bare(inputs_embeds=read, decoder_inputs_embeds=given).logits[0, -1]
        else:
            logits = bare(inputs_embeds=torch.cat([read, wrote[:, :step]], dim=1)).logits[0, -1]
        (logits.softmax(0) if output == "probability" else logits)[subword].backward()
        of_words = (read.grad * read).sum(2)[0].detach().numpy()
        assert sum(found.written.scores[step]) == pytest.approx(
            of_words[
                [place for place, side in enumerate(model.loaded.encoded(one_text(TEXT)).sides) if side == 0]
            ].sum(),
            abs=1e-5,
        )
        by_hand = np.zeros(0) if not step else (wrote.grad * wrote).sum(2)[0].detach().numpy()[:step]
        assert found.written.earlier[step] == pytest.approx(by_hand, abs=1e-5)


def test_shares_of_a_gradient_are_of_everything_that_was_read_and_written_before(torch, writer):
    model = writer("decoder", "Review: {text} So:")
    found = explained(model, "gradient-x-input")
    encoded = model.loaded.encoded(one_text(TEXT))
    written = model.write(encoded)
    read, wrote = (model.embedded(of).detach().requires_grad_() for of in (encoded.ids, written))
    model.scores(read, wrote)[0, 2, written[2]].backward()
    of_read, of_answer = ((of.grad * of).sum(2)[0].abs().detach().numpy() for of in (read, wrote))
    on_prompt = of_read[[side is None for side in encoded.sides]].sum()
    shares = dict(found.written.facts[2])
    assert shares["prompt_share"] == pytest.approx(on_prompt / (of_read.sum() + of_answer[:2].sum()), rel=1e-4)
    assert shares["earlier_share"] == pytest.approx(
        of_answer[:2].sum() / (of_read.sum() + of_answer[:2].sum()), rel=1e-4
    )


def test_integrated_gradients_of_a_subword_add_up_to_its_change_from_the_baseline(torch, writer):
    model = writer("decoder")
    found = explained(model, "integrated-gradients", steps=200)
    ids, written = subwords_by_hand(torch, model, TEXT)
    end = model.loaded.tokenizer.eos_token_id  # the baseline of a decoder without other subwords
    with torch.no_grad():
        after = logits_by_hand(torch, model, ids, written)
        before = logits_by_hand(torch, model, [end] * len(ids), [end] * len(written))
    changes = [float(after[step, subword] - before[step, subword]) for step, subword in enumerate(written)]
    sums = [sum(row) + sum(earlier) for row, earlier in zip(found.written.scores, found.written.earlier, strict=True)]
    assert max(map(abs, changes)) > 0.05
    assert sums == pytest.approx(changes, abs=0.01)
    assert dict(found.facts)["output_change"] == pytest.approx(np.mean(changes), abs=1e-3)
    assert found.convergence == pytest.approx(np.mean(sums) - np.mean(changes), abs=1e-4)


@pytest.mark.parametrize("name", ["decoder", "paired"])
def test_occlusion_asks_again_without_a_word_and_without_a_subword_that_was_written(torch, writer, name):
    model = writer(name)
    found = explained(model, "occlusion", removal="delete")
    ids, written = subwords_by_hand(torch, model, TEXT)
    shorter = model.loaded.tokenizer("the plot was dull")["input_ids"]
    with torch.no_grad():
        whole = logits_by_hand(torch, model, ids, written)
        without_word = logits_by_hand(torch, model, shorter, written)
        without_subword = logits_by_hand(torch, model, ids, [*written[:1], *written[2:]])
    for step, subword in enumerate(written):
        assert found.written.scores[step][1] == pytest.approx(
            float(whole[step, subword] - without_word[step, subword]), abs=1e-5
        )
        if step > 1:
            change = float(whole[step, subword] - without_subword[step - 1, subword])
            assert found.written.earlier[step][1] == pytest.approx(change, abs=1e-5)


@pytest.mark.parametrize("method", ["gradient-x-input", "integrated-gradients", "occlusion"])
def test_the_map_of_all_subwords_is_the_mean_of_theirs_and_belongs_to_no_label(writer, method):
    found = explained(
        writer("decoder", "{text}\nSo: {label}"), method, **({"steps": 3} if "integrated" in method else {})
    )
    assert found.scores == pytest.approx(np.mean(found.written.scores, axis=0))
    assert len(found.scores) == len(TEXT.split())
    assert [len(row) for row in found.written.earlier] == list(range(len(found.written.subwords)))
    assert found.label == ""


def test_magnitudes_have_no_sign_and_the_parameters_say_everything(writer):
    model = writer("decoder", "{text}\nSo:", 4)
    assert min(min(row) for row in explained(model, "gradient-x-input", magnitude="word").written.scores) >= 0
    method = make_explainer(model, "gradient-x-input", {"magnitude": "word"})
    assert not method.is_signed
    assert method.parameters == {
        "magnitude": "word", "output": "logit", "merge": "sum", "too_long": "refuse", "prompt": "{text}\nSo:", "longest": 4,
    }  # fmt: skip
    assert make_explainer(model, "occlusion", {}).parameters["removal"] == "delete"


def test_another_prompt_or_length_is_a_model_of_its_own(writer):
    usual = writer("decoder", LoadOptions().prompt, LoadOptions().longest_answer)
    others = [writer("decoder", "{text} So:", 20).name, writer("decoder", LoadOptions().prompt, 7).name]
    assert usual.name == "decoder writing"
    assert all(re.fullmatch(r"decoder writing [0-9a-f]{6}", name) for name in others)
    assert len(set(others)) == 2


def test_a_question_is_read_but_has_no_scores(writer):
    model = writer("decoder", "{text}\nSo:")
    found = explained(model, "gradient-x-input", reading("the plot", "was it dull ?"))
    assert len(found.scores) == 2


def test_a_text_that_is_too_long_is_refused_or_cut_before_its_prompt(writer):
    long = " ".join(["dull"] * 80)
    with pytest.raises(
        ModelError,
        match=r"Input 'dull dull dull dull dull dull dull dull dull dull ' \(81 subwords\) exceeds 'decoder' \(55 besides 5 subwords of output\)\.",
    ):
        explained(writer("decoder"), "gradient-x-input", long)
    cut = explained(writer("decoder", "{text}\nSo:", too_long="cut"), "occlusion", long)
    assert np.isnan(cut.scores).any()
    assert not np.isnan(cut.scores[:5]).any()
    assert dict(cut.facts)["unseen_tokens"] == np.isnan(cut.scores).sum()


def test_a_model_that_ends_at_once_is_said_to_write_nothing(torch, tmp_path):
    ends = tmp_path / "ends"
    decoder(ends)
    likeliest = load_predictor(f"transformers-writing:{ends}", LoadOptions(device="cpu", prompt=BARE, longest_answer=1))
    (first,) = likeliest.write(likeliest.loaded.encoded(one_text(TEXT)))
    likeliest.loaded.model.generation_config.eos_token_id = first
    with pytest.raises(ModelError, match=r"' generates nothing for 'the unbelievable plot was dull'\.") as caught:
        explained(likeliest, "gradient-x-input")
    assert caught.value.reason == "to which the model writes nothing"


def test_what_cannot_write_or_be_written_on_is_refused_with_what_can(folders, writers, writer):
    with pytest.raises(ModelError, match=r"'bert' \(BertForSequenceClassification\) isn't a generative model\."):
        load_predictor(f"transformers-writing:{folders['bert']}", LoadOptions())
    for template in ("no place", "{text} and {text}", "{label} {text}", "{text} {label}."):
        with pytest.raises(
            InvalidValue, match=re.escape(f"Invalid prompt '{template}': {{text}} once and {{label}} at the end, e.g. ")
        ):
            writer("decoder", template)
    with pytest.raises(InvalidValue, match=r"\(60 subwords\) has no room besides"):
        writer("decoder", longest=60)
    with pytest.raises(InvalidValue, match=r"Use refuse or cut for generative models\."):
        writer("decoder", too_long="windows")
    with pytest.raises(
        InvalidValue,
        match=r"attention can't explain generated text\. Use gradient-x-input, integrated-gradients, occlusion, or transformers-zero-shot:FOLDER\.",
    ):
        make_explainer(writer("decoder"), "attention", {})
    with pytest.raises(InvalidValue, match="no parameter samples"):
        make_explainer(writer("decoder"), "occlusion", {"samples": 3})
    with pytest.raises(
        ModelError,
        match=r"gives no label probabilities\. Use 'annotator attribute', or transformers-zero-shot:FOLDER\.",
    ):
        writer("decoder").probabilities([one_text(TEXT)])


def test_the_model_is_told_that_no_subword_is_padding_when_it_is_seen_whether_it_looks_forward(torch, writer):
    loaded, given = writer("decoder").loaded, []
    hook = loaded.model.register_forward_pre_hook(lambda _, __, named: given.append(named), with_kwargs=True)
    check_causal(torch, loaded)
    hook.remove()
    (named,) = given
    assert named["attention_mask"].tolist() == [[1, 1, 1], [1, 1, 1]]


def test_a_prompt_ends_where_the_label_would_stand():
    assert Prompt.to_be_written_on("{text}\nLabel: {label}") == Prompt((), "", "\nLabel:", ())
    assert Prompt.to_be_written_on("Read {text}.") == Prompt((), "Read ", ".", ())


# A model that copies -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def copying(copier_folder: Path) -> Writer:
    given = LoadOptions(device="cpu", prompt="{text} :", longest_answer=3)
    made = load_predictor(f"transformers-writing:{copier_folder}", given)
    assert isinstance(made, Writer)
    return made


@pytest.mark.parametrize("method", ["gradient-x-input", "integrated-gradients", "occlusion"])
def test_of_a_model_that_copies_a_cue_the_map_finds_the_cue(copying, method):
    texts = ["film plot dull year film music", "great film film plot people year", "plot plot script people music week"]
    for text in texts:
        # through layer normalisation ⟨gradient, input⟩ is about 0 with either sign: its size finds the cue
        found = explained(copying, method, text, **({"magnitude": "word"} if "gradient-x" in method else {}))
        cue = next(word for word in text.split() if word in CUES)
        assert found.written.text == cue
        assert len(found.written.subwords) == 1  # then it ends
        assert int(np.argmax(found.scores)) == text.split().index(cue)


@pytest.mark.parametrize("name", ["decoder", "paired"])
@pytest.mark.parametrize("output", ["logit", "probability"])
def test_occlusion_in_batches_has_the_scores_of_one_question_at_a_time_and_asks_less_often(writer, name, output):
    alone, together = writer(name), writer(name)
    counts = {1: 0, 16: 0}
    for model, size in ((alone, 1), (together, 16)):
        model.loaded = replace(model.loaded, batch_size=size)
        model.loaded.model.register_forward_pre_hook(lambda *_, size=size: counts.update({size: counts[size] + 1}))
    one, several = (explained(model, "occlusion", output=output) for model in (alone, together))
    assert several.written.subwords == one.written.subwords
    np.testing.assert_allclose(several.written.scores, one.written.scores, rtol=1e-4, atol=1e-6)
    for ours, theirs in zip(several.written.earlier, one.written.earlier, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)
    assert counts[16] < counts[1]


def test_a_decoder_that_keeps_what_it_read_writes_the_subwords_of_one_that_reads_all_each_time(torch, writer):
    """The second has a forward that takes no kept keys and values."""
    model = writer("decoder", longest=12)
    encoded, lengths = model.loaded.encoded(one_text(TEXT)), []
    model.loaded.model.transformer.register_forward_pre_hook(
        lambda _, __, given: lengths.append(given["inputs_embeds"].shape[1]), with_kwargs=True
    )
    kept = model.write(encoded)
    assert set(lengths[1:]) == {1}
    whole = model.loaded.model.forward
    model.loaded.model.forward = lambda inputs_embeds, attention_mask, use_cache: whole(
        inputs_embeds=inputs_embeds, attention_mask=attention_mask, use_cache=use_cache
    )
    lengths.clear()
    assert model.write(encoded) == kept
    assert lengths == [*range(len(encoded.ids), len(encoded.ids) + len(lengths))]


# A model that writes its answers, through the use case: what is stored, counted, gone on with, exported and shown.

TEXTS = {
    "right": "film great plot year film music",
    "wrong": "film plot dull year film music",
    "none": "week film plot year film music",
}
WORDS = {"good": "great", "bad": "dull"}


@pytest.fixture
def films(store: Store, import_rows: Callable[..., object]) -> Project:
    made = create_project(store, LOCAL_OPERATOR, "Films", get_task("sentiment"), labels=["good", "bad"])
    import_rows(made, [{"id": key, "text": text, "label": "good"} for key, text in TEXTS.items()])
    return made


def run(
    store: Store,
    project: Project,
    folder: Path,
    method: str = "occlusion",
    actor: User = LOCAL_OPERATOR,
    **more: object,
) -> AttributingReport:
    words = more.pop("words", WORDS)
    load = LoadOptions(device="cpu", prompt="{text} :", longest_answer=3, label_words=words)  # type: ignore[arg-type]
    options = AttributingOptions(load=load, **more)  # type: ignore[arg-type]
    return attribute(store, actor, project, f"transformers-writing:{folder}", method, options)


def of_method(store: Store, project: Project, method: str) -> list[Attribution]:
    (stored,) = [one for one in list_runs(store, project.id) if one.run.method == method]
    return [attribution for output in iterate_outputs(store, stored.id) for attribution in output.attributions]


def test_what_is_written_is_stored_with_its_maps_and_is_an_answer_where_it_is_a_labels_words(
    store: Store, films: Project, copier_folder: Path
) -> None:
    report = run(store, films, copier_folder)
    assert (report.n_attributions, report.n_answers, report.n_unscored, report.n_left_out) == (3, 2, 1, 0)
    maps = of_method(store, films, "occlusion")
    assert [one.written.text for one in maps if one.written] == ["great", "dull", "week"]
    assert [len(one.scores) for one in maps] == [6, 6, 6]
    (answers,) = [one for one in list_runs(store, films.id) if not one.run.method]
    labels = [output.predictions[0].label for output in iterate_outputs(store, answers.id)]
    assert labels == ["good", "bad"]  # “week” is no label's word: it counts neither as right nor as wrong
    assert check(store) == []


def test_the_same_command_goes_on_and_computes_nothing_twice(store: Store, films: Project, copier_folder: Path) -> None:
    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    load = LoadOptions(device="cpu", prompt="{text} :", longest_answer=3, label_words=WORDS)
    options = AttributingOptions(load=load, batch_size=1)
    with pytest.raises(KeyboardInterrupt):
        attribute(
            store, LOCAL_OPERATOR, films, f"transformers-writing:{copier_folder}", "occlusion", options, progress=stop
        )
    assert len(of_method(store, films, "occlusion")) == 1
    second, third = run(store, films, copier_folder), run(store, films, copier_folder)
    assert (second.n_known, second.n_attributions) == (1, 2)
    assert (third.n_known, third.n_attributions) == (3, 0)
    assert run(store, films, copier_folder, is_anew=True).n_attributions == 3


def test_a_task_of_answers_takes_what_is_written_as_the_answer(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], copier_folder: Path
) -> None:
    made = make_project("reading", name="Reading")
    import_rows(made, [{"id": "r", "passage": "film great year people", "question": "plot music", "answer": "great"}])
    report = run(store, made, copier_folder, words={})
    assert (report.n_answers, report.n_unscored) == (1, 0)
    (answers,) = [one for one in list_runs(store, made.id) if not one.run.method]
    (output,) = iterate_outputs(store, answers.id)
    assert output.predictions[0].result == "great"
    assert len(of_method(store, made, "occlusion")[0].scores) == 4  # the passage's tokens: the question is not marked


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"label": "good"}, r"Generative models take no --label \('good'\)\. Use transformers-zero-shot:FOLDER\."),
        ({"has_faithfulness": True}, "Faithfulness needs probabilities. Use transformers-zero-shot:FOLDER."),
        ({"renamed": {"a": "good"}}, "Generative models have no labels. Add --label-words LABEL=WORDS."),
        ({"words": {"fine": "great"}}, "Unknown label 'fine'. Available:"),
    ],
)
def test_what_such_a_model_cannot_be_asked_for_is_refused_before_anything_is_stored(
    store: Store, films: Project, copier_folder: Path, options: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidValue, match=said):
        run(store, films, copier_folder, **options)
    assert list_runs(store, films.id) == []


def test_nobody_without_the_right_can_have_it_written(
    store: Store, films: Project, copier_folder: Path, add_person: Callable[..., User]
) -> None:
    with pytest.raises(NotAllowed):
        run(store, films, copier_folder, actor=add_person("ann", films, "annotator"))
    assert list_runs(store, films.id) == []


def test_our_own_export_holds_the_maps_of_all_subwords_and_gives_them_back(
    store: Store, films: Project, copier_folder: Path, tmp_path: Path
) -> None:
    run(store, films, copier_folder)
    export_file(store, LOCAL_OPERATOR, films, "jsonl", tmp_path / "films.jsonl")
    again = create_project(store, LOCAL_OPERATOR, "Again", get_task("sentiment"))
    import_file(store, LOCAL_OPERATOR, again, "jsonl", tmp_path / "films.jsonl")
    assert of_method(store, again, "occlusion") == of_method(store, films, "occlusion")
    assert check(store) == []


def test_a_written_answer_that_does_not_fit_is_refused_with_its_line(
    store: Store, films: Project, copier_folder: Path, tmp_path: Path
) -> None:
    run(store, films, copier_folder)
    export_file(store, LOCAL_OPERATOR, films, "jsonl", tmp_path / "films.jsonl")
    records = [json.loads(line) for line in (tmp_path / "films.jsonl").read_text().splitlines()]
    place = next(n for n, record in enumerate(records) if record.get("method") == "occlusion")
    records[place]["attributions"][0]["written"]["scores"][0].append(0.5)
    (tmp_path / "changed.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    again = create_project(store, LOCAL_OPERATOR, "Again", get_task("sentiment"))
    with pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, again, "jsonl", tmp_path / "changed.jsonl")
    (problem,) = refused.value.problems
    assert problem.line == place + 1
    assert "Generated subwords have scores for 7 tokens, the attribution has" in problem.reason
    assert list_runs(store, again.id) == []


def test_the_check_finds_maps_of_subwords_that_are_of_another_number_of_tokens(
    store: Store, films: Project, copier_folder: Path
) -> None:
    run(store, films, copier_folder)
    with store.transaction():
        store.run(
            "UPDATE attributions SET written = json_remove(written, '$.scores[0][0]') WHERE written LIKE '%dull%'"
        )
    (problem,) = check(store)
    assert "wrong" in problem


def test_saliency_shows_the_answer_with_the_map_of_each_subword(
    store: Store, films: Project, copier_folder: Path
) -> None:
    run(store, films, copier_folder)
    (stored,) = [one for one in list_runs(store, films.id) if one.run.method]
    (first, _, third) = [output.instance_id for output in iterate_outputs(store, stored.id)]
    (panel,) = [one for one in show_instance(store, LOCAL_OPERATOR, first, None).panels if one.method]
    assert panel.written is not None
    assert panel.written.subwords == ("great",)
    assert panel.written.scores[0] == panel.scores
    assert panel.answer is not None
    (unscored,) = [one for one in show_instance(store, LOCAL_OPERATOR, third, None).panels if one.method]
    assert unscored.answer is None


def test_a_label_is_known_by_whole_words_at_the_beginning() -> None:
    labels = ("good", "not good", "c++")
    assert label_in(" “Good”, I think", labels, {}) == "good"
    assert label_in("not good at all", labels, {}) == "not good"
    assert label_in("it is good", labels, {}) is None
    assert label_in("goods", labels, {}) is None
    assert label_in("C++ is one", labels, {}) == "c++"
    assert label_in("great", labels, {"good": "great"}) == "good"
    assert label_in("good", labels, {"good": "great"}) is None


NO_SUBWORDS = r"Generated text needs subwords, and a score row for each\."
UNEQUAL_ROWS = r"Each score row needs a score per token and earlier generated subword\."


@pytest.mark.parametrize(
    ("subwords", "scores", "earlier", "reason"),
    [
        ((), (), (), NO_SUBWORDS),
        (("a",), (), ((),), NO_SUBWORDS),
        (("a",), ((1.0,),), ((1.0,),), UNEQUAL_ROWS),
        (("a", "b"), ((1.0,), (1.0, 2.0)), ((), (0.0,)), UNEQUAL_ROWS),
    ],
)
def test_a_written_answer_has_a_row_of_each_kind_for_each_subword(
    subwords: tuple[str, ...], scores: object, earlier: object, reason: str
) -> None:
    with pytest.raises(InvalidValue, match=reason):
        Written(subwords, scores, earlier)  # type: ignore[arg-type]
