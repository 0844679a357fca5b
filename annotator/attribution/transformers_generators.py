"""Models that write their answer: decoders that go on with a prompt, and encoders with a decoder, which read it first.

They write greedily: the likeliest subword each time, whatever sampling, beams or penalties their folder asks for, so that what is
written is what the scores that are explained decide.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import signature
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.attribution import transformers_sources
from annotator.attribution.base import Explainer, Input, TooLong
from annotator.attribution.transformers_networks import Loaded, answering
from annotator.attribution.transformers_prompts import Prompt
from annotator.attribution.transformers_subwords import Cutter, Encoded, Tensor
from annotator.domain.numbers import counted
from annotator.domain.projects import USUAL_PROMPT
from annotator.errors import InvalidValue, ModelError
from annotator.language import _

_USUAL = (USUAL_PROMPT, 20)
NOTHING_WRITTEN = "to which the model writes nothing"


@dataclass(slots=True)
class Writer:
    """A model that writes (protocol Writes).

    template:  the prompt as a person writes it
    longest:   how many subwords it writes at most
    is_paired: an encoder reads the prompt, and a decoder writes from its own beginning
    """

    name: str
    labels: tuple[str, ...]
    loaded: Loaded
    template: str
    longest: int
    is_paired: bool

    @property
    def about(self) -> Mapping[str, str]:
        """What made its answers: classes and versions."""
        return self.loaded.about

    def probabilities(self, inputs: Sequence[Input]) -> npt.NDArray[np.float64]:
        """It has none: what it writes is no choice between labels. Raises: ModelError."""
        del inputs
        raise ModelError(
            _(
                "'{name}' gives no label probabilities. Use 'annotator attribute', or transformers-zero-shot:FOLDER.",
                name=self.name,
            )
        )

    def writing(self, method: str, parameters: Mapping[str, object]) -> Explainer:
        from annotator.attribution.transformers_generation_attribution import explainer_of_written  # noqa: PLC0415

        return explainer_of_written(self, method, parameters)

    def write(self, encoded: Encoded) -> tuple[int, ...]:
        """The subwords that it writes, without what ends them.

        Raises: ModelError when it fails, or writes nothing
        """
        ends, written = self._ends, list[int]()
        for subword in islice(self._likeliest(self.embedded(encoded.ids)), self.longest):
            if subword in ends:
                break
            written.append(subword)
        if not "".join(self.subwords_of(written)).strip():
            raise ModelError(
                _("'{name}' generates nothing for {shown}.", name=self.name, shown=encoded.shown),
                reason=NOTHING_WRITTEN,
            )
        return tuple(written)

    def _likeliest(self, read: Tensor) -> Iterator[int]:
        """The likeliest subword each time, without end.

        Where the model keeps what it made of all before (keys and values), each subword is read once; else all of it each time.
        """
        torch, written = import_module("torch"), list[int]()
        cache_name = None if self.is_paired else _cache_name(self.loaded.model)
        given, cache = read, None
        while True:
            with torch.no_grad(), answering(self.loaded):
                if cache_name:
                    # no mask: nothing is padded, and a recurrent model (Mamba) misreads one that is longer than what it is given
                    outputs = self.loaded.model(inputs_embeds=given, use_cache=True, **{cache_name: cache})
                    logits, cache = outputs.logits, outputs.get(cache_name)
                else:  # the last subword stands where the next one is asked for
                    logits = self.scores(read, self.embedded([*written, 0]))
            written.append(int(logits[0, -1].argmax()))
            yield written[-1]
            cache_name = cache_name if cache is not None else None
            given = self.embedded(written[-1:])

    @property
    def _ends(self) -> frozenset[int]:
        """The subwords that end an answer."""
        stated = self.loaded.model.generation_config.eos_token_id
        ends = stated if isinstance(stated, list) else [stated]
        return frozenset(subword for subword in [*ends, self.loaded.tokenizer.eos_token_id] if subword is not None)

    def embedded(self, subwords: Sequence[int]) -> Tensor:
        """float[1, length, dimensions]."""
        return self.loaded.embedding(import_module("torch").tensor([list(subwords)], device=self.loaded.device))

    @property
    def start(self) -> int:
        """The subword from which a decoder with an encoder begins."""
        config = self.loaded.model.config
        for name in ("decoder_start_token_id", "bos_token_id", "pad_token_id"):
            number = getattr(config, name, None)
            if isinstance(number, int):
                return number
        raise ModelError(_("config.json of '{name}' has no decoder_start_token_id. Add it.", name=self.name))

    def subwords_of(self, written: Sequence[int]) -> tuple[str, ...]:
        """What each subword adds to the text; "" for one that only begins a character."""
        texts: list[str] = []
        before = ""
        for n in range(len(written)):
            text = self.loaded.tokenizer.decode(
                list(written[: n + 1]), skip_special_tokens=True, clean_up_tokenization_spaces=False
            ).rstrip("\ufffd")
            text = text if len(text) > len(before) else before
            texts.append(text[len(before) :])
            before = text
        return tuple(texts)

    def scores(self, prompt: Tensor, answer: Tensor) -> Tensor:
        """float[batch, n_written, n_subwords of the vocabulary]: the scores from which each subword was chosen.

        prompt, answer: embeddings float[batch, length, dimensions] of what was read and of what was written; the last subword is
                        not looked at
        """
        torch, model, n = import_module("torch"), self.loaded.model, answer.shape[1]
        before = answer[:, :-1]
        with answering(self.loaded):
            if self.is_paired:
                start = self.embedded([self.start])
                given = torch.cat([start.expand(len(prompt), -1, -1), before], dim=1)
                mask = torch.ones(prompt.shape[:2], dtype=torch.long, device=prompt.device)
                outputs = model(inputs_embeds=prompt, attention_mask=mask, decoder_inputs_embeds=given, use_cache=False)
                return outputs.logits
            given = torch.cat([prompt, before], dim=1)
            mask = torch.ones(given.shape[:2], dtype=torch.long, device=prompt.device)
            only = {"logits_to_keep": n} if "logits_to_keep" in signature(model.forward).parameters else {}
            return model(inputs_embeds=given, attention_mask=mask, use_cache=False, **only).logits[:, -n:]


def _cache_name(model: Any) -> str | None:
    """The argument in which a decoder takes the keys and values of what it has read, and under which it gives them back.

    Until transformers 5.23 it was "past_key_values".
    """
    parameters = signature(model.forward).parameters
    return next((name for name in ("cache", "past_key_values") if name in parameters), None)


def load_writer(
    spec: str,
    *,
    device: str,
    threads: int,
    batch_size: int | None,
    too_long: TooLong,
    query_first: bool,
    asks_hub: bool,
    template: str,
    longest: int,
) -> Writer:
    """A decoder, or an encoder with a decoder, from a folder or by its name at the Hugging Face hub.

    template: what the text stands in; the model goes on where it ends
    Raises: ModelError when it cannot be loaded or writes nothing, InvalidValue for an argument
    """
    prompt = Prompt.to_be_written_on(template)
    if longest < 1:
        raise InvalidValue(
            _("{name} is {value}; use {least} or more.", value=longest, name=_("Maximum length (subwords)"), least=1)
        )
    if too_long == "windows":
        raise InvalidValue(_("Use refuse or cut for generative models."))
    source = transformers_sources.Source.of(spec, asks_hub=asks_hub)
    torch, transformers = transformers_sources.needed("torch"), transformers_sources.needed("transformers")
    chosen = transformers_sources.device_of(torch, device)
    transformers_sources.check_numbers(threads, batch_size, too_long)
    torch.set_num_threads(threads)
    with transformers_sources.quietly(transformers):
        config = source.read(transformers.AutoConfig)
        auto = _auto(config, source.name)
        tokenizer = transformers_sources.tokenizer_of(transformers, source)
        model = transformers_sources.weights_of(transformers, torch, source, auto, config)
    transformers_sources.check_vocabulary(model, tokenizer, source.name)
    is_paired = auto == transformers_sources.CONDITIONAL
    cutter = Cutter(
        tokenizer, source.name,
        _room(transformers_sources.limit_of(torch, model, tokenizer), longest, source.name, is_paired=is_paired), too_long,
        question_first=query_first, has_windows=False,
        beside="" if is_paired else _(" besides {subwords} of output", subwords=counted(longest, "subword")),
    )  # fmt: skip
    about = {
        "model": type(model).__name__,
        "tokenizer": type(tokenizer).__name__,
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }
    name = " ".join([source.name, "writing", *_digest(template, longest)])
    loaded = Loaded(
        name, "classification", (), model, cutter, chosen, batch_size or transformers_sources.BATCH[chosen], about, "label words",
        replace(prompt, is_ended=is_paired),
    )  # fmt: skip
    with answering(loaded):
        model.to(chosen)
        if not is_paired:
            transformers_sources.check_causal(torch, loaded)
    return Writer(name, (), loaded, template, longest, is_paired)


def _auto(config: Any, name: str) -> str:
    architectures = tuple(config.architectures or ())
    if any(a.endswith(("ForCausalLM", "LMHeadModel")) for a in architectures):
        return transformers_sources.CAUSAL
    if any(a.endswith("ForConditionalGeneration") for a in architectures) and config.is_encoder_decoder:
        return transformers_sources.CONDITIONAL
    raise ModelError(
        _(
            "'{name}' ({kind}) isn't a generative model.",
            name=name,
            kind=", ".join(architectures) or _("an unnamed type"),
        )
    )


def _room(limit: int | None, longest: int, name: str, *, is_paired: bool) -> int | None:
    """How many subwords may be read: what is written stands behind them, but for an encoder."""
    if limit is None or is_paired:
        return limit
    if limit - longest < 1:
        raise InvalidValue(
            _(
                "'{name}' ({limit} subwords) has no room besides {subwords} of output. Lower --longest-answer.",
                name=name,
                limit=limit,
                subwords=counted(longest, "subword"),
            )
        )
    return limit - longest


def _digest(template: str, longest: int) -> list[str]:
    """What tells it from the same model with another prompt; [] for the usual one."""
    parts = [template, longest]
    return [] if parts == [*_USUAL] else [hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:6]]
