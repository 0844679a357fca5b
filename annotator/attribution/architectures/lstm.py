"""LSTMs (ERASER's soft models; Wang et al. 2022) as transformers models, so that all that explains those takes them.

Embeddings, or a transformer that reads in windows, then an LSTM over the whole text, then what answers from its states:
"attention" (ERASER, 5.2): a bidirectional LSTM, additive attention with one learned query vector over all subwords, an MLP;
"last" (Wang et al., appendix B.2): the last state of the text, of a pair those of both from one LSTM, joined, one layer.
Match-LSTM with an answer pointer (Wang and Jiang 2017), the benchmark's model for reading: an LSTM reads the question and one the
passage; a matching LSTM in each direction goes over the passage word by word, with an attention over the question that depends on
what it matched before; a pointer says where the answer begins and, from that, where it ends, or points at [CLS] for none.
A text may have any length; time and memory grow with it in a line. torch is imported when one is made or loaded.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from annotator.attribution.transformers_subwords import Batch, Panes, Tensor, panes_of

MODEL_TYPE, MATCH_LSTM = "lstm-classifier", "match-lstm"
WORD_VECTORS = "word_vectors"  # in the configuration, what became of the file that its embeddings began with
_AT_ONCE = 8  # windows that go through the transformer together
_OUT = -1e9  # the score of what cannot be attended or pointed to


def register(transformers: Any) -> None:
    """Let transformers load folders with such models by the kind that their configuration names."""
    for auto, (config, model) in (
        (transformers.AutoModelForSequenceClassification, _classes()),
        (transformers.AutoModelForQuestionAnswering, _match_classes()),
    ):
        transformers.AutoConfig.register(config.model_type, config, exist_ok=True)
        auto.register(config, model, exist_ok=True)


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
    return made_classes(
        "Lstm", "SequenceClassification", MODEL_TYPE, _configure, __init__=_build, get_input_embeddings=_embeddings,
        resize_token_embeddings=_resize, read=_read, forward=_forward,
    )  # fmt: skip


def made_classes(
    name: str, task: str, model_type: str, configure: Callable[..., None], **methods: Callable[..., Any]
) -> tuple[Any, Any]:
    """A configuration and a model, made when they are needed, since their bases come with torch."""
    transformers = import_module("transformers")
    module = {"__module__": configure.__module__}
    config = type(
        f"{name}Config", (transformers.PretrainedConfig,), {**module, "model_type": model_type, "__init__": configure}
    )
    shared = {**module, "config_class": config, "base_model_prefix": "", "_init_weights": as_drawn}
    return config, type(f"{name}For{task}", (transformers.PreTrainedModel,), shared | methods)


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
    self.is_bidirectional, self.pooling = is_bidirectional, pooling
    self.mlp_size, self.activation = mlp_size, activation
    self.dropout, self.special, self.encoder, self.window = dropout, list(special), encoder, window
    import_module("transformers").PretrainedConfig.__init__(self, **given)


def _build(self: Any, config: Any) -> None:
    transformers, nn = import_module("transformers"), import_module("torch").nn
    transformers.PreTrainedModel.__init__(self, config)
    width = config.hidden_size
    if config.encoder is None:
        self.embeddings = nn.Embedding(config.vocab_size, width, padding_idx=config.pad_token_id)
    else:
        self.encoder = encoder_of(config.encoder)
        width = self.encoder.config.hidden_size
    self.recurrent = nn.LSTM(width, config.recurrent_size, batch_first=True, bidirectional=config.is_bidirectional)
    states = config.recurrent_size * (2 if config.is_bidirectional else 1)
    self.dropout = nn.Dropout(config.dropout)
    if config.pooling == "attention":
        self.attention, self.query = nn.Linear(states, states), nn.Linear(states, 1, bias=False)
    self.hidden = nn.Linear(states if config.pooling == "attention" else 2 * states, config.mlp_size)
    self.head = nn.Linear(config.mlp_size, config.num_labels)
    self.post_init()


def encoder_of(described: Mapping[str, object], auto: str = "AutoModel") -> Any:
    """A transformer inside of a model, by its configuration; its weights come with the model's. auto: the loader's name."""
    transformers = import_module("transformers")
    kind, rest = str(described["model_type"]), {name: of for name, of in described.items() if name != "model_type"}
    config = transformers.AutoConfig.for_model(kind, **rest)
    return getattr(transformers, auto).from_config(config, attn_implementation="eager")


def as_drawn(_self: Any, _module: Any) -> None:
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
    subword around it; of each the middle half is kept, of the first and last their outer edge too (ERASER's released code).
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


# Match-LSTM with an answer pointer (Wang and Jiang 2017), the benchmark's LSTM for reading.


def match_lstm(tokenizer: Any, shape: Mapping[str, object], head: Mapping[str, object]) -> Any:
    """One that has learned nothing. shape: of the configuration, see `_configure_match`."""
    config, model = _match_classes()
    return model(config(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, **shape, **head))


def is_match_lstm(model: Any) -> bool:
    """Whether a model is one."""
    return getattr(model.config, "model_type", "") == MATCH_LSTM


@cache
def _match_classes() -> tuple[Any, Any]:
    return made_classes(
        "MatchLstm", "QuestionAnswering", MATCH_LSTM, _configure_match, __init__=_build_match,
        get_input_embeddings=lambda self: self.embeddings, resize_token_embeddings=_resize_match, forward=_forward_match,
    )  # fmt: skip


def _configure_match(
    self: Any, *, vocab_size: int = 1, hidden_size: int = 100, recurrent_size: int = 150, **given: Any
) -> None:
    """hidden_size: of the embeddings; recurrent_size: of every LSTM, 150 in the paper."""
    self.vocab_size, self.hidden_size, self.recurrent_size = vocab_size, hidden_size, recurrent_size
    import_module("transformers").PretrainedConfig.__init__(self, **given)


def _build_match(self: Any, config: Any) -> None:
    import_module("transformers").PreTrainedModel.__init__(self, config)
    nn, size = import_module("torch").nn, config.recurrent_size
    self.embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id)
    self.passage = nn.LSTM(config.hidden_size, size, batch_first=True)
    self.question = nn.LSTM(config.hidden_size, size, batch_first=True)
    self.of_question, self.of_passage = nn.Linear(size, size, bias=False), nn.Linear(size, size)
    self.of_matched, self.attention = nn.Linear(size, size, bias=False), nn.Linear(size, 1)
    self.forwards, self.backwards = nn.LSTMCell(2 * size, size), nn.LSTMCell(2 * size, size)
    self.pointed, self.of_pointer = nn.Linear(2 * size, size), nn.Linear(size, size, bias=False)
    self.pointer, self.point = nn.LSTMCell(2 * size, size), nn.Linear(size, 1)
    self.post_init()


def _resize_match(self: Any, n: int, **_options: object) -> Any:
    """Room for subwords that the tokenizer got since."""
    self.embeddings, self.config.vocab_size = resized(self.embeddings, n), n
    return self.embeddings


def _forward_match(
    self: Any,
    input_ids: Tensor,
    attention_mask: Tensor | None = None,
    token_type_ids: Tensor | None = None,
    **_other: Any,
) -> Any:
    """start_logits and end_logits: float[batch, length]; states: float[batch, length, size] of the two LSTMs that read.

    The question is the first text of the pair, the passage the second.
    """
    torch = import_module("torch")
    is_given = bool(self.embeddings._forward_hooks)  # noqa: SLF001  (embeddings of which gradients are wanted)
    embedded = self.embeddings(input_ids)
    real = torch.ones_like(input_ids).bool() if attention_mask is None else attention_mask.bool()
    is_passage = real & (torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids).bool()
    is_passage[:, 0] = True  # [CLS]
    question, passage = (
        _read_side(recurrent, embedded, is_read, needs_graph=is_given)
        for recurrent, is_read in ((self.question, real & ~is_passage), (self.passage, is_passage))
    )
    matched = torch.cat(
        [_matched(self, question, passage, is_backwards=is_backwards) for is_backwards in (False, True)], dim=2
    )
    scores = [_spread(scores, passage, input_ids) for scores in _pointed(self, matched, passage.real)]
    states = sum(_spread_states(of, embedded) for of in (question, passage))
    return SimpleNamespace(start_logits=scores[0], end_logits=scores[1], states=states)


def _read_side(recurrent: Any, embedded: Tensor, is_read: Tensor, *, needs_graph: bool) -> Any:
    """states: float[batch, n, size] of what is read, joined; order: the places of them; real: bool[batch, n]."""
    order, real = order_of(is_read)
    joined = embedded.gather(1, order[:, :, None].expand(-1, -1, embedded.shape[2]))
    states = packed_states(recurrent, joined, real, needs_graph=needs_graph) * real[:, :, None]
    return SimpleNamespace(states=states, order=order, real=real)


def _matched(self: Any, question: Any, passage: Any, *, is_backwards: bool) -> Tensor:
    """float[batch, n, size]: what the matching LSTM of a direction makes of each word of the passage."""
    torch = import_module("torch")
    cell = self.backwards if is_backwards else self.forwards
    of_question, of_passage = self.of_question(question.states), self.of_passage(passage.states)
    hidden = memory = passage.states.new_zeros(passage.states[:, 0].shape)
    n = passage.states.shape[1]
    matched = [hidden] * n
    for number in reversed(range(n)) if is_backwards else range(n):
        fits = (of_question + (of_passage[:, number] + self.of_matched(hidden))[:, None]).tanh()
        weights = self.attention(fits)[:, :, 0].masked_fill(~question.real, _OUT).softmax(dim=1)
        weighted = (weights[:, :, None] * question.states).sum(dim=1)
        after = cell(torch.cat([passage.states[:, number], weighted], dim=1), (hidden, memory))
        is_real = passage.real[:, number, None]
        hidden, memory = (torch.where(is_real, new, old) for new, old in zip(after, (hidden, memory), strict=True))
        matched[number] = hidden
    return torch.stack(matched, dim=1)


def _pointed(self: Any, matched: Tensor, real: Tensor) -> list[Tensor]:
    """float[batch, n] twice: the scores of the answer's beginning, and of its end (the paper's boundary model)."""
    of_words = self.pointed(matched)
    hidden = memory = of_words.new_zeros(of_words[:, 0].shape)
    scores = []
    for _boundary in ("start", "end"):
        score = self.point((of_words + self.of_pointer(hidden)[:, None]).tanh())[:, :, 0].masked_fill(~real, _OUT)
        scores.append(score)
        weighted = (score.softmax(dim=1)[:, :, None] * matched).sum(dim=1)
        hidden, memory = self.pointer(weighted, (hidden, memory))
    return scores


def _spread(scores: Tensor, passage: Any, ids: Tensor) -> Tensor:
    """Scores of the passage's words at their places in the whole input."""
    whole = scores.new_full(ids.shape, _OUT)
    return whole.scatter(1, passage.order, scores.masked_fill(~passage.real, _OUT))


def _spread_states(read: Any, embedded: Tensor) -> Tensor:
    whole = read.states.new_zeros((*embedded.shape[:2], read.states.shape[2]))
    return whole.scatter_add(1, read.order[:, :, None].expand_as(read.states), read.states)
