"""Models that give rationales of their own: rationalisers (Lei et al. 2016), and classifiers with an extractor beside them.

A rationaliser is a transformers model: a selector marks subwords, a classifier reads only those.

A folder holds both, so that what loads, asks and explains sequence classifiers does so with them. The classifier reads what is
left when the other subwords are taken out and the rest is joined. torch is imported when one is made or loaded.

An extractor scores each subword from what the encoder's last layer gives for it; the classifier reads everything.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from annotator.attribution.architectures.lstm import made_classes, order_of, packed_states, resized
from annotator.attribution.transformers_subwords import Batch, Tensor

MODEL_TYPE = "lei-rationaliser"
PIPELINE = "rationale-pipeline"  # the other kind of model that selects what it reads
SELECTED = 0.5  # what is more probable is part of the rationale
HAS_EXTRACTOR = "has_extractor"  # in the configuration of a classifier
_HIDDEN = 128  # units of the classifier's last layer


def register(transformers: Any) -> None:
    """Let transformers load folders with rationalisers by the kind that their configuration names."""
    config, model = _classes()
    transformers.AutoConfig.register(MODEL_TYPE, config, exist_ok=True)
    transformers.AutoModelForSequenceClassification.register(config, model, exist_ok=True)


def from_scratch(tokenizer: Any, shape: Mapping[str, object], head: Mapping[str, object]) -> Any:
    """A rationaliser that has learned nothing. shape: of the configuration; head: its labels."""
    config, model = _classes()
    always_read = tuple(tokenizer.all_special_ids)
    return model(
        config(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, always_read=always_read, **shape, **head)
    )


def selects(model: Any) -> bool:
    """Whether a model is a rationaliser or a pipeline: both have `selection`, logits, and `chosen`, what of them is read."""
    return getattr(model.config, "model_type", "") in {MODEL_TYPE, PIPELINE}


def selection_of(model: Any, batch: Batch) -> tuple[Tensor, Tensor]:
    """The logit of each subword's being part of the rationale that a model gives by itself, float[batch, length]; and whether it
    is, bool[batch, length].
    """
    if selects(model):
        selection = model.selection(batch.ids, batch.mask.bool(), batch.may_answer, batch.sentences, batch.types)
        return selection, model.chosen(selection, batch.may_answer, batch.sentences)
    selection = extracted(model, model(**batch.arguments(), return_dict=True, output_hidden_states=True).hidden_states)
    return selection, batch.may_answer & (selection.sigmoid() > SELECTED)


def add_extractor(model: Any, seed: int = 0) -> None:
    """Give a classifier a head that scores each subword; it is saved with the other weights.

    Its scores are near 0 and differ: of equal scores Order has no gradient. One that is there stays.
    """
    if has_extractor(model):
        return
    torch = import_module("torch")
    head = torch.nn.Linear(model.config.hidden_size, 1)
    torch.nn.init.normal_(head.weight, std=0.02, generator=torch.Generator().manual_seed(seed))
    torch.nn.init.zeros_(head.bias)
    model.extractor = head.to(next(model.parameters()))
    model.config.update({HAS_EXTRACTOR: True})


def drop_extractor(model: Any) -> None:
    """Take it away, where there is one."""
    if has_extractor(model):
        del model.extractor
        model.config.update({HAS_EXTRACTOR: False})


def has_extractor(model: Any) -> bool:
    """Whether there is one beside a classifier."""
    return hasattr(model, "extractor")


def extracted(model: Any, states: Sequence[Tensor]) -> Tensor:
    """float[batch, length]: the extractor's scores. states: float[batch, length, dimensions] of each layer."""
    return model.extractor(states[-1])[:, :, 0]


def read_extractor(model: Any, folder: Path) -> None:
    """Give a classifier the extractor of its folder, where there is one: transformers passes over it."""
    if not getattr(model.config, HAS_EXTRACTOR, False):
        return
    for path in sorted(folder.glob("*.safetensors")):
        with import_module("safetensors").safe_open(path, framework="pt") as weights:
            if "extractor.weight" in weights.keys():  # noqa: SIM118  (no mapping)
                add_extractor(model)
                model.extractor.load_state_dict(
                    {name: weights.get_tensor(f"extractor.{name}") for name in ("weight", "bias")}
                )


@cache
def _classes() -> tuple[Any, Any]:
    return made_classes(
        "Lei", "SequenceClassification", MODEL_TYPE, _configure, __init__=_build,
        get_input_embeddings=lambda self: self.classifier["embeddings"], resize_token_embeddings=_resize,
        selection=_selection, chosen=_chosen, classify=_classify, forward=_forward,
    )  # fmt: skip


def _configure(
    self: Any,
    vocab_size: int = 1,
    hidden_size: int = 100,
    recurrent_size: int = 64,
    dropout: float = 0.2,
    always_read: Sequence[int] = (),
    **given: Any,
) -> None:
    """hidden_size: of the embeddings; recurrent_size: of the LSTMs, in each direction; always_read: the special subwords."""
    self.vocab_size, self.hidden_size, self.recurrent_size = vocab_size, hidden_size, recurrent_size
    self.dropout, self.always_read = dropout, list(always_read)
    import_module("transformers").PretrainedConfig.__init__(self, **given)


def _build(self: Any, config: Any) -> None:
    """Selector and classifier share nothing (ERASER, appendix C)."""
    import_module("transformers").PreTrainedModel.__init__(self, config)
    nn, both = import_module("torch").nn, 2 * config.recurrent_size
    self.dropout = nn.Dropout(config.dropout)
    self.selector = nn.ModuleDict({**_reader(nn, config), "head": nn.Linear(both, 1)})
    self.classifier = nn.ModuleDict(
        {
            **_reader(nn, config),
            "attention": nn.Linear(both, both),
            "query": nn.Linear(both, 1, bias=False),
            "hidden": nn.Linear(both, _HIDDEN),
            "head": nn.Linear(_HIDDEN, config.num_labels),
        }
    )
    self.post_init()


def _reader(nn: Any, config: Any) -> dict[str, Any]:
    recurrent = nn.LSTM(config.hidden_size, config.recurrent_size, batch_first=True, bidirectional=True)
    embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id)
    return {"embeddings": embeddings, "recurrent": recurrent}


def _resize(self: Any, n: int, **_options: object) -> Any:
    """Room for subwords that the tokenizer got since, in both parts."""
    for part in (self.selector, self.classifier):
        part["embeddings"] = resized(part["embeddings"], n)
    self.config.vocab_size = n
    return self.get_input_embeddings()


def _selection(self: Any, ids: Tensor, mask: Tensor, *_other: Tensor) -> Tensor:
    """float[batch, length]: the logit of each subword's being selected."""
    states = _states(self, self.selector["recurrent"], self.selector["embeddings"](ids), mask)
    return self.selector["head"](self.dropout(states))[:, :, 0]


def _chosen(_self: Any, selection: Tensor, selectable: Tensor, *_other: Tensor) -> Tensor:
    """bool[batch, length]: the rationale."""
    return selectable & (selection.sigmoid() > SELECTED)


def _classify(self: Any, embedded: Tensor, is_read: Tensor) -> Tensor:
    """float[batch, n_labels]: what the classifier says of the subwords that are read, joined. is_read: bool[batch, length]."""
    order, real = order_of(is_read)
    joined = embedded.gather(1, order[:, :, None].expand(-1, -1, embedded.shape[2]))
    states = self.dropout(_states(self, self.classifier["recurrent"], joined, real))
    scores = self.classifier["query"](self.classifier["attention"](states).tanh())[:, :, 0]
    weights = scores.masked_fill(~real, -1e9).softmax(dim=1)
    pooled = (weights[:, :, None] * states).sum(dim=1)
    return self.classifier["head"](self.dropout(self.classifier["hidden"](pooled).relu()))


def _states(self: Any, recurrent: Any, embedded: Tensor, mask: Tensor) -> Tensor:
    """float[batch, length, 2 · recurrent_size]."""
    return packed_states(recurrent, self.dropout(embedded), mask, needs_graph=not self.training)


def _forward(
    self: Any, input_ids: Tensor, attention_mask: Tensor | None = None, selectable: Tensor | None = None, **_other: Any
) -> Any:
    """The classifier's logits on the rationale, and the selector's.

    selectable: bool[batch, length]; all others are read whatever is selected. Else all but special subwords
    """
    torch = import_module("torch")
    mask = torch.ones_like(input_ids).bool() if attention_mask is None else attention_mask.bool()
    if selectable is None:
        selectable = ~torch.isin(input_ids, input_ids.new_tensor(self.config.always_read))
    selection = self.selection(input_ids, mask)
    is_read = mask & (~selectable | self.chosen(selection, selectable))
    logits = self.classify(self.classifier["embeddings"](input_ids), is_read)
    return SimpleNamespace(logits=logits, selection=selection)
