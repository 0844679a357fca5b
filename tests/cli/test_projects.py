"""Projects by command: rules, labels, splits, releases, second passes, audits: what they print, refuse and leave behind."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.cli.main import annotator as program
from annotator.domain.people import User
from annotator.domain.perturbations import ChangedText
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store, open_store
from annotator.store.people import get_user
from annotator.store.projects import find_project, get_project
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.work import next_work
from annotator.usecases.perturb import versions
from annotator.usecases.perturb.audits import judge, next_to_audit
from tests.cli.conftest import Answer, Command


def test_a_split_prints_the_sizes(filled: Command) -> None:
    answer = filled("split", "--project", "P", "--parts", "train=.5,test=.5", "--json").json
    assert answer == {"sizes": {"train": 1, "test": 1}, "leaks": 0}
    assert "sum to 1" in filled("split", "--project", "P", "--parts", "train=.5").err


def test_stats_print_one_json_object_or_a_readable_list(filled: Command) -> None:
    found = filled("stats", "--project", "P", "--json").json
    assert (found["size"]["n_instances"], found["rationales"]["rsn"]) == (2, 1.0)
    out = filled("stats", "--project", "P").out
    assert "rsn: 1" in out
    assert f"\nsignature: {found['signature']}\n" in out
    assert found["signature"].startswith("METRIC|gold:chosen|n:1|v:")


def test_show_prints_rules_and_members(filled: Command) -> None:
    found = filled("project", "show", "P", "--json").json
    assert (found["labels"], found["settings"]["order"]) == (["no", "yes"], "sequential")


def test_show_tells_people_each_instance_once_and_in_words_what_everybody_has(filled: Command, path: Path) -> None:
    filled("user", "add", "Ann", "--role", "annotator", "--project", "P")
    assert "  to annotate: 1\n  in progress: 0\n" in filled("project", "show", "P").out
    with open_store(path) as store:
        next_work(store, get_user(store, "Ann"), get_project(store, "P").id)
    said = filled("project", "show", "P").out
    assert "instances:\n  complete: 1\n  to annotate: 0\n  in progress: 1\n  with the lead: 0\n  discarded: 0\n" in said
    assert "people:\n  Ann: 1 in progress\n" in said
    assert "  proposed_word_lists: –\n" in said
    assert filled("project", "show", "P", "--json").json["people"] == {"Ann": {"leased": 1}}


def test_a_custom_task_is_made_of_named_segments(annotator: Command, tmp_path: Path) -> None:
    made = annotator(
        "project", "create", "Own", "--task", "custom", "--segments", "text,context,question:unselectable",
        "--result", "answer",
    )  # fmt: skip
    assert made.code == 0
    file = tmp_path / "rows.csv"
    file.write_text("id,text,context,question,answer\n1,a b,c,d?,e\n")
    assert annotator("import", "csv", str(file), "--project", "Own").code == 0
    assert annotator("project", "show", "Own", "--json").json["task"] == "custom"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("custom",), "needs its segments and its kind of result"),
        (("custom", "--segments", "text"), "needs its segments and its kind of result"),
        (
            ("custom", "--segments", "a:b", "--result", "label"),
            "'b' after 'a' is invalid. Use unselectable or optional.",
        ),
        (("sentiment", "--result", "label"), "--segments and --result are for the task custom"),
    ],
)
def test_a_task_that_cannot_be_is_refused(annotator: Command, words: tuple[str, ...], sentence: str) -> None:
    answer = annotator("project", "create", "Own", "--task", *words)
    assert (answer.code, sentence in answer.err) == (1, True)


def test_an_unknown_task_is_a_refused_value(annotator: Command) -> None:
    assert annotator("project", "create", "P", "--task", "poetry").code == 1


def test_a_project_without_labels_says_so_when_it_is_made_and_when_texts_without_labels_come(
    annotator: Command, rows: Path
) -> None:
    made = annotator("project", "create", "P", "--task", "sentiment")
    assert "It has no labels yet and takes over those of its first import." in made.out
    assert "labels" not in annotator("project", "create", "Q", "--task", "sentiment", "--labels", "no,yes").out
    assert "labels" not in annotator("project", "create", "R", "--task", "reading").out
    rows.write_text('{"id": "a", "text": "Good food."}\n')
    answer = annotator("import", "jsonl", str(rows), "--project", "P")
    assert "note: No label for this text. Add labels before assigning work." in answer.err


# `annotator label`, and the ends of a project from the command line: what they print, ask and leave behind.


def test_a_label_is_added_renamed_and_mapped_and_what_that_does_is_printed_first(filled: Command) -> None:
    assert filled("label", "add", "maybe", "--project", "P").out == "The labels are now: no, yes, maybe.\n"
    renamed = filled("label", "rename", "maybe", "perhaps", "--project", "P", "--yes").out
    assert renamed.splitlines()[0] == "“maybe” becomes “perhaps”. It changes: nothing that is stored."
    assert renamed.splitlines()[-1] == "“maybe” is now “perhaps”: nothing carried it."
    mapped = filled("label", "map", "no", "perhaps", "--project", "P", "--yes").out
    assert "It changes: 1 instance." in mapped
    assert "Can't be undone: the labels become one. Back up if in doubt." in mapped
    listed = filled("label", "list", "--project", "P", "--json").json["labels"]
    assert listed == [
        {"label": "yes", "instances": 1, "annotations": 1},
        {"label": "perhaps", "instances": 1, "annotations": 0},
    ]
    assert filled("label", "list", "--project", "P").out.splitlines()[1] == "perhaps  (1 instance, 0 annotations)"


def test_a_project_is_archived_restored_and_deleted(filled: Command, path: Path) -> None:
    assert "Bring it back with: annotator project restore 'P'" in filled("project", "archive", "P").out
    assert filled("project", "list").out == "P  (sentiment, en, 2 instances, archived)\n"
    refused = filled("label", "add", "maybe", "--project", "P")
    assert (refused.code, "The project 'P' is archived" in refused.err) == (1, True)
    assert filled("project", "restore", "P").out == "Project 'P' is at work again.\n"
    wrong = filled("project", "delete", "P", "--name-again", "Q")
    assert (wrong.code, "Nothing was done. Type 'P' exactly." in wrong.err) == (1, True)
    deleted = filled("project", "delete", "P", "--name-again", "P", "--json").json
    assert (deleted["n_instances"], Path(deleted["backup"]).exists()) == (2, True)
    with open_store(path) as store:
        assert find_project(store, "P") is None


def test_a_refused_project_leaves_no_database_that_was_not_there(annotator: Command, path: Path) -> None:
    refused = annotator("project", "create", " ", "--task", "sentiment")
    assert (refused.code, path.exists()) == (1, False)
    annotator("project", "create", "P", "--task", "sentiment")
    assert annotator("project", "create", "P", "--task", "sentiment").code == 1
    assert path.exists()


def test_a_project_that_was_created_here_says_that_nobody_leads_it(annotator: Command) -> None:
    made = annotator("project", "create", "New", "--task", "sentiment", "--labels", "a,b").out
    assert "Nobody leads it yet; only administrators see it" in made
    assert "annotator user add NAME --role lead --project 'New'" in made


# `--split` with a name that no text has: every command that has the option names the splits that there are.

COMMANDS = {
    "evaluate project": ("evaluate", "project"),
    "evaluate models": ("evaluate", "models", "--base", "m", "--other", "n"),
    "evaluate minutes": ("evaluate", "minutes", "--minutes", "5", "--folder", "minutes"),
    "attribute": ("attribute", "--model", "built-in", "--method", "random"),
    "export": ("export", "csv", "out.csv"),
    "report": ("report", "report.html"),
    "table eraser-hard": ("table", "eraser-hard"),
    "table eraser-soft": ("table", "eraser-soft"),
    "table benchmark": ("table", "benchmark"),
    "table edits": ("table", "edits"),
    "table er-test": ("table", "er-test"),
    "sufficient": ("sufficient", "--model", "built-in"),
    "train": ("train", "--name", "t"),
    "prompts": ("prompts", "prompts.jsonl"),
    "order": ("order", "--first", "least-confident", "--model", "m"),
    "evidence start": ("evidence", "start", "Second"),
    "instances search": ("instances", "search"),
    "instances discard": ("instances", "discard", "--reason", "broken text"),
    "instances give-out": ("instances", "give-out"),
    "instances mark": ("instances", "mark", "--as", "yes"),
    "instances name": ("instances", "name", "--nobody"),
    "instances put-back": ("instances", "put-back"),
    "instances set-split": ("instances", "set-split", "--to", "dev"),
    "import": ("import", "predictions", "answers.jsonl"),
}
ELSEWHERE = {
    "evaluate eraser",
    "explain-self",
}  # the splits are files of a folder; a server is asked (the same use case as prompts)


@pytest.fixture
def split(annotator: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Two texts in two splits, with answers beside them."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": f"{n}", "split": name, "text": f"Text {n}.", "label": "yes", "rationales": [[[0, 1]]]}
        for n, name in enumerate(("train", "test"))
    ]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("answers.jsonl").write_text(json.dumps({"text": "Text 0.", "model": "m", "prediction": "yes"}) + "\n")
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    assert annotator("import", "jsonl", "rows.jsonl", "--project", "P").code == 0
    return annotator


@pytest.mark.parametrize("name", COMMANDS)
def test_a_split_that_is_not_there_is_refused_with_those_that_are(split: Command, name: str) -> None:
    answer = split(*COMMANDS[name], "--project", "P", "--split", "tst")
    assert (answer.code, answer.out) == (1, "")
    assert "No split 'tst' in 'P'. Available: 'test', 'train'." in answer.err


def test_every_command_with_the_option_is_among_them() -> None:
    assert set(with_split(program)) == set(COMMANDS) | ELSEWHERE


def with_split(group, before: str = ""):
    """The commands that have the option, with the names of their groups."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "list_commands"):
            yield from with_split(command, f"{before}{name} ")
        elif any("--split" in option.opts for option in command.params):
            yield f"{before}{name}"


# `annotator release`: frozen, listed, shown, compared, exported.

ROWS = [
    {"id": f"t{n}", "text": "good and bad", "label": "yes", "rationales": [[[0, 1]]], "annotator": "Known Name"}
    for n in range(2)
]


@pytest.fixture
def with_gold(annotator: Command, tmp_path: Path) -> Command:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    annotator("import", "jsonl", str(rows), "--project", "P")
    return annotator


def create(command: Command, name: str, *more: str) -> Answer:
    return command("release", "create", name, "--project", "P", "--licence", "CC0", *more)


def test_a_release_is_made_listed_shown_and_exported(with_gold: Command, tmp_path: Path) -> None:
    assert with_gold("release", "list", "--project", "P").out.startswith("There is no release yet. Make one with")
    made = json.loads(create(with_gold, "camera ready", "--json").out)
    assert (made["number"], made["instances"], made["sets"], made["annotators"]) == (1, 2, 2, 1)
    listed = with_gold("release", "list", "--project", "P").out
    assert listed.startswith("1  camera ready (")
    assert listed.endswith(f"2 instances, 2 rationale sets, 1 annotator; digest {made['digest'][:12]}\n")
    assert "licence: CC0" in with_gold("release", "show", "1", "--project", "P").out.splitlines()
    answer = with_gold("release", "export", "1", str(tmp_path / "out"), "--project", "P", "--format", "csv")
    assert answer.code == 0
    assert {file.name for file in (tmp_path / "out").iterdir()} == {"LICENSE", "CITATION", "README.md", "gold.csv"}
    assert "Known Name" not in (tmp_path / "out" / "gold.csv").read_text()


def test_what_differs_is_told_with_keys(with_gold: Command, tmp_path: Path) -> None:
    create(with_gold, "first")
    same = with_gold("release", "diff", "1", "--project", "P").out
    assert same == "From release 1 to the current gold: the gold is the same.\n"
    rows = tmp_path / "more.jsonl"
    more = [ROWS[0] | {"id": f"n{number}", "split": "test"} for number in range(12)]
    rows.write_text("".join(json.dumps(row) + "\n" for row in more))
    with_gold("import", "jsonl", str(rows), "--project", "P")
    create(with_gold, "second")
    first, kinds = with_gold("release", "diff", "1", "2", "--project", "P").out.splitlines()
    assert first == "From release 1 to release 2: 12 instances differ (12 added)."
    assert kinds.startswith("added: test/n0, test/n1, ")
    assert kinds.endswith("test/n9 and 2 more")
    answer = with_gold("release", "diff", "1", "2", "--project", "P", "--json").json
    assert (answer["n"], len(answer["added"]), answer["added"][0]) == (12, 12, ["n0", "test"])


def test_a_release_without_a_licence_or_of_no_number_is_refused(with_gold: Command) -> None:
    refused = with_gold("release", "create", "x", "--project", "P")
    assert refused.code == 1
    assert "Add a licence, e.g. CC BY 4.0." in refused.err
    missing = with_gold("release", "show", "3", "--project", "P")
    assert (missing.code, missing.err) == (1, "No release number 3.\n")


# `annotator evidence` on the command line.


def test_a_pass_is_started_shown_taken_over_and_taken_back(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
    says: Callable[..., str],
) -> None:
    project = make_project(name="Reviews")
    rows = [
        {"id": k, "text": "never again, they said", "label": "negative", "rationales": [[[0, 1]]]}
        for k in ("a", "b", "c")
    ]
    import_rows(project, rows, split="test")
    ann = add_person("Ann", project, "annotator")

    def answer(*words: str, code: int = 0) -> str:
        return says("evidence", *words, code=code)

    start = ("start", "Second", "--project", "Reviews", "--split", "test", "--sample", "2", "--seed", "3")
    assert answer(*start, "--dry-run") == "'Second' would hold 2 texts of 3 with gold.\n"
    assert "has no second pass" in answer("show", "--project", "Reviews")
    assert answer(*start) == "'Second' holds 2 texts of 3 with gold.\n"
    second = get_project(store, "Second")
    work = annotate_work.next_work(store, ann, second.id).work
    assert work is not None
    draft = replace(work.assignment.draft, sets=(RationaleSet.of((0, 2)),), result="negative")
    annotate_work.submit(store, ann, work.assignment.id, work.assignment.revision, draft)
    [shown] = json.loads(answer("show", "--project", "Reviews", "--json"))["passes"]
    assert (shown["by_state"], shown["tokens"]) == ({"ready": 1, "waiting": 1}, [1, 2])
    assert answer("take-over", "Second") == "The gold of 1 text is exhaustive now.\n"
    assert "1  adopted: the gold is exhaustive" in answer("show", "--project", "Reviews")
    assert answer("take-back", "Second") == "The gold of 1 text is what it was before the pass.\n"
    assert "Nothing was adopted from this pass." in answer("take-back", "Second", code=1)
    assert "isn't a second pass." in answer("take-over", "Reviews", code=1)


# `annotator audit` on the command line.


def test_a_sample_is_drawn_shown_exported_and_remedied(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
    says: Callable[..., str],
) -> None:
    project = make_project(name="Reviews", checkers_per_perturbation=0)
    import_rows(project, [{"id": "a", "text": "so dull", "label": "negative", "rationales": [[[1, 2]]]}])
    ann, dan = add_person("Ann", project, "annotator"), add_person("Dan", project, "annotator")
    versions.hand_in(store, ann, 1, ChangedText("dispensable", {"text": "really so dull"}, "negative"))

    def answer(*words: str, code: int = 0) -> str:
        return says("audit", *words, "--project", "Reviews", code=code)

    assert "has no audit" in answer("show")
    assert answer("draw", "--n", "5", "--dry-run").startswith("It would hold 1 version:\n  dispensable: 1 of 1\n")
    assert json.loads(answer("draw", "--percent", "50", "--json"))["audit"] == 1
    shown = next_to_audit(store, dan, project.id)
    assert shown is not None
    judge(store, dan, 1, shown.item.perturbation_id, shown.says, faults=["language"])
    assert "altogether: 0.0 % right of 1 judged (95 % CI 0.0 % to 79.3 %); 1 drawn of 1" in answer("show")
    assert "audit of changed versions: 0.0 % right of 1 judged" in says("stats", "--project", "Reviews")
    [audit] = json.loads(answer("show", "--json"))["audits"]
    assert audit["wrong"] == [{"key": "a~dispensable", "kind": "dispensable", "faults": "unnatural text"}]
    assert answer("export", "1").splitlines()[1].startswith("1,a~dispensable,dispensable,1,wrong,language,")
    assert answer("remedy", "1", "--send-back") == "1 wrong version sent back.\n"
    assert "'Reviews' has no audit number 7. 'annotator audit show' lists them." in answer(
        "remedy", "7", "--discard", code=1
    )
