"""A lead's commands while work goes on: instances, order, progress, stats, notices."""

import csv
import io
import json
from itertools import combinations
from pathlib import Path

import pytest

from annotator.store import open_store
from annotator.store.people import get_user
from annotator.store.projects import get_project
from tests.cli.conftest import Command
from tests.outbound.conftest import certificate, trusted
from tests.outbound.servers import https_server, smtp_server
from tests.store.handed_in import hand_in

__all__ = ["certificate", "trusted"]

OF = ("--project", "P")


@pytest.fixture
def texts(annotator: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": f"t{n}", "text": text, "label": "yes"} for n, text in enumerate(("汤是冷的。", "Cold soup.", "A cat."))
    ]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    assert annotator("import", "jsonl", "rows.jsonl", *OF).code == 0
    return annotator


def keys(annotator: Command, *filters: str) -> list[str]:
    answer = annotator("instances", "search", *OF, *filters, "--json").json
    assert answer["n"] == len(answer["instances"])
    return [line["key"] for line in answer["instances"]]


def test_texts_are_searched(texts: Command) -> None:
    assert keys(texts) == ["t0", "t1", "t2"]
    assert keys(texts, "--words", "汤") == ["t0"]
    assert keys(texts, "--words", "SOUP", "--in", "key") == []
    answer = texts("instances", "search", *OF, "--words", "SOUP")
    assert (answer.out, answer.err) == ("t1 (open): Cold soup.\n", "1 text\n")


def test_a_change_is_tried_made_listed_and_undone(texts: Command) -> None:
    wanted = ("instances", "discard", *OF, "--words", "c", "--reason", "broken text")
    assert texts(*wanted, "--dry-run").out == "2 texts would be changed.\n"
    assert keys(texts, "--state", "discarded") == []
    assert "2 texts changed. Undo it with 'annotator instances undo 1 --project \"P\"'." in texts(*wanted).out
    assert keys(texts, "--state", "discarded") == ["t1", "t2"]
    again = texts(*wanted, "--json").json
    assert again == {"change": None, "instances": 0, "passed_over": {"discarded": 2}}
    assert "local operator discarded 2 texts (broken text)" in texts("instances", "changes", *OF).out
    assert texts("instances", "undo", "1", *OF, "--dry-run").out.startswith("2 texts would be as before; 0 had changed")
    assert texts("instances", "undo", "1", *OF).out.startswith("2 texts are as before; 0 had changed")
    assert keys(texts, "--state", "open") == ["t0", "t1", "t2"]
    refused = texts("instances", "undo", "1", *OF)
    assert (refused.code, "Already undone by" in refused.err) == (1, True)


def test_each_kind_of_change_has_its_command(texts: Command) -> None:
    texts("user", "add", "Bo", "--role", "annotator", *OF)
    assert texts("instances", "set-split", "--to", "dev", *OF, "--key", "t1").code == 0
    assert keys(texts, "--split", "dev") == ["t1"]
    assert texts("instances", "mark", "--as", "no", *OF, "--all").code == 0
    assert keys(texts, "--exhaustive", "no") == ["t0", "t1", "t2"]
    assert texts("instances", "name", "--person", "Bo", "--first", *OF, "--words", "cat").code == 0
    assert keys(texts, "--for", "Bo") == ["t2"]
    assert texts("instances", "name", "--nobody", *OF, "--for", "Bo").code == 0
    assert keys(texts, "--for", "Bo") == []
    answer = texts("instances", "give-out", *OF, "--all")
    assert "passed over: 3 still need an annotator" in answer.out
    assert "passed over: 3 are not discarded" in texts("instances", "put-back", *OF, "--all").out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("discard", "--reason", "broken text"), "Say which texts are meant"),
        (("discard", "--reason", "other", "--all"), "Say briefly why."),
        (("name", "--all"), "with --person, or free them with --nobody"),
        (("name", "--all", "--person", "Nobody"), "'Nobody' doesn't annotate here."),
        (("put-back", "--key", "t9"), "No text with ID 't9' among the matches in 'P'."),
        (("search", "--list", "Hard"), "has no list 'Hard'"),
        (("search", "--imported-from", "today"), "'today' isn't a date. Use the form 2026-11-23."),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(texts: Command, arguments: tuple[str, ...], reason: str) -> None:
    command, *rest = arguments
    answer = texts("instances", command, *OF, *rest)
    assert (answer.code, reason in answer.err) == (1, True), answer.err
    assert texts("instances", "changes", *OF).out == "No bulk changes yet.\n"


# `annotator order`: what is set, what would come, and setting it.


@pytest.fixture
def answered(annotator: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Three positive texts, of which m is sure of the first and unsure of the last."""
    monkeypatch.chdir(tmp_path)
    rows = [{"id": f"t{n}", "text": f"Text {n}.", "label": "yes"} for n in range(3)]
    outputs = [
        {"id": f"t{n}", "model": "m", "probabilities": {"yes": p, "no": 1 - p}} for n, p in enumerate((0.9, 0.6, 0.2))
    ]
    for name, lines in (("rows", rows), ("answers", outputs)):
        Path(f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    assert annotator("import", "jsonl", "rows.jsonl", "--project", "P").code == 0
    assert annotator("import", "predictions", "answers.jsonl", "--project", "P").code == 0
    return annotator


def next_keys(annotator: Command) -> list[str]:
    return [text["key"] for text in annotator("order", "--project", "P", "--json").json["texts"]]


def test_an_order_is_previewed_then_set_and_taken_back(answered: Command) -> None:
    wanted = ("order", "--project", "P", "--first", "least-confident", "--model", "m", "--percent", "34")
    preview = answered(*wanted, "--preview")
    assert "3 texts wait; 2 of the 3 with a number come first." in preview.out
    assert "1. t2 [yes]: 0.200 for its label “yes”; predicts “no”" in preview.out
    assert next_keys(answered) == ["t0", "t1", "t2"]
    assert answered(*wanted).out.startswith(
        "Set: first lowest label probability by m (the first 34 %), then as imported"
    )
    assert next_keys(answered) == ["t2", "t1", "t0"]
    shown = answered("order", "--project", "P").out
    assert "set by " in shown
    answered("order", "--project", "P", "--first", "none")
    assert next_keys(answered) == ["t0", "t1", "t2"]


def test_a_new_seed_leaves_what_comes_first_as_it_was_chosen(answered: Command) -> None:
    answered("order", "--project", "P", "--first", "least-confident", "--model", "m")
    assert answered("order", "--project", "P", "--rest", "random", "--seed", "4").out.startswith(
        "Set: first lowest label probability by m, then random (seed 4)"
    )
    assert next_keys(answered) == ["t2", "t1", "t0"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--model", "m"), "Say what is to come first with --first: least-confident"),
        (("--first", "least-confident"), "Choose a model with stored predictions: --model."),
        (("--first", "models-disagree", "--model", "m"), "Disagreement needs two models or seeds. Add a --model."),
    ],
)
def test_an_order_that_lacks_something_is_refused_with_the_option_that_is_missing(
    answered: Command, options: tuple[str, ...], sentence: str
) -> None:
    answer = answered("order", "--project", "P", *options)
    assert (answer.code, answer.out) == (1, "")
    assert sentence in answer.err


# `annotator progress`: the numbers of the page for people and programs, and a table to pay by.


@pytest.fixture
def worked(annotator: Command, path: Path, tmp_path: Path) -> Command:
    """Three texts of four tokens, of which ann has submitted one in eight seconds."""
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps({"id": f"t{n}", "text": "a b c d", "label": "yes"}) + "\n" for n in range(3)))
    annotator("project", "create", "P", "--task", "sentiment")
    assert annotator("import", "jsonl", str(file), "--project", "P").code == 0
    assert annotator("user", "add", "ann", "--role", "annotator", "--project", "P").code == 0
    with open_store(path) as store:
        hand_in(store, get_project(store, "P"), "t0", get_user(store, "ann"))
        store.run("UPDATE assignments SET active_ms = 8000")
    return annotator


def test_programs_get_every_number_as_json(worked: Command) -> None:
    numbers = worked("progress", "--project", "P", "--json").json
    assert [day["n_submitted"] for day in numbers["days"]] == [1]
    assert (numbers["forecast"]["reason"], numbers["forecast"]["n_left"]) == ("too few days", 3)
    assert numbers["times"]["everybody"]["per_token"]["median"] == 2.0
    [paid] = numbers["pay"]["work"]
    assert (paid["person"], paid["n_submitted"], paid["amount"]) == ("ann", 1, None)
    assert numbers["worth_a_look"]["people"][0]["counts"]["other label"] == 1  # handed in as “negative”


def test_people_get_a_line_for_each_matter(worked: Command) -> None:
    out = worked("progress", "--project", "P", "--time-zone", "Asia/Kathmandu").out
    assert "A forecast appears after 5 days with finished texts" in out
    assert "time: median of 8 s a text, 2 s a token (n = 1; pauses of more than 60 s left out)" in out
    assert "ann (annotator): 1 submitted, 0 accepted, 0 corrected, 0.0022 hours" in out
    assert "no rate is stated" in out


def test_the_table_to_pay_by_is_csv_and_nothing_else(worked: Command) -> None:
    [row] = csv.DictReader(io.StringIO(worked("progress", "--project", "P", "--pay-csv").out))
    assert (row["person"], row["role"], row["submitted"], row["active hours"]) == ("ann", "annotator", "1", "0.0022")
    long_ago = worked("progress", "--project", "P", "--pay-csv", "--from", "2001-01-01", "--to", "2001-01-31").out
    assert len(long_ago.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--time-zone", "Mars/Olympus"), "--time-zone Mars/Olympus: there is no such zone"),
        (("--from", "2026-02-01", "--to", "2026-01-01"), "The last day 2026-01-01 is before the first,"),
    ],
)
def test_days_and_zones_that_cannot_be_are_refused(worked: Command, options: tuple[str, ...], said: str) -> None:
    answer = worked("progress", "--project", "P", *options)
    assert (answer.code, said in answer.err) == (1, True)


# `annotator stats`: agreement and the papers' tables, for people and for programs.


@pytest.fixture
def seven(annotator: Command, tmp_path: Path) -> Command:
    """Seven annotators on one text: 21 pairs."""
    file = tmp_path / "rows.jsonl"
    rows = [
        {"id": "1", "text": "a b c d", "label": "yes", "annotator": f"ann{n}", "rationales": [[[0, 1 + n % 2]]]}
        for n in range(7)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    annotator("project", "create", "P", "--task", "sentiment")
    assert annotator("import", "jsonl", str(file), "--project", "P").code == 0
    return annotator


def test_stats_as_json_hold_every_pair_and_what_is_not_defined_as_null(seven: Command) -> None:
    found = json.loads(seven("stats", "--project", "P", "--json").out)
    pairs = found["agreement"]["tokens"]["pairs"]
    assert [(p["first"], p["second"]) for p in pairs] == list(combinations([f"ann{n}" for n in range(7)], 2))
    assert found["agreement"]["labels"]["krippendorff_alpha"] is None
    assert (found["instances"], found["n_done"], found["done_share"]) == ({"complete": 1}, 1, 1.0)
    assert found["tables"]["eraser_table_5"][0]["n_instances"] == 1


def test_stats_fit_a_screen_and_name_the_first_of_many_people(annotator: Command, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [
        {"id": str(n), "text": "a b c d", "label": "yes", "annotator": f"ann{n}-{who}", "rationales": [[[0, 1 + who]]]}
        for n in range(40)
        for who in range(2)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    annotator("project", "create", "P", "--task", "sentiment")
    assert annotator("import", "jsonl", str(file), "--project", "P").code == 0
    lines = annotator("stats", "--project", "P").out.splitlines()
    assert len(lines) <= 24
    [imported] = [line for line in lines if line.startswith("imported: ")]
    assert imported.startswith("imported: 80 annotations by 80 annotators: ann0-0 (1), ")
    assert imported.endswith(" and 74 more")
    assert any(line.startswith("  tokens (40 texts): Krippendorff's α ") for line in lines)
    parts = "  disagreement (40 pairs): another label 0, another reason 0, another extent 0.5"  # {0} against {0, 1}
    assert parts in lines
    assert "--all to read, --csv as a table" in lines[-1]
    assert len(annotator("stats", "--project", "P", "--all").out.splitlines()) > 200


def test_stats_say_how_many_annotations_agreement_of_tokens_leaves_out(annotator: Command, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [
        {"id": "a", "text": "a b", "annotator_label": label, "annotator": f"ann{n}", "rationales": [[[0, 1]]]}
        for n, label in enumerate(("positive", "positive", "negative"))
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    annotator("project", "create", "P", "--task", "sentiment")
    assert annotator("import", "jsonl", str(file), "--project", "P").code == 0
    others = "1 of them with another label or answer than the gold (for labels only)"
    assert f"agreement: 3 annotations take part, {others}" in annotator("stats", "--project", "P").out.splitlines()


def test_the_size_of_a_project_tells_tokens_to_mark_from_those_of_a_whole_instance(
    annotator: Command, tmp_path: Path
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id": "q", "passage": "Ada was born in London.", "question": "Who?"}\n')
    annotator("project", "create", "P", "--task", "reading")
    assert annotator("import", "jsonl", str(file), "--project", "P").code == 0
    [size] = [line for line in annotator("stats", "--project", "P").out.splitlines() if line.startswith("size: ")]
    assert size == "size: 1 instance over 1 text, 6 markable tokens; 8 tokens an instance, markable or not"


def test_stats_as_csv_hold_a_number_a_row_with_whom_it_is_of(seven: Command) -> None:
    rows = list(csv.DictReader(io.StringIO(seven("stats", "--project", "P", "--csv").out)))
    by_name = {(row["name"], row["of"]): row["value"] for row in rows}
    assert by_name["size.n_tokens", ""] == "4"
    assert by_name["agreement.tokens.pairs.n_instances", "ann0 / ann1"] == "1"
    assert by_name["agreement.labels.krippendorff_alpha", ""] == ""  # not defined


def test_stats_for_people_show_all_rows_and_a_dash_for_what_is_not_defined(seven: Command) -> None:
    lines = seven("stats", "--project", "P", "--all").out.splitlines()
    assert "    krippendorff_alpha: –" in lines
    assert sum(line.startswith("      - first ann") for line in lines) == 2 * 21  # of labels and of tokens
    assert "    - language en, n_pairs 0, n_gold 1, rlr 0.25, rsn 1" in lines


def test_with_one_annotator_it_is_said_once_why_there_is_no_agreement(annotator: Command, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [{"id": str(n), "text": "a b c d", "label": "yes", "rationales": [[[0, 1]]]} for n in range(3)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    annotator("project", "create", "P", "--task", "sentiment")
    assert annotator("import", "jsonl", str(file), "--project", "P").code == 0
    lines = annotator("stats", "--project", "P").out.splitlines()
    assert (
        "agreement: There is none to tell: no text has two annotations that are submitted or accepted (3 texts have one)."
        in lines
    )
    assert "work: Nothing has been submitted here." in lines
    assert "  rsn: 1" in lines
    assert not [line for line in lines if "–" in line]
    found = annotator("stats", "--project", "P", "--json").json
    assert found["agreement"]["labels"]["krippendorff_alpha"] is None  # programs get all of it


def test_an_empty_project_has_no_dashes(annotator: Command) -> None:
    annotator("project", "create", "P", "--task", "sentiment")
    out = annotator("stats", "--project", "P").out
    assert "rationales: There is no gold yet, so there are no numbers of rationales." in out
    assert "–" not in out


# `annotator notices`: turned on, tried, shown without a secret, turned off.


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
        assert "'localhost' resolves to 127.0.0.1, which is this machine." in refused.err
        assert annotator(*wanted, "--private", "localhost").code == 0
        tried = annotator("notices", "test", "mail", "--to", "ada@lab.example")
        # The certificate is for another name than this machine's, and no option makes up for that.
        assert "has no trusted certificate:" in tried.err
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
        assert (
            "'localhost' resolves to 127.0.0.1, which is this machine." in annotator("notices", "test", "webhook").err
        )
        assert received.calls == []
    assert (
        "Use an address like https://hooks.lab.example/annotator, without credentials or #."
        in annotator("notices", "webhook", "--url", "http://hooks.example/").err
    )


def test_stats_tell_each_round_apart(on_demonstration: Command) -> None:
    out = on_demonstration("stats", "--project", "Sentiment").out
    assert "\nwork: round 1: 1 accepted, 3 open, 2 returned; round 2: 1 open;" in out
