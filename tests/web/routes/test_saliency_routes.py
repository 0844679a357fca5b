"""The Saliency page's messages (docs/saliency.md): what they answer, and how each refusal looks."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotator.domain.models import Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.models import list_runs
from annotator.usecases.access import accounts
from annotator.usecases.inspect.measurement import measure
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import ServerOptions, close_kept_store
from tests.web.routes.test_panel_routes import HOST, Panel


@pytest.fixture
def screen(
    database: Path, store: Store, project: Project, add_person: Callable[..., User], import_rows: Callable[..., object]
) -> Iterator[Panel]:
    import_rows(project, [{"id": "gold", "text": "bad soup", "label": "negative", "rationales": [[[0, 1]]]}])
    with store.transaction():
        Intake(store, project, ImportOptions(), ImportReport(), lambda _: None).run(
            [SourceOutput("gold", Run("m", "ig"), "f", 1, None, (), (SourceAttribution((ScoredPart((0.5, -0.25)),)),))]
        )
    measure(store, LOCAL_OPERATOR, project)
    researcher = add_person("researcher", project, "researcher")
    token = accounts.sign_in_as(store, researcher.name, is_demonstration=True)
    csrf = accounts.session_of(store, token).csrf
    app = Starlette(routes=all_routes(), middleware=web_middleware(ServerOptions(database)))
    with TestClient(app, base_url=HOST) as client:
        yield Panel(client, token, csrf, "saliency")
    close_kept_store()


AXES = "&x=-:-:text.tokens&y=-:-:gold.sets"


def test_points_are_two_numbers_of_each_text_and_a_part_of_them_is_listed(screen: Panel, project: Project) -> None:
    answer = screen.get(f"points?project={project.id}{AXES}").json()
    assert (answer["keys"], answer["x"], answer["y"]) == (["gold"], [2.0], [1.0])
    assert (answer["n"], answer["without_x"], answer["without_y"]) == (5, 0, 4)
    listed = screen.get(f"list?project={project.id}{AXES}&xs=2~&outline=0,0 9,0 9,9 0,9").json()
    assert [row["key"] for row in listed["rows"]] == ["gold"]


def test_numbers_tell_what_lists_can_be_sorted_by_and_what_each_is(
    screen: Panel, store: Store, project: Project
) -> None:
    answer = screen.get(f"numbers?project={project.id}").json()
    [run] = answer["runs"]
    assert (run["model"], run["method"]) == ("m", "ig")
    assert {"layer": None, "name": "sets.best_f1"} in run["numbers"]
    assert answer["names"]["sets.best_f1"]["direction"] == "higher is better"


def test_a_list_is_sorted_and_paged(screen: Panel, store: Store, project: Project) -> None:
    [stored] = list_runs(store, project.id)
    answer = screen.get(f"list?project={project.id}&by={stored.id}:-:sets.best_f1&order=highest").json()
    assert (answer["n"], answer["rows"][0]["key"], answer["rows"][0]["value"]) == (1, "gold", 1.0)
    everything = screen.get(f"list?project={project.id}").json()
    assert (answer["without"], everything["without"]) == (everything["n"] - 1, 0)
    assert screen.get(f"list?project={project.id}&by={stored.id}:-:sets.best_f1&words=bad").json()["without"] == 0
    assert screen.get(f"list?project={project.id}&page=9").json()["rows"] == []


def test_slices_of_the_address_are_listed_and_counted(screen: Panel, project: Project) -> None:
    asked = f"project={project.id}&label=negative&length=1-3&words=bad"
    listed = screen.get(f"list?{asked}").json()
    assert [row["key"] for row in listed["rows"]] == ["gold"]
    counted = screen.get(f"slices?{asked}").json()
    assert counted["labels"] == [{"value": "negative", "n": 1}]
    assert counted["facts"] == counted["groups"] == []
    assert screen.get(f"slice_names?project={project.id}").json()["groups"] == []
    everything = screen.get(f"list?project={project.id}").json()["n"]
    assert (
        screen.get(f"list?project={project.id}&fact=year").json()["n"] == everything
    )  # a name without a value chooses nothing


def test_an_instance_comes_with_its_panels(screen: Panel, store: Store, project: Project) -> None:
    [number] = find_instance_ids(store, project.id, "gold")
    answer = screen.get(f"instance?instance={number}").json()
    assert answer["panels"][0]["scores"] == [0.5, -0.25]
    assert answer["gold"] == [[0]]
    assert screen.get(f"instance?instance={number}&panels=").json()["panels"] == []


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("instance?instance=999999", 404, "No instance number 999999."),
        ("instance?instance=x", 422, "Expected a number from 0 to 9007199254740992."),
        (
            "instance?instance=²",
            422,
            "Expected a number from 0 to 9007199254740992.",
        ),  # a digit to Python, and yet no number
        (f"instance?instance={'9' * 5000}", 422, "Expected a number from 0 to 9007199254740992."),
        ("instance?instance=1&panels=a:b", 422, "RUN:LAYER:LABEL"),
        ("instance?instance=1&panels=²", 422, "RUN:LAYER:LABEL"),
        ("instance?instance=1&panels=1:²", 422, "RUN:LAYER:LABEL"),
        (f"instance?instance=1&panels={'9' * 19}", 422, "RUN:LAYER:LABEL"),  # more than SQLite can hold
        ("instance?instance=1&gold=everybody", 422, "one of chosen, all, majority, union, people"),
        ("list?project=1&length=5", 422, "Expected FROM-TO (10-25)."),
        ("slices?project=1&length=9-3", 422, "Expected FROM-TO (10-25)."),
        ("slices?project=1&list=77", 404, "This no longer exists. Choose another."),
        ("slice_names?project=77", 404, "No such project, or you have no role in it. Ask its lead."),
        ("list?project=1&by=²:-:sets.best_f1", 422, "RUN:LAYER:NAME"),
        (f"list?project=1&by=1:{'9' * 5000}:sets.best_f1", 422, "RUN:LAYER:NAME"),
        ("list?project=1&which=strange", 422, "Invalid 'which' in the address: 'strange'. Expected all, right, wrong,"),
        ("list?project=1&which=won&answers=1&other=1", 422, "Choose two different models."),
        ("points?project=1&x=-:-:text.tokens", 422, "Invalid 'y' in the address: ''."),
        ("points?project=1&x=-:-:text.tokens&y=<b>", 422, "Expected RUN:LAYER:NAME (3:-:sets.best_f1)."),
        ("points?project=1&x=-:-:text.tokens&y=77:-:sets.best_f1", 404, "No run number"),
        ("points?project=1&x=-:-:text.tokens&y=-:-:text.colour", 404, "Unknown metric 'text.colour'. Available:"),
        ("list?project=1&xs=1~2", 422, "Invalid 'x' in the address: ''."),
        (f"list?project=1{AXES}&xs=2~1", 422, "Expected FROM~TO (0.2~0.5)."),
        (f"list?project=1{AXES}&ys=nan~1", 422, "Expected FROM~TO (0.2~0.5)."),
        (f"list?project=1{AXES}&ys=~", 422, "Expected FROM~TO (0.2~0.5)."),
        (f"list?project=1{AXES}&outline=0,0 1,1", 422, "Expected X,Y X,Y X,Y … (3–200)."),
        (f"list?project=1{AXES}&outline=0,0 1,1 2", 422, "Expected X,Y X,Y X,Y … (3–200)."),
        (f"list?project=1{AXES}&outline={'0,0 ' * 201}", 422, "Expected X,Y X,Y X,Y … (3–200)."),
        ("list?project=1&which=wrong", 422, "Choose the model whose predictions are"),
        ("list?project=1&by=1:sets", 422, "RUN:LAYER:NAME"),
        ("list?project=77", 404, "No such project, or you have no role in it. Ask its lead."),
    ],
)
def test_what_cannot_be_answered_is_a_sentence(screen: Panel, path: str, status: int, words: str) -> None:
    answer = screen.get(path)
    assert answer.status_code == status
    assert words in answer.json()["error"]


def test_annotators_are_refused(screen: Panel, store: Store, project: Project, annotator: User) -> None:
    token = accounts.sign_in_as(store, annotator.name, is_demonstration=True)
    theirs = Panel(screen.client, token, "", "saliency")
    assert theirs.get(f"list?project={project.id}").status_code == 403
    assert theirs.get(f"points?project={project.id}{AXES}").status_code == 403


def test_lists_are_saved_shown_filled_changed_and_deleted(screen: Panel, store: Store, project: Project) -> None:
    [gold] = find_instance_ids(store, project.id, "gold")
    [t1] = find_instance_ids(store, project.id, "t1")
    asked = {"which": "all", "words": "soup", "by": "", "order": "lowest"}
    saved = screen.post("lists/save", project=project.id, name="soups", note="both cold?", asked=asked).json()
    assert (saved["n"], saved["note"], saved["made_by"]) == (2, "both cold?", "researcher")
    listed = screen.get(f"list?project={project.id}&list={saved['id']}").json()
    assert [row["key"] for row in listed["rows"]] == ["t1", "gold"]
    screen.post("lists/put", list=saved["id"], instance=t1, on=False)
    [shown] = screen.get(f"lists?project={project.id}&instance={gold}").json()["lists"]
    assert (shown["n"], shown["holds"], shown["may_change"]) == (1, True, True)
    assert screen.post("lists/change", list=saved["id"], name="soup", note="").json()["name"] == "soup"
    alone = screen.post("lists/save", project=project.id, name="alone", instance=gold).json()
    assert alone["n"] == 1
    assert screen.post("lists/delete", list=alone["id"]).json()["name"] == "alone"
    assert [one["name"] for one in screen.get(f"lists?project={project.id}").json()["lists"]] == ["soup"]


def test_a_list_is_not_changed_without_the_page_s_token_nor_read_by_annotators(
    screen: Panel, store: Store, project: Project, annotator: User
) -> None:
    saved = screen.post("lists/save", project=project.id, name="all", asked={}).json()
    foreign = screen.client.post("/api/saliency/lists/delete", json={"list": saved["id"]})
    assert foreign.status_code == 403
    assert screen.get(f"list?project={project.id}&list=999").status_code == 404
    assert screen.post("lists/save", project=project.id, name="ALL", asked={}).status_code == 422
    token = accounts.sign_in_as(store, annotator.name, is_demonstration=True)
    theirs = Panel(screen.client, token, accounts.session_of(store, token).csrf, "saliency")
    assert theirs.get(f"lists?project={project.id}").status_code == 403
    assert theirs.post("lists/delete", list=saved["id"]).status_code == 403


TOLD_OF_BOTH = [
    "instance",
    "segments",
    "gold",
    "people",
    "sides",
    "ratios",
    "are_ratios_measured",
    "panels",
    "withheld",
]
PANEL = (
    "run model method parameters seed unit is_signed label asked_label layer answer numbers scores ranking spans quotes subwords "
    "convergence facts spread beside_random held_out trust seen written"
)


def test_a_text_and_its_partner_have_their_own_fields_and_none_of_the_others(
    screen: Panel, store: Store, project: Project, import_rows: Callable[..., object]
) -> None:
    row = {"id": "less", "text": "bad", "label": "negative", "rationales": [[[0, 1]]], "parent": "gold"}
    import_rows(project, [row | {"perturbation_kind": "synonym"}])
    [gold], [less] = (find_instance_ids(store, project.id, key) for key in ("gold", "less"))
    [stored] = list_runs(store, project.id)
    shown = screen.get(f"instance?instance={gold}&panels={stored.id}").json()
    assert list(shown) == ["project", "policy", *TOLD_OF_BOTH, "choices", "partners", "families"]
    assert list(shown["panels"][0]) == PANEL.split()
    partner = screen.get(f"partner?instance={gold}&partner={less}&panels={stored.id}").json()
    assert list(partner) == [*TOLD_OF_BOTH, "aligned"]
    saved = screen.post("lists/save", project=project.id, name="one", instance=gold).json()
    assert list(saved) == ["id", "name", "note", "made_by", "created_at", "changed_at", "n"]
    [listed] = screen.get(f"lists?project={project.id}").json()["lists"]
    assert list(listed) == [*saved, "may_change", "holds"]


@pytest.mark.parametrize(
    ("route", "body", "words"),
    [
        ("lists/save", {"project": 1}, "missing required field `name`"),
        ("lists/save", {"project": 1, "name": 3}, "$.name"),
        ("lists/save", {"project": 1, "name": "a", "asked": {"which": 1}}, "$.asked"),
        ("lists/put", {"list": -1, "instance": 1, "on": True}, "$.list"),
        ("lists/put", {"list": 1, "instance": 1, "on": "yes"}, "$.on"),
    ],
)
def test_a_malformed_message_is_refused_with_the_place(
    screen: Panel, route: str, body: dict[str, object], words: str
) -> None:
    answer = screen.post(route, **body)
    assert (answer.status_code, words in answer.json()["error"]) == (422, True)
    assert answer.json()["error"].startswith("Can't read the message:")
