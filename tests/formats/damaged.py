"""Reads damaged versions of the formats' samples under a limit of memory and time; prints what went wrong, a line each.

python -m tests.formats.damaged csv jsonl
"""

import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from annotator.domain.tasks import TASKS
from annotator.errors import AnnotatorError, Problem
from annotator.formats.base import OutputOptions, ReadOptions
from annotator.formats.registry import get_output_reader, get_reader

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
MEMORY_BYTES = 3 * 2**30  # of addresses, of which NumPy's threads alone reserve a good part
SECONDS = 20  # of processor time for one file; all need a fraction of one
LONGEST_TOLD = 4_000
N_FLIPS, N_CUTS, N_VALUES = 8, 4, 16

INSTANCES = {
    "csv": [("sentiment.csv", "sentiment")],
    "jsonl": [("similarity.jsonl", "similarity"), ("canonical", "reading"), ("own.jsonl", "sentiment")],
    "eraser": [("eraser", "verification"), ("eraser-docs-folder", "verification")],
    "benchmark": [("benchmark-sentiment-trustai", "sentiment"), ("benchmark-reading", "reading")],
    "hatexplain": [("hatexplain", "sentiment")],
    "esnli": [("esnli", "inference")],
    "fair-rationales": [("fair-rationales.csv", "sentiment")],
    "cose": [("cose", "choice")],
    "multirc": [("multirc", "verification")],
    "movies": [("movies", "sentiment")],
    "fever": [("fever", "verification")],
    "evidence-inference": [("evidence-inference", "verification")],
    "contrast": [("contrast.jsonl", "sentiment")],
    "aesw": [("aesw.xml", "editing")],
    "label-studio": [("label-studio.json", "sentiment")],
    "doccano": [("doccano", "sentiment")],
    "argilla": [("argilla.json", "inference")],
    "prodigy": [("prodigy.jsonl", "sentiment")],
    "conll": [("tags.conll", "sentiment")],
}
# The shortest files of the tools' own formats.
_INFO = '"info": {"attr_pos_end": 2, "attr_pos_start": 1, "attribution_method": "ig", "generated_texts": ["a b"], "input_texts": ["a"], "model_name": "m"}'
_TOKENS = '[{"id": 1, "token": "a"}, {"id": 2, "token": "b"}]'
OUTPUT = {
    "predictions": "predictions/model_output.jsonl",
    "attributions": "predictions/model_output.jsonl",
    "attributions-csv": "predictions/attributions.csv",
    "eraser-predictions": b'{"annotation_id": "1", "rationales": [{"docid": "d", "hard_rationale_predictions": [{"start_token": 0, "end_token": 1}], "soft_rationale_predictions": [0.5, 0.1]}], "classification": "a", "classification_scores": {"a": 0.9, "b": 0.1}}\n',
    "benchmark-predictions": "predictions/benchmark-trustai.jsonl",
    "benchmark-saliency": "predictions/benchmark-saliency.jsonl",
    "thermostat": b'{"attributions": [0.5, 0.25], "idx": 0, "input_ids": [0, 1], "label": 1, "predictions": [0.5, -0.5]}\n',
    "xai-benchmark": b'{"tokens": [{"token": "a", "0": 0.5, "1": 0.2}, {"token": "b", "0": -0.1, "1": 0.3}]}\n',
    "inseq": f'{{{_INFO}, "sequence_attributions": [{{"attr_pos_start": 1, "attr_pos_end": 2, "source": [], "target": {_TOKENS}, "target_attributions": [[0.5], [0.5]]}}]}}'.encode(),
    "shap": b'[{"values": [[0.5, -0.5], [0.25, 0.5]], "data": ["a ", "b"], "output_names": ["negative", "positive"]}]',
    "lime": b'[{"text": "a b", "bow": true, "as_list": {"0": [["a", 0.5], ["b", 0.25]]}}]',
    "captum": b'[{"word_attributions": [0.5, 0.25], "raw_input_ids": ["a", "b"], "attr_class": 0, "pred_class": 0, "pred_prob": 0.7}]',
    "transformers-interpret": b'[{"text": "a b", "word_attributions": [["a", 0.5], ["b", 0.25]], "predicted": "negative"}]',
    "ferret": b'[{"text": "a b", "tokens": ["a", "b"], "scores": [0.5, 0.25], "explainer": "x", "target": 1}]',
    "interpreto": b'[{"method": "ig", "text": "a b", "elements": ["a", "b"], "attributions": [[0.5, 0.25]], "targets": [1], "granularity": "WORD"}]',
    "argilla-attributions": b'[{"id": "1", "explanation": {"text": [{"token": "a", "attributions": {"positive": 0.7}}]}, "prediction": [["positive", 0.9]]}]',
    "self-explanations": b'{"custom_id": "self-explanation:1::1", "response": {"status_code": 200, "body": {"model": "m", "choices": [{"message": {"content": "{\\"label\\": \\"positive\\", \\"quotes\\": [\\"a b\\"]}"}}]}}}\n',
}  # fmt: skip
Reader = Callable[[Path], Iterator[object]]


class TooSlow(BaseException):
    """Past every `except`, as the limit must be."""


def damages(content: bytes, draw: random.Random) -> Iterator[tuple[str, bytes]]:
    """Versions of a file that is right, each with what was done to it."""
    n = len(content)
    for cut in sorted({0, 1, n // 2, n - 1, *(draw.randrange(n) for _ in range(N_CUTS))}):
        yield f"cut after {cut}", content[:cut]
    for number in range(N_FLIPS):
        flipped = bytearray(content)
        for _ in range(draw.choice((1, 1, 3, 20))):
            flipped[draw.randrange(n)] = draw.choice((draw.randrange(256), *b'"[]{},:\\\n\0-9e<>&'))
        yield f"flip {number}", bytes(flipped)
    yield "twice", content * 2
    yield "many times", content * (50_000 // n + 1)
    for opened, closed in ((b"[", b"]"), (b'{"a":', b"}"), (b"<b>", b"</b>"), (b'"', b'"')):
        place = draw.randrange(n)
        yield f"nest {opened!r} at {place}", content[:place] + opened * 50_000 + closed * 50_000 + content[place:]
        yield f"open {opened!r} at {place}", content[:place] + opened * 50_000 + content[place:]
        yield f"only {opened!r}", opened * 50_000 + closed * 50_000
    yield from _with_other_values(content, draw)
    yield "wide", b",".join(b"c%d" % number for number in range(100_000)) + b"\n" + content
    yield "UTF-16", content.decode("utf-8", "replace").encode("utf-16")
    yield "one line", content.replace(b"\n", b" ")
    yield "blank", b"\xef\xbb\xbf \n\t\n"
    yield "zeros", b"\0" * 100_000
    yield "noise", draw.randbytes(50_000)
    yield "packed", zlib.compress(content)


_VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d+(?:\.\d+)?')
_ODD = (
    b"-1", b"1e999", b"NaN", b"9" * 5000, b"99999999999", b"9223372036854775808", b"1.5", b"null", b"true", b'""', b"[]",
    b"{}", b'"\\ud800"', b'"\\u0000"', b'"\xff"', b"[" * 90 + b"]" * 90, b"[" * 950 + b"]" * 950, b"[" * 2000 + b"]" * 2000, b'"' + b"x" * 100_000 + b'"',
    b"{" + b",".join(b'"k%d":1' % number for number in range(20_000)) + b"}",
)  # fmt: skip


def _with_other_values(content: bytes, draw: random.Random) -> Iterator[tuple[str, bytes]]:
    found = list(_VALUE.finditer(content))
    for _ in range(N_VALUES if found else 0):
        value, new = draw.choice(found), draw.choice(_ODD)
        yield f"{new[:20]!r} at {value.start()}", content[: value.start()] + new + content[value.end() :]


def samples(name: str, folder: Path) -> Iterator[tuple[Path, Reader]]:
    """The right files of a format with its reader; what comes from no sample is written into `folder`."""
    for place, task in INSTANCES.get(name, ()):
        yield SAMPLES / place, lambda path, task=task: get_reader(name)(path, ReadOptions(TASKS[task]))
    if name in OUTPUT:
        vocabulary = folder / "vocab.txt"
        vocabulary.write_text("a\nb\n")
        options = OutputOptions(
            TASKS["sentiment"], ("negative", "positive"), model="m", method="x", vocabulary=vocabulary
        )
        given = OUTPUT[name]
        path = SAMPLES / given if isinstance(given, str) else folder / f"{name}.json"
        if isinstance(given, bytes):
            path.write_bytes(given)
        yield path, lambda path: get_output_reader(name)(path, options)
        if name == "shap":
            np.savez(folder / "e.npz", values=np.array([[0.5, -0.5]]), data=np.array(["a "]))
            yield folder / "e.npz", lambda path: get_output_reader(name)(path, options)


def read_whole(path: Path, reader: Reader) -> str:
    """What a reader may not do with a file; "" when all is well."""
    longest = 0
    try:
        for item in reader(path):
            longest = max(longest, len(str(item)) if isinstance(item, Problem) else 0)
    except AnnotatorError as refusal:
        longest = len(str(refusal))
    except TooSlow:
        return f"is still read after {SECONDS} seconds"
    except (Exception, MemoryError) as error:  # noqa: BLE001  (what is looked for)
        return f"{type(error).__name__}: {str(error)[:200]}"
    return f"a sentence of {longest} characters" if longest > LONGEST_TOLD else ""


def try_all(name: str, folder: Path) -> Iterator[str]:
    """What goes wrong with damaged versions of a format's samples."""
    for number, (sample, reader) in enumerate(samples(name, folder)):
        files = [sample] if sample.is_file() else sorted(path for path in sample.rglob("*") if path.is_file())
        for file in files:
            for what, content in damages(file.read_bytes(), random.Random(f"{name} {file.name}")):
                copy = folder / str(number) / sample.name
                shutil.rmtree(copy.parent, ignore_errors=True)
                copy.parent.mkdir()
                (shutil.copyfile if sample.is_file() else shutil.copytree)(sample, copy)
                (copy if sample.is_file() else copy / file.relative_to(sample)).write_bytes(content)
                signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
                wrong = read_whole(copy, reader)
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                if wrong:
                    yield f"{file.name}, {what}: {wrong}"


def _stop(*_: object) -> None:
    raise TooSlow


def main() -> None:
    "Limits first, since a limit of one's own process cannot be removed."
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    signal.signal(signal.SIGVTALRM, _stop)
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            for line in try_all(name, Path(folder)):
                sys.stdout.write(f"{name}: {line}\n")
    sys.stdout.write("tried\n")


if __name__ == "__main__":
    main()
