"""Training on Project: its rules, its texts, who has passed, and how people do in blind checks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.numbers import counted, written
from annotator.domain.project.qualification import SPOILINGS, Audience, Purpose, QualificationRules, Spoiling
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.errors import InvalidValue
from annotator.language import _, listed, several, together, unsaid
from annotator.usecases.annotate.blind_checks import may_have_checks
from annotator.usecases.databases import Store
from annotator.usecases.project.projects import instances_of
from annotator.usecases.qualification import items as training_items
from annotator.usecases.qualification import people as training_people
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, confirm_and_rerun, refusals_shown
from annotator.web.session import Visit, shown_time, visit_zone

Field = Callable[[Any, str], object]  # draws what is stored, under a key
_PARTS: dict[str, Purpose] = {
    unsaid("Annotators"): "annotators",
    unsaid("Reviewers"): "reviewers",
    unsaid("Blind checks"): "checks",
}
_CHOICES = 200  # texts that one can pick from at once
_GOLD = {
    "as picked": unsaid("unchanged since picked"),
    "changed": unsaid("changed since picked"),
    "no gold": unsaid("none now: skipped"),
}
_SPOILED = {
    "": unsaid("unchanged"), "token too much": unsaid("one extra token"), "token missing": unsaid("one token missing"),
    "set left out": unsaid("one set missing"),
}  # fmt: skip


def show(store: Store, visit: Visit, project: Project) -> None:
    """One of its parts: the rules first, then the texts, then the people."""
    name = st.segmented_control(
        _("Person"), list(_PARTS), default="Annotators", required=True, key="training_part", label_visibility="collapsed",
        format_func=_
    )  # fmt: skip
    purpose = _PARTS[name or "Annotators"]
    if purpose == "checks":
        _ask_rules(store, visit, project, "annotators", _CHECK_FIELDS)
        _show_checks(store, visit, project)
    else:
        _ask_rules(store, visit, project, purpose, _FIELDS[purpose])
        _show_held(store, visit, project, purpose)
        _show_people(store, visit, project, purpose)
    _show_items(store, visit, project, purpose)


def _ask_rules(store: Store, visit: Visit, project: Project, audience: Audience, fields: Mapping[str, Field]) -> None:
    """The fields keep what the lead typed where somebody else set rules meanwhile: then nothing is saved."""
    stored = training_items.training_rules(store, visit.user, project.id, audience)
    begun_key = f"training_begun_{audience}_{project.id}"
    based_on = st.session_state.setdefault(begun_key, stored.number)
    keys = {name: f"training_{name}_{audience}_{project.id}_{based_on}" for name in fields}
    form = next(iter(fields)) if len(fields) == 1 else audience
    with _place_of_rules(stored.rules, audience, fields), st.form(f"training_{form}", border=False):
        switch, *numbers = fields.items()
        switch[1](getattr(stored.rules, switch[0]), keys[switch[0]])
        columns = st.columns(len(numbers), vertical_alignment="bottom") if numbers else []
        for column, (name, field) in zip(columns, numbers, strict=True):
            with column:
                field(getattr(stored.rules, name), keys[name])
        given = submitted(_("Save"), type="primary", key=f"training_save_{form}", fields=tuple(keys.values()))
    if stored.number != based_on:
        st.warning(_("{made_by} has changed these rules.", made_by=as_text(stored.made_by)), icon=":material/group:")
        if pressed(_("Load current rules"), key=f"training_newest_{audience}"):
            st.session_state.pop(begun_key, None)
            st.rerun()
    if given is not None:
        values = {name: given[key] for name, key in keys.items()}
        whole: dict[str, Any] = {
            name: value if isinstance(value, bool) else int(value) for name, value in values.items()
        }
        rules = replace(stored.rules, **whole)
        with refusals_shown():
            training_items.set_rules(store, visit.user, project.id, audience, rules, based_on=based_on)
            st.session_state.pop(begun_key, None)
            confirm_and_rerun(_("Saved. Attempts in progress keep the old rules."))


def _place_of_rules(rules: QualificationRules, audience: Audience, fields: Mapping[str, Field]) -> DeltaGenerator:
    """Folded where there are several, under what they come to; the blind checks' only one stands open."""
    if len(fields) == 1:
        return st.container()
    key = f"training_rules_{audience}"
    if not rules.is_on:
        return st.expander(_("Training is off"), key=key)
    texts, tries = counted(rules.texts, "text"), counted(rules.tries, "attempt")
    return st.expander(_("Training is on: {texts}, {attempts}", texts=texts, attempts=tries), key=key)


def _show_held(store: Store, visit: Visit, project: Project, audience: Audience) -> None:
    """While training is on: who goes on with what they hold all the same."""
    if not training_items.training_rules(store, visit.user, project.id, audience).rules.is_on:
        return
    if held := training_people.finishing_first(store, visit.user, project, audience):
        st.info(as_text(held), icon=":material/hourglass_top:")


def _number(label: str, lowest: int, highest: int, hint: str = "") -> Field:
    return lambda value, key: st.number_input(_(label), lowest, highest, int(value), key=key, help=_(hint) or None)


def _box(label: str, hint: str) -> Field:
    return lambda value, key: st.checkbox(_(label), bool(value), key=key, help=_(hint))


_TEXTS = _number(unsaid("Texts per attempt"), 1, 100, unsaid("Fewer if not enough are available."))
_TRIES = _number(unsaid("Attempts"), 1, 20)
_F1_HINT = unsaid(
    "Mean over an attempt's texts. Per text: mean of each set's best token F1 with the other side (person and gold)."
)
_IS_ON_HINT = unsaid("Reserved work can be finished. Leads are exempt.")
_LABEL_HINT = unsaid("Required share of labels matching gold, if annotators set labels.")
_SCORE_HINT = unsaid("Required share of scores on the known score's side of the threshold.")
_FIELDS: dict[Audience, dict[str, Field]] = {
    "annotators": {
        "is_on": _box(unsaid("Annotators must pass training first"), _IS_ON_HINT),
        "texts": _TEXTS,
        "tries": _TRIES,
        "least_f1": _number(unsaid("Minimum token F1 (%)"), 0, 100, _F1_HINT),
        "least_labels": _number(unsaid("Minimum correct labels (%)"), 0, 100, _LABEL_HINT),
    },
    "reviewers": {
        "is_on": _box(unsaid("Reviewers must pass training first"), _IS_ON_HINT),
        "texts": _TEXTS,
        "tries": _TRIES,
        "least_scores": _number(unsaid("Minimum correct scores (%)"), 0, 100, _SCORE_HINT),
    },
}


_CHECK_FIELDS: dict[str, Field] = {
    "check_every": _number(
        unsaid("One check every … texts (0: none)"), 0, 10_000,
        unsaid("Looks like any other text; responses don't affect it."),
    )
}  # fmt: skip


def _show_checks(store: Store, visit: Visit, project: Project) -> None:
    """People side by side, and one of them in time: something to look at, no verdict."""
    st.caption(_("Checks use texts below that the annotator hasn't seen and won't get."))
    _show_checks_left(store, visit, project)
    people = training_people.checked_people(store, visit.user, project)
    if not people:
        st.info(_("Nothing yet."), icon=":material/visibility:")
        return
    st.dataframe(
        [_checked_row(checked) for checked in people],
        hide_index=True,
        key="training_checks",
        column_config={
            "name": _("name"),
            "checks": _("checks"),
            "mean token F1": _("mean token F1"),
            "labels matching gold": _("labels matching gold"),
        },
    )
    name = st.selectbox(_("Over time"), [checked.user.name for checked in people], key="training_checked")
    chosen = next(checked for checked in people if checked.user.name == name)
    st.dataframe(
        [
            {
                "when": shown_time(point.at, is_zone_named=True),
                "token F1": written(None if point.measures.f1 is None else float(point.measures.f1)),
                "label": "–" if not point.measures.n else _("matches gold") if point.measures.n_right else _("differs"),
            }
            for point in chosen.points
        ],
        hide_index=True,
        key=f"training_points_{chosen.user.id}",
        column_config={
            "when": _("time ({zone})", zone=visit_zone()[0]),
            "token F1": _("token F1"),
            "label": _("label"),
        },
    )


def _show_checks_left(store: Store, visit: Visit, project: Project) -> None:
    """For whom there still is a check, once there are any texts for them."""
    if not training_items.items_of(store, visit.user, project, "checks"):
        return
    left = training_people.checks_left(store, visit.user, project)
    if not may_have_checks(project):
        st.warning(_("No checks: they can't show sets suggested by word lists."), icon=":material/visibility_off:")
        return
    if some := [_("{name} ({n})", name=name, n=n) for name, n in left.items() if n]:
        st.caption(_("Texts left for checks: {people}.", people=as_text(listed(some))))
    if none := [name for name, n in left.items() if not n]:
        st.warning(
            _("No check texts left for {names}. Pick other complete texts.", names=as_text(listed(none, "and"))),
            icon=":material/visibility_off:",
        )


def _checked_row(checked: training_people.Checked) -> dict[str, object]:
    totals = checked.totals
    return {
        "name": checked.user.name,
        "checks": len(checked.points),
        "mean token F1": written(None if totals.f1 is None else float(totals.f1)),
        "labels matching gold": _("{n} of {all}", n=totals.n_right, all=totals.n) if totals.n else "–",
    }


def _show_people(store: Store, visit: Visit, project: Project, audience: Audience) -> None:
    """Those who train, once they have to, or have begun."""
    people = training_people.trained_people(store, visit.user, project, audience)
    is_on = training_items.training_rules(store, visit.user, project.id, audience).rules.is_on
    if not is_on and not any(trained.n_tries for trained in people):
        return
    st.subheader(_("People"), anchor=False)
    st.dataframe(
        [_person_row(trained) for trained in people],
        hide_index=True,
        key=f"training_people_{audience}",
        column_config={
            "name": _("name"),
            "training": _("training"),
            "tries": _("attempts"),
            "token F1, last attempt": _("token F1, last attempt"),
            "correct, last attempt": _("correct, last attempt"),
        },
    )
    _show_answers(store, visit, project, audience, people)
    waiting = [trained for trained in people if trained.state not in {"passed", "let through"}]
    if not waiting:
        return
    name_column, try_column, through_column = st.columns([2, 1, 1], vertical_alignment="bottom")
    names = name_column.multiselect(
        _("Not passed yet"),
        [trained.user.name for trained in waiting],
        key=f"training_who_{audience}",
        select_all=False,  # a slip would let everybody through
        placeholder=_("Choose"),
    )
    if pressed(_("Grant an attempt"), container=try_column, width="stretch", key=f"training_again_{audience}"):
        _allow(store, visit, project, audience, names, is_let_through=False)
    if pressed(_("Let them pass"), container=through_column, width="stretch", key=f"training_through_{audience}"):
        _allow(store, visit, project, audience, names, is_let_through=True)


def _allow(
    store: Store, visit: Visit, project: Project, audience: Audience, names: Sequence[str], *, is_let_through: bool
) -> None:
    """All of them, or nobody where one cannot be."""
    with refusals_shown():
        if not names:
            raise InvalidValue(_("Choose a person."))
        with store.transaction():
            for name in names:
                training_people.allow(
                    store, visit.user, project, audience, name, "let through" if is_let_through else "another try"
                )
        if is_let_through:
            confirm_and_rerun(_("Can now get work: {names}.", names=listed(names)))
        confirm_and_rerun(_("Has another attempt: {names}.", names=listed(names)))


def _show_answers(
    store: Store, visit: Visit, project: Project, audience: Audience, people: Sequence[training_people.Trained]
) -> None:
    """What somebody answered, text by text, in the words that they read themselves."""
    names = [trained.user.name for trained in people if trained.n_tries]
    if not names:
        return
    with st.expander(_("Responses"), key=f"training_answers_{audience}"):
        name = st.selectbox(_("Person"), names, key=f"training_whose_{audience}")
        for answer in training_people.answers_of(store, visit.user, project, audience, name):
            parts = [f"**{_('Attempt {number}', number=answer.number)}**", as_text(answer.key)]
            if answer.measures.f1 is not None:
                parts.append(_("token F1 {f1}", f1=written(float(answer.measures.f1))))
            if answer.measures.n:
                parts.append(_("{right} of {n} right", right=answer.measures.n_right, n=answer.measures.n))
            st.markdown(" · ".join(parts))
            st.caption(as_text(together(*answer.lines)))


def _person_row(trained: training_people.Trained) -> dict[str, object]:
    totals = trained.totals
    return {
        "name": trained.user.name,
        "training": _("passed by {let_by}", let_by=trained.let_by)
        if trained.state == "let through"
        else _(training_people.TRAINING_WORDS[trained.state]),
        "tries": trained.n_tries,
        "token F1, last attempt": written(None if totals is None or totals.f1 is None else float(totals.f1)),
        "correct, last attempt": _("{n} of {all}", n=totals.n_right, all=totals.n) if totals and totals.n else "–",
    }


def _show_items(store: Store, visit: Visit, project: Project, purpose: Purpose) -> None:
    st.subheader(_("Texts"), anchor=False)
    items = training_items.items_of(store, visit.user, project, purpose)
    _warn(items)
    if purpose != "checks":
        n_texts = len({item.item.instance_id for item in items if item.gold != "no gold"})
        rules = training_items.training_rules(store, visit.user, project.id, purpose).rules
        if words := training_items.repeated_texts_words(rules, n_texts):
            st.warning(words, icon=":material/repeat:")
    if items:
        _show_list(store, visit, project, purpose, items)
    else:
        st.info(_("No texts yet. Pick some with gold."), icon=":material/school:")
    if n := training_items.count_picked(store, visit.user, project, purpose):
        st.caption(
            several(
                "{n} complete text counts in gold, exports and releases. To exclude it, give it its own split.",
                "{n} complete texts count in gold, exports and releases. To exclude them, give them their own split.",
                n,
            )
        )
    _ask_texts(store, visit, project, purpose, {item.item.instance_id for item in items})


def _warn(items: Sequence[training_items.ShownItem]) -> None:
    """Items are named whose gold is another one than when they were picked."""
    changed = [item.row.key for item in items if item.gold == "changed"]
    if changed:
        st.warning(
            _("The gold of {changed} changed, for new responses only.", changed=as_text(listed(changed))),
            icon=":material/history:",
        )
    missing = [item.row.key for item in items if item.gold == "no gold"]
    if missing:
        st.warning(
            _("{missing} is skipped: no gold. Add gold or remove it.", missing=as_text(listed(missing))),
            icon=":material/warning:",
        )


def _show_list(
    store: Store, visit: Visit, project: Project, purpose: Purpose, items: Sequence[training_items.ShownItem]
) -> None:
    rows = [
        {
            "text": first_words(item.row.excerpt),
            **({"gold sets": _(_SPOILED[item.item.spoiling])} if purpose == "reviewers" else {}),
            "gold": _(_GOLD[item.gold]),
            "key": item.row.key,
        }
        for item in items
    ]
    selection = st.dataframe(
        rows, hide_index=True, key=f"training_items_{purpose}_{len(items)}", on_select="rerun", selection_mode="single-row",
        column_config={
            "text": st.column_config.TextColumn(_("text"), width="large"), "gold sets": _("gold sets"),
            "gold": _("gold"), "key": _("ID"),
        },
    )  # fmt: skip
    selected = selection["selection"]["rows"]
    if not selected:
        st.caption(_("Select a row to remove a text."))
        return
    item = items[selected[0]]
    left, right = st.columns(2)
    if pressed(_("Remove"), container=left, width="stretch", key=f"training_out_{item.item.id}"):
        with refusals_shown():
            training_items.take_out(store, visit.user, project, item.item.id)
            confirm_and_rerun(_("Removed “{key}”; responses are kept.", key=item.row.key))
    if item.gold == "changed" and pressed(
        _("Accept the new gold"), container=right, width="stretch", key=f"training_gold_{item.item.id}"
    ):
        with refusals_shown():
            training_items.accept_gold(store, visit.user, project, item.item.id)
            confirm_and_rerun(_("“{key}” now uses its current gold.", key=item.row.key))


def _ask_texts(store: Store, visit: Visit, project: Project, purpose: Purpose, picked: set[int]) -> None:
    rows = instances_of(store, visit.user, project.id, state="complete", limit=_CHOICES, offset=0)
    names = {row.id: f"{first_words(row.excerpt, 80)} · {row.key}" for row in rows}
    choices = [number for number in names if number not in picked or purpose == "reviewers"]
    if not rows:
        st.caption(_("To make gold, open a text under *Texts* and mark it below “Your own version”."))
    if not choices:
        return
    with st.form(f"training_pick_{purpose}_{len(picked)}", border=False):
        st.multiselect(
            _("Pick complete texts"),
            choices,
            format_func=names.__getitem__,
            key=f"training_texts_{purpose}",
            select_all=False,
            help=_("First {choices} complete texts. Nobody trains on texts they annotated.", choices=_CHOICES),
            placeholder=_("Choose"),
        )
        fields = [f"training_texts_{purpose}"]
        if purpose == "reviewers":
            fields.append("training_spoilings")
            st.multiselect(
                _("Gold sets"),
                SPOILINGS,
                default=list(SPOILINGS),
                format_func=lambda spoiling: _(_SPOILED[spoiling]),
                key="training_spoilings",
                help=_("Adds each text in each possible form."),
                placeholder=_("Choose"),
            )
        given = submitted(_("Pick"), key=f"training_pick_{purpose}", fields=tuple(fields))
    if given is not None:
        numbers = cast("list[int]", given[f"training_texts_{purpose}"])
        spoilings = cast("list[Spoiling]", given.get("training_spoilings", [""]))
        with refusals_shown():
            made = training_items.pick(store, visit.user, project, purpose, numbers, spoilings)
            confirm_and_rerun(together(several("Picked {n} text.", "Picked {n} texts.", made.n_new), *made.left_out))
