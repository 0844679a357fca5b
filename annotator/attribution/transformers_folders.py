"""A model and its tokenizer from a folder or from the Hugging Face hub, refused at once where they could not explain."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args

from annotator.attribution.base import Input
from annotator.attribution.transformers_encoding import (
    Batch,
    Cutter,
    Encoded,
    Tensor,
    TooLong,
    batch_of,
    empty_text_of,
    encode,
)
from annotator.attribution.transformers_networks import Network, Reads
from annotator.attribution.transformers_parameters import ModelKind
from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, ModelError

Device = Literal["cpu", "cuda"]

NEGATIVE_LABEL = "negative_label"  # in the configuration of a model with one output: what it answers below .5
READS_WORDS = "reads_words"  # in that of a token classifier: its label is the mean of what it answers for each piece

_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
_CHECKPOINT = re.compile(r"checkpoint-\d+")  # what a training leaves, the same name in each training's folder
_NO_LIMIT = 1_000_000  # tokenizers that know no limit say 10^30
_OFFLINE = "HF_HUB_OFFLINE"
_NOT_HERE = (
    "There is no folder '{spec}', no model of that name was fetched to this machine before, and no other host is asked for one. "
    "Name a folder, or allow the Hugging Face hub with --allow-model-hub: of this command, or of 'annotator serve' for what is "
    "asked for on pages."
)
_NOWHERE = " There is no folder of that name, and the Hugging Face hub gave none."
_BATCH = {"cpu": 8, "cuda": 32}  # on a CPU larger batches bring nothing but memory


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model that is ready to be asked, with everything that is known of it.

    labels: in the order of its outputs; () for a reading model
    about:  what made its answers: classes and versions
    """

    name: str
    kind: ModelKind
    labels: tuple[str, ...]
    model: Any
    cutter: Cutter
    device: Device
    batch_size: int
    about: Mapping[str, str]
    reads: Reads = "text"

    @property
    def network(self) -> Network:
        """The model with what it has to know of its windows."""
        filling = self.tokenizer.pad_token_id or 0
        return Network(self.model, self.cutter.limit, self.reads, self.size_of_batches, filling)

    @property
    def tokenizer(self) -> Any:
        return self.cutter.tokenizer

    @property
    def size_of_batches(self) -> int:
        """How many inputs go together: one where shorter ones cannot be filled up at their end."""
        can_fill = self.tokenizer.pad_token_id is not None and self.tokenizer.padding_side == "right"
        return self.batch_size if can_fill else 1

    @property
    def steps_at_once(self) -> int:
        """How many versions of one input go together; some models without padding take one thing at a time."""
        return self.batch_size if self.tokenizer.pad_token_id is not None else 1

    def encoded(self, model_input: Input) -> Encoded:
        """An input as pieces; raises ModelError when the model cannot take it."""
        return encode(self.cutter, model_input)

    def batch(self, encoded: list[Encoded]) -> Batch:
        return batch_of(encoded, self.tokenizer, self.device)

    def ask(self, batch: Batch, embeddings: Tensor | None = None, **options: bool) -> Any:
        """The model's outputs for a batch; embeddings: in the place of those of its pieces.

        Raises: ModelError when it fails or memory is short
        """
        with answering(self):
            return self.network.answer(batch, embeddings, **options)

    def embedding(self, ids: Tensor) -> Tensor:
        """float[batch, length, dimensions], without a gradient."""
        torch = import_module("torch")
        with torch.no_grad():
            return self.model.get_input_embeddings()(ids)


@contextmanager
def answering(loaded: Loaded) -> Iterator[None]:
    """Turn what a model raises into a ModelError that says what to do."""
    torch = import_module("torch")
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise ModelError(_out_of_memory(loaded)) from error
    except (RuntimeError, ValueError, TypeError, IndexError, KeyError, AttributeError, AssertionError) as error:
        if re.search(r"out of memory|alloc.*memory|not enough memory", str(error)):
            raise ModelError(_out_of_memory(loaded)) from error
        raise ModelError(
            f"The model '{loaded.name}' broke off with an error of its own while it answered "
            f"({type(error).__name__}: “{first_line(error)}”)."
        ) from error


def _out_of_memory(loaded: Loaded) -> str:
    where = "GPU" if loaded.device == "cuda" else "machine"
    return (
        f"The memory of the {where} is too small for the model '{loaded.name}' with "
        f"{counted(loaded.batch_size, 'input')} at once. "
        f"Choose a smaller batch size (it is now {loaded.batch_size}), or shorter texts."
    )


# Loading -------------------------------------------------------------------------------------------------------------


def load_model(
    spec: str,
    *,
    device: str,
    threads: int,
    batch_size: int | None,
    too_long: TooLong,
    query_first: bool,
    asks_hub: bool,
) -> Loaded:
    """See `transformers_models.load`."""
    if not asks_hub:
        os.environ.setdefault(_OFFLINE, "1")  # read when transformers is loaded, for whatever it asks besides
    torch, transformers = needed("torch"), needed("transformers")
    chosen = device_of(torch, device)
    _check_numbers(threads, batch_size, too_long)
    torch.set_num_threads(threads)
    with quietly(transformers):
        source = Source(spec, model_name(spec), asks_hub)
        name = source.name
        config = source.read(transformers.AutoConfig)
        kind = _kind(config, name)
        labels = _labels(config, name) if kind == "classification" else ()
        reads: Reads = "words" if getattr(config, READS_WORDS, False) else "text"
        tokenizer = tokenizer_of(transformers, source)
        model = _model(transformers, torch, source, kind, config)
    if kind == "reading" and too_long == "windows":
        raise ModelError(
            f"The model '{name}' answers with a stretch of the text, and windows are only for models that say a label. Choose "
            "to refuse or to cut too long texts."
        )
    check_vocabulary(model, tokenizer, name)
    if (
        tokenizer.pad_token_id is not None
    ):  # decoders read the last piece that is not this one: it has to be what we fill up with
        model.config.pad_token_id = tokenizer.pad_token_id
    cutter = Cutter(
        tokenizer, name, limit_of(torch, model, tokenizer), "windows" if reads == "words" else too_long,
        question_first=query_first or kind == "reading", empty_text=empty_text_of(tokenizer),
    )  # fmt: skip
    about = {
        "model": type(model).__name__,
        "tokenizer": type(tokenizer).__name__,
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }
    loaded = Loaded(name, kind, labels, model, cutter, chosen, batch_size or _BATCH[chosen], about, reads)
    with answering(loaded):
        model.to(chosen)
    return loaded


def needed(package: str) -> Any:
    """A package of the extra; raises ModelError saying how it is installed."""
    try:
        return import_module(package)
    except ImportError as error:
        raise ModelError(
            f"Models need the package {package}, which cannot be loaded here ({first_line(error)}). "
            "Install the extra: pip install 'rationale-annotator[models]'."
        ) from error


def device_of(torch: Any, wanted: str) -> Device:
    if wanted not in {"auto", "cpu", "cuda"}:
        raise InvalidValue(f"There is no device {wanted!r}. Choose auto, cpu or cuda.")
    if wanted == "cuda" and not torch.cuda.is_available():
        raise ModelError("No CUDA device is there. Choose the device cpu, or auto.")
    return "cuda" if wanted != "cpu" and torch.cuda.is_available() else "cpu"


def _check_numbers(threads: int, batch_size: int | None, too_long: str) -> None:
    if threads < 1:
        raise InvalidValue(f"A model cannot run in {threads} threads; give 1 or more.")
    if batch_size is not None and batch_size < 1:
        raise InvalidValue(f"A batch cannot have {batch_size} inputs; give 1 or more.")
    if too_long not in get_args(TooLong):
        raise InvalidValue(f"Too long texts cannot be treated by {too_long!r}. Choose {', '.join(get_args(TooLong))}.")


@contextmanager
def quietly(transformers: Any) -> Iterator[None]:
    """Neither load reports nor progress bars: what matters of them is refused in a sentence."""
    log = transformers.utils.logging
    verbosity, has_bar = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    log.disable_progress_bar()
    try:
        yield
    finally:
        log.set_verbosity(verbosity)
        if has_bar:
            log.enable_progress_bar()


def model_name(spec: str) -> str:
    """The model's name: the folder's, or that at the hub; raises ModelError for what is neither."""
    path = Path(spec).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise ModelError(
                f"The folder {spec} holds no transformers model: config.json is missing. "
                "Name the folder that save_pretrained wrote."
            )
        whole = path.resolve()
        return f"{whole.parent.name}/{whole.name}" if _CHECKPOINT.fullmatch(whole.name) else whole.name
    if path.is_file():
        raise ModelError(f"{spec} is a file; name the folder of the model, which save_pretrained wrote.")
    if not _HUB_NAME.fullmatch(spec):
        raise ModelError(f"There is no folder {spec}, and a name at the Hugging Face hub looks like 'owner/model'.")
    return spec


@dataclass(frozen=True, slots=True)
class Source:
    """Where a model is read from: a folder, or a name at the hub, which is asked only where that is allowed."""

    spec: str
    name: str
    asks_hub: bool

    def read(self, kind: Any, **options: object) -> Any:
        """What transformers loads, without running code that comes with a model.

        Raises: ModelError with the first line of what it says
        """
        path = Path(self.spec).expanduser()
        folder_or_name = str(path) if path.is_dir() else self.spec
        try:
            return kind.from_pretrained(
                folder_or_name, local_files_only=path.is_dir() or not self.asks_hub, trust_remote_code=False, **options
            )
        except ImportError as error:  # a tokenizer that needs sentencepiece, say
            raise ModelError(f"The model '{self.spec}' needs a package that is missing: {first_line(error)}") from error
        except Exception as error:  # whatever a damaged file makes of it: safetensors and tokenizers raise their own
            if isinstance(error, OSError) and not (path.is_dir() or self.asks_hub):
                raise ModelError(_NOT_HERE.format(spec=self.spec)) from error
            where = _NOWHERE if self.asks_hub and not path.is_dir() else ""
            raise ModelError(f"The model '{self.spec}' cannot be loaded: {first_line(error)}{where}") from error


def _kind(config: Any, name: str) -> ModelKind:
    architectures = tuple(config.architectures or ())
    if any(a.endswith("ForSequenceClassification") for a in architectures):
        return "classification"
    if any(a.endswith("ForQuestionAnswering") for a in architectures):
        return "reading"
    if any(a.endswith("ForTokenClassification") for a in architectures) and getattr(config, READS_WORDS, False):
        return "classification"
    raise ModelError(
        f"The model '{name}' was saved as {', '.join(architectures) or 'nothing that is said'}, which neither classifies "
        "texts nor answers questions. Name a model ...ForSequenceClassification or ...ForQuestionAnswering."
    )


def _labels(config: Any, name: str) -> tuple[str, ...]:
    labels = tuple(str(config.id2label[number]) for number in sorted(config.id2label))
    if len(labels) == 1:
        return _labels_of_one_output(config, labels[0], name)
    if config.problem_type == "multi_label_classification":
        raise ModelError(f"The model '{name}' gives several labels at once; only one label of several is supported.")
    if len(set(labels)) < len(labels):
        raise ModelError(f"The model '{name}' has two labels of one name: {', '.join(labels)}. Mend id2label.")
    return labels


def _labels_of_one_output(config: Any, positive: str, name: str) -> tuple[str, ...]:
    """Of a model with one sigmoid output, which tells a label from what is not that label."""
    if config.problem_type != "multi_label_classification":
        raise ModelError(
            f"The model '{name}' has a single output, a score and no classes; it cannot be used here. If it is trained with a "
            'sigmoid, write "problem_type": "multi_label_classification" into its config.json.'
        )
    return str(getattr(config, NEGATIVE_LABEL, None) or f"not {positive}"), positive


def tokenizer_of(transformers: Any, source: Source) -> Any:
    tokenizer, name = source.read(transformers.AutoTokenizer, use_fast=True), source.name
    if not tokenizer.is_fast:
        raise ModelError(
            f"The tokenizer of '{name}' ({type(tokenizer).__name__}) does not say where its pieces are in the text. "
            "Use a model with a fast tokenizer (tokenizer.json)."
        )
    if not set(tokenizer.get_vocab()) - set(tokenizer.all_special_tokens):
        raise ModelError(f"The model '{name}' has no tokenizer beside it: save it into the same folder.")
    tokenizer.truncation_side = "right"  # what is not seen is the end
    return tokenizer


def _model(transformers: Any, torch: Any, source: Source, kind: ModelKind, config: Any) -> Any:
    classifiers = (transformers.AutoModelForSequenceClassification, transformers.AutoModelForTokenClassification)
    of_labels = classifiers[bool(getattr(config, READS_WORDS, False))]
    auto = {"classification": of_labels, "reading": transformers.AutoModelForQuestionAnswering}[kind]
    model, report = source.read(
        auto,
        config=config,
        attn_implementation="eager",  # others give no attention
        dtype=torch.float32,
        output_loading_info=True,
    )
    missing = sorted({*report["missing_keys"], *(str(key) for key in report["mismatched_keys"])})
    if missing:
        raise ModelError(
            f"The model '{source.name}' lacks weights, which would be drawn at random: {', '.join(missing[:3])}"
            f"{' ...' if len(missing) > 3 else ''}. Name the folder of a trained model."
        )
    model.eval()
    model.requires_grad_(requires_grad=False)  # gradients go to embeddings alone
    return model


def check_vocabulary(model: Any, tokenizer: Any, name: str) -> None:
    n_known, largest = model.get_input_embeddings().num_embeddings, max(tokenizer.get_vocab().values())
    if largest >= n_known:
        raise ModelError(
            f"The tokenizer beside '{name}' is another model's: it has pieces up to number {largest}, "
            f"but the model knows {n_known}."
        )


def limit_of(torch: Any, model: Any, tokenizer: Any) -> int | None:
    """How many pieces the model sees, from the tokenizer, the configuration and the position embeddings; None if any."""
    limits = [tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", None) or _NO_LIMIT]
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            # RoBERTa and its kin number positions from after the padding's
            limits.append(module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1))
    least = min(limits)
    return None if least >= _NO_LIMIT else int(least)


def first_line(error: Exception) -> str:
    message = str(error).strip()
    return message.splitlines()[0][:300] if message else type(error).__name__
