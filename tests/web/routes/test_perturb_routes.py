"""The Perturb page's messages (docs/perturb.md): what they answer, to whom, and how each refusal looks."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR, Role, User
from annotator.domain.perturbations import ChangedText
from annotator.domain.project.audits import Drawing
from annotator.domain.projects import Project
from annotator.files import resource_folder
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.people import get_user
from annotator.usecases.access import accounts
from annotator.usecases.access.rights import roles_in
from annotator.usecases.perturb import versions
from annotator.usecases.perturb.audit_results import audits_of_project
from annotator.usecases.perturb.audits import draw_audit
from annotator.web.frame import waiting_line
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import COOKIE, ServerOptions, close_kept_store
from annotator.web.routes.perturb import routes
from tests.conftest import REPOSITORY
from tests.web.routes.test_panel_routes import HOST, Panel

TEXT = "The acting 😀 is superb ."
CHANGED = "The acting 😀 is really superb ."
Come = Callable[[str], Panel]


@pytest.fixture
def reviews(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(name="Reviews")
    rows = [
        {"id": f"r{n}", "text": TEXT, "tokens": TEXT.split(), "label": "positive", "rationales": [[[4, 5]]]}
        for n in range(2)
    ]
    import_rows(made, [*rows, {"id": "open", "text": "Dull.", "label": "negative"}])
    return made


@pytest.fixture
def come(database: Path, store: Store, reviews: Project, add_person: Callable[..., User]) -> Iterator[Come]:
    """Somebody with a role in the project and a browser of their own, by role: "annotator", "annotator 2" ..."""
    app = Starlette(routes=all_routes(), middleware=web_middleware(ServerOptions(database)))
    clients: dict[str, Panel] = {}

    def of_role(name: str) -> Panel:
        if name not in clients:
            user = add_person(name, reviews, name.split(maxsplit=1)[0])
            token = accounts.sign_in_as(store, user.name, is_demonstration=True)
            client = TestClient(app, base_url=HOST)
            client.__enter__()
            clients[name] = Panel(client, token, accounts.session_of(store, token).csrf, "perturb")
        return clients[name]

    yield of_role
    for panel in clients.values():
        panel.client.__exit__(None, None, None)
    close_kept_store()


@pytest.fixture
def original(store: Store, reviews: Project) -> int:
    return find_instance_ids(store, reviews.id, "r0")[0]


def changed(text: str = CHANGED, kind: str = "dispensable", result: str | None = "positive") -> dict[str, Any]:
    return {"kind": kind, "texts": {"text": text}, "result": result, "note": "a filler"}


def test_the_rules_tell_kinds_labels_rights_and_what_waits(come: Come, reviews: Project, original: int) -> None:
    come("annotator").post("hand-in", instance=original, changed=changed())
    rules = come("reviewer").get(f"rules?project={reviews.id}").json()
    assert {"benchmark", "contrast", "functional"} <= {kind["family"] for kind in rules["kinds"]}
    assert (rules["labels"], rules["result_kind"], rules["checkers"]) == (["negative", "positive"], "label", 2)
    assert (rules["may"], rules["waiting"]) == ({"write": False, "check": True}, {"to_check": 1, "returned": 0})
    assert come("annotator").get(f"rules?project={reviews.id}").json()["waiting"]["to_check"] == 0


def test_originals_are_found_by_key_and_by_words_and_those_with_a_version_are_left_out(
    come: Come, reviews: Project, original: int
) -> None:
    writer = come("annotator")
    answer = writer.get(f"originals?project={reviews.id}&words=superb").json()
    assert ([row["key"] for row in answer["rows"]], answer["n"]) == (["r0", "r1"], 2)  # "open" is not complete yet
    assert answer["rows"][0]["excerpt"] == TEXT
    assert [row["key"] for row in writer.get(f"originals?project={reviews.id}&words=R1").json()["rows"]] == ["r1"]
    writer.post("hand-in", instance=original, changed=changed())
    assert [r["key"] for r in writer.get(f"originals?project={reviews.id}&without=1").json()["rows"]] == ["r1"]
    assert writer.get(f"next?project={reviews.id}").json() == {"instance": original + 1}


def test_the_originals_that_are_offered_and_those_that_wait_add_up_to_those_without_a_version(
    come: Come, reviews: Project, original: int
) -> None:
    come("annotator").post("hand-in", instance=original, changed=changed())
    for role, offered in (("annotator", 1), ("lead", 2)):  # a lead may change texts that are still being annotated
        person = come(role)
        counts = person.get(f"progress?project={reviews.id}").json()
        assert (counts["originals"], counts["without"], counts["offered"]) == (3, 2, offered)
        listed = person.get(f"originals?project={reviews.id}&without=1").json()
        assert (listed["n"], listed["n_unfinished"]) == (offered, counts["without"] - offered)


def test_of_two_messages_of_a_tab_that_overtake_each_other_the_later_writing_stays_the_draft(
    come: Come, original: int
) -> None:
    def draft() -> object:
        return writer.get(f"original?instance={original}").json()["draft"]["texts"]["text"]

    writer = come("annotator")
    writer.post("look", instance=original, changed=changed(text="Newer ."), writer="tab", turn=2)
    writer.post("look", instance=original, changed=changed(text="Older ."), writer="tab", turn=1)
    assert draft() == "Newer ."
    writer.post("look", instance=original, changed=changed(text="Newest ."), writer="tab", turn=3)
    assert draft() == "Newest ."
    writer.post("look", instance=original, changed=changed(text="Elsewhere ."), writer="another tab", turn=1)
    assert draft() == "Elsewhere ."


def test_a_look_tells_the_diff_the_proposed_sets_and_keeps_the_draft(come: Come, original: int) -> None:
    writer = come("annotator")
    look = writer.post("look", instance=original, changed=changed(result=None)).json()
    assert look["runs"] == [["kept", 0, 4, 0, 4], ["inserted", 4, 4, 4, 5], ["kept", 4, 6, 5, 7]]
    assert (look["sets"], look["origins"], look["n_edited"]) == ([[5]], [0], 1)
    assert look["minimality"] == pytest.approx(1 / 7)
    assert look["problems"] == ["Choose the label of the perturbed text."]
    shown = writer.get(f"original?instance={original}").json()
    assert (shown["draft"], shown["gold"], shown["direction"]) == (changed(result=None), [[4]], "ltr")
    assert shown["segments"][0]["before"] == ["", " ", " ", " ", " ", " "]


def test_suggestions_count_as_a_browser_does(come: Come, original: int) -> None:
    answer = come("annotator").post(
        "suggest", instance=original, segment="text", text="😀 I don't know .", kind="robustness", seed=0
    )
    [edit] = next(one for one in answer.json()["suggestions"] if one["why"] == "don't → do not")["edits"]
    start, end, replacement = edit
    utf16 = "😀 I don't know .".encode("utf-16-le")
    after = utf16[: 2 * start].decode("utf-16-le") + replacement + utf16[2 * end :].decode("utf-16-le")
    assert after == "😀 I do not know ."


def test_until_their_own_word_no_byte_tells_the_second_checker_the_first_ones_or_the_author(
    come: Come, reviews: Project, original: int
) -> None:
    writer, first, second = come("annotator"), come("annotator 2"), come("reviewer")
    number = writer.post("hand-in", instance=original, changed=changed()).json()["perturbation"]
    word = {"perturbation": number, "version": 1, "reason": "zq, a perfect filler"}
    assert first.post("check/approve", **word).json() == {"state": "waiting"}
    answers = [
        *(second.get(f"{route}?project={reviews.id}") for route in ("rules", "mine", "progress", "check/next")),
        second.get(f"check?perturbation={number}"),
        second.post("check/look", perturbation=number, version=1, changed=changed()),
        second.post("revise", perturbation=number, version=1, changed=changed()),
        second.post("withdraw", perturbation=number),
    ]
    for answer in answers:
        assert answer.status_code in {200, 403}, answer.text
        for hidden in ("zq", '"annotator', 'approve"'):
            assert hidden not in answer.text.replace('"approved"', ""), (hidden, answer.text)
    assert second.post("check/approve", perturbation=number, version=1).json() == {"state": "approved"}
    assert "zq" in second.get(f"check?perturbation={number}").text


def test_a_version_is_handed_in_corrected_sent_back_written_anew_and_approved(
    come: Come, reviews: Project, original: int
) -> None:
    writer, checker, other = come("annotator"), come("reviewer"), come("annotator 2")
    number = writer.post("hand-in", instance=original, changed=changed()).json()["perturbation"]
    shown = checker.get(f"check/next?project={reviews.id}").json()
    assert (shown["perturbation"]["id"], shown["perturbation"]["may_check"]) == (number, True)
    assert shown["look"]["n_edited"] == 1
    better = changed("The acting 😀 is truly superb .")
    done = checker.post("check/correct", perturbation=number, version=1, changed=better, reason="a calmer word")
    assert done.json() == {"state": "waiting"}
    done = other.post("check/reject", perturbation=number, version=2, reason="no filler at all")
    assert done.json() == {"state": "returned"}
    [mine] = writer.get(f"mine?project={reviews.id}").json()["rows"]
    assert [(c["by"], c["verdict"], c["reason"]) for c in mine["checks"]] == [
        (None, "correct", "a calmer word"),
        ("annotator 2", "reject", "no filler at all"),
    ]
    assert ["replaced", " really", " truly"] in mine["versions"][1]["since"]["text"]
    assert writer.get(f"check?perturbation={number}").json()["perturbation"]["may_revise"]
    again = changed("Their acting 😀 is superb .")
    assert writer.post("revise", perturbation=number, changed=again).json()["state"] == "waiting"
    for one in (checker, other):
        approved = one.post("check/approve", perturbation=number, version=3)
    assert approved.json() == {"state": "approved"}
    [mine] = writer.get(f"mine?project={reviews.id}").json()["rows"]
    assert mine["instance"] is not None
    progress = writer.get(f"progress?project={reviews.id}").json()
    assert next(k for k in progress["kinds"] if k["name"] == "dispensable")["approved"] == 1
    assert (progress["originals"], progress["without"], progress["target"]) == (3, 2, 100)
    assert checker.get(f"check/next?project={reviews.id}").json() == {"perturbation": None}


ONE = (
    "id author state instance kind texts result note original key version may_check language direction wanted versions checks "
    "stale"
)


def test_one_to_check_and_one_of_ones_own_have_their_own_fields_and_none_of_the_others(
    come: Come, reviews: Project, original: int
) -> None:
    writer, checker = come("annotator"), come("reviewer")
    begun = writer.get(f"original?instance={original}").json()
    assert list(begun)[-3:] == ["gold", "draft", "others"]
    writer.post("hand-in", instance=original, changed=changed())
    shown = checker.get(f"check/next?project={reviews.id}").json()
    assert list(shown) == ["perturbation", "original", "look"]
    assert list(shown["perturbation"]) == [*ONE.split(), "may_revise"]
    assert list(shown["original"])[-1] == "gold"
    [mine] = writer.get(f"mine?project={reviews.id}").json()["rows"]
    assert list(mine) == [*ONE.split(), "changes"]
    [version] = mine["versions"]
    assert list(version) == [
        "number",
        "by",
        "reason",
        "at",
        "is_correction",
        "since",
        "kind",
        "texts",
        "result",
        "note",
    ]


def test_where_nothing_is_left_a_warning_may_be_confirmed(come: Come, original: int) -> None:
    writer = come("annotator")
    less = changed(TEXT.replace(TEXT.split()[4], ""))
    refused = writer.post("hand-in", instance=original, changed=less)
    assert (refused.status_code, refused.json()["warning"]) == (422, True)
    assert "No rationale tokens are left: no set proposed." in refused.json()["error"]
    assert writer.post("hand-in", instance=original, changed=less, may_be_empty=True).status_code == 200
    emptied = writer.post("hand-in", instance=original, changed=changed(""), may_be_empty=True)
    assert (emptied.status_code, "warning" in emptied.json()) == (422, False)


def test_the_sidebar_says_what_waits(come: Come, store: Store, reviews: Project, original: int) -> None:
    def line(name: str) -> str:
        user = get_user(store, name)
        return waiting_line(store, user, reviews, roles_in(store, user, reviews.id))

    writer, checker = come("annotator"), come("reviewer")
    number = writer.post("hand-in", instance=original, changed=changed()).json()["perturbation"]
    assert (line("reviewer").endswith("1 to check"), "to check" in line("annotator")) == (True, False)
    checker.post("check/reject", perturbation=number, version=1, reason="no")
    assert line("annotator").endswith("1 perturbed version returned")


def test_what_is_withdrawn_counts_for_nothing(come: Come, reviews: Project, original: int) -> None:
    writer = come("annotator")
    number = writer.post("hand-in", instance=original, changed=changed()).json()["perturbation"]
    assert come("reviewer").post("withdraw", perturbation=number).status_code == 403
    assert writer.post("withdraw", perturbation=number).json()["state"] == "withdrawn"
    assert come("reviewer").get(f"check/next?project={reviews.id}").json() == {"perturbation": None}


@pytest.mark.parametrize("path", ["originals?project={p}", "next?project={p}", "original?instance={i}"])
def test_reviewers_do_not_write(come: Come, reviews: Project, original: int, path: str) -> None:
    answer = come("reviewer").get(path.format(p=reviews.id, i=original))
    assert answer.status_code == 403
    refused = come("reviewer").post("hand-in", instance=original, changed=changed())
    assert refused.status_code == 403
    assert (
        refused.json()["error"]
        == "reviewer can't annotate in 'Reviews'. An administrator can grant a role (annotator or lead)."
    )


def test_researchers_neither_write_nor_check(come: Come, reviews: Project, original: int) -> None:
    number = come("annotator").post("hand-in", instance=original, changed=changed()).json()["perturbation"]
    researcher = come("researcher")
    assert researcher.get(f"check/next?project={reviews.id}").status_code == 403
    assert researcher.post("check/approve", perturbation=number, version=1).status_code == 403
    assert researcher.post("look", instance=original, changed=changed()).status_code == 403


@pytest.mark.parametrize(
    ("path", "words"),
    [
        *(
            (
                path,
                "researcher can't annotate or review in 'Reviews'. "
                "A lead of the project (lead) can grant a role (annotator, lead or reviewer).",
            )
            for path in ("rules", "progress", "mine")
        ),
        *(
            (
                path,
                "researcher can't annotate in 'Reviews'. "
                "A lead of the project (lead) can grant a role (annotator or lead).",
            )
            for path in ("originals", "next")
        ),
        ("check/next", "Your role doesn't allow this. Ask a lead."),
    ],
)
def test_the_screen_is_for_those_who_annotate_or_review(come: Come, reviews: Project, path: str, words: str) -> None:
    assert come("lead").get(f"{path}?project={reviews.id}").status_code == 200
    refused = come("researcher").get(f"{path}?project={reviews.id}")
    assert refused.status_code == 403
    assert refused.json()["error"] == words


def test_who_may_not_see_progress_is_told_which_roles_may(come: Come, reviews: Project) -> None:
    assert come("reviewer").get(f"progress?project={reviews.id}").status_code == 200
    said = come("researcher").get(f"progress?project={reviews.id}").json()["error"]
    assert "researcher can't annotate or review in 'Reviews'." in said
    assert "(annotator, lead or reviewer)" in said


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        ({"instance": 999, "changed": changed()}, 404, "999"),
        ({"instance": 1, "changed": changed(kind="magic")}, 422, "Unknown perturbation type 'magic'. Available:"),
        ({"instance": 1}, 422, "changed"),
        ({"instance": "one", "changed": changed()}, 422, "instance"),
    ],
)
def test_what_cannot_be_looked_at_is_a_sentence(
    come: Come, original: int, sent: dict[str, Any], status: int, words: str
) -> None:
    body = sent | ({"instance": original} if sent["instance"] == 1 else {})
    answer = come("annotator").post("look", **body)
    assert (answer.status_code, words in answer.json()["error"]) == (status, True)


def test_a_message_without_the_token_or_from_elsewhere_is_refused(come: Come, original: int) -> None:
    writer = come("annotator")
    for headers in ({}, writer.headers | {"Sec-Fetch-Site": "cross-site"}):
        answer = writer.client.post(
            "/api/perturb/hand-in", json={"instance": original, "changed": changed()}, headers=headers
        )
        assert (answer.status_code, "This request came from elsewhere. Reload." in answer.json()["error"]) == (
            403,
            True,
        )
    writer.client.cookies.delete(COOKIE)
    assert writer.get(f"original?instance={original}").status_code == 401


def test_every_message_is_documented() -> None:
    said = (REPOSITORY / "docs" / "perturb.md").read_text(encoding="utf-8")
    missing = [
        route.path
        for route in routes
        if not any(
            f"`{method} {route.path.removeprefix('/api/perturb/')}{end}" in said
            for method in route.methods or ()
            for end in ("?", " {")
        )
    ]
    assert missing == []


# Audits on the pages: a lead draws one on Quality, a third person judges on Perturb, the lead sends back what is wrong.

Open = Callable[[str, User, Role], AppTest]


@pytest.fixture
def project(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> Project:
    """Two accepted versions that Ann wrote; one has signs of Markdown."""
    made = make_project(name="Reviews", checkers_per_perturbation=0)
    rows = [{"id": k, "text": "so dull", "label": "negative", "rationales": [[[1, 2]]]} for k in ("a", "b")]
    import_rows(made, rows)
    ann = add_person("Ann", made, "annotator")
    for number, text in ((1, "*really* so dull"), (2, "so very dull")):
        versions.hand_in(store, ann, number, ChangedText("dispensable", {"text": text}, "negative"))
    return made


@pytest.fixture
def open_page(app_for: Callable[..., AppTest], project: Project) -> Open:
    """A page, as somebody with a role sees it."""

    def opened(page: str, user: User, role: Role) -> AppTest:
        return app_for(resource_folder("pages") / page, project, role, user)

    return opened


def test_a_lead_sees_how_wide_the_interval_will_be_and_draws(store: Store, project: Project, open_page: Open) -> None:
    lea = accounts.add_user(store, LOCAL_OPERATOR, "lea", "lead", project.name).user
    app = open_page("project.py", lea, "lead")
    app.session_state["project_section"] = "Quality"
    app.run()
    assert not app.exception
    assert any(m.value.startswith("95 % of 2 versions right gives a 95 % interval of") for m in app.markdown)
    app.button(key=f"audit_new_{project.id}_draw").click().run()
    assert not app.exception
    assert any(m.value == "**Audit 1**: none judged yet" for m in app.markdown)


def test_a_third_person_judges_without_names(
    store: Store, project: Project, open_page: Open, add_person: Callable[..., User]
) -> None:
    draw_audit(store, LOCAL_OPERATOR, project, Drawing())
    dan = add_person("Dan", project, "annotator")
    app = open_page("perturb.py", dan, "annotator")
    app.session_state["perturb_part"] = "Audit"
    app.run()
    assert not app.exception
    assert any("2 versions left. Authors and checkers are hidden." in c.value for c in app.caption)
    texts = " ".join(m.value for m in app.markdown)
    assert "Ann" not in texts
    first = app.session_state["audit_shown"]
    app.button(key=f"{first}_right").click().run()
    second = app.session_state["audit_shown"]
    assert second != first
    app.button_group(key=f"{second}_faults").set_value(["result"]).run()
    assert app.button(key=f"{second}_right").disabled
    app.button(key=f"{second}_wrong").click().run()
    assert "Nothing to audit. Your own versions are hidden." in app.info[0].value
    [result] = audits_of_project(store, LOCAL_OPERATOR, project)
    assert (result.overall.n_judged, result.overall.n_right) == (2, 1)


def test_whoever_has_nothing_to_audit_sees_perturb_as_ever(
    project: Project, open_page: Open, add_person: Callable[..., User]
) -> None:
    app = open_page("perturb.py", add_person("Dan", project, "annotator"), "annotator")
    app.run()
    assert not app.exception
    assert not app.get("button_group")
