"""A built-in model as versions before the first release trained and saved it: spaCy's classifier of words."""

import json
from pathlib import Path
from typing import Any

import spacy
from spacy.tokens import Doc
from spacy.training import Example

LABELS = ("negative", "positive")
DIGEST = "0123456789abcdef"
_TEXTS = (("a good book", "positive"), ("a bad book", "negative"), ("good food", "positive"), ("bad food", "negative"))
_ARCHITECTURE = {
    "@architectures": "spacy.TextCatBOW.v3",
    "exclusive_classes": True,
    "ngram_size": 1,
    "no_output_layer": False,
    "length": 262_144,
}


def trained_as_before() -> Any:
    nlp = spacy.blank("xx")
    textcat: Any = nlp.add_pipe("textcat", config={"model": _ARCHITECTURE})
    for label in LABELS:
        textcat.add_label(label)
    pairs = [
        Example.from_dict(
            Doc(nlp.vocab, words=[f"text={word}" for word in text.split()]),
            {"cats": {name: float(name == label) for name in LABELS}},
        )
        for text, label in _TEXTS
    ]
    optimizer = nlp.initialize(lambda: pairs)
    for _ in range(40):
        textcat.update(pairs, sgd=optimizer)
    return nlp


def save_as_before(folder: Path, nlp: Any = None) -> str:
    """Put the model into a folder of models, in the place of what is there; answers its digest."""
    folder.mkdir(parents=True, exist_ok=True)
    (nlp or trained_as_before()).to_disk(folder / DIGEST)
    settings = {
        "seed": 0,
        "n_examples": {"negative": 2, "positive": 2},
        "digest": DIGEST,
        "repeating": [],
        "split": "train",
    }
    (folder / "current.json").write_text(json.dumps(settings), encoding="utf-8")
    return DIGEST
