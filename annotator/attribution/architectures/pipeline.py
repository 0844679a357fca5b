"""Pipelines (ERASER 5.1) as transformers models: a selector finds evidence, a classifier of its own answers from that alone.

Lehman et al. (2019) read with GRUs: a question by its own, a sentence by attention that knows the question; the sentence that is
most probably evidence is selected. BERT-to-BERT reads question and sentence, or (tokens) the whole text, with two encoders.

Not as released: the selector's loss is not taken of a softmax twice, and an encoder reads its last [SEP] and the positions of
its pretraining. torch is imported when a pipeline is made or loaded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Literal

from annotator.attribution.architectures.lstm import encoder_of, made_classes, order_of, resized
from annotator.attribution.architectures.rationaliser import PIPELINE, SELECTED
from annotator.attribution.transformers_subwords import Tensor

Unit = Literal["sentence", "token"]  # what is selected: the one best sentence, or any tokens
_HIDDEN = 128  # units before the outputs (Lehman et al.)
_AT_ONCE = 16  # texts that are read together, those of about one length


def register(transformers: Any) -> None:
    """Let transformers load folders with pipelines by the kind that their configuration names."""
    config, model = _classes()
    transformers.AutoConfig.register(PIPELINE, config, exist_ok=True)
    transformers.AutoModelForSequenceClassification.register(config, model, exist_ok=True)


def lehman(tokenizer: Any, shape: Mapping[str, object], head: Mapping[str, object]) -> Any:
    """A pipeline of GRUs that has learned nothing. shape: of the configuration; head: its labels."""
    config, model = _classes()
    return model(
        config(len(tokenizer), pad_token_id=tokenizer.pad_token_id, around=_around(tokenizer), **shape, **head)
    )


def bert_to_bert(
    tokenizer: Any, selector: Any, classifier: Any, unit: Unit, limit: int | None, head: Mapping[str, object]
) -> Any:
    """A pipeline of two transformers models; the selector has two outputs, for a sentence or for each token."""
    config, model = _classes()
    encoders = {"selector": selector.config.to_dict(), "classifier": classifier.config.to_dict()}
    made = model(
        config(
            len(tokenizer), pad_token_id=tokenizer.pad_token_id, around=_around(tokenizer), unit=unit, limit=limit,
            encoders=encoders, **head,
        )
    )  # fmt: skip
    for part, learned in (("selector", selector), ("classifier", classifier)):
        getattr(made, part).load_state_dict(learned.state_dict())
    return made


def _around(tokenizer: Any) -> list[int]:
    """The subwords that stand around texts, such as [CLS] and [SEP]."""
    numbers = {getattr(tokenizer, f"{role}_token_id") for role in ("cls", "sep", "bos", "eos")}
    return sorted(number for number in numbers if number is not None)


@dataclass(frozen=True, slots=True)
class Texts:
    """What a pipeline reads.

    Shapes: ids, sentences, types int64[batch, length]; real, around, question, text bool[batch, length], the last three being
            the parts of the first
    """

    ids: Tensor
    real: Tensor
    around: Tensor
    question: Tensor
    text: Tensor
    sentences: Tensor
    types: Tensor | None

    def of_sentences(self) -> tuple[Tensor, Tensor, Tensor]:
        """Every sentence of every text: rows int64[n], numbers int64[n]; and which of these each subword of `text` is of."""
        torch = import_module("torch")
        rows = torch.arange(len(self.ids), device=self.ids.device)[:, None].expand_as(self.ids)
        of_each = torch.stack([rows[self.text], self.sentences[self.text]], dim=1)
        pairs, number_of = of_each.unique(dim=0, return_inverse=True)
        return pairs[:, 0], pairs[:, 1], number_of


def texts_of(
    model: Any, ids: Tensor, mask: Tensor, selectable: Tensor | None, sentences: Tensor | None, types: Tensor | None
) -> Texts:
    """Taken apart: what stands around, the question, and what evidence is selected from."""
    torch = import_module("torch")
    around = mask & torch.isin(ids, ids.new_tensor(model.config.around))
    text = mask & (~around if selectable is None else selectable)
    numbers = torch.zeros_like(ids) if sentences is None else sentences
    return Texts(ids, mask, around & ~text, mask & ~around & ~text, text, numbers, types)


@cache
def _classes() -> tuple[Any, Any]:
    return made_classes(
        "RationalePipeline", "SequenceClassification", PIPELINE, _configure, __init__=_build,
        get_input_embeddings=lambda self: _embeddings(self.classifier), resize_token_embeddings=_resize,
        selection=_selection, chosen=_chosen, forward=_forward,
    )  # fmt: skip


def _configure(
    self: Any, vocab_size: int = 1, hidden_size: int = 100, dropout: float = 0.05, around: tuple[int, ...] = (),
    unit: Unit = "sentence", limit: int | None = None, encoders: Mapping[str, Any] | None = None, **given: Any,
) -> None:  # fmt: skip
    """hidden_size: of embeddings and GRUs; encoders: the configurations of two transformers models in the place of GRUs;
    limit: how many subwords these take.
    """
    self.vocab_size, self.hidden_size, self.dropout, self.around = vocab_size, hidden_size, dropout, list(around)
    self.unit, self.limit, self.encoders = unit, limit, encoders
    import_module("transformers").PretrainedConfig.__init__(self, **given)


def _build(self: Any, config: Any) -> None:
    transformers, nn = import_module("transformers"), import_module("torch").nn
    transformers.PreTrainedModel.__init__(self, config)
    for part, n_outputs in (("selector", 2), ("classifier", config.num_labels)):
        setattr(self, part, _gru_reader(nn, config, n_outputs) if config.encoders is None else _encoder(config, part))
    self.post_init()


def _gru_reader(nn: Any, config: Any, n_outputs: int) -> Any:
    size = config.hidden_size
    return nn.ModuleDict(
        {
            "embeddings": nn.Embedding(config.vocab_size, size, padding_idx=config.pad_token_id),
            "question": nn.GRU(size, size, batch_first=True),
            "question_attention": nn.Linear(size, size),
            "question_score": nn.Linear(size, 1, bias=False),
            "text": nn.GRU(size, size, batch_first=True),
            "text_attention": nn.Linear(2 * size, size),
            "text_score": nn.Linear(size, 1, bias=False),
            "hidden": nn.Linear(2 * size, _HIDDEN),
            "head": nn.Linear(_HIDDEN, n_outputs),
            "dropout": nn.Dropout(config.dropout),
        }
    )


def _encoder(config: Any, part: str) -> Any:
    kind = "TokenClassification" if (part, config.unit) == ("selector", "token") else "SequenceClassification"
    return encoder_of(config.encoders[part], f"AutoModelFor{kind}")


def _embeddings(part: Any) -> Any:
    return part.get_input_embeddings() if hasattr(part, "get_input_embeddings") else part["embeddings"]


def _resize(self: Any, n: int, **_options: object) -> Any:
    """Room for subwords that the tokenizer got since, in both parts."""
    for name, part in (("selector", self.selector), ("classifier", self.classifier)):
        if self.config.encoders is not None:
            part.resize_token_embeddings(n)
            self.config.encoders[name] = part.config.to_dict()
            continue
        part["embeddings"] = resized(part["embeddings"], n)
    self.config.vocab_size = n
    return self.get_input_embeddings()


def read(model: Any, part: str, texts: Texts, rows: Tensor, is_read: Tensor, embedded: Tensor | None = None) -> Tensor:
    """float[n, n_outputs]: what a part says of some of a text's subwords, each time with its question.

    part: "selector" or "classifier"; rows: int64[n], whose text, one or more; is_read: bool[n, length]; embedded: of the part,
    for all texts
    """
    reader = getattr(model, part)
    embedded = _embeddings(reader)(texts.ids) if embedded is None else embedded
    ask = _read_by_grus if model.config.encoders is None else _read_by_encoder
    order = is_read.sum(dim=1).argsort()
    outputs = [ask(model, reader, texts, rows[some], is_read[some], embedded) for some in order.split(_AT_ONCE)]
    return import_module("torch").cat(outputs)[order.argsort()]


def _read_by_grus(_model: Any, reader: Any, texts: Texts, rows: Tensor, is_read: Tensor, embedded: Tensor) -> Tensor:
    torch, dropout = import_module("torch"), reader["dropout"]
    states, real = _states(reader["question"], dropout(embedded), rows, texts.question[rows])
    scores = reader["question_score"](reader["question_attention"](states).tanh())[:, :, 0]
    question = _pooled(states, scores, real)
    states, real = _states(reader["text"], dropout(embedded), rows, is_read)
    beside = torch.cat([states, question[:, None].expand_as(states)], dim=2)
    text = _pooled(states, reader["text_score"](reader["text_attention"](beside).tanh())[:, :, 0], real)
    hidden = reader["hidden"](dropout(torch.cat([question, text], dim=1))).relu()
    return reader["head"](dropout(hidden))


def _states(gru: Any, embedded: Tensor, rows: Tensor, is_read: Tensor) -> tuple[Tensor, Tensor]:
    """float[n, longest, size], and which of them are real. What follows a text changes nothing of it, read from left to right."""
    places, real = order_of(is_read)
    return gru(embedded[rows[:, None], places])[0], real


def _pooled(states: Tensor, scores: Tensor, real: Tensor) -> Tensor:
    """float[n, size]: the mean of the states by their scores; 0 where there is none."""
    weights = scores.masked_fill(~real, -1e9).softmax(dim=1) * real
    return (weights[:, :, None] * states).sum(dim=1)


def _read_by_encoder(model: Any, reader: Any, texts: Texts, rows: Tensor, is_read: Tensor, embedded: Tensor) -> Tensor:
    """The text is cut at its end where both are longer than the encoder takes."""
    whole = texts.around[rows] | texts.question[rows] | is_read
    if model.config.limit is not None:
        room = is_read.sum(dim=1) - (whole.sum(dim=1) - model.config.limit).clamp(min=0)
        whole &= ~is_read | (is_read.cumsum(dim=1) <= room[:, None])
    places, real = order_of(whole)
    at = (rows[:, None], places)
    types = {} if texts.types is None else {"token_type_ids": texts.types[at]}
    return reader(inputs_embeds=embedded[at], attention_mask=real.to(texts.ids.dtype), **types).logits


def evidence(model: Any, texts: Texts, rows: Tensor, is_read: Tensor) -> Tensor:
    """float[n]: the logit of being evidence, of each of some sentences."""
    outputs = read(model, "selector", texts, rows, is_read)
    return outputs[:, 1] - outputs[:, 0]


def evidence_of_tokens(model: Any, texts: Texts) -> Tensor:
    """float[batch, length]: the logit of each subword's being evidence."""
    types = {} if texts.types is None else {"token_type_ids": texts.types}
    outputs = model.selector(input_ids=texts.ids, attention_mask=texts.real.to(texts.ids.dtype), **types).logits
    return outputs[:, :, 1] - outputs[:, :, 0]


def _selection(
    self: Any, ids: Tensor, mask: Tensor, selectable: Tensor | None = None, sentences: Tensor | None = None,
    types: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """float[batch, length]: the logit of each subword's, or its sentence's, being evidence; 0 of what is not selectable."""
    torch = import_module("torch")
    texts = texts_of(self, ids, mask, selectable, sentences, types)
    if self.config.unit == "token":
        return evidence_of_tokens(self, texts) * texts.text
    rows, numbers, number_of = texts.of_sentences()
    selection = torch.zeros(ids.shape, device=ids.device)
    if len(rows):
        logits = evidence(self, texts, rows, texts.text[rows] & (texts.sentences[rows] == numbers[:, None]))
        selection[texts.text] = logits.float()[number_of]
    return selection


def _chosen(self: Any, selection: Tensor, selectable: Tensor, sentences: Tensor | None = None) -> Tensor:
    """bool[batch, length]: the subwords of the best sentence, the first of equal ones; or all that are more likely than not."""
    if self.config.unit == "token" or sentences is None:
        return selectable & (selection.sigmoid() > SELECTED)
    best = selection.masked_fill(~selectable, -float("inf")).argmax(dim=1, keepdim=True)
    return selectable & (sentences == sentences.gather(1, best))


def _forward(
    self: Any, input_ids: Tensor, attention_mask: Tensor | None = None, token_type_ids: Tensor | None = None,
    selectable: Tensor | None = None, sentences: Tensor | None = None, **_other: Any,
) -> Any:  # fmt: skip
    """The classifier's logits on what is selected, and the selector's.

    selectable: bool[batch, length], else all but [CLS] and [SEP]; sentences: int64[batch, length], else each text is one
    """
    torch = import_module("torch")
    mask = torch.ones_like(input_ids).bool() if attention_mask is None else attention_mask.bool()
    texts = texts_of(self, input_ids, mask, selectable, sentences, token_type_ids)
    with torch.no_grad():
        selection = self.selection(input_ids, mask, texts.text, texts.sentences, token_type_ids)
    rows = torch.arange(len(input_ids), device=input_ids.device)
    embedded = _embeddings(self.classifier)(input_ids)
    chosen = self.chosen(selection, texts.text, texts.sentences)
    return SimpleNamespace(logits=read(self, "classifier", texts, rows, chosen, embedded), selection=selection)
