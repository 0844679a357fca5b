"""Training a transformers model: what ours costs beyond a plain loop, what alignment costs beyond none, windows, and memory.

A model of random weights in the shape of MiniLM (6 layers of 384) learns on one thread. The plain loop is what a notebook would
do with the same model and the same batches: filled up, asked, one step of AdamW with cut gradients; ours also keeps a checkpoint
and the weights of the best epoch. Processor time is compared, by turns, and the smallest of the rounds is taken: other work on
the machine only ever adds to it. Memory is the highest resident size of a process of its own.

Limits: 1.15 times the plain loop; alignment 2.6 times a step without (attention and extractor 1.2, integrated gradients of four
points, each with a second backward pass, 9.5); a token in windows 2.3 times one of a text of one window, since windows
overlap by half; 4 GB for eight texts of 512 subwords, alignment included. An encoder-lstm over the same model reads
5,000 subwords in 1.15 times a plain loop over windows, and a token of them costs 1.15 times one of 2,500. A pipeline of two such
models answers in 1.2 times a plain loop over sentences.
"""

import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from annotator.attribution.base import Input, SegmentTokens
from annotator.training.alignment import AlignmentOptions, Extractor
from annotator.training.examples import Example, Row, rows_of, training_batch
from annotator.training.loop import Checkpoint, FittingOptions, fit
from annotator.training.trainable_models import NewModel, Trainable, make
from benchmarks.attribute_overhead import save_model
from benchmarks.measured import Measured, table

_LABELS = ("no", "yes")
_N_TEXTS, _N_WORDS, _BATCH = 64, 60, 8
_ROUNDS = 4
_LENGTHS = (512, 1_024, 2_048, 4_096)
_SPECIAL = 2  # [CLS] and [SEP]
_N_SUBWORDS = 30_522  # of MiniLM's vocabulary
_LONG, _LONG_BATCH = 512, 8
_BY: dict[Extractor, float] = {"attention": 1.2, "extractor": 1.2, "integrated-gradients": 9.5}
_LOOP, _ALIGNMENT, _WINDOW, _GIGABYTES = 1.15, 2.6, 2.3, 4.0
_DOCUMENTS, _WINDOW_OF_BASE, _AT_ONCE = (2_500, 5_000), 512, 8
_N_SENTENCES, _SENTENCE, _PIPELINE = 10, 20, 1.2


def main() -> list[Measured]:
    """Nothing where the extra `models` is not installed."""
    absent = [package for package in ("torch", "transformers") if find_spec(package) is None]
    if absent:
        print(f"SKIPPED: {', '.join(absent)} is not installed (pip install 'rationale-annotator[models]').")
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "minilm"
        save_model(folder, _N_SUBWORDS)
        memory = _memory(folder)  # first: a child begins with what its parent has used so far
        return [
            *_loops(folder, Path(name) / "checkpoint.pt"),
            *_windows(folder),
            *_encoder_lstm(folder),
            _pipeline(folder),
            memory,
        ]


def _loops(folder: Path, checkpoint: Path) -> list[Measured]:
    """An epoch of ours, of the plain loop, and of ours with an alignment."""
    trainable = make(NewModel(_LABELS, base=str(folder), device="cpu"), (), 0)
    rows = _rows(trainable, [_N_WORDS] * _N_TEXTS)
    options = FittingOptions(epochs=1, batch_size=_BATCH)
    aligned = FittingOptions(epochs=1, batch_size=_BATCH, alignment=AlignmentOptions("mse"))

    def ours() -> None:
        checkpoint.unlink(missing_ok=True)
        fit(trainable, rows, [], options, checkpoint=Checkpoint(checkpoint, "benchmark"))

    loop, plain, with_alignment, without = _smallest(
        ours, lambda: _plain(trainable, rows), lambda: fit(trainable, rows, [], aligned),
        lambda: fit(trainable, rows, [], options),
    )  # fmt: skip
    n_steps = _N_TEXTS // _BATCH
    return [
        Measured(f"an epoch of {n_steps} steps, with its checkpoint", loop, "s", plain, "a plain loop", _LOOP),
        Measured("a step with alignment", with_alignment / n_steps, "s", without / n_steps, "without", _ALIGNMENT),
        *_other_alignments(folder, rows),
    ]


def _other_alignments(folder: Path, rows: Sequence[Row]) -> list[Measured]:
    """A step that aligns what costs less, or more, than input × gradient, beside one without of the same model."""
    trainable = make(NewModel(_LABELS, base=str(folder), device="cpu"), (), 0)

    def aligned(by: Extractor | None) -> Callable[[], object]:
        alignment = None if by is None else AlignmentOptions("mse", by=by)
        options = FittingOptions(epochs=1, batch_size=_BATCH, alignment=alignment)
        return lambda: fit(trainable, rows, [], options)

    without, *others = _smallest(aligned(None), *map(aligned, _BY))
    n_steps = _N_TEXTS // _BATCH
    return [
        Measured(f"a step that aligns {by}", seconds / n_steps, "s", without / n_steps, "without", limit)
        for (by, limit), seconds in zip(_BY.items(), others, strict=True)
    ]


def _plain(trainable: Trainable, rows: Sequence[Row]) -> None:
    """The batches that ours draws, one after the other."""
    import torch

    from annotator.training.examples import drawn_batches

    model, tokenizer = trainable.model, trainable.cutter.tokenizer
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5, weight_decay=0.01)
    model.train()
    for numbers in drawn_batches(rows, _BATCH, None, 0, 0):
        given = tokenizer.pad({"input_ids": [list(rows[n].encoded.ids) for n in numbers]}, return_tensors="pt")
        targets = torch.tensor([rows[n].target for n in numbers])
        loss = torch.nn.functional.cross_entropy(model(**given).logits, targets)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def _windows(folder: Path) -> list[Measured]:
    """A step on one text of each length, by tokens, against that of one window."""
    new = NewModel(_LABELS, base=str(folder), device="cpu", too_long="windows")
    trainable = make(new, (), 0)
    rows = [_rows(trainable, [length - _SPECIAL]) for length in _LENGTHS]
    options = FittingOptions(epochs=1, batch_size=1)
    taken = _smallest(*(lambda of_length=of_length: fit(trainable, of_length, [], options) for of_length in rows))
    first, *longer = [1e6 * seconds / length for seconds, length in zip(taken, _LENGTHS, strict=True)]
    return [
        Measured(
            f"windows, a text of {length:,} tokens: a token", value, "µs", first, f"of {_LENGTHS[0]} tokens", _WINDOW
        )
        for length, value in zip(_LENGTHS[1:], longer, strict=True)
    ]


def _encoder_lstm(folder: Path) -> list[Measured]:
    """Reading a document of each length through windows, an LSTM and attention, against a plain loop over the longer one."""
    import torch

    trainable = make(NewModel(_LABELS, str(folder), device="cpu", architecture="encoder-lstm"), (), 0)
    trainable.model.eval()
    rows = [_rows(trainable, [length - _SPECIAL]) for length in _DOCUMENTS]
    batches = [training_batch(of, trainable.cutter.tokenizer, "cpu").subwords for of in rows]
    with torch.inference_mode():
        shorter, longer, plain = _smallest(
            *(lambda batch=batch: trainable.ask(batch) for batch in batches),
            lambda: _plain_windows(trainable.model, batches[1].ids[0]),
        )  # fmt: skip
    by_token = [1e6 * seconds / length for seconds, length in zip((shorter, longer), _DOCUMENTS, strict=True)]
    return [
        Measured(f"encoder-lstm, reading {_DOCUMENTS[1]:,} tokens", longer, "s", plain, "a plain loop over windows", _LOOP),
        Measured("the same: a token", by_token[1], "µs", by_token[0], f"of {_DOCUMENTS[0]:,} tokens", _LOOP),
    ]  # fmt: skip


def _plain_windows(model: Any, ids: Any) -> Any:
    """What a notebook would do: windows of the same size, eight at a time, their middles side by side, LSTM and attention."""
    import torch

    room = _WINDOW_OF_BASE - _SPECIAL
    starts = range(0, len(ids) - _SPECIAL - room // 2, room // 2)
    cut = [torch.cat([ids[:1], ids[1 + start : 1 + min(start + room, len(ids) - 2)], ids[-1:]]) for start in starts]
    middles = []
    for first in range(0, len(cut), _AT_ONCE):
        part = torch.nn.utils.rnn.pad_sequence(cut[first : first + _AT_ONCE], batch_first=True)
        middles.append(
            model.encoder(part, attention_mask=(part > 0).long()).last_hidden_state[:, room // 4 : 3 * room // 4]
        )
    states = model.recurrent(torch.cat([middle.flatten(0, 1) for middle in middles])[None])[0]
    weights = model.query(model.attention(states).tanh()).softmax(dim=1)
    return model.head(model.hidden((weights * states).sum(dim=1)).relu())


def _pipeline(folder: Path) -> Measured:
    """Selecting a sentence of each text and answering from it, against a plain loop over the same sentences."""
    import torch

    trainable = make(NewModel(_LABELS, str(folder), device="cpu", architecture="bert-to-bert"), (), 0)
    trainable.model.eval()
    rows = _rows(trainable, [_N_SENTENCES * _SENTENCE] * _BATCH, _SENTENCE)
    batch = training_batch(rows, trainable.cutter.tokenizer, "cpu").subwords
    with torch.inference_mode():
        ours, plain = _smallest(lambda: trainable.ask(batch), lambda: _plain_sentences(trainable.model, batch.ids))
    what = f"a pipeline, {_BATCH} texts of {_N_SENTENCES} sentences"
    return Measured(what, ours, "s", plain, "a plain loop over sentences", _PIPELINE)


def _plain_sentences(model: Any, ids: Any) -> Any:
    """What a notebook would do: sentences, sixteen at a time, through the selector; the best of each text to the classifier."""
    import torch

    of_texts = ids[:, 1:-1].reshape(-1, _SENTENCE)
    edges = [ids[:1, :1].expand(len(of_texts), 1), ids[:1, -1:].expand(len(of_texts), 1)]
    sentences = torch.cat([edges[0], of_texts, edges[1]], dim=1)
    logits = torch.cat([model.selector(part).logits for part in sentences.split(2 * _AT_ONCE)])
    best = (logits[:, 1] - logits[:, 0]).reshape(len(ids), -1).argmax(dim=1)
    return model.classifier(sentences[torch.arange(len(ids)) * _N_SENTENCES + best]).logits


def _memory(folder: Path) -> Measured:
    """The highest resident size of a process that trains with an alignment."""
    answer = subprocess.run(
        [sys.executable, "-m", "benchmarks.training", str(folder)], capture_output=True, text=True, check=True
    )
    what = f"memory, {_LONG_BATCH} texts of {_LONG} pieces at once, aligned"
    return Measured(what, int(answer.stdout) * 1024 / 1e9, "GB", at_most=_GIGABYTES)


def train_long(folder: str) -> int:
    """Train on two batches of long texts with an alignment; answers the highest resident size of this process, in kB."""
    trainable = make(NewModel(_LABELS, base=folder, device="cpu"), (), 0)
    rows = _rows(trainable, [_LONG - _SPECIAL] * 2 * _LONG_BATCH)
    fit(trainable, rows, [], FittingOptions(epochs=1, batch_size=_LONG_BATCH, alignment=AlignmentOptions("mse")))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _smallest(*calls: Callable[[], object]) -> list[float]:
    """The smallest processor time of each, by turns, after one round that does not count."""
    taken: list[list[float]] = [[] for _ in calls]
    for _ in range(_ROUNDS + 1):
        for call, times in zip(calls, taken, strict=True):
            began = time.process_time()
            call()
            times.append(time.process_time() - began)
    return [min(times[1:]) for times in taken]


def _rows(trainable: Trainable, lengths: Sequence[int], n_in_sentence: int = 10_000) -> list[Row]:
    """Texts of words of three letters, each one subword, a tenth of which are the rationale. n_in_sentence: words."""
    draw = random.Random(7)
    examples = []
    for number, length in enumerate(lengths):
        tokens = tuple("".join(draw.choices("aeioumnrst", k=3)) for _ in range(length))
        sentences = tuple(place // n_in_sentence for place in range(length))
        given: Any = Input((SegmentTokens("text", tokens, (*[" "] * (length - 1), ""), sentences=sentences),))
        marked = frozenset(draw.sample(range(length), max(1, length // 10)))
        examples.append(Example(number, f"t{number}", given, _LABELS[number % 2], (marked,)))
    return rows_of(trainable.cutter, examples, _LABELS)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(train_long(sys.argv[1]))
    else:
        print(table([("training", row) for row in main()]))
