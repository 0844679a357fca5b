"""Models that can be trained: a folder's or a hub's encoder with a new head, or a small one from scratch."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from annotator.attribution import transformers_sources
from annotator.attribution.architectures.lstm import WORD_VECTORS, match_lstm, recurrent_model
from annotator.attribution.architectures.pipeline import Unit, bert_to_bert, lehman
from annotator.attribution.architectures.rationaliser import PIPELINE, from_scratch, read_extractor, selects
from annotator.attribution.base import TooLong
from annotator.attribution.model_specs import NEGATIVE_LABEL
from annotator.attribution.transformers_networks import Network, Reads
from annotator.attribution.transformers_predictors import two_logits
from annotator.attribution.transformers_subwords import Batch, Cutter, empty_text_of
from annotator.errors import InvalidValue, ModelError
from annotator.language import _
from annotator.training.word_vectors import ROLES, tokenizer_of, word_tokenizer

Tensor = Any  # torch is not imported here: whoever makes one has it
Output = Literal["softmax", "sigmoid"]
Architecture = Literal[
    "transformer", "decoder", "tokens", "reading", "lei", "lehman", "bert-to-bert", "bert-to-bert-tokens",
    "encoder-lstm", "lstm", "match-lstm",
]  # fmt: skip

PIPELINES: tuple[Architecture, ...] = ("lehman", "bert-to-bert", "bert-to-bert-tokens")

_FILLING = "<|filling|>"  # of decoders whose tokenizer has none; not their end of text, since the last subword before it is read


@dataclass(frozen=True, slots=True)
class NewModel:
    """What is to be trained.

    architecture: of a model from scratch: an encoder like BERT, or a decoder like GPT-2; a base has its own. "tokens": an
             encoder, from scratch or a base, that answers for the target of a text, at its first subword; "reading": an encoder,
             from scratch or a base, that answers a question with a stretch of the text, or says at [CLS] that there is
             none; "lei": a rationaliser, from scratch; "lehman": a pipeline of GRUs, from scratch; "bert-to-bert": a
             pipeline of two encoders that selects a sentence, "bert-to-bert-tokens": one that selects tokens;
             "encoder-lstm": an LSTM with attention, over embeddings or a base that reads in windows; "lstm": an LSTM whose last
             state answers, from scratch; "match-lstm": "reading" by a match-LSTM with an answer pointer, from scratch
    base:    a folder, or a name at the hub; None: from scratch, as `shape` says
    labels:  in the order of the outputs; with one sigmoid output there are two, and the output is the second's
    special: tokens that stay whole, such as the _MATH_ of edited sentences
    too_long: "windows": it answers in the mean of what it says of each subword, so that a text may have any length
    shape:   of a model from scratch, in the words of transformers' BertConfig; of a decoder, of GPT2Config
    n_subwords: how many the tokenizer of a model from scratch learns at most
    vectors: of an LSTM without a base, a file of word vectors that its embeddings begin with, and whose words it reads whole
    keeps_head: the base's outputs are trained further, with its labels in its order
    """

    labels: tuple[str, ...]
    base: str | None = None
    output: Output = "softmax"
    special: tuple[str, ...] = ()
    shape: Mapping[str, object] | None = None
    n_subwords: int = 8_000
    device: str = "auto"
    threads: int = 1
    too_long: TooLong = "refuse"
    is_query_first: bool = False
    asks_hub: bool = False
    architecture: Architecture = "transformer"
    vectors: str | None = None
    keeps_head: bool = False

    def as_plan(self) -> dict[str, object]:
        """As plain values; what came later and is not asked for is left out, so that plans from before stay the same."""
        values = asdict(self)
        if not self.keeps_head:
            del values["keeps_head"]
        if self.vectors is None:
            del values["vectors"]
        return values

    @property
    def reads(self) -> Reads:
        by_architecture: dict[Architecture, Reads] = {
            "tokens": "target", "reading": "answer", "match-lstm": "answer", "encoder-lstm": "text", "lstm": "text"
        }  # fmt: skip
        return by_architecture.get(self.architecture, "words" if self.too_long == "windows" else "text")


@dataclass(frozen=True, slots=True)
class Trainable:
    """A model with weights that learn, and its tokenizer."""

    name: str
    labels: tuple[str, ...]
    output: Output
    network: Network
    cutter: Cutter
    device: str

    @property
    def model(self) -> Any:
        return self.network.model

    @property
    def is_reading(self) -> bool:
        """Whether it answers with a stretch of the text."""
        return self.network.reads == "answer"

    @property
    def is_pipeline(self) -> bool:
        """Whether it selects evidence, and learns to from people's alone."""
        return bool(self.model.config.model_type == PIPELINE)

    def ask(self, batch: Batch, embeddings: Tensor | None = None) -> Tensor:
        """float[batch, n_labels]: its logits; one sigmoid output z becomes −z/2 and z/2, whose softmax is sigmoid(z).

        Of a reading model they are `Stretches`.
        embeddings: in the place of those of the subwords
        """
        outputs = self.network.answer(batch, embeddings)
        if self.is_reading:
            return outputs
        logits = outputs.logits
        return logits if self.output == "softmax" else two_logits(logits)

    def explained(self, logits: Tensor, targets: Tensor) -> Tensor:
        """float[batch]: the logit of each row's label; of one sigmoid output z, half of z or −z."""
        return logits.gather(1, targets[:, None])[:, 0]

    def state(self) -> Mapping[str, Tensor]:
        """A copy of the weights, on the CPU."""
        return {name: weights.detach().cpu().clone() for name, weights in self.model.state_dict().items()}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Give the model these weights."""
        self.model.load_state_dict(state)

    def state_threshold(self, threshold: float | None) -> None:
        """Have the folder say how much better than a stretch "no answer" has to be; None: the model always answers."""
        self.model.config.update({transformers_sources.NONE_THRESHOLD: threshold})

    def save(self, folder: Path) -> None:
        """Write model and tokenizer as safetensors, to be loaded like any other."""
        with transformers_sources.quietly(transformers_sources.needed("transformers")):
            self.model.save_pretrained(folder, safe_serialization=True)
            self.cutter.tokenizer.save_pretrained(folder)


def make(new: NewModel, texts: Iterable[str], seed: int) -> Trainable:
    """A model that is ready to learn; its new weights are drawn from the seed.

    texts: what the tokenizer of a model from scratch is trained on
    Raises: InvalidValue for labels that do not fit its output, ModelError where the model cannot be had
    """
    _check(new)
    torch, transformers = transformers_sources.needed("torch"), transformers_sources.needed("transformers")
    device = transformers_sources.device_of(torch, new.device)
    torch.set_num_threads(new.threads)
    torch.manual_seed(seed)
    name, tokenizer, model = _ready(transformers, torch, new, texts)
    cutter = Cutter(
        tokenizer, name, transformers_sources.limit_of(torch, model, tokenizer), new.too_long,
        question_first=new.is_query_first or new.reads == "answer", empty_text=empty_text_of(tokenizer),
        has_sentences=selects(model),
    )  # fmt: skip
    network = Network(
        model.to(device), cutter.limit, new.reads, filling=tokenizer.pad_token_id,
        none=tokenizer.cls_token_id if new.reads == "answer" else None,
    )  # fmt: skip
    if new.keeps_head and new.reads != "answer":
        n_outputs = model.config.num_labels
        labels = transformers_sources.labels_of_config(model.config, name)
        new = replace(new, labels=labels, output="sigmoid" if n_outputs == 1 else "softmax")
    return Trainable(name, new.labels, new.output, network, cutter, device)


def _check(new: NewModel) -> None:
    """Raise InvalidValue where labels and output, or a base and an architecture, do not go together."""
    if new.reads != "answer" and len(new.labels) < 2:
        raise InvalidValue(_("Training needs at least two labels."))
    if new.output == "sigmoid" and len(new.labels) != 2:
        raise InvalidValue(
            _("One sigmoid output can't separate {n_labels} labels. Use softmax.", n_labels=len(new.labels))
        )
    if new.keeps_head and new.base is None:
        raise InvalidValue(_("--keep-head needs --base."))
    if new.base is not None and new.architecture in _FROM_SCRATCH.keys() - {"encoder-lstm"}:
        raise InvalidValue(
            _("'{architecture}' trains from scratch. Remove it or the base.", architecture=new.architecture)
        )
    if new.vectors is not None and (new.base is not None or new.architecture not in _RECURRENT):
        raise InvalidValue(_("Word vectors are for encoder-lstm and lstm without a base."))


def _ready(transformers: Any, torch: Any, new: NewModel, texts: Iterable[str]) -> tuple[str, Any, Any]:
    """The name, the tokenizer and the model, which fit each other and have every subword that learning needs."""
    with transformers_sources.quietly(transformers):
        if new.base is None:
            name, tokenizer, model = "scratch", *_FROM_SCRATCH.get(new.architecture, _encoder)(transformers, new, texts)
        else:
            of_base = _recurrent_over if new.architecture == "encoder-lstm" else _from_base
            name, tokenizer, model = of_base(transformers, torch, new, new.base)
        if new.architecture in _UNITS:
            tokenizer, model = _two_encoders(transformers, torch, new, tokenizer, model)
        _keep_whole(tokenizer, model, new.special)
        if tokenizer.pad_token_id is None:
            tokenizer.add_special_tokens({"pad_token": _FILLING})
            _make_room(tokenizer, model)
    transformers_sources.check_vocabulary(model, tokenizer, name)
    model.config.pad_token_id = tokenizer.pad_token_id
    if new.reads == "answer" and tokenizer.cls_token_id is None:
        raise ModelError(_("'{name}' has no [CLS] for “no answer”. Use an encoder.", name=name))
    return name, tokenizer, model


def _keep_whole(tokenizer: Any, model: Any, special: tuple[str, ...]) -> None:
    """Make each of these tokens one subword wherever it stands, with an embedding that is drawn anew where it had none."""
    for token in special:
        if not token or token != "".join(token.split()):
            raise InvalidValue(_("Special token '{token}' must be one word, e.g. _MATH_.", token=token))
    if special:
        tokenizer.add_special_tokens({"additional_special_tokens": list(special)}, replace_extra_special_tokens=False)
        _make_room(tokenizer, model)


def _make_room(tokenizer: Any, model: Any) -> None:
    """Give the model an embedding for each subword of its tokenizer."""
    model.resize_token_embeddings(max(len(tokenizer), model.get_input_embeddings().num_embeddings))


def _head(new: NewModel) -> dict[str, object]:
    """What the configuration says of the outputs."""
    if new.reads == "answer":
        return {
            "num_labels": 2,
            transformers_sources.IN_WINDOWS: new.too_long == "windows",
            transformers_sources.NONE_THRESHOLD: None,
        }
    labels = new.labels if new.output == "softmax" else new.labels[1:]
    named: dict[str, object] = {
        "id2label": dict(enumerate(labels)),
        "label2id": {label: number for number, label in enumerate(labels)},
        "problem_type": "single_label_classification" if new.output == "softmax" else "multi_label_classification",
        **({} if new.reads == "text" else {transformers_sources.READS: new.reads}),
    }
    return named if new.output == "softmax" else {**named, NEGATIVE_LABEL: new.labels[0]}


def _from_base(transformers: Any, torch: Any, new: NewModel, base: str) -> tuple[str, Any, Any]:
    source = transformers_sources.Source.of(base, asks_hub=new.asks_hub)
    head = {} if new.keeps_head and new.reads != "answer" else _head(new)
    config = source.read(transformers.AutoConfig, **head)
    if new.keeps_head:
        _check_head(config, new, source.name)
    config.update(head)  # what a configuration does not know is not taken from the line above
    tokenizer = transformers_sources.tokenizer_of(transformers, source)
    model, report = source.weights(
        getattr(transformers, transformers_sources.AUTO[new.reads]),
        config=config,
        attn_implementation="eager",  # others have no second derivative, which alignment needs
        dtype=torch.float32,
        ignore_mismatched_sizes=True,  # a head for other labels is drawn anew
        output_loading_info=True,
    )
    new_parts = () if new.keeps_head else _head_of(model)
    if new.keeps_head:
        read_extractor(model, Path(base).expanduser())
    transformers_sources.check_complete(
        source.name, [key for key in report["missing_keys"] if not key.startswith(new_parts)]
    )
    return source.name, tokenizer, model


def _check_head(config: Any, new: NewModel, name: str) -> None:
    """Raise ModelError where a base's outputs are not those that are to be trained further."""
    kind = {"answer": "ForQuestionAnswering", "text": "ForSequenceClassification"}.get(
        new.reads, "ForTokenClassification"
    )
    is_alike = any(of.endswith(kind) for of in config.architectures or ())
    if not is_alike or (new.reads != "answer" and transformers_sources.reads_of_config(config, None) != new.reads):
        raise ModelError(
            _("'{name}' has no head of this kind. Remove --keep-head, or choose its --architecture.", name=name)
        )
    if new.reads == "answer":
        return
    labels = transformers_sources.labels_of_config(config, name)
    others = [label for label in new.labels if label not in labels]
    if others:
        raise ModelError(
            _(
                "'{name}' has labels {labels}; the texts also have {others}. Remove --keep-head.",
                name=name,
                labels=", ".join(labels),
                others=", ".join(others),
            )
        )


def _head_of(model: Any) -> tuple[str, ...]:
    """The names of everything that is not in the encoder; a pooler that was not trained along counts as the head."""
    encoder = model.base_model_prefix
    return (*(name for name, _other in model.named_children() if name != encoder), f"{encoder}.pooler")


_SHAPE: Mapping[str, object] = {
    "hidden_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 256,
    "max_position_embeddings": 512,
}


def _encoder(transformers: Any, new: NewModel, texts: Iterable[str]) -> tuple[Any, Any]:
    tokenizer = trained_tokenizer(transformers, texts, new.n_subwords)
    shape = {**_SHAPE, **(new.shape or {})}
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, attn_implementation="eager", **shape, **_head(new)
    )  # fmt: skip
    kind = transformers_sources.AUTO[new.reads].replace("AutoModel", "Bert")
    return tokenizer, getattr(transformers, kind)(config)


_UNITS: Mapping[Architecture, Unit] = {"bert-to-bert": "sentence", "bert-to-bert-tokens": "token"}


def _two_encoders(transformers: Any, torch: Any, new: NewModel, tokenizer: Any, classifier: Any) -> tuple[Any, Any]:
    """A pipeline whose parts begin alike but for their outputs."""
    if tokenizer.cls_token_id is None:
        raise ModelError(_("'{name}' has no [CLS]. Use an encoder.", name=new.base))
    unit = _UNITS[new.architecture]
    selecting = replace(
        new, labels=("other", "evidence"), architecture="tokens" if unit == "token" else "transformer", too_long="cut"
    )
    if new.base is None:
        kind = transformers_sources.AUTO[selecting.reads].replace("AutoModel", "Bert")
        selector = getattr(transformers, kind)(
            transformers.BertConfig(**{**classifier.config.to_dict(), **_head(selecting)})
        )
    else:
        _name, _tokenizer, selector = _from_base(transformers, torch, selecting, new.base)
    limit = transformers_sources.limit_of(torch, classifier, tokenizer)
    return tokenizer, bert_to_bert(tokenizer, selector, classifier, unit, limit, _head(new))


_DECODER_SHAPE: Mapping[str, object] = {"n_embd": 128, "n_layer": 2, "n_head": 4, "n_positions": 512}
_END_OF_TEXT = "<|endoftext|>"


def _decoder_from_scratch(transformers: Any, new: NewModel, texts: Iterable[str]) -> tuple[Any, Any]:
    tokenizer = trained_byte_tokenizer(transformers, texts, new.n_subwords)
    end, filling = tokenizer.eos_token_id, tokenizer.pad_token_id
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), bos_token_id=end, eos_token_id=end, pad_token_id=filling,
        attn_implementation="eager", **{**_DECODER_SHAPE, **(new.shape or {})}, **_head(new),
    )  # fmt: skip
    kind = transformers_sources.AUTO[new.reads].replace("AutoModel", "GPT2")
    return tokenizer, getattr(transformers, kind)(config)


def trained_byte_tokenizer(transformers: Any, texts: Iterable[str], n_subwords: int) -> Any:
    """A tokenizer like GPT-2's with the subwords of these texts: bytes, Ġ for a blank, also before the first word."""
    tokenizers = transformers_sources.needed("tokenizers")
    cutter = tokenizers.Tokenizer(tokenizers.models.BPE())
    cutter.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=True)
    cutter.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=max(n_subwords, len(alphabet) + 2), special_tokens=[_END_OF_TEXT, _FILLING], initial_alphabet=alphabet,
        show_progress=False,
    )  # fmt: skip
    cutter.train_from_iterator(texts, trainer)
    cutter.post_processor = tokenizers.processors.ByteLevel(trim_offsets=False)
    roles = {"bos_token": _END_OF_TEXT, "eos_token": _END_OF_TEXT, "pad_token": _FILLING}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=cutter, **roles, model_input_names=["input_ids", "attention_mask"]
    )


_SHAPED = {"lei": from_scratch, "lehman": lehman, "match-lstm": match_lstm}  # made of a tokenizer, a shape and a head


def _of_shape(transformers: Any, new: NewModel, texts: Iterable[str]) -> tuple[Any, Any]:
    tokenizer = trained_tokenizer(transformers, texts, new.n_subwords)
    return tokenizer, _SHAPED[new.architecture](tokenizer, new.shape or {}, _head(new))


_RECURRENT: Mapping[str, Mapping[str, object]] = {  # ERASER, appendix C; Wang et al. 2022, appendix B, sizes as released
    "encoder-lstm": {},
    "lstm": {
        "pooling": "last", "is_bidirectional": False, "hidden_size": 128, "activation": "tanh", "dropout": 0.0,
    },
}  # fmt: skip


LSTM_PRESETS: Mapping[str, Mapping[str, object]] = {  # for sentiment the released code has another model than the appendix
    "wang-2022-released": {
        "pooling": "attention", "is_bidirectional": True, "recurrent_size": 196, "mlp_size": 96,
    },
}  # fmt: skip
_LEARNING_LAYERS = 2  # of a base before an LSTM: the top ones (ERASER, appendix C)


def _recurrent_over(transformers: Any, torch: Any, new: NewModel, base: str) -> tuple[str, Any, Any]:
    """An LSTM over a base without its head, of which the top layers learn."""
    source = transformers_sources.Source.of(base, asks_hub=new.asks_hub)
    tokenizer = transformers_sources.tokenizer_of(transformers, source)
    encoder, report = source.weights(
        transformers.AutoModel, attn_implementation="eager", dtype=torch.float32, output_loading_info=True
    )
    transformers_sources.check_complete(
        source.name, [key for key in report["missing_keys"] if not key.startswith("pooler")]
    )
    shape = {
        **_RECURRENT[new.architecture], **(new.shape or {}),
        "encoder": encoder.config.to_diff_dict(), "window": transformers_sources.limit_of(torch, encoder, tokenizer),
    }  # fmt: skip
    model = recurrent_model(tokenizer, shape, _head(new))
    model.encoder.load_state_dict(encoder.state_dict())
    model.encoder.requires_grad_(requires_grad=False)
    for layer in _layers_of(model.encoder)[-_LEARNING_LAYERS:]:
        layer.requires_grad_(requires_grad=True)
    return source.name, tokenizer, model


def _layers_of(encoder: Any) -> list[Any]:
    """The first list of as many modules as the configuration has layers; none where they share their weights, as ALBERT's do."""
    wanted = getattr(encoder.config, "num_hidden_layers", None)
    lists = (module for module in encoder.modules() if type(module).__name__ == "ModuleList" and len(module) == wanted)
    return list(next(lists, ()))


def _recurrent(transformers: Any, new: NewModel, texts: Iterable[str]) -> tuple[Any, Any]:
    shape = {**_RECURRENT[new.architecture], **(new.shape or {})}
    if new.vectors is None:
        tokenizer = trained_tokenizer(transformers, texts, new.n_subwords)
        return tokenizer, recurrent_model(tokenizer, shape, _head(new))
    tokenizer, table, facts = word_tokenizer(transformers, texts, Path(new.vectors))
    model = recurrent_model(tokenizer, {**shape, "hidden_size": table.shape[1], WORD_VECTORS: facts}, _head(new))
    torch, padding = transformers_sources.needed("torch"), model.embeddings.padding_idx
    with torch.no_grad():
        model.embeddings.weight.copy_(torch.from_numpy(table))
        model.embeddings.weight[padding] = 0.0
    return tokenizer, model


_FROM_SCRATCH = {  # without a base
    "decoder": _decoder_from_scratch, "encoder-lstm": _recurrent, "lstm": _recurrent,
    **dict.fromkeys(_SHAPED, _of_shape),
}  # fmt: skip


def trained_tokenizer(transformers: Any, texts: Iterable[str], n_subwords: int) -> Any:
    """A tokenizer like BERT's with the subwords of these texts: lower case, Chinese characters one by one.

    WordPiece's own trainer finds another vocabulary at each run; that of byte pairs finds the same.
    """
    tokenizers = transformers_sources.needed("tokenizers")
    learner = tokenizers.Tokenizer(tokenizers.models.BPE())
    learner.normalizer = tokenizers.normalizers.BertNormalizer()
    learner.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    learner.train_from_iterator(texts, tokenizers.trainers.BpeTrainer(vocab_size=n_subwords, show_progress=False))
    learned_subwords = sorted(learner.get_vocab())
    subwords = [*ROLES.values(), *learned_subwords, *(f"##{subword}" for subword in learned_subwords)]
    kind = tokenizers.models.WordPiece
    return tokenizer_of(transformers, kind, subwords, learner.normalizer, learner.pre_tokenizer)
