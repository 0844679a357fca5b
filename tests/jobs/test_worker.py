"""Long work: asked for, done by a process of its own, stopped, cut off, begun again, given up."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.attribution.base import Input
from annotator.domain.jobs import Job
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.sufficient_sets import METHOD as SUFFICIENT_SETS
from annotator.errors import InvalidValue, ModelError, NotAllowed, NotFound, StoreError
from annotator.jobs import supervisor
from annotator.jobs.supervisor import Messenger, Supervisor
from annotator.jobs.worker import work
from annotator.language import speaking
from annotator.store import Store
from annotator.store import jobs as jobs_store
from annotator.store.measurements import measurements_of
from annotator.store.models import iterate_outputs, list_runs
from annotator.store.people import set_disabled
from annotator.usecases.background import (
    AskedAttribution,
    ask_to_attribute,
    ask_to_measure,
    may_stop,
    queue_of,
    stop_job,
    title_in_words,
)
from annotator.usecases.delivery.channels import WebhookOptions, set_webhook
from annotator.usecases.delivery.outbox import Outside, send_next
from annotator.usecases.models import project_model
from annotator.usecases.models.attributions import AttributingOptions, LoadOptions
from annotator.usecases.project.projects import give_role
from tests.attribution_inputs import Scripted
from tests.conftest import REPOSITORY
from tests.outbound.conftest import certificate, trusted
from tests.outbound.servers import HOST, here, https_server

__all__ = ["certificate", "trusted"]

N_TEXTS = 40


@pytest.fixture
def tastes(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Forty texts with a label and one gold token each."""
    made = make_project(name="Tastes")
    words = {"positive": "good", "negative": "bad"}
    rows = [
        {"id": f"{label}-{n}", "text": f"a {word} book number {n}", "label": label, "rationales": [[[1, 2]]]}
        for label, word in words.items()
        for n in range(N_TEXTS // 2)
    ]
    import_rows(made, rows)
    return made


@pytest.fixture
def researcher(add_person: Callable[..., User], tastes: Project) -> User:
    return add_person("Ria", tastes, "researcher")


def ask(store: Store, actor: User, project: Project, method: str = "linear", **options: object) -> Job:
    asked = AskedAttribution("built-in", method, AttributingOptions(**options))  # type: ignore[arg-type]
    return ask_to_attribute(store, actor, project, asked)


def n_attributions(store: Store, project: Project) -> int:
    runs = [stored for stored in list_runs(store, project.id) if stored.run.method]
    return sum(1 for stored in runs for _ in iterate_outputs(store, stored.id))


def wait_for(condition: Callable[[], bool], seconds: float = 300) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "what was waited for did not come"
        time.sleep(0.05)


@contextmanager
def process(path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """The process that does long work, as the server starts it."""
    started = subprocess.Popen(
        [sys.executable, "-m", "annotator.jobs", str(path)], stdin=subprocess.PIPE, cwd=REPOSITORY
    )
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


def test_attributions_that_are_asked_for_are_computed_and_measured(
    store: Store, tastes: Project, researcher: User
) -> None:
    job = ask(store, researcher, tastes)
    assert job.state == "waiting"
    assert work(store.path, idle_seconds=0) == 2
    measured, computed = queue_of(store, researcher, tastes).ended
    assert (computed.id, computed.state, computed.n_done, computed.n_of) == (job.id, "done", N_TEXTS, N_TEXTS)
    assert f"Computed {N_TEXTS} attributions and {N_TEXTS} predictions" in computed.told
    assert (measured.kind, measured.state) == ("measure", "done")
    assert len(measurements_of(store, tastes.id)) == len(list_runs(store, tastes.id)) == 2


def test_a_models_own_sets_are_found_by_a_job_as_well(store: Store, tastes: Project, researcher: User) -> None:
    ask(store, researcher, tastes, method=SUFFICIENT_SETS)
    assert work(store.path, idle_seconds=0) == 1
    [job] = queue_of(store, researcher, tastes).ended
    assert (job.state, job.n_done, job.n_of) == ("done", N_TEXTS, N_TEXTS)
    assert job.told.endswith(f"of {N_TEXTS} texts, on Saliency.")
    assert store.value("SELECT count(*) FROM sufficient_sets") == N_TEXTS


def test_what_was_asked_for_arrives_at_the_process_as_it_was_asked(
    store: Store, tastes: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []
    monkeypatch.setattr("annotator.jobs.worker.attribute", lambda *given, **_: seen.append(given[3:]) or 1 / 0)
    options = AttributingOptions(
        label="gold", seeds=(3, 5), parameters={"samples": 20, "features": "all"}, split="test", has_faithfulness=True,
        renamed={"LABEL_0": "negative"}, load=LoadOptions(threads=2, too_long="cut"),
    )  # fmt: skip
    ask_to_attribute(store, LOCAL_OPERATOR, tastes, AskedAttribution("spacy:m", "lime", options))
    with pytest.raises(ZeroDivisionError):
        work(store.path, idle_seconds=0)
    assert seen == [("spacy:m", "lime", options)]


def test_a_job_that_left_texts_out_has_failed_and_says_how_many_and_why(
    store: Store, tastes: Project, researcher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(one: Input) -> float:
        if "7" in one.segments[0].tokens:
            raise ModelError("It has 9 pieces, and the model sees 3.", reason="longer than the model sees")
        return 0.0

    model = Scripted(refuses)
    model.labels = ("negative", "positive")
    monkeypatch.setattr(project_model, "load_predictor", lambda *_: model)
    asked = AskedAttribution("spacy:x", "occlusion", AttributingOptions())
    ask_to_attribute(store, researcher, tastes, asked)
    assert work(store.path, idle_seconds=0) == 2
    measured, computed = queue_of(store, researcher, tastes).ended
    assert (computed.state, measured.kind, measured.state) == (
        "failed",
        "measure",
        "done",
    )  # what is stored is measured
    assert computed.told == (
        f"2 of {N_TEXTS} texts were left out: 2 longer than the model sees. Computed {N_TEXTS - 2} attributions and {N_TEXTS - 2} "
        "predictions. The first: positive-7: It has 9 pieces, and the model sees 3. "
        "negative-7: It has 9 pieces, and the model sees 3."
    )


def test_a_defect_ends_the_job_with_its_name(
    store: Store, tastes: Project, researcher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.jobs.worker.attribute", lambda *_, **__: 1 / 0)
    ask(store, researcher, tastes)
    with pytest.raises(ZeroDivisionError):
        work(store.path, idle_seconds=0)
    (failed,) = queue_of(store, researcher, tastes).ended
    assert failed.state == "failed"
    assert "a mistake in the program, not yours: ZeroDivisionError" in failed.told


def test_asking_twice_for_what_waits_is_asking_once(store: Store, tastes: Project, researcher: User) -> None:
    first = ask(store, researcher, tastes)
    assert ask(store, researcher, tastes).id == first.id
    assert ask(store, researcher, tastes, method="occlusion").id != first.id
    assert len(queue_of(store, researcher, tastes).open) == 2


def test_jobs_are_done_in_the_order_in_which_they_were_asked_for(
    store: Store, tastes: Project, researcher: User
) -> None:
    asked = [ask(store, researcher, tastes, method=method).id for method in ("occlusion", "linear")]
    work(store.path, idle_seconds=0)
    ended = queue_of(store, researcher, tastes).ended
    assert [job.id for job in reversed(ended) if job.kind == "attribute"] == asked


def test_a_job_that_is_refused_says_why(store: Store, tastes: Project, researcher: User) -> None:
    ask_to_attribute(store, researcher, tastes, AskedAttribution("spacy:nowhere", "linear", AttributingOptions()))
    work(store.path, idle_seconds=0)
    (failed,) = queue_of(store, researcher, tastes).ended
    assert failed.state == "failed"
    assert "nowhere" in failed.told


def test_a_method_that_does_not_exist_and_no_model_are_refused_at_once(
    store: Store, tastes: Project, researcher: User
) -> None:
    with pytest.raises(InvalidValue, match=r"Unknown method 'magic'\."):
        ask(store, researcher, tastes, method="magic")
    with pytest.raises(
        InvalidValue,
        match="Give a model: built-in, spacy:FOLDER, transformers:FOLDER, transformers-zero-shot:FOLDER or transformers-writing:FOLDER",
    ):
        ask_to_attribute(store, researcher, tastes, AskedAttribution(" ", "linear", AttributingOptions()))
    with pytest.raises(
        InvalidValue, match=r"'/models/bert' isn't a model\. Use built-in, .*transformers:FOLDER-OR-NAME"
    ):
        ask_to_attribute(store, researcher, tastes, AskedAttribution("/models/bert", "linear", AttributingOptions()))
    assert queue_of(store, researcher, tastes).open == ()


def test_only_those_who_may_use_models_ask_and_look(
    store: Store, tastes: Project, add_person: Callable[..., User]
) -> None:
    ann, stranger = add_person("Ann", tastes, "annotator"), User(99, "Nobody")
    for refused in (ask_to_measure, queue_of):
        with pytest.raises(NotAllowed, match="use models"):
            refused(store, ann, tastes)
        with pytest.raises(NotFound):
            refused(store, stranger, tastes)
    assert queue_of(store, LOCAL_OPERATOR, tastes).open == ()


def test_somebody_who_lost_the_right_meanwhile_is_refused_when_the_turn_comes(
    store: Store, tastes: Project, researcher: User
) -> None:
    ask(store, researcher, tastes)
    with store.transaction():
        set_disabled(store, researcher, is_disabled=True)
    work(store.path, idle_seconds=0)
    (failed,) = queue_of(store, LOCAL_OPERATOR, tastes).ended
    assert failed.state == "failed"
    assert "Ria" in failed.told or "no role" in failed.told
    assert n_attributions(store, tastes) == 0


def test_a_job_is_stopped_by_whom_it_belongs_to_or_a_lead(
    store: Store, tastes: Project, researcher: User, add_person: Callable[..., User]
) -> None:
    other, lead = add_person("Otto", tastes, "researcher"), add_person("Lea", tastes, "lead")
    job = ask(store, researcher, tastes)
    assert (may_stop(store, other, job), may_stop(store, researcher, job), may_stop(store, lead, job)) == (
        False, True, True,
    )  # fmt: skip
    with pytest.raises(NotAllowed, match=r"Only Ria or a lead can stop this\."):
        stop_job(store, other, tastes, job.id)
    stop_job(store, lead, tastes, job.id)
    assert work(store.path, idle_seconds=0) == 0
    assert queue_of(store, researcher, tastes).ended[0].state == "stopped"


def test_a_running_job_stops_after_the_batch_at_hand_and_goes_on_when_it_is_asked_for_again(
    store: Store, tastes: Project, researcher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = _Slow()
    model = Scripted(slow.logit)
    model.labels = ("negative", "positive")
    monkeypatch.setattr(project_model, "load_predictor", lambda *_: model)
    asked = AskedAttribution("spacy:slow", "occlusion", AttributingOptions(batch_size=1))
    job = ask_to_attribute(store, researcher, tastes, asked)
    worker = threading.Thread(target=work, args=(store.path,), kwargs={"idle_seconds": 0})
    worker.start()
    wait_for(lambda: n_attributions(store, tastes) >= 2)
    stop_job(store, researcher, tastes, job.id)
    worker.join(60)
    assert jobs_store.get_job(store, job.id).state == "stopped"
    stopped_at = n_attributions(store, tastes)
    assert 2 <= stopped_at < N_TEXTS
    slow.seconds = 0
    ask_to_attribute(store, researcher, tastes, asked)
    work(store.path, idle_seconds=0)
    told = next(
        one.told for one in queue_of(store, researcher, tastes).ended if one.state == "done" and one.kind == "attribute"
    )
    assert f"{N_TEXTS - stopped_at} attributions" in told
    assert n_attributions(store, tastes) == N_TEXTS


class _Slow:
    """How long a model takes for a text, so that there is a middle in which to stop it."""

    seconds = 0.02

    def logit(self, _: Input) -> float:
        time.sleep(self.seconds)
        return 1.0


def test_one_process_works_at_a_time_and_one_that_fell_silent_is_replaced(
    store: Store, tastes: Project, researcher: User
) -> None:
    job = ask(store, researcher, tastes)
    ask(store, researcher, tastes, method="occlusion")
    with store.transaction():
        claimed = jobs_store.claim_job(store, worker=1)
        assert claimed is not None
        assert claimed.id == job.id
        assert jobs_store.claim_job(store, worker=2) is None
        assert not jobs_store.is_work_waiting(store)
        store.run("UPDATE jobs SET beat_at = '2020-01-01T00:00:00.000Z' WHERE id = ?", (job.id,))
        assert jobs_store.is_work_waiting(store)
        again = jobs_store.claim_job(store, worker=2)
        assert again is not None
        assert (again.id, again.n_starts) == (job.id, 2)


def test_a_process_that_was_replaced_ends_nothing_and_tells_nothing_any_more(
    store: Store, tastes: Project, researcher: User
) -> None:
    job = ask(store, researcher, tastes)
    with store.transaction():
        jobs_store.claim_job(store, worker=1)
        store.run("UPDATE jobs SET beat_at = '2020-01-01T00:00:00.000Z'")
        jobs_store.claim_job(store, worker=2)
        assert not jobs_store.note_progress(store, job.id, 1, 5, 40)
        jobs_store.end_job(store, job.id, 1, "done", "by the first")
        assert jobs_store.get_job(store, job.id).state == "running"
        assert jobs_store.note_progress(store, job.id, 2, 6, 40)


def test_what_was_to_stop_when_its_server_went_is_stopped_and_not_begun_again(
    store: Store, tastes: Project, researcher: User
) -> None:
    job = ask(store, researcher, tastes)
    with store.transaction():
        jobs_store.claim_job(store, worker=1)
        jobs_store.ask_to_stop(store, job.id)
        jobs_store.release_jobs_of(store, 1, is_counted=False)
    assert jobs_store.get_job(store, job.id).state == "stopped"
    assert ask(store, researcher, tastes).id != job.id


def test_a_killed_process_loses_nothing_and_its_job_is_begun_again(
    store: Store, tastes: Project, researcher: User
) -> None:
    ask(store, researcher, tastes, method="lime", parameters={"samples": 400}, batch_size=1)
    with process(store.path) as killed:
        wait_for(lambda: n_attributions(store, tastes) >= 1)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    there = n_attributions(store, tastes)
    assert queue_of(store, researcher, tastes).open[0].state == "running"
    with store.transaction():
        jobs_store.release_jobs_of(store, killed.pid, is_counted=True)
    work(store.path, idle_seconds=0)
    computed = queue_of(store, researcher, tastes).ended[-1]
    assert (computed.state, computed.n_starts) == ("done", 2)
    assert f"{N_TEXTS - there} attributions" in computed.told
    assert n_attributions(store, tastes) == N_TEXTS


def test_a_job_that_ends_its_process_again_and_again_is_given_up(
    store: Store, tastes: Project, researcher: User
) -> None:
    job = ask(store, researcher, tastes)
    with store.transaction():
        store.run("UPDATE jobs SET n_starts = 3 WHERE id = ?", (job.id,))
    work(store.path, idle_seconds=0)
    (failed,) = queue_of(store, researcher, tastes).ended
    assert failed.state == "failed"
    assert "ended unexpectedly 3 times" in failed.told


def test_the_process_ends_quietly_when_nothing_came_for_a_while(store: Store, tastes: Project) -> None:
    code = "import annotator.jobs.worker as w; w.work.__kwdefaults__['idle_seconds'] = 0; import annotator.jobs.__main__ as m; m.main()"
    command = [sys.executable, "-c", code, str(store.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=REPOSITORY) as idle:
        assert idle.stderr is not None
        said = idle.stderr.read()
        assert (idle.wait(30), said) == (0, b"")


def test_the_process_ends_with_its_server_and_its_job_waits_for_the_next(
    store: Store, tastes: Project, researcher: User
) -> None:
    ask(store, researcher, tastes, method="lime", parameters={"samples": 2_000}, batch_size=1)
    with process(store.path) as orphan:
        wait_for(lambda: n_attributions(store, tastes) >= 1)
        assert orphan.stdin is not None
        orphan.stdin.close()
        assert orphan.wait(20) == 0
    (waiting,) = queue_of(store, researcher, tastes).open
    assert (waiting.state, waiting.n_starts) == ("waiting", 0)


def test_the_server_starts_a_process_when_something_waits_and_another_when_it_was_killed(
    database: Path, store: Store, tastes: Project, researcher: User
) -> None:
    supervisor = Supervisor(database)
    supervisor.start()
    try:
        ask(store, researcher, tastes, method="lime", parameters={"samples": 400}, batch_size=1)
        wait_for(lambda: n_attributions(store, tastes) >= 1)
        os.kill(store.value("SELECT worker FROM jobs WHERE state = 'running'"), signal.SIGKILL)
        wait_for(lambda: not queue_of(store, researcher, tastes).open)
    finally:
        supervisor.stop()
    states = {(job.kind, job.state) for job in queue_of(store, researcher, tastes).ended}
    assert states == {("attribute", "done"), ("measure", "done")}
    assert n_attributions(store, tastes) == N_TEXTS


def test_a_server_that_stops_takes_its_process_along_and_leaves_the_job_waiting(
    database: Path, store: Store, tastes: Project, researcher: User
) -> None:
    supervisor = Supervisor(database)
    supervisor.start()
    ask(store, researcher, tastes, method="lime", parameters={"samples": 2_000}, batch_size=1)
    wait_for(lambda: n_attributions(store, tastes) >= 1)
    worker = store.value("SELECT worker FROM jobs WHERE state = 'running'")
    supervisor.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
    (waiting,) = queue_of(store, researcher, tastes).open
    assert (waiting.state, waiting.n_starts) == ("waiting", 0)


# The server's thread that sends: it goes on after trouble, and what it sends was claimed.


def test_what_happens_is_sent_by_the_thread_also_after_trouble(
    store: Store, database: Path, project: Project, annotator: User, trusted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    troubles = [StoreError("away"), ValueError("a defect")]

    def gather(opened: Store) -> None:
        if troubles:
            raise troubles.pop()
        real_gather(opened)

    real_gather: Callable[[Store], None] = supervisor.gather
    monkeypatch.setattr(supervisor, "gather", gather)
    monkeypatch.setattr(supervisor, "send_next", lambda opened: send_next(opened, Outside(here)))
    monkeypatch.setattr(supervisor, "_SENDS_EVERY", 0.02)
    monkeypatch.setattr(supervisor, "_SENDS_AFTER_TROUBLE", 0.02)
    with https_server(trusted) as (port, received):
        set_webhook(store, LOCAL_OPERATOR, WebhookOptions(f"https://{HOST}:{port}/in", HOST))
        thread = Messenger(database)
        thread.start()
        give_role(store, LOCAL_OPERATOR, project.id, annotator.name, "reviewer")
        until = time.monotonic() + 30
        while not received.calls and time.monotonic() < until:
            time.sleep(0.02)
        thread.stop()
        thread._thread.join(30)
    assert len(received.calls) == 1
    assert not troubles


# What a job does is stored in English and said in the language of who looks at it.

OPTIONS = AttributingOptions(parameters={"removal": "delete"}, has_faithfulness=True)


def test_a_job_that_was_asked_for_in_chinese_has_an_english_title_for_others(store: Store, project: Project) -> None:
    with speaking("zh"):
        job = ask_to_attribute(store, LOCAL_OPERATOR, project, AskedAttribution("built-in", "random", OPTIONS))
        assert title_in_words(job) == "built-in：随机、移除方式=删除、忠诚性"
    assert job.title == title_in_words(job) == "Random of built-in, removal delete, faithfulness"


def test_the_title_of_a_job_whose_request_cannot_be_read_is_the_stored_one(store: Store, project: Project) -> None:
    job = ask_to_attribute(store, LOCAL_OPERATOR, project, AskedAttribution("built-in", "random", OPTIONS))
    with speaking("zh"):
        assert title_in_words(replace(job, options="{}")) == job.title
