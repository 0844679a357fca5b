"""`--engine ray`: what a worker refuses, and (where Ray is installed) real workers on this machine, one of which is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from annotator.attribution.loaders import LoadOptions
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError
from annotator.jobs import ray_engine
from annotator.jobs.ray_engine import RayEngine, Worker, engine_named
from annotator.store import Store
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.models.engines import LOCAL, Doing, Setup
from tests.conftest import REPOSITORY
from tests.models.conftest import folders, torch
from tests.usecases.models.test_attributions import everything, tastes

__all__ = ["folders", "tastes", "torch"]


@dataclass(frozen=True)
class Doubling:
    """Doubles numbers. At `deadly` a worker kills itself, once where there is a marker to leave; at `wrong` it refuses."""

    deadly: int | None = None
    marker: Path | None = None
    wrong: int | None = None
    cannot_load: bool = False

    def setup(self, **needs: Any) -> Setup:
        return Setup(self.load, **needs)

    def load(self) -> Doing:
        if self.cannot_load:
            raise ModelError("No folder x.")
        return self._double

    def _double(self, number: int) -> Iterator[int]:
        if number == self.wrong:
            raise ModelError("No such number.", reason="too odd")
        if number == self.deadly and not (self.marker is not None and self.marker.exists()):
            if self.marker is not None:
                self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield 2 * number


def facts(setup: Setup) -> dict[str, str]:
    return ray_engine._facts(setup)


# A worker, without Ray.


def test_a_worker_answers_with_results_or_with_what_was_raised() -> None:
    worker = Worker(Doubling(wrong=3).setup(), facts(Doubling().setup()))
    assert worker.state() == ("", os.getpid())
    assert worker.do(7, 2) == (7, [4])
    number, error = worker.do(8, 3)
    assert (number, str(error), error.reason) == (8, "No such number.", "too odd")  # type: ignore[union-attr]


def test_a_worker_with_other_versions_or_another_model_does_nothing(tmp_path: Path) -> None:
    setup = Doubling().setup(files=tmp_path)
    wanted = facts(setup) | {"numpy": "0.1"}
    worker = Worker(setup, wanted)
    assert "numpy" in worker.refusal
    assert worker.refusal.endswith("(here 0.1). All machines need the same.")
    assert str(worker.do(0, 1)[1]) == worker.refusal
    (tmp_path / "weights").write_bytes(b"1")
    assert f"the model in {tmp_path}" in Worker(setup, wanted | {"numpy": facts(setup)["numpy"]}).refusal


def test_a_worker_says_where_and_why_it_cannot_begin() -> None:
    assert Worker(Doubling(cannot_load=True).setup(), {}).refusal.endswith(" cannot begin: No folder x.")


def test_options_of_ray_go_with_ray_alone() -> None:
    assert engine_named("local") is LOCAL
    assert engine_named("ray", 3, None, "host:6379") == RayEngine(3, 0, "host:6379")
    with pytest.raises(InvalidValue, match=r"--workers goes with --engine ray\."):
        engine_named("local", 2)
    with pytest.raises(InvalidValue, match=r"--ray-address goes with --engine ray\."):
        engine_named("local", None, None, "host:6379")


def test_without_ray_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(InvalidValue, match=r"pip install 'rationale-annotator\[ray\]'"),
        RayEngine().open(Doubling().setup()),
    ):
        pass


def test_a_gpu_without_a_share_for_workers_is_refused() -> None:
    with (
        pytest.raises(InvalidValue, match="--device cuda needs --gpus-per-worker"),
        RayEngine().open(Doubling().setup(device="cuda")),
    ):
        pass


def test_a_cluster_that_does_not_answer_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False))
    with (
        pytest.raises(ModelError, match=r"Ray cannot be reached at 127\.0\.0\.1:1: .*refused"),
        RayEngine(address="127.0.0.1:1").open(Doubling().setup()),
    ):
        pass


class Pool:
    """In the place of Ray's pool: the last task first; the first ones are given to a worker that is lost."""

    def __init__(self, n_lost: int = 0) -> None:
        self.given: list[Any] = []
        self.n_lost = n_lost

    def submit(self, _do: Callable[..., object], given: Any) -> None:
        self.n_lost -= 1
        if self.n_lost < 0:
            self.given.append(given)

    def has_free(self) -> bool:
        return not self.given

    def get_next_unordered(self, timeout: float) -> Any:
        if not self.given:
            raise TimeoutError(timeout)
        number, task = self.given.pop()
        return number, [2 * task] if task >= 0 else ModelError("Negative.")


# What is asked of Ray beside the pool: one of two machines is left.
NAMES = SimpleNamespace(
    exceptions=SimpleNamespace(RayTaskError=KeyError, RayError=LookupError),
    nodes=lambda: [{"Alive": True}, {"Alive": False}],
)


def test_what_waits_for_a_machine_that_was_lost_is_given_to_another_worker() -> None:
    workers = ray_engine._RayWorkers(NAMES, Pool(n_lost=2), pids=(1, 2), n_machines=2)
    assert sorted(workers.results(iter(range(6)))) == [(number, 2 * number) for number in range(6)]
    assert workers.repeated == {0, 1}


def test_tasks_are_made_when_they_are_needed_and_results_of_an_earlier_call_are_dropped() -> None:
    pool, made = Pool(), list[int]()
    workers = ray_engine._RayWorkers(NAMES, pool, pids=(1, 2), n_machines=2)

    def tasks() -> Iterator[int]:
        for number in range(9):
            made.append(number)
            yield number

    results = workers.results(tasks())
    assert next(results) == (3, 6)
    assert made == [0, 1, 2, 3, 4]
    results.close()
    assert sorted(workers.results(iter([10, 11]))) == [(10, 20), (11, 22)]
    with pytest.raises(ModelError, match="Negative"):
        list(workers.results(iter([1, -1])))
    assert list(workers.results(iter([5]))) == [(5, 10)]


# Real workers of this machine.


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Two CPUs of a Ray that ends with these tests."""
    with ray_engine._variables(None):
        try:
            module = import_module("ray")
        except ImportError:
            pytest.skip("NO RAY, so that no real worker was tried (pip install the extra 'ray')")
        module.init(
            "local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error",
            _node_ip_address="127.0.0.1",
        )  # fmt: skip
        yield module
        module.shutdown()


@pytest.mark.usefixtures("ray")
def test_a_killed_worker_costs_no_result(tmp_path: Path) -> None:
    setup = Doubling(deadly=5, marker=tmp_path / "killed").setup()
    with RayEngine(2).open(setup) as workers:
        results = sorted(workers.results(iter(range(20))))
    assert results == [(number, 2 * number) for number in range(20)]
    assert (tmp_path / "killed").exists()


@pytest.mark.usefixtures("ray")
def test_a_task_that_kills_every_worker_ends_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_engine, "_RESTARTS", 1)
    with (
        RayEngine(1).open(Doubling(deadly=1).setup()) as workers,
        pytest.raises(ModelError, match=r"A worker was lost 2 times.* What was computed is stored"),
    ):
        list(workers.results(iter(range(3))))


@pytest.mark.usefixtures("ray")
def test_workers_that_differ_or_have_no_room_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(InvalidValue, match="room for 2 workers with 1 CPU thread each"),
        RayEngine(3).open(Doubling().setup()),
    ):
        pass
    with (
        pytest.raises(InvalidValue, match="room for 0 workers with 1 CPU thread and 1 GPU each"),
        RayEngine(gpus_per_worker=1).open(Doubling().setup()),
    ):
        pass
    with (
        pytest.raises(ModelError, match=r"cannot begin: No folder x\."),
        RayEngine(1).open(Doubling(cannot_load=True).setup()),
    ):
        pass
    monkeypatch.setattr(ray_engine, "_version", lambda _: "0.1")  # of this process alone
    with (
        pytest.raises(ModelError, match=r"A worker on .* cannot begin: It has .*\(here 0\.1\)"),
        RayEngine(1).open(Doubling().setup()),
    ):
        pass


class Watched(RayEngine):
    """Remembers its workers, so that they can be killed."""

    __slots__ = ("pids",)
    pids: tuple[int, ...]

    @contextmanager
    def open(self, setup: Setup, here: Doing | None = None) -> Iterator[Any]:
        with super().open(setup, here) as workers:
            object.__setattr__(self, "pids", workers.pids)  # type: ignore[attr-defined]
            yield workers


@dataclass
class Killer:
    """Kills the first worker once something is done."""

    engine: Watched
    killed: list[int] = field(default_factory=list)

    def take(self, _done: int, _of: int) -> None:
        if not self.killed:
            self.killed.append(self.engine.pids[0])
            os.kill(self.killed[0], signal.SIGKILL)


@pytest.mark.usefixtures("ray")
@pytest.mark.parametrize("method", ["integrated-gradients", "lime"])
def test_attributions_with_a_killed_worker_are_those_of_this_process_to_the_bit(
    store: Store, tastes: Project, folders: dict[str, Path], method: str
) -> None:
    parameters = {"steps": 8} if method == "integrated-gradients" else {"samples": 30}
    options = AttributingOptions(
        batch_size=1, has_faithfulness=True, parameters=parameters, load=LoadOptions(device="cpu"),
        renamed={"neutral": ""}, is_anew=True,
    )  # fmt: skip
    model = f"transformers:{folders['bert']}"
    here = attribute(store, LOCAL_OPERATOR, tastes, model, method, options)
    stored, engine = everything(store.path), Watched(2)
    killer = Killer(engine)
    there = attribute(store, LOCAL_OPERATOR, tastes, model, method, options, engine=engine, progress=killer.take)
    assert len(killer.killed) == 1
    assert everything(store.path) == stored
    assert (there.n_attributions, there.facts) == (8, here.facts)


PROGRAM = """
from annotator.jobs.ray_engine import RayEngine
from tests.jobs.test_ray_engine import Doubling
with RayEngine(2).open(Doubling().setup()) as workers:
    print(sorted(result for _task, result in workers.results(iter(range(5)))))
    print(workers.ray.util.get_node_ip_address(), *workers.pids)
"""


def is_running(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2]
    except OSError:
        return False


@pytest.mark.usefixtures("ray")
def test_a_ray_of_this_machine_alone_listens_on_the_loopback_and_ends_with_the_work() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=False,
        env={name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results, where = done.stdout.splitlines()
    address, *pids = where.split()
    assert (results, address) == ("[0, 2, 4, 6, 8]", "127.0.0.1")
    end = time.monotonic() + 30
    while any(is_running(int(pid)) for pid in pids):
        assert time.monotonic() < end, "workers outlived their work"
        time.sleep(0.1)
