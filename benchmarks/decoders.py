"""Which library should read JSON lines: msgspec against pydantic, both typed and strict, on the same rows in one run.

python benchmarks/decoders.py [rows]        (needs pydantic beside the program's own dependencies)
"""

import importlib.metadata
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable

import msgspec
import pydantic


class SpanStruct(msgspec.Struct):
    """A span as msgspec reads it."""

    segment: str
    start_char: int
    end_char: int


class RowStruct(msgspec.Struct):
    """A row as msgspec reads it."""

    id: str
    text: str
    label: str
    annotator: str
    rationales: list[list[SpanStruct]]


class SpanModel(pydantic.BaseModel):
    """A span as pydantic reads it."""

    segment: str
    start_char: int
    end_char: int


class RowModel(pydantic.BaseModel):
    """A row as pydantic reads it."""

    id: str
    text: str
    label: str
    annotator: str
    rationales: list[list[SpanModel]]


Decode = Callable[[bytes], object]


def make_lines(n_rows: int) -> list[bytes]:
    text = "the service was slow but the food made up for it and we shall come back with friends"
    return [
        json.dumps(
            {
                "id": f"row-{number}",
                "text": f"{number} {text}",
                "label": "positive",
                "annotator": f"person-{number % 7}",
                "rationales": [
                    [{"segment": "text", "start_char": place, "end_char": place + 9} for place in (4, 30)],
                    [{"segment": "text", "start_char": 50, "end_char": 60}],
                ],
            }
        ).encode()
        for number in range(n_rows)
    ]


def seconds(decode: Decode, lines: list[bytes]) -> float:
    start = time.perf_counter()
    for line in lines:
        decode(line)
    return time.perf_counter() - start


def message_for(decode: Decode, line: bytes) -> str:
    try:
        decode(line)
    except (msgspec.ValidationError, pydantic.ValidationError) as refused:
        return " / ".join(str(refused).splitlines())
    return "accepted"


def main(n_rows: int = 100_000, repeats: int = 3) -> dict[str, float]:
    """Print times, ratio, versions and messages; return the median seconds of each library."""
    decoders: dict[str, Decode] = {
        "msgspec": msgspec.json.Decoder(RowStruct).decode,
        "pydantic": lambda line: RowModel.model_validate_json(line, strict=True),
    }
    lines = make_lines(n_rows)
    for decode in decoders.values():
        seconds(decode, lines[:1000])
    runs: dict[str, list[float]] = {name: [] for name in decoders}
    for _ in range(repeats):
        for name, decode in decoders.items():
            runs[name].append(seconds(decode, lines))
    medians = {name: statistics.median(times) for name, times in runs.items()}
    print(f"{n_rows} lines of {len(lines[0])} bytes, Python {platform.python_version()}, median of {repeats} runs")
    for name, median in medians.items():
        print(f"  {name} {importlib.metadata.version(name)}: {median:.3f} s, {median / n_rows * 1e6:.2f} µs a line")
    print(f"  pydantic / msgspec: {medians['pydantic'] / medians['msgspec']:.2f}")
    wrong = {
        "a text for start_char": lines[0].replace(b'"start_char": 30', b'"start_char": "30"'),
        "no label": lines[0].replace(b'"label": "positive", ', b""),
    }
    for what, line in wrong.items():
        for name, decode in decoders.items():
            print(f"  {what}, {name}: {message_for(decode, line)}")
    return medians


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
