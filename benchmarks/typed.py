"""A text typed on the Saliency page: the answer and the maps of models, at the use case and over the server's own route.

The built-in model has 100 ms for an answer and a map, from the question on; the page adds its pause of 150 ms before it asks.
A model of random weights in the shape of MiniLM is compared with the same passes called directly: one forward for the answer,
one forward and one gradient for the map, with torch alone, each text cut into subwords once for either. Processor time of one
thread there, since all of it is the model's.
"""

import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from annotator.domain.models import Attribution, Output, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.store import Store, open_store
from annotator.store.instances import find_instance_ids
from annotator.store.models import RunFinder, list_runs, store_outputs
from annotator.store.people import add_role, add_user
from annotator.usecases.access.accounts import session_of, sign_in_as
from annotator.usecases.inspect.saliency_panels import PanelChoice
from annotator.usecases.inspect.typed_text import show_typed
from annotator.usecases.models.attributions import attribute
from annotator.usecases.models.built_in_model import built_in_model
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from annotator.web.routes.access import COOKIE
from benchmarks.attribute_overhead import save_model
from benchmarks.measured import Measured, table
from benchmarks.served import served

_N, _N_WORDS = 2_000, 40
_LENGTHS = (40, 300)
_ROUNDS = 10
_LIMIT_MS, _AT_MOST = 100, 1.2


def main() -> list[Measured]:
    """Medians of the pauses of somebody who changes one word at a time."""
    with tempfile.TemporaryDirectory() as name:
        database = Path(name) / "bench.db"
        with open_store(database, create=True) as store:
            project, words = _prepare(store, Path(name))
            rows = [_of_built_in(store, project, words, n) for n in _LENGTHS]
            rows += _of_transformer(store, project, words)
            person = _researcher(store, project)
            asked = _questions(store, project, words)
        with served(database) as address:
            route = _median(_posting(address, *person), asked)
    what = f"the same over the route, {_LENGTHS[0]} words"
    return [*rows[:1], Measured(what, route, "ms", at_most=_LIMIT_MS), *rows[1:]]


def _prepare(store: Store, folder: Path) -> tuple[Project, Sequence[str]]:
    """A project with a trained built-in model and its exact map of each text."""
    draw = random.Random(11)
    words = ["".join(draw.choices("aeioumnrst", k=draw.randint(2, 9))) for _ in range(3_000)]
    with (folder / "texts.jsonl").open("w", encoding="utf-8") as file:
        for number in range(_N):
            text = " ".join(draw.choices(words, k=_N_WORDS))
            row = {"id": f"i{number}", "text": text, "label": ("no", "yes")[number % 2], "rationales": [[[0, 3]]]}
            file.write(json.dumps(row) + "\n")
    project = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
    import_file(store, LOCAL_OPERATOR, project, "jsonl", folder / "texts.jsonl")
    built_in_model(store, LOCAL_OPERATOR, project, "built-in", trains=True)
    attribute(store, LOCAL_OPERATOR, project, "built-in", "linear")
    return project, words


def _of_built_in(store: Store, project: Project, words: Sequence[str], n_words: int) -> Measured:
    number, panels = _opened(store, project, "built-in", "linear")
    texts = _typed(words, n_words)
    taken = _median(lambda text: _require_map(show_typed(store, LOCAL_OPERATOR, number, {"text": text}, panels)), texts)
    what = f"the built-in model's answer and map, {n_words} words, use case"
    return Measured(what, taken, "ms", at_most=_LIMIT_MS)


def _of_transformer(store: Store, project: Project, words: Sequence[str]) -> list[Measured]:
    """Nothing where the extra `models` is not installed."""
    absent = [package for package in ("torch", "transformers") if find_spec(package) is None]
    if absent:
        print(f"SKIPPED: {', '.join(absent)} is not installed (pip install 'rationale-annotator[models]').")
        return []
    import torch

    torch.set_num_threads(1)
    folder = models_folder(store, project) / "minilm"
    save_model(folder)
    [number] = find_instance_ids(store, project.id, "i0")
    with store.transaction():  # a map that is there already, so that there is a run to ask for
        run = RunFinder(store, project.id).id_of(Run("minilm", "gradient-x-input", is_signed=True))
        store_outputs(store, run, [Output(number, (), (Attribution((0.0,) * _N_WORDS, "yes"),))])
    number, panels = _opened(store, project, "minilm", "gradient-x-input")
    direct = _direct(folder)
    rows = []
    for n_words in (_LENGTHS[0], 2 * _LENGTHS[0]):
        ours, bare = _by_turns(
            lambda text: _require_map(show_typed(store, LOCAL_OPERATOR, number, {"text": text}, panels)),
            direct, _typed(words, n_words),
        )  # fmt: skip
        what = f"a transformer's answer and input × gradient, {n_words} words, processor"
        rows.append(Measured(what, ours, "ms", bare, "the passes alone", _AT_MOST))
    return rows


def _direct(folder: Path) -> Callable[[str], object]:
    """The same passes as a notebook would make them."""
    import torch
    import transformers

    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
    model: Any = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()

    def answer_and_gradient(text: str) -> object:
        given = tokenizer(text, return_tensors="pt")
        with torch.inference_mode():
            answer = model(**given).logits.softmax(1)
        embedded = model.get_input_embeddings()(given["input_ids"]).detach().requires_grad_()
        logits = model(inputs_embeds=embedded, attention_mask=given["attention_mask"]).logits
        (gradient,) = torch.autograd.grad(logits[0, 1], embedded)
        return answer.tolist(), (gradient * embedded.detach()).sum(2).tolist()

    return answer_and_gradient


def _opened(store: Store, project: Project, model: str, method: str) -> tuple[int, list[PanelChoice]]:
    [number] = find_instance_ids(store, project.id, "i0")
    [run] = list_runs(store, project.id, model, method)
    return number, [PanelChoice(run.id, "yes")]


def _require_map(shown: Any) -> None:
    [panel] = shown.panels
    if panel.answer is None or panel.scores is None:
        raise RuntimeError(f"no answer or no map: {shown.trouble}")


def _typed(words: Sequence[str], n_words: int) -> list[str]:
    """A text as it is typed: each differs from the one before in one word."""
    draw = random.Random(n_words)
    text = draw.choices(words, k=n_words)
    typed = []
    for _ in range(_ROUNDS + 1):
        text[draw.randrange(n_words)] = draw.choice(words)
        typed.append(" ".join(text))
    return typed


def _researcher(store: Store, project: Project) -> tuple[str, str]:
    """Cookie and CSRF token."""
    with store.transaction():
        user = add_user(store, "researcher")
        add_role(store, project.id, user, "researcher")
    token = sign_in_as(store, user.name, is_demonstration=True)
    return token, session_of(store, token).csrf


def _questions(store: Store, project: Project, words: Sequence[str]) -> list[str]:
    number, [panel] = _opened(store, project, "built-in", "linear")
    asked = {"instance": number, "panels": [f"{panel.run_id}:-:yes"]}
    return [json.dumps({**asked, "texts": {"text": text}}) for text in _typed(words, _LENGTHS[0])]


def _posting(address: str, token: str, csrf: str) -> Callable[[str], None]:
    connection = HTTPConnection(address.removeprefix("http://"))
    headers = {"Cookie": f"{COOKIE}={token}", "X-CSRF-Token": csrf, "Content-Type": "application/json"}

    def post(body: str) -> None:
        connection.request("POST", "/api/saliency/typed", body, headers)
        answer = connection.getresponse()
        said = answer.read()
        if answer.status != 200 or json.loads(said)["panels"][0]["scores"] is None:
            raise RuntimeError(f"{answer.status} {said[:300]!r}")

    return post


def _median(ask: Callable[[str], object], texts: Sequence[str]) -> float:
    """Milliseconds on the clock; the first text, for which the model is loaded, does not count."""
    return statistics.median([_taken(ask, text, time.perf_counter) for text in texts][1:])


def _by_turns(
    ours: Callable[[str], object], bare: Callable[[str], object], texts: Sequence[str]
) -> tuple[float, float]:
    """Milliseconds of the processor, medians."""
    taken = [[_taken(ask, text, time.process_time) for ask in (ours, bare)] for text in texts][1:]
    first, second = (statistics.median(times) for times in zip(*taken, strict=True))
    return first, second


def _taken(ask: Callable[[str], object], text: str, clock: Callable[[], float]) -> float:
    began = clock()
    ask(text)
    return 1000 * (clock() - began)


if __name__ == "__main__":
    print(table([("typed", row) for row in main()]))
