"""`--engine ray`: tasks done by workers of a Ray cluster, which may be several machines. All of Ray is here.

Each worker is an actor that loads the setup once. Ray starts a lost one again and repeats its task, which gives the same numbers;
the database is written here alone. Ray is imported when workers are opened.
"""

import math
import os
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module, metadata
from itertools import islice
from secrets import token_hex
from typing import Any

from annotator.domain.numbers import counted
from annotator.errors import AnnotatorError, InvalidValue, ModelError
from annotator.usecases.models.engines import LOCAL, Doing, Engine, Setup, Task, Workers, differences, digest_of

_RESTARTS = 5  # of a worker; tasks are repeated as long as it is, while a machine that is lost is not yet known to be
_PACKAGES = ("rationale-annotator", "numpy", "torch", "transformers", "tokenizers", "captum", "spacy")
_NO_RAY = "Ray is not installed. Install it on every machine: pip install 'rationale-annotator[ray]'."
_LOST = (
    "A worker was lost {n} times: killed, or with too little memory. What was computed is stored; repeat the command."
)
_PATIENCE_S = 30  # without any result, before it is looked whether a machine was lost
_LOOPBACK = "127.0.0.1"


class Worker:
    """An actor: what it has loaded, or why it does nothing.

    wanted: the versions and the digest of the model that it must have
    """

    def __init__(self, setup: Setup, wanted: Mapping[str, str]) -> None:
        self.doing: Doing | None = None
        self.refusal = ""
        try:
            if other := differences(wanted, _facts(setup)):
                raise ModelError(f"It has {other}. All machines need the same.")
            self.doing = setup.load()
        except AnnotatorError as error:
            self.refusal = f"A worker on {socket.gethostname()} cannot begin: {error}"

    def state(self) -> tuple[str, int]:
        """Why it does nothing, "" where it does; and its process."""
        return self.refusal, os.getpid()

    def do(self, number: int, task: Any) -> tuple[int, list[Any] | AnnotatorError]:
        """The results of a task, with its number; what it raises is an answer, too."""
        if self.doing is None:
            return number, ModelError(self.refusal)
        try:
            return number, [*self.doing(task)]
        except AnnotatorError as error:
            return number, error


def _facts(setup: Setup) -> dict[str, str]:
    """What has to be the same on every machine, as it is on this one."""
    versions = {name: _version(name) for name in _PACKAGES}
    files = setup.files
    return versions if files is None else {**versions, f"the model in {files}": digest_of(files)}


def _n_machines(ray: Any) -> int:
    return sum(node["Alive"] for node in ray.nodes())


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


@dataclass(frozen=True, slots=True)
class RayEngine:
    """Workers of a cluster.

    n_workers:       None: as many as there is room for
    gpus_per_worker: a share of one, or several
    address:         of a cluster; None: RAY_ADDRESS, and without it a Ray of this machine alone, which ends with the work
    """

    n_workers: int | None = None
    gpus_per_worker: float = 0
    address: str | None = None
    is_local: bool = False

    @contextmanager
    def open(self, setup: Setup, here: Doing | None = None) -> Iterator[Workers]:
        """Raises: InvalidValue where Ray is missing or has no room; ModelError where the cluster or a worker cannot begin."""
        del here
        if setup.device == "cuda" and not self.gpus_per_worker:
            raise InvalidValue("With --engine ray, --device cuda needs --gpus-per-worker.")
        n_cpus = max(os.cpu_count() or 1, (self.n_workers or 1) * setup.threads)  # of a Ray of this machine alone
        with _connected(self.address or os.environ.get("RAY_ADDRESS"), n_cpus) as ray:
            actors = self._actors(ray, setup)
            try:
                pids = _ready(ray, actors)
                yield _RayWorkers(ray, import_module("ray.util.actor_pool").ActorPool(actors), pids, _n_machines(ray))
            finally:
                for actor in actors:
                    ray.kill(actor)

    def _actors(self, ray: Any, setup: Setup) -> list[Any]:
        n = self._n_workers(ray, setup.threads)
        actor = ray.remote(Worker).options(
            num_cpus=setup.threads, num_gpus=self.gpus_per_worker, max_restarts=_RESTARTS, max_task_retries=-1
        )
        facts = _facts(setup)
        return [actor.remote(setup, facts) for _ in range(n)]

    def _n_workers(self, ray: Any, threads: int) -> int:
        share = self.gpus_per_worker
        machines = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        by_gpu = [of.get("GPU", 0) / share + 1e-9 if share else math.inf for of in machines]
        room = sum(int(min(of.get("CPU", 0) // threads, gpu)) for of, gpu in zip(machines, by_gpu, strict=True))
        if room < (self.n_workers or 1):
            each = f"{counted(threads, 'CPU thread')}{f' and {share:g} GPU' if share else ''} each"
            raise InvalidValue(f"Ray has room for {counted(room, 'worker')} with {each}. Choose fewer --workers.")
        return self.n_workers or room


def engine_named(
    name: str, n_workers: int | None = None, gpus_per_worker: float | None = None, address: str | None = None
) -> Engine:
    """The engine "local", or "ray" with its options. Raises: InvalidValue for options that go with Ray alone."""
    if name == "ray":
        return RayEngine(n_workers, gpus_per_worker or 0, address)
    given = {"--workers": n_workers, "--gpus-per-worker": gpus_per_worker, "--ray-address": address}
    strange = [option for option, value in given.items() if value is not None]
    if strange:
        raise InvalidValue(f"{strange[0]} goes with --engine ray.")
    return LOCAL


@dataclass(slots=True)
class _RayWorkers:
    """pool: Ray's own, which gives an actor one task after another; n_given: tasks until now, by which they are numbered.

    pids: the processes of the workers at the beginning, each on its machine; repeated: tasks that were given to a second worker
    """

    ray: Any
    pool: Any
    pids: Sequence[int]
    n_machines: int
    n_given: int = 0
    waiting: dict[int, Any] = field(default_factory=dict)
    repeated: set[int] = field(default_factory=set)

    def results(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Any]]:
        """A task more than there are workers waits for each, so that none idles while results are stored."""
        self.waiting.clear()  # what is still done of an earlier call is not needed any more
        remaining = iter(tasks)
        self._give(islice(remaining, 2 * len(self.pids)))
        while self.waiting:
            number, results = self._next()
            if number not in self.waiting:
                continue
            task = self.waiting.pop(number)
            self._give(islice(remaining, 1))
            if isinstance(results, AnnotatorError):
                raise results
            for result in results:
                yield task, result

    def _give(self, tasks: Iterable[Task]) -> None:
        for task in tasks:
            self.waiting[self.n_given] = task
            self._submit(self.n_given)
            self.n_given += 1

    def _submit(self, number: int) -> None:
        self.pool.submit(lambda actor, given: actor.do.remote(*given), (number, self.waiting[number]))

    def _repeat(self) -> None:
        """Give an idle worker what may wait for a machine that was lost, and for which there is no other one."""
        stuck = self.waiting.keys() - self.repeated
        if stuck and self.pool.has_free() and _n_machines(self.ray) < self.n_machines:
            self.repeated.add(min(stuck))
            self._submit(min(stuck))

    def _next(self) -> tuple[int, list[Any] | AnnotatorError]:
        while True:
            try:
                return self.pool.get_next_unordered(timeout=_PATIENCE_S)  # type: ignore[no-any-return]  # what `do` answers
            except TimeoutError:
                self._repeat()
            except self.ray.exceptions.RayTaskError:
                raise  # a defect of the program
            except self.ray.exceptions.RayError as error:
                raise ModelError(_LOST.format(n=_RESTARTS + 1)) from error


@contextmanager
def _variables(address: str | None) -> Iterator[None]:
    """What Ray reads when it is imported and started; as before when the block ends.

    A Ray of this machine alone listens on 127.0.0.1, as it does on other systems by itself, and has a token of its own.
    """
    values = {"RAY_USAGE_STATS_ENABLED": "0"}
    if address is None:
        values |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token_hex(32)}
    before = {name: os.environ[name] for name in values if name in os.environ}
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values:
            del os.environ[name]
        os.environ.update(before)


@contextmanager
def _connected(address: str | None, n_cpus: int) -> Iterator[Any]:
    """Ray, connected to a cluster, or to a Ray of this machine alone; one that is connected already stays so."""
    address = None if address in {"", "local"} else address
    with _variables(address):
        try:
            ray = import_module("ray")
        except ImportError as error:
            raise InvalidValue(_NO_RAY) from error
        if ray.is_initialized():
            yield ray
            return
        alone: dict[str, Any] = {"include_dashboard": False, "num_cpus": n_cpus, "_node_ip_address": _LOOPBACK}
        try:
            if address and address.count(":") == 1:  # Ray itself would try for minutes
                socket.create_connection(
                    (address.partition(":")[0], int(address.partition(":")[2])), timeout=10
                ).close()
            ray.init(address or "local", log_to_driver=False, logging_level="error", **({} if address else alone))
        except (OSError, RuntimeError, ValueError) as error:
            where = f"be reached at {address}" if address else "start"
            raise ModelError(f"Ray cannot {where}: {error}") from error
        try:
            if not address and ray.util.get_node_ip_address() != _LOOPBACK:
                raise ModelError("Ray listens on the network, since it was imported before. Begin a new process.")
            yield ray
        finally:
            ray.shutdown()


def _ready(ray: Any, actors: list[Any]) -> list[int]:
    """The workers' processes, once all have begun. Raises ModelError where a worker cannot begin, or has other versions."""
    try:
        states = ray.get([actor.state.remote() for actor in actors])
    except ray.exceptions.RayError as error:
        raise ModelError(f"A worker cannot begin. All machines need the same packages. Ray says: {error}") from error
    if refusals := [refusal for refusal, _pid in states if refusal]:
        raise ModelError(refusals[0])
    return [pid for _refusal, pid in states]
