"""A transformers model and its tokenizer, from a folder or from the Hugging Face hub: refused at once where it could not explain.

What a folder states of its labels is read without loading the model.

Weights are read as safetensors alone, since pickled ones can run code; code that comes with a model is never run.
"""

import math
import os
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from annotator.attribution.architectures.lstm import is_match_lstm, is_recurrent
from annotator.attribution.architectures.lstm import register as register_recurrent
from annotator.attribution.architectures.pipeline import register as register_pipelines
from annotator.attribution.architectures.rationaliser import read_extractor, selects
from annotator.attribution.architectures.rationaliser import register as register_rationalisers
from annotator.attribution.base import TooLong, first_line
from annotator.attribution.model_specs import NEGATIVE_LABEL, model_name
from annotator.attribution.transformers_networks import Device, Loaded, Reads, answering
from annotator.attribution.transformers_parameters import ModelKind
from annotator.attribution.transformers_prompts import Prompt, label_subwords
from annotator.attribution.transformers_subwords import Cutter, empty_text_of
from annotator.errors import InvalidValue, ModelError
from annotator.language import _, unsaid

_OF_THE_EXTRA = ("torch", "transformers", "huggingface_hub")
_OFFLINE = "HF_HUB_OFFLINE"
_PATIENCE_S = 2.0  # with a hub that does not answer; its own client tries again for half a minute
_PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.h5", "*.msgpack")
_NOT_HERE = unsaid("No folder or downloaded model '{spec}'. Give a folder, or start with --allow-model-hub.")
_IS_OFFLINE = unsaid("No folder or downloaded model '{spec}'. Give a folder, or unset HF_HUB_OFFLINE.")
_UNREACHABLE = unsaid("No folder or downloaded model '{spec}', and {endpoint} is unreachable. Give a folder.")
_AGAIN = unsaid("In a trusted environment, re-save it with save_pretrained.")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a model is read from. asks_hub: whether the hub is asked for what was not fetched before."""

    spec: str
    name: str
    asks_hub: bool

    @staticmethod
    def of(spec: str, *, asks_hub: bool) -> "Source":
        """What a person names, before anything large is loaded or another host is waited for.

        Raises: ModelError for a folder without weights that may be read, and for a name that cannot be had here
        """
        if not asks_hub:
            os.environ.setdefault(_OFFLINE, "1")  # read when transformers is loaded, for whatever it asks besides
        name, path = model_name(spec), Path(spec).expanduser()
        if path.is_dir():
            _check_weights(path)
            return Source(spec, name, asks_hub=False)
        return Source(spec, name, asks_hub=_may_ask(spec, asks_hub=asks_hub))

    def read(self, kind: Any, **options: object) -> Any:
        """What transformers loads, without running code that comes with a model.

        Raises: ModelError with the first line of what it says
        """
        path = Path(self.spec).expanduser()
        folder_or_name = str(path) if path.is_dir() else self.spec
        try:
            return kind.from_pretrained(
                folder_or_name, local_files_only=not self.asks_hub, trust_remote_code=False, **options
            )
        except ImportError as error:  # a tokenizer that needs sentencepiece, say
            raise ModelError(
                _("'{spec}' needs a missing package: {first_line}", spec=self.spec, first_line=first_line(error))
            ) from error
        except Exception as error:  # whatever a damaged file makes of it: safetensors and tokenizers raise their own
            values = {"spec": self.spec, "first_line": first_line(error)}
            raise ModelError(_("Can't load '{spec}': {first_line}", **values)) from error

    def weights(self, kind: Any, **options: object) -> Any:
        """A model with its weights, which are safetensors."""
        try:
            return self.read(kind, use_safetensors=True, **options)
        except ModelError as error:
            if isinstance(error.__cause__, OSError) and "safetensors" in str(error.__cause__):
                raise ModelError(
                    _(
                        "'{spec}' has no safetensors weights; others can run code. {again}",
                        spec=self.spec,
                        again=_(_AGAIN),
                    )
                ) from error
            raise


def _check_weights(folder: Path) -> None:
    """Raise ModelError for a folder whose weights are pickled, or of which nothing is left but its configuration."""
    if any(folder.glob("*.safetensors")):
        return
    pickled = sorted(
        path.name for pattern in _PICKLED for path in folder.glob(pattern) if path.name != "training_args.bin"
    )
    if pickled:
        raise ModelError(
            _(
                "Weights in {folder} aren't safetensors ({pickled}): they could run code. {again}",
                folder=folder,
                pickled=pickled[0],
                again=_(_AGAIN),
            )
        )


def _may_ask(spec: str, *, asks_hub: bool) -> bool:
    """Whether the hub is asked for a name: it is allowed and can be reached; what was fetched before needs neither.

    Raises: ModelError for what is not here and cannot be fetched
    """
    if any(find_spec(package) is None for package in _OF_THE_EXTRA):
        return False  # which is said where torch is needed
    hub, constants = import_module("huggingface_hub"), import_module("huggingface_hub.constants")
    try:
        is_here = isinstance(hub.try_to_load_from_cache(spec, "config.json"), str)
    except ValueError:  # no such name can be at the hub
        is_here = False
    if not asks_hub:
        refusal = _NOT_HERE
    elif constants.HF_HUB_OFFLINE:
        refusal = _IS_OFFLINE
    elif not _is_reachable(constants.ENDPOINT):
        refusal = _UNREACHABLE
    else:
        return True
    if not is_here:
        raise ModelError(refusal.format(spec=spec, endpoint=constants.ENDPOINT))
    return False


def _is_reachable(endpoint: str) -> bool:
    """Whether something takes a connection there, or at the proxy before it, within two seconds, finding its name included."""
    address = urlsplit(endpoint)
    proxy = getproxies().get(address.scheme)
    if proxy and not proxy_bypass(address.hostname or ""):
        address = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    answers: list[bool] = []

    def ask() -> None:
        try:
            port = address.port or (80 if address.scheme == "http" else 443)
            socket.create_connection((address.hostname or "", port), timeout=_PATIENCE_S).close()
        except OSError:
            return
        answers.append(True)

    asking = threading.Thread(target=ask, name="hub", daemon=True)
    asking.start()
    asking.join(_PATIENCE_S)
    return bool(answers)


# A model and its tokenizer from a folder or from the Hugging Face hub, refused at once where they could not explain.


READS = "read_for_label"  # in that of a token classifier: "words", the mean of what it answers for each subword, or "target"
NONE_THRESHOLD = "no_answer_threshold"  # in that of a reading model: it may say that there is no answer, see Finding
IN_WINDOWS = "reads_in_windows"  # in that of a reading model that was trained in windows

_NO_LIMIT = 1_000_000  # tokenizers that know no limit say 10^30
BATCH = {"cpu": 8, "cuda": 32}  # on a CPU larger batches bring nothing but memory


def load_model(
    spec: str,
    *,
    device: str,
    threads: int,
    batch_size: int | None,
    too_long: TooLong,
    query_first: bool,
    asks_hub: bool,
    prompt: Prompt | None = None,
) -> Loaded:
    """See `transformers_models.load`."""
    source = Source.of(spec, asks_hub=asks_hub)
    torch, transformers = needed("torch"), needed("transformers")
    chosen = device_of(torch, device)
    check_numbers(threads, batch_size, too_long)
    torch.set_num_threads(threads)
    with quietly(transformers):
        name = source.name
        register_pipelines(transformers)
        register_rationalisers(transformers)
        register_recurrent(transformers)
        config = source.read(transformers.AutoConfig)
        kind = _kind(config, name) if prompt is None else _causal(config, name)
        labels = () if kind == "reading" else labels_of_config(config, name) if prompt is None else prompt.labels
        reads = "answer" if kind == "reading" else reads_of_config(config, prompt)
        tokenizer = tokenizer_of(transformers, source)
        model = weights_of(transformers, torch, source, AUTO[reads], config)
    always_in_windows = reads in {"words", "target"} or (
        reads == "answer" and getattr(config, IN_WINDOWS, False) is True
    )
    none_threshold = _none_threshold(config, tokenizer, name) if reads == "answer" else None
    check_vocabulary(model, tokenizer, name)
    if (
        tokenizer.pad_token_id is not None
    ):  # decoders read the last subword that is not this one: it has to be what we fill up with
        model.config.pad_token_id = tokenizer.pad_token_id
    cutter = Cutter(
        tokenizer, name, limit_of(torch, model, tokenizer), "windows" if always_in_windows else too_long,
        question_first=query_first or kind == "reading", empty_text="" if prompt else empty_text_of(tokenizer),
        has_sentences=selects(model),
    )  # fmt: skip
    words = () if prompt is None else label_subwords(cutter, prompt)
    if words and cutter.limit is not None:
        cutter = replace(cutter, limit=cutter.limit - max(len(subwords) for subwords in words) + 1)
    about = {
        "model": type(model).__name__,
        "tokenizer": type(tokenizer).__name__,
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }
    loaded = Loaded(
        name, kind, labels, model, cutter, chosen, batch_size or BATCH[chosen], about, reads, prompt, words,
        none_threshold,
    )  # fmt: skip
    with answering(loaded):
        model.to(chosen)
        if prompt is not None:
            check_causal(torch, loaded)
    return loaded


def needed(package: str) -> Any:
    """A package of the extra; raises ModelError saying how it is installed."""
    try:
        return import_module(package)
    except ImportError as error:
        raise ModelError(
            _(
                "Can't load {package} ({first_line}). Run: pip install 'rationale-annotator[models]'.",
                package=package,
                first_line=first_line(error),
            )
        ) from error


def device_of(torch: Any, wanted: str) -> Device:
    if wanted not in {"auto", "cpu", "cuda"}:
        raise InvalidValue(_("Unknown device {wanted}. Use auto, cpu or cuda.", wanted=f"{wanted!r}"))
    if wanted == "cuda" and not torch.cuda.is_available():
        raise ModelError(_("No CUDA device found. Use cpu or auto."))
    return "cuda" if wanted != "cpu" and torch.cuda.is_available() else "cpu"


def check_numbers(threads: int, batch_size: int | None, too_long: str) -> None:
    if threads < 1:
        raise InvalidValue(_("{name} is {value}; use {least} or more.", value=threads, name=_("Threads"), least=1))
    if batch_size is not None and batch_size < 1:
        raise InvalidValue(
            _("{name} is {value}; use {least} or more.", value=batch_size, name=_("Batch size"), least=1)
        )
    if too_long not in get_args(TooLong):
        raise InvalidValue(
            _(
                "Long texts can't be handled by {too_long}. Use {ways}.",
                too_long=f"{too_long!r}",
                ways=", ".join(get_args(TooLong)),
            )
        )


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


def _kind(config: Any, name: str) -> ModelKind:
    architectures = tuple(config.architectures or ())
    if any(a.endswith("ForSequenceClassification") for a in architectures):
        return "classification"
    if any(a.endswith("ForQuestionAnswering") for a in architectures):
        return "reading"
    if any(a.endswith("ForTokenClassification") for a in architectures) and getattr(config, READS, "") in AUTO:
        return "classification"
    raise ModelError(
        _(
            "'{name}' is a {kind}. Use ...ForSequenceClassification or ...ForQuestionAnswering, or load "
            "...ForCausalLM as transformers-zero-shot:FOLDER.",
            name=name,
            kind=", ".join(architectures) or _("an unnamed type"),
        )
    )


def _none_threshold(config: Any, tokenizer: Any, name: str) -> float | None:
    """How much better than the best stretch "no answer" has to be; None where the configuration does not say that it may be."""
    threshold = getattr(config, NONE_THRESHOLD, None)
    if threshold is None:
        return None
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not math.isfinite(threshold):
        raise ModelError(
            _(
                "{none_threshold} is {threshold} in config.json of '{name}'. Use a number.",
                name=name,
                none_threshold=NONE_THRESHOLD,
                threshold=f"{threshold!r}",
            )
        )
    if tokenizer.cls_token_id is None:
        raise ModelError(
            _(
                "'{name}' has no [CLS] for “no answer”. Remove {none_threshold} from config.json.",
                name=name,
                none_threshold=NONE_THRESHOLD,
            )
        )
    return float(threshold)


def _causal(config: Any, name: str) -> ModelKind:
    architectures = tuple(config.architectures or ())
    if any(a.endswith(("ForCausalLM", "LMHeadModel")) for a in architectures):
        return "classification"
    raise ModelError(_("'{name}' isn't a causal language model.", name=name))


def check_causal(torch: Any, loaded: Loaded) -> None:
    """Raise ModelError for a model in which what follows a subword changes what it says comes next."""
    subwords = torch.tensor([[0, 1, 2], [0, 1, 3]], device=loaded.device)
    with torch.inference_mode():
        either = loaded.model(subwords, attention_mask=torch.ones_like(subwords)).logits[:, 1]
    if not torch.allclose(either[0], either[1], atol=1e-4):
        raise ModelError(_("'{name}' isn't a causal language model.", name=loaded.name))


def reads_of_config(config: Any, prompt: Prompt | None) -> Reads:
    if prompt is not None:
        return "label words"
    reads: Reads = getattr(config, READS, "text")
    return reads if reads in {"words", "target"} else "text"


def labels_of_config(config: Any, name: str) -> tuple[str, ...]:
    labels = tuple(str(config.id2label[number]) for number in sorted(config.id2label))
    if len(labels) == 1:
        return _labels_of_one_output(config, labels[0], name)
    if config.problem_type == "multi_label_classification":
        raise ModelError(_("'{name}' is multi-label, which isn't supported.", name=name))
    if len(set(labels)) < len(labels):
        raise ModelError(
            _("Two labels of '{name}' are the same: {labels}. Fix id2label.", name=name, labels=", ".join(labels))
        )
    return labels


def _labels_of_one_output(config: Any, positive: str, name: str) -> tuple[str, ...]:
    """Of a model with one sigmoid output, which tells a label from what is not that label."""
    if config.problem_type != "multi_label_classification":
        raise ModelError(
            _(
                '\'{name}\' has one output. If sigmoid-trained, add "problem_type": "multi_label_classification" to '
                "config.json.",
                name=name,
            )
        )
    return str(getattr(config, NEGATIVE_LABEL, None) or f"not {positive}"), positive


def tokenizer_of(transformers: Any, source: Source) -> Any:
    tokenizer, name = source.read(transformers.AutoTokenizer, use_fast=True), source.name
    if not tokenizer.is_fast:
        raise ModelError(
            _(
                "The tokenizer of '{name}' ({kind}) isn't fast. Use one with tokenizer.json.",
                name=name,
                kind=type(tokenizer).__name__,
            )
        )
    if not set(tokenizer.get_vocab()) - set(tokenizer.all_special_tokens):
        raise ModelError(_("'{name}' has no tokenizer in its folder.", name=name))
    tokenizer.truncation_side = "right"  # what is not seen is the end
    return tokenizer


CAUSAL, CONDITIONAL = "AutoModelForCausalLM", "AutoModelForSeq2SeqLM"
AUTO = {
    "text": "AutoModelForSequenceClassification",
    "words": "AutoModelForTokenClassification",
    "target": "AutoModelForTokenClassification",
    "label words": CAUSAL,
    "answer": "AutoModelForQuestionAnswering",
}


def weights_of(transformers: Any, torch: Any, source: Source, auto: str, config: Any) -> Any:
    model, report = source.weights(
        getattr(transformers, auto),
        config=config,
        attn_implementation="eager",  # others give no attention
        dtype=torch.float32,
        output_loading_info=True,
    )
    check_complete(source.name, {*report["missing_keys"], *(str(key) for key in report["mismatched_keys"])})
    read_extractor(model, Path(source.spec).expanduser())
    model.eval()
    model.requires_grad_(requires_grad=False)  # gradients go to embeddings alone
    return model


def check_complete(name: str, missing_keys: Iterable[str]) -> None:
    """Raise ModelError for a model of which weights are missing."""
    missing = sorted(missing_keys)
    if missing:
        raise ModelError(
            _(
                "'{name}' lacks weights: {missing}. Give a trained model's folder.",
                name=name,
                missing=", ".join(missing[:3]) + (" ..." if len(missing) > 3 else ""),
            )
        )


def check_vocabulary(model: Any, tokenizer: Any, name: str) -> None:
    n_known, largest = model.get_input_embeddings().num_embeddings, max(tokenizer.get_vocab().values())
    if largest >= n_known:
        raise ModelError(
            _(
                "Wrong tokenizer for '{name}': subword IDs reach {largest} (model: {n_known}).",
                name=name,
                largest=largest,
                n_known=n_known,
            )
        )


def limit_of(torch: Any, model: Any, tokenizer: Any) -> int | None:
    """How many subwords the model sees, from the tokenizer, the configuration and the position embeddings; None if any."""
    if getattr(model.config, "unit", "") == "sentence":  # a pipeline reads each sentence by itself
        return None
    if is_recurrent(model) or is_match_lstm(model):
        return None  # a transformer before the LSTM reads in windows of its own
    limits = [tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", None) or _NO_LIMIT]
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            # RoBERTa and its kin number positions from after the padding's
            limits.append(module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1))
    least = min(limits)
    return None if least >= _NO_LIMIT else int(least)
