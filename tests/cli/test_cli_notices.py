"""`annotator notices`: turned on, tried, shown without a secret, turned off."""

import json
from pathlib import Path

from tests.cli.conftest import Command
from tests.outbound.conftest import certificate, trusted
from tests.outbound.servers import https_server, smtp_server

__all__ = ["certificate", "trusted"]  # fixtures


def test_both_are_off_until_they_are_set(annotator: Command) -> None:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    assert annotator("notices", "show").out == "Mail: off\nWebhook: off\n"


def test_mail_is_turned_on_tried_and_turned_off(annotator: Command, tmp_path: Path, trusted: Path) -> None:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    (tmp_path / "password").write_text("a secret\n")
    with smtp_server(trusted) as (port, received):
        wanted = (
            "notices", "mail", "--host", "localhost", "--port", str(port), "--sender", "annotator@lab.example",
            "--account", "annotator", "--password-file", str(tmp_path / "password"),
        )  # fmt: skip
        assert annotator(*wanted).code == 0
        refused = annotator("notices", "test", "mail", "--to", "ada@lab.example")
        assert "which is this machine itself" in refused.err
        assert annotator(*wanted, "--private", "localhost").code == 0
        tried = annotator("notices", "test", "mail", "--to", "ada@lab.example")
        # The certificate is for another name than this machine's, and no option makes up for that.
        assert "no certificate that this machine trusts for that name" in tried.err
        assert received.mails == []
    shown = annotator("notices", "show", "--json").out
    assert json.loads(shown)["has_password"] is True
    assert "a secret" not in shown
    assert annotator("notices", "off", "mail").out == "The mail is off.\n"
    assert annotator("notices", "show", "--json").json["has_password"] is False


def test_the_webhook_s_key_is_printed_once(annotator: Command, trusted: Path) -> None:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    with https_server(trusted) as (port, received):
        first = annotator("notices", "webhook", "--url", f"https://localhost:{port}/in")
        assert len(first.out.strip()) == 43
        assert annotator("notices", "webhook", "--url", f"https://localhost:{port}/in").out == ""
        assert annotator("notices", "webhook", "--url", f"https://localhost:{port}/in", "--new-key").out != first.out
        assert "which is this machine itself" in annotator("notices", "test", "webhook").err
        assert received.calls == []
    assert "must begin with https://" in annotator("notices", "webhook", "--url", "http://hooks.example/").err
