"""What is known of a model before it is loaded: its name, and the labels that its folder states."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotator.errors import ModelError
from annotator.language import _

_CHECKPOINT = re.compile(r"checkpoint-\d+")  # what a training leaves, the same name in each training's folder
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
NEGATIVE_LABEL = "negative_label"  # in the configuration of a model with one output: what it answers below .5
_SPACY_PARTS = ("textcat", "textcat_multilabel")
_READING = "ForQuestionAnswering"


def model_name(spec: str) -> str:
    """The model's name: the folder's, or that at the hub; raises ModelError for what is neither."""
    path = Path(spec).expanduser()
    if path.is_file() or (path.is_dir() and not (path / "config.json").is_file()):
        raise ModelError(_("{spec} isn't a folder written by save_pretrained.", spec=spec))
    if path.is_dir():
        whole = path.resolve()
        return f"{whole.parent.name}/{whole.name}" if _CHECKPOINT.fullmatch(whole.name) else whole.name
    if not _HUB_NAME.fullmatch(spec):
        raise ModelError(_("No folder {spec}. Hub names look like 'owner/model'.", spec=spec))
    return spec


def stated_labels(spec: str) -> tuple[str, ...] | None:
    """The labels that a spec's model answers; () for one that gives none, None where that is not known before it is loaded.

    It is not known of a model that lies in no folder here, and of a folder that says nothing, or what cannot be read.
    """
    kind, _, source = spec.partition(":")
    folder = Path(source.strip()).expanduser()
    read = {"transformers": _of_transformers, "spacy": _of_spacy}.get(kind)
    file = folder / {"transformers": "config.json", "spacy": "meta.json"}.get(kind, "")
    try:
        stated = json.loads(file.read_bytes()) if read is not None and file.is_file() else None
    except (OSError, ValueError):
        return None
    return read(stated) if read is not None and isinstance(stated, dict) else None


def _of_transformers(config: Mapping[str, Any]) -> tuple[str, ...] | None:
    architectures = config.get("architectures") or []
    if any(str(name).endswith(_READING) for name in architectures):
        return ()
    by_number = config.get("id2label")
    if not isinstance(by_number, dict):
        n = config.get("num_labels", 2)
        return tuple(f"LABEL_{number}" for number in range(n)) if isinstance(n, int) else None
    try:
        labels = tuple(str(by_number[number]) for number in sorted(by_number, key=int))
    except ValueError:
        return None
    return (str(config.get(NEGATIVE_LABEL) or f"not {labels[0]}"), labels[0]) if len(labels) == 1 else labels


def _of_spacy(meta: Mapping[str, Any]) -> tuple[str, ...] | None:
    by_part = meta.get("labels")
    if not isinstance(by_part, dict):
        return None
    return next((tuple(map(str, by_part[part])) for part in _SPACY_PARTS if by_part.get(part)), None)
