"""The server's thread that sends: it goes on after trouble, and what it sends was claimed."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import StoreError
from annotator.jobs import messenger
from annotator.jobs.messenger import Messenger
from annotator.store import Store
from annotator.usecases.delivery.channels import WebhookOptions, set_webhook
from annotator.usecases.delivery.outbox import Outside, send_next
from annotator.usecases.project.projects import give_role
from tests.outbound.conftest import certificate, trusted
from tests.outbound.servers import HOST, here, https_server

__all__ = ["certificate", "trusted"]  # fixtures


def test_what_happens_is_sent_by_the_thread_also_after_trouble(
    store: Store, database: Path, project: Project, annotator: User, trusted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    troubles = [StoreError("away"), ValueError("a defect")]

    def gather(opened: Store) -> None:
        if troubles:
            raise troubles.pop()
        real_gather(opened)

    real_gather: Callable[[Store], None] = messenger.gather
    monkeypatch.setattr(messenger, "gather", gather)
    monkeypatch.setattr(messenger, "send_next", lambda opened: send_next(opened, Outside(here)))
    monkeypatch.setattr(messenger, "_LOOKS_EVERY", 0.02)
    monkeypatch.setattr(messenger, "_AFTER_TROUBLE", 0.02)
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
