"""LSTM classifiers (ERASER's soft models; Wang et al. 2022) as transformers models, so that all that explains those takes them.

Embeddings, or a transformer that reads in windows, then an LSTM over the whole text, then what answers from its states:
"attention" (ERASER, 5.2): a bidirectional LSTM, additive attention with one learned query vector over all subwords, an MLP;
"last" (Wang et al., appendix B.2): the last state of the text, of a pair those of both from one LSTM, joined, one layer.
A text may have any length; time and memory grow with it in a line. torch is imported when one is made or loaded.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from annotator.attribution.transformers_subwords import Batch, Panes, Tensor, panes_of

MODEL_TYPE = "lstm-classifier"
WORD_VECTORS = "word_vectors"  # in the configuration, what became of the file that its embeddings began with
_AT_ONCE = 8  # windows that go through the transformer together
_OUT = -1e9  # the attention score of filling


def register(transformers: Any) -> None:
    """Let transformers load folders with LSTM classifiers by the kind that their configuration names."""
    config, model = _classes()
    transformers.AutoConfig.register(MODEL_TYPE, config, exist_ok=True)
    transformers.AutoModelForSequenceClassification.register(config, model, exist_ok=True)


def recurrent_model(tokenizer: Any, shape: Mapping[str, object], head: Mapping[str, object]) -> Any:
    """An LSTM classifier that has learned nothing. shape: of the configuration, see `_configure`; head: its labels."""
    config, model = _classes()
    special = tuple(tokenizer.all_special_ids)
    return model(
        config(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, special=special, **shape, **head)
    )


def is_recurrent(model: Any) -> bool:
    """Whether a model is one."""
    return getattr(model.config, "model_type", "") == MODEL_TYPE


@cache
def _classes() -> tuple[Any, Any]:
    """The configuration and the model. Made when they are needed, since their bases come with torch."""
    transformers = import_module("transformers")
    config = type("LstmConfig", (transformers.PretrainedConfig,), {"model_type": MODEL_TYPE, "__init__": _configure})
    model = type(
        "LstmForSequenceClassification",
        (transformers.PreTrainedModel,),
        {
            "config_class": config,
            "base_model_prefix": "",
            "__init__": _build,
            "_init_weights": _as_drawn,
            "get_input_embeddings": _embeddings,
            "resize_token_embeddings": _resize,
            "read": _read,
            "forward": _forward,
        },
    )
    return config, model


def _configure(
    self: Any,
    *,
    vocab_size: int = 1,
    hidden_size: int = 100,
    recurrent_size: int = 128,
    is_bidirectional: bool = True,
    pooling: str = "attention",
    mlp_size: int = 128,
    activation: str = "relu",
    dropout: float = 0.2,
    special: Sequence[int] = (),
    encoder: Mapping[str, object] | None = None,
    window: int | None = None,
    **given: Any,
) -> None:
    """hidden_size: of the embeddings; recurrent_size: of the LSTM, in each direction; pooling: "attention" or "last".

    special: the tokenizer's own subwords; encoder: the configuration of a transformer in front; window: how many it takes
    """
    self.vocab_size, self.hidden_size, self.recurrent_size = vocab_size, hidden_size, recurrent_size
    self.is_bidirectional, self.pooling, self.mlp_size, self.activation = (
        is_bidirectional,
        pooling,
        mlp_size,
        activation,
    )
    self.dropout, self.special, self.encoder, self.window = dropout, list(special), encoder, window
    import_module("transformers").PretrainedConfig.__init__(self, **given)


def _build(self: Any, config: Any) -> None:
    transformers, nn = import_module("transformers"), import_module("torch").nn
    transformers.PreTrainedModel.__init__(self, config)
    width = config.hidden_size
    if config.encoder is None:
        self.embeddings = nn.Embedding(config.vocab_size, width, padding_idx=config.pad_token_id)
    else:
        self.encoder = _encoder_of(transformers, config.encoder)
        width = self.encoder.config.hidden_size
    self.recurrent = nn.LSTM(width, config.recurrent_size, batch_first=True, bidirectional=config.is_bidirectional)
    states = config.recurrent_size * (2 if config.is_bidirectional else 1)
    self.dropout = nn.Dropout(config.dropout)
    if config.pooling == "attention":
        self.attention, self.query = nn.Linear(states, states), nn.Linear(states, 1, bias=False)
    self.hidden = nn.Linear(states if config.pooling == "attention" else 2 * states, config.mlp_size)
    self.head = nn.Linear(config.mlp_size, config.num_labels)
    self.post_init()


def _encoder_of(transformers: Any, described: Mapping[str, object]) -> Any:
    kind, rest = str(described["model_type"]), {name: of for name, of in described.items() if name != "model_type"}
    config = transformers.AutoConfig.for_model(kind, **rest)
    return transformers.AutoModel.from_config(config, attn_implementation="eager")


def _as_drawn(_self: Any, _module: Any) -> None:
    """Weights stay as torch draws them: transformers' own embeddings are too small to learn from soon."""


def _embeddings(self: Any) -> Any:
    return self.embeddings if self.config.encoder is None else self.encoder.get_input_embeddings()


def _resize(self: Any, n: int, **_options: object) -> Any:
    """Room for subwords that the tokenizer got since."""
    if self.config.encoder is None:
        self.embeddings = resized(self.embeddings, n)
    else:
        self.encoder.resize_token_embeddings(n)
        self.config.encoder = {**self.config.encoder, "vocab_size": n}
    self.config.vocab_size = n
    return self.get_input_embeddings()


def resized(before: Any, n: int) -> Any:
    """Embeddings of n subwords, the first of which are those there were."""
    torch = import_module("torch")
    embeddings = torch.nn.Embedding(n, before.embedding_dim, padding_idx=before.padding_idx)
    with torch.no_grad():
        embeddings.weight[: len(before.weight)] = before.weight[:n]
    return embeddings


def packed_states(recurrent: Any, embedded: Tensor, mask: Tensor, *, needs_graph: bool = False) -> Tensor:
    """float[batch, length, states] of an LSTM; what stands behind a text changes nothing of it.

    needs_graph: gradients are taken of it outside of learning, or twice; cuDNN's LSTM, which is faster, has neither
    """
    torch = import_module("torch")
    rnn = torch.nn.utils.rnn
    n = mask.sum(dim=1).clamp(min=1).cpu()
    packed = rnn.pack_padded_sequence(embedded, n, batch_first=True, enforce_sorted=False)
    with torch.backends.cudnn.flags(enabled=torch.backends.cudnn.enabled and not needs_graph):
        states = recurrent(packed)[0]
    return rnn.pad_packed_sequence(states, batch_first=True, total_length=embedded.shape[1])[0]


def order_of(is_read: Tensor) -> tuple[Tensor, Tensor]:
    """The places of what is read, in their order, before all others: int64[batch, longest]; and which of them are real."""
    length = max(1, int(is_read.sum(dim=1).max()))
    order = (~is_read).long().argsort(dim=1, stable=True)[:, :length]
    return order, is_read.gather(1, order)


def _read(self: Any, batch: Batch) -> Tensor:
    """float[batch, length, dimensions]: what the LSTM reads: embeddings, or what a transformer makes of them.

    A text that is longer than the transformer takes goes through it in windows, each with the tokenizer's first and last
    subword around it; of each its middle is kept (ERASER's released code, there of half a window too).
    """
    embedded = self.get_input_embeddings()(batch.ids)
    if self.config.encoder is None:
        return embedded
    torch = import_module("torch")
    panes = panes_of(Batch(batch.ids, batch.mask, batch.types, _inner(self, batch)), self.config.window)
    is_used = _with_edges(torch, panes, batch)
    vectors: Tensor = None
    for first in range(0, len(panes.rows), _AT_ONCE):
        part = panes.part(first, first + _AT_ONCE)
        of_part = _encoded(self, part, part.of(embedded), batch)
        if vectors is None:
            vectors = of_part.new_zeros((*batch.ids.shape, of_part.shape[2]))
        is_kept = is_used[first : first + _AT_ONCE, : part.places.shape[1]]
        rows = part.rows[:, None].expand_as(part.places)
        vectors = vectors.index_put((rows[is_kept], part.places[is_kept]), of_part[is_kept])
    return vectors


def _inner(self: Any, batch: Batch) -> Tensor:
    """bool[batch, length]: all but filling and the special subwords at both ends, which are in every window."""
    torch = import_module("torch")
    real = batch.mask.bool()
    is_special = torch.isin(batch.ids, batch.ids.new_tensor(self.config.special)) & real
    positions = torch.arange(batch.ids.shape[1], device=batch.ids.device)[None]
    is_edge = (positions == 0) | (positions == real.sum(dim=1, keepdim=True) - 1)
    return real & ~(is_special & is_edge)


def _with_edges(torch: Any, panes: Panes, batch: Batch) -> Tensor:
    """bool[n_windows, length]: what windows keep, and the subwords at the ends, by the first and the last window of a text."""
    n_real = batch.mask.sum(dim=1)[panes.rows]
    changes = panes.rows[1:] != panes.rows[:-1]
    edge = changes.new_ones(1)
    is_first, is_last = torch.cat([edge, changes])[:, None], torch.cat([changes, edge])[:, None]
    at_ends = (is_first & (panes.places == 0)) | (is_last & (panes.places == n_real[:, None] - 1))
    return panes.kept | (at_ends & panes.real)


def _encoded(self: Any, part: Panes, embedded: Tensor, batch: Batch) -> Tensor:
    """float[windows, length, dimensions]: a transformer's last layer of each window by itself."""
    types = {} if batch.types is None else {"token_type_ids": part.of(batch.types).masked_fill(~part.real, 0)}
    mask = part.real.to(batch.mask.dtype)
    return self.encoder(inputs_embeds=embedded, attention_mask=mask, return_dict=True, **types).last_hidden_state


def _forward(
    self: Any,
    input_ids: Tensor,
    attention_mask: Tensor | None = None,
    token_type_ids: Tensor | None = None,
    **_other: Any,
) -> Any:
    """logits; states: float[batch, length, n_states], 0 of filling; hidden: float[batch, mlp_size], what answers (h_fc).

    weights: of attention, float[batch, length], which add up to 1; else None
    """
    torch = import_module("torch")
    batch = Batch(
        input_ids, torch.ones_like(input_ids) if attention_mask is None else attention_mask, token_type_ids, None
    )
    is_given = bool(self.get_input_embeddings()._forward_hooks)  # noqa: SLF001  (embeddings of which gradients are wanted)
    read, real = self.read(batch), batch.mask.bool()
    weights = None
    if self.config.pooling == "attention":
        states = packed_states(self.recurrent, read, real, needs_graph=is_given)
        dropped = self.dropout(states)
        scores = self.query(self.attention(dropped).tanh())[:, :, 0]
        weights = scores.masked_fill(~real, _OUT).softmax(dim=1)
        pooled = (weights[:, :, None] * dropped).sum(dim=1)
    else:
        states, pooled = _of_sides(self, read, real, token_type_ids, needs_graph=is_given)
        pooled = self.dropout(pooled)
    hidden = getattr(torch, self.config.activation)(self.hidden(pooled))
    return SimpleNamespace(logits=self.head(hidden), states=states, hidden=hidden, weights=weights)


def _of_sides(
    self: Any, read: Tensor, real: Tensor, types: Tensor | None, *, needs_graph: bool
) -> tuple[Tensor, Tensor]:
    """The states of all subwords, and the last ones of both texts, joined: 0 of the second where there is one text."""
    torch = import_module("torch")
    n_states = self.config.recurrent_size * (2 if self.config.is_bidirectional else 1)
    states, lasts = read.new_zeros((*read.shape[:2], n_states)), []
    for side in (0, 1):
        is_read = real & ((types if types is not None else torch.zeros_like(real)) == side)
        if not bool(is_read.any()):
            lasts.append(read.new_zeros((len(read), n_states)))
            continue
        order, is_real = order_of(is_read)
        joined = read.gather(1, order[:, :, None].expand(-1, -1, read.shape[2]))
        of_side = packed_states(self.recurrent, joined, is_real, needs_graph=needs_graph) * is_real[:, :, None]
        states = states.scatter_add(1, order[:, :, None].expand_as(of_side), of_side)
        lasts.append(_last(self, of_side, is_real))
    return states, torch.cat(lasts, dim=1)


def _last(self: Any, states: Tensor, is_real: Tensor) -> Tensor:
    """float[batch, n_states]: of the forward direction the state of the last subword, of the other that of the first."""
    torch, size = import_module("torch"), self.config.recurrent_size
    at = (is_real.sum(dim=1) - 1).clamp(min=0)[:, None, None].expand(-1, 1, states.shape[2])
    last = states.gather(1, at)[:, 0]
    return torch.cat([last[:, :size], states[:, 0, size:]], dim=1) if self.config.is_bidirectional else last
