"""Attributions of a transformers model: what ours cost beyond torch and captum called directly, and the device's speed.

A model of random weights in the shape of MiniLM (6 layers of 384), 16 texts of 40 words, one thread. Both sides begin with
texts and go through the same batches; ours also finds the places of subwords, lays their scores on words and checks them.
Limit: 15 % more. Ours puts texts of about the same length together; the direct way gets them in that order too. Processor
time is compared: all of it is one thread's, and a busy machine adds little to it.

LIME, occlusion and faithfulness are measured in a project, on one thread as above, or by the clock on a GPU where torch has
one: inputs a second as a share of those of the model alone, which gets the same inputs as tensors that are ready, sorted by
length, in batches of the size that is the quickest. The texts come in parts, ours and the model alone by turns.
"""

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from annotator.attribution.base import Input, SegmentTokens
from annotator.attribution.loaders import LoadOptions, load_predictor
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.store import Store, open_store
from annotator.store.instances import queue_keys
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from benchmarks.measured import Measured, by_turns, table

_N_TEXTS, _N_WORDS, _BATCH = 16, 40, 8
_N_INTEGRATED, _STEPS = 2, 16
_ROUNDS = 5
_AT_MOST = 1.15

_SHORT, _LONG = (200, 20, 4), (2, 300, 1)  # texts, tokens, parts
_SAMPLES = "10"
_SIZES = {"cpu": (4, 8, 16, 32, 64), "cuda": (32, 128, 512, 2048)}
_TRIED = 64  # inputs on which sizes are tried


def main() -> list[Measured]:
    """Each method against its direct call, by turns; nothing where the extra `models` is not installed."""
    absent = [package for package in ("torch", "transformers", "captum") if find_spec(package) is None]
    if absent:
        print(f"SKIPPED: {', '.join(absent)} is not installed (pip install 'rationale-annotator[models]').")
        return []
    from annotator.attribution.transformers_models import explainer, load

    texts = _texts()
    with tempfile.TemporaryDirectory() as name:
        save_model(Path(name) / "minilm")
        model: Any = load(str(Path(name) / "minilm"), device="cpu", threads=1, batch_size=_BATCH)
    rows = []
    for method, direct, some in (
        ("integrated-gradients", _integrated, texts[:_N_INTEGRATED]),
        ("gradient-x-input", _gradient, texts),
        ("attention", _attention, texts),
    ):
        is_integrated = method == "integrated-gradients"
        ours = explainer(model, method, {"steps": _STEPS} if is_integrated else {}, None)
        explain = partial(ours.explain, [_input(text) for text in some], ["yes"] * len(some))
        what = f"{method}, {len(some)} texts" + (f", {_STEPS} steps" if is_integrated else "")
        rows.append(_measured(what, explain, partial(direct, model, some)))
    return rows + [row for kind in (_SHORT, _LONG) for row in _shares(*kind)]


def _measured(what: str, ours: Callable[[], object], direct: Callable[[], object]) -> Measured:
    """Medians of rounds by turns, after one of each that does not count."""
    first, second = by_turns(ours, direct, _ROUNDS)
    return Measured(what, first, "ms", second, "torch and captum alone", _AT_MOST)


# The direct way: as a notebook would do it ----------------------------------------------------------------------------


def _integrated(model: Any, texts: Sequence[str]) -> list[Any]:
    import torch
    from captum.attr import LayerIntegratedGradients

    bare, tokenizer = model.loaded.model, model.loaded.tokenizer

    def forward(ids: Any, mask: Any) -> Any:
        return bare(input_ids=ids, attention_mask=mask).logits

    method = LayerIntegratedGradients(forward, bare.get_input_embeddings())
    found = []
    for text in texts:
        given = tokenizer(text, return_tensors="pt", return_special_tokens_mask=True)
        ids = given["input_ids"]
        baseline = torch.where(given["special_tokens_mask"].bool(), ids, tokenizer.mask_token_id)
        scores, delta = method.attribute(
            ids, baseline, target=1, additional_forward_args=(given["attention_mask"],), n_steps=_STEPS,
            internal_batch_size=_BATCH, return_convergence_delta=True,
        )  # fmt: skip
        found.append((scores.sum(2).tolist(), float(delta)))
    return found


def _gradient(model: Any, texts: Sequence[str]) -> list[Any]:
    import torch

    bare, tokenizer = model.loaded.model, model.loaded.tokenizer
    found = []
    for first in range(0, len(texts), _BATCH):
        given = tokenizer(list(texts[first : first + _BATCH]), return_tensors="pt", padding=True)
        embedded = bare.get_input_embeddings()(given["input_ids"]).detach().requires_grad_()
        logits = bare(inputs_embeds=embedded, attention_mask=given["attention_mask"]).logits
        (gradient,) = torch.autograd.grad(logits[:, 1].sum(), embedded)
        found += (gradient * embedded.detach()).sum(2).tolist()
    return found


def _attention(model: Any, texts: Sequence[str]) -> list[Any]:
    import torch

    bare, tokenizer = model.loaded.model, model.loaded.tokenizer
    found = []
    for first in range(0, len(texts), _BATCH):
        given = tokenizer(list(texts[first : first + _BATCH]), return_tensors="pt", padding=True)
        with torch.inference_mode():
            found += bare(**given, output_attentions=True).attentions[-1][:, :, 0].mean(1).tolist()
    return found


# The device's speed ---------------------------------------------------------------------------------------------------


class _Recorder:
    """What the model was asked since the last `begin`: each input's subwords, how many batches, and since when."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.ids: list[Any] = []
        self.n_batches = 0
        self.began = 0.0

    def begin(self) -> None:
        self.ids, self.n_batches = [], 0

    def ask(self, ask: Callable[..., Any], loaded: Any, batch: Any, *embeddings: Any) -> Any:
        """In the place of the model's `ask`."""
        if not self.n_batches:
            self.began = self.clock()
        self.n_batches += 1
        self.ids += [ids[mask.bool()] for ids, mask in zip(batch.ids.cpu(), batch.mask.cpu(), strict=True)]
        return ask(loaded, batch, *embeddings)


def _shares(n_texts: int, n_tokens: int, n_parts: int) -> list[Measured]:
    """Inputs a second of each method, with the model's beside it."""
    import torch

    from annotator.attribution.transformers_networks import Loaded

    device = "cuda" if torch.cuda.is_available() else "cpu"
    clock = time.process_time if device == "cpu" else time.perf_counter
    recorder, ask = _Recorder(clock), Loaded.ask
    Loaded.ask = lambda *given: recorder.ask(ask, *given)  # type: ignore[method-assign]
    try:
        with tempfile.TemporaryDirectory() as name, open_store(Path(name) / "texts.db", create=True) as store:
            save_model(Path(name) / "minilm")
            project = _project(store, Path(name), n_texts, n_tokens)
            ids = [instance_id for instance_id, _key, _ in queue_keys(store, project.id)]
            parts = [frozenset(ids[part::n_parts]) for part in range(n_parts)]
            load = LoadOptions(device=device, threads=1, too_long="cut")
            spec = f"transformers:{name}/minilm"
            bare = load_predictor(spec, load).loaded.model  # type: ignore[attr-defined]
            rows = []
            for method, has_faithfulness in (("lime", False), ("occlusion", False), ("occlusion", True)):
                options = AttributingOptions(
                    load=load, renamed={"no": "no", "yes": "yes"}, has_faithfulness=has_faithfulness, ratio=0.2,
                    parameters={"samples": _SAMPLES} if method == "lime" else {},
                )  # fmt: skip
                what = (
                    f"{'faithfulness' if has_faithfulness else method}, {n_texts} texts of {n_tokens} tokens, {device}"
                )
                work = [partial(attribute, store, LOCAL_OPERATOR, project, spec, method, replace(options, only=part))
                        for part in parts]  # fmt: skip
                rows.append(_share(what, work, recorder, partial(_alone, bare, device, clock), _SIZES[device]))
            return rows
    finally:
        Loaded.ask = ask  # type: ignore[method-assign]


def _share(
    what: str, work: Sequence[Callable[[], object]], recorder: _Recorder,
    alone: Callable[[Sequence[Any], int], float], sizes: Sequence[int],
) -> Measured:  # fmt: skip
    """Part by part, ours and the model alone; the quickest size is that of the first part's inputs."""
    best, n_inputs, n_batches, ours, direct = 0, 0, 0, 0.0, 0.0
    for compute in work:
        recorder.begin()
        compute()
        ours += recorder.clock() - recorder.began
        inputs = sorted(recorder.ids, key=len)
        n_inputs, n_batches = n_inputs + len(inputs), n_batches + recorder.n_batches
        if not best:
            tried = inputs[:: -(-len(inputs) // _TRIED)]
            best = min(sizes, key=lambda size: min(alone(tried, size) for _ in range(2)))
        direct += alone(inputs, best)
    return Measured(
        f"{what}: {n_inputs} inputs, {n_inputs / n_batches:.1f} in a batch", n_inputs / ours, "inputs/s",
        n_inputs / direct, f"the model alone, {best} in a batch",
    )  # fmt: skip


def _alone(bare: Any, device: str, clock: Callable[[], float], inputs: Sequence[Any], size: int) -> float:
    """The seconds in which the model answers inputs that are ready, sorted by length."""
    import torch

    batches = []
    for first in range(0, len(inputs), size):
        ids = torch.nn.utils.rnn.pad_sequence(list(inputs[first : first + size]), batch_first=True)
        batches.append((ids.to(device), (ids != 0).long().to(device)))  # 0 is [PAD]
    began = clock()
    with torch.inference_mode():
        torch.cat([bare(input_ids=ids, attention_mask=mask).logits for ids, mask in batches]).cpu()
    return clock() - began


def _project(store: Store, folder: Path, n_texts: int, n_tokens: int) -> Project:
    """Texts of about so many tokens, each of one or two subwords."""
    project = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
    draw = random.Random(7)
    words = ["".join(draw.choices("aeioumnrst", k=draw.randint(2, 5))) for _ in range(400)]
    lines = []
    for number in range(n_texts):
        text = " ".join(draw.choices(words, k=n_tokens + draw.randint(-n_tokens // 5, n_tokens // 5)))
        lines.append(f'{{"id": "t{number}", "text": "{text}"}}')
    (folder / "texts.jsonl").write_text("\n".join(lines), encoding="utf-8")
    import_file(store, LOCAL_OPERATOR, project, "jsonl", folder / "texts.jsonl")
    return project


# What it runs on -----------------------------------------------------------------------------------------------------


def _texts() -> list[str]:
    """Texts, the shortest first."""
    draw = random.Random(7)
    words = ["".join(draw.choices("aeioumnrst", k=draw.randint(2, 9))) for _ in range(400)]
    lengths = sorted(draw.randint(_N_WORDS // 2, _N_WORDS * 3 // 2) for _ in range(_N_TEXTS))
    return [" ".join(draw.choices(words, k=length)) for length in lengths]


def _input(text: str) -> Input:
    tokens = tuple(text.split(" "))
    return Input((SegmentTokens("text", tokens, (*[" "] * (len(tokens) - 1), "")),))


def save_model(folder: Path, n_subwords: int = 0) -> None:
    """A model with random weights, and a tokenizer whose subwords are one to three letters.

    n_subwords: of the vocabulary, filled up with subwords that no text has
    """
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(7)
    letters = "aeioumnrst"
    subwords = [
        *letters,
        *(a + b for a in letters for b in letters),
        *(a + b + c for a in letters for b in letters for c in letters),
    ]
    known = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *subwords, *(f"##{subword}" for subword in subwords)]
    known += [f"[unused{number}]" for number in range(n_subwords - len(known))]
    cutting = Tokenizer(models.WordPiece({subword: number for number, subword in enumerate(known)}, unk_token="[UNK]"))
    cutting.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    cutting.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=cutting, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]",
    )  # fmt: skip
    config = transformers.BertConfig(
        vocab_size=len(known), hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536,
        id2label={0: "no", 1: "yes"}, label2id={"no": 0, "yes": 1},
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    print(table([("attribute_overhead", row) for row in main()]))
