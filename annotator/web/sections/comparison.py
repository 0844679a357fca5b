"""One instance with each annotation of it, side by side, the talk about it, and the lead's word on its gold."""

import streamlit as st

from annotator.domain.instances import Annotation, GoldChoice, InstanceState
from annotator.domain.people import has_right, role_name
from annotator.domain.projects import Project
from annotator.domain.reviews import Thread
from annotator.domain.texts import RationaleSet, first_words, set_letter
from annotator.errors import NotFound
from annotator.language import _, parted, several, unsaid
from annotator.usecases.annotate.talk import PAGE_SIZE, answer, begin, questions, talk_of
from annotator.usecases.databases import Store
from annotator.usecases.lead.decisions import adjudicate, choose_gold, take_choice_back, why_not_gold
from annotator.usecases.lead.timeline import Relative, original_of, versions_of
from annotator.usecases.review import inspection
from annotator.web import components
from annotator.web.addresses import page_address
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, carry_out
from annotator.web.page_parts import open_instance
from annotator.web.sections import record
from annotator.web.session import Visit, shown_time

# Talk on the Project page: the threads of an instance, and the questions that wait for the lead.


def show_talk(store: Store, visit: Visit, project: Project, instance_id: int) -> None:
    """Every thread of an instance with an answer box, and a new one."""
    talk = talk_of(store, visit.user, project.id, instance_id)
    for thread, words in talk.threads:
        with st.container(border=True):
            about = f"**{_('About {about}', about=as_text(words))}**"
            st.markdown(f"{about} · {_('waiting for the lead')}" if thread.waits_for_lead else about)
            _show_thread(store, visit, thread)
    with st.form(f"talk_begin_{instance_id}", clear_on_submit=True):
        about, words = f"talk_about_{instance_id}", f"talk_words_{instance_id}"
        st.selectbox(_("New comment on"), talk.subjects, format_func=lambda s: s.words, key=about)
        st.text_area(_("Comment"), height=80, max_chars=10_000, key=words)
        given = submitted(_("Write"), key=f"talk_write_{instance_id}", fields=(about, words))
        if given is not None:
            subject, text = given[about], given[words]
            carry_out(lambda: begin(store, visit.user, project.id, instance_id, subject, text, to_lead=False))


def show_questions(store: Store, visit: Visit, project: Project) -> int:
    """The questions that wait, oldest first; answers how many there are."""
    waiting, total = questions(store, visit.user, project)
    for question in waiting:
        with st.container(border=True):
            words, look = st.columns([5, 1], vertical_alignment="center")
            words.markdown(_("**Question about {subject}**", subject=as_text(question.words)))
            look.button(
                _("Open"), key=f"question_look_{question.thread.id}", on_click=open_instance,
                args=(question.instance.id,), width="stretch"
            )  # fmt: skip
            instance = question.instance
            st.caption(f"“{as_text(first_words(instance.excerpt, 120))}” · :small[{as_text(instance.key)}]")
            _show_thread(store, visit, question.thread)
    if total > PAGE_SIZE:
        st.caption(
            several("Oldest {shown} of {n} question.", "Oldest {shown} of {n} questions.", total, shown=PAGE_SIZE)
        )
    return total


def _show_thread(store: Store, visit: Visit, thread: Thread) -> None:
    for comment in thread.comments:
        spoken_as = role_name(comment.spoken_as)
        st.markdown(f"**{as_text(comment.author or spoken_as)}** {as_text(comment.text)}")
        st.caption(f"{spoken_as} · {shown_time(comment.created_at)}")
    with st.form(f"talk_{thread.id}", border=False, clear_on_submit=True):
        field, button = st.columns([5, 1], vertical_alignment="bottom")
        words = f"talk_answer_{thread.id}"
        field.text_input(
            _("Answer"), max_chars=10_000, label_visibility="collapsed", placeholder=_("Answer"), key=words
        )
        given = submitted(_("Answer"), container=button, width="stretch", key=f"talk_send_{thread.id}", fields=(words,))
        if given is not None:
            carry_out(lambda: answer(store, visit.user, thread.id, given[words]))


_BESIDE = 3  # panels in a row
_STATES: dict[InstanceState, str] = {
    "open": unsaid("open"),
    "held": unsaid("with the lead"),
    "complete": unsaid("complete"),
    "discarded": unsaid("discarded"),
}


def show(store: Store, visit: Visit, project: Project, wanted: int | str) -> None:
    """An instance by its number or its key, as everybody annotated it, and below a version to make of it."""
    try:
        number = wanted if isinstance(wanted, int) else _choose(store, visit, project, wanted)
        if inspection.must_give_back(store, visit.user, project, number):
            if _ask_to_give_back(number):
                inspection.look_at(store, visit.user, project, number, gives_back=True)
                st.rerun()
            return
        comparison = inspection.look_at(store, visit.user, project, number)
    except NotFound as error:
        st.info(as_text(str(error)), icon=":material/search_off:")
        return
    _ComparisonScreen(store, visit, project, comparison).show()


def _ask_to_give_back(instance_id: int) -> bool:
    """Whoever has the text in hand decides: annotate it, or look at what others marked."""
    st.warning(_("If you look, this text goes to someone else for good."), icon=":material/visibility_off:")
    return pressed(_("Give up and look"), key=f"look_give_back_{instance_id}")


def _choose(store: Store, visit: Visit, project: Project, key: str) -> int:
    """Keys may repeat between splits; then one says which."""
    split_by_id = dict(inspection.find_instances(store, visit.user, project, key))
    if len(split_by_id) == 1:
        return next(iter(split_by_id))
    return st.segmented_control(
        _("Split"), list(split_by_id), default=next(iter(split_by_id)), required=True, key=f"look_split_{key}",
        format_func=lambda number: as_text(split_by_id[number]) or _("no split")
    )  # fmt: skip


class _ComparisonScreen:
    """The parts of the screen share who looks at what."""

    def __init__(self, store: Store, visit: Visit, project: Project, comparison: inspection.Comparison) -> None:
        self.store = store
        self.visit = visit
        self.project = project
        self.comparison = comparison
        self.instance = comparison.instance
        chosen_at = comparison.choice.chosen_at if comparison.choice else "no choice"
        self.key = f"look_{self.instance.id}_{chosen_at}"  # after a choice everything begins anew

    def show(self) -> None:
        self._show_title()
        parts = {
            unsaid("Side by side"): self._show_compared,
            unsaid("Discussion"): self._show_talk,
            unsaid("Timeline"): self._show_timeline,
        }
        part = st.segmented_control(
            _("Part"), list(parts), default="Side by side", required=True,
            key=f"look_part_{self.instance.id}", label_visibility="collapsed", format_func=_
        )  # fmt: skip
        parts[part]()

    def _show_compared(self) -> None:
        taken = self._show_sides(self._chosen_views())
        self._show_version(taken)

    def _show_talk(self) -> None:
        show_talk(self.store, self.visit, self.project, self.instance.id)

    def _show_timeline(self) -> None:
        record.show_history(self.store, self.visit, self.project, self.instance)

    def _show_title(self) -> None:
        instance = self.instance
        st.subheader(as_text(first_words(instance.excerpt) or instance.key), anchor=False)
        split = _("split {split}", split=instance.split) if instance.split else _("no split")
        st.caption(as_text(" · ".join([instance.key, split, _(_STATES[instance.state]), *self._gold_words()])))
        if self.comparison.was_shown and has_right(self.visit.user, self.visit.roles, "annotate"):
            st.caption(_("You've seen others' marks in this text and can't annotate it."))
        self._show_relatives()
        choice = self.comparison.choice
        if choice is not None:
            words, button = st.columns([4, 1], vertical_alignment="center")
            words.markdown(_chosen_words(choice))
            if pressed(_("Undo choice"), container=button, key=f"{self.key}_take_back", width="stretch"):
                carry_out(lambda: take_choice_back(self.store, self.visit.user, self.project, instance.id))

    def _show_relatives(self) -> None:
        """The original of a changed version, or the changed versions of an original, each with a link."""
        original = original_of(self.store, self.visit.user, self.project, self.instance)
        if original is not None:
            facts = _facts(original.kind, original.result, _(original.state))
            st.markdown(_("Perturbed version of {link} · {facts}", link=self._link(original), facts=facts))
        if versions := versions_of(self.store, self.visit.user, self.project, self.instance):
            lines = [
                f"- {self._link(version)} · {_facts(version.kind, version.result, _(version.state))}"
                for version in versions
            ]
            st.markdown("\n".join([_("Perturbed versions of this text"), "", *lines]))

    def _link(self, relative: Relative) -> str:
        if relative.instance_id is not None:
            address = page_address("project", project=self.project.id, instance=relative.instance_id)
            return f"[{as_text(relative.key)}]({address})"
        if relative.perturbation_id is None:
            return as_text(relative.key)
        address = page_address("perturb", project=self.project.id, tab="check", perturbation=relative.perturbation_id)
        return f"[{_('open in Perturb')}]({address})"

    def _gold_words(self) -> list[str]:
        gold, policy = self.comparison.gold, self.project.settings.gold_policy
        if gold is None:
            return [_("no gold")]
        choice = self.comparison.choice
        if policy == "chosen" and choice is not None and choice.is_adjudicated and not choice.is_exhaustive:
            return [_("gold: the lead's version")]
        parts = [
            f"{set_letter(number)} “{inspection.words_of(self.instance, gold_set)}” "
            f"({_(' and ').join(inspection.origin_words(origin) for origin in origins)})"
            for number, (gold_set, origins) in enumerate(zip(gold.sets, gold.origins, strict=True))
        ]
        return [_("gold under “{policy}”: {sets}", policy=_(policy), sets=parted(parts) or _("no rationale"))]

    def _chosen_views(self) -> list[inspection.View]:
        """The last round of each annotator at first; any may be put beside one another."""
        views = {view.annotation.id: view for view in self.comparison.views if view.annotation}
        if len(views) < 2:
            return list(self.comparison.views)
        latest = {view.annotation.annotator: number for number, view in views.items() if view.annotation}
        numbers = st.pills(
            _("Annotations side by side"), list(views), selection_mode="multi", default=list(latest.values())[:_BESIDE],
            format_func=lambda number: as_text(views[number].title), key=f"{self.key}_views"
        )  # fmt: skip
        return [views[number] for number in numbers]

    def _show_sides(self, views: list[inspection.View]) -> list[RationaleSet]:
        """Panels in rows; answers the sets that are ticked, in the order of the panels."""
        taken: list[RationaleSet] = []
        for start in range(0, len(views), _BESIDE):
            row = views[start : start + _BESIDE]
            for column, view in zip(st.columns(len(row), gap="medium"), row, strict=True):
                with column:
                    taken += self._show_side(view)
        return taken

    def _show_side(self, view: inspection.View) -> list[RationaleSet]:
        st.markdown(f"**{as_text(view.title)}**")
        if view.facts:
            st.caption(as_text(" · ".join(view.facts)))
        number = view.annotation.id if view.annotation else 0
        components.read(view.work, view.project, is_brief=True, key=f"{self.key}_panel_{number}")
        if view.annotation is None:
            return []
        taken = []
        for position, words in enumerate(view.sets):
            label = f"**{set_letter(position)}** {as_text(words)}"
            if st.checkbox(label, key=f"{self.key}_take_{number}_{position}"):
                taken.append(view.annotation.sets[position])
        note = [_("Note: {note}", note=view.annotation.note)] if view.annotation.note else []
        for line in (*note, *_guidelines_words(view.annotation), *view.decision, *view.scores):
            st.caption(as_text(line))
        self._ask_choice(view.annotation)
        return taken

    def _ask_choice(self, annotation: Annotation) -> None:
        choice, annotation_id = self.comparison.choice, annotation.id
        if choice is not None and choice.annotation_id == annotation_id:
            st.caption(f":material/star: {_('This is the gold.')}")
            return
        why_not = why_not_gold(self.store, annotation)
        with st.popover(_("Make it the gold"), disabled=bool(why_not), help=why_not or None):
            reason = st.text_input(_("Reason"), key=f"{self.key}_why_{annotation_id}")
            if pressed(_("Make it the gold"), type="primary", key=f"{self.key}_choose_{annotation_id}"):
                carry_out(lambda: choose_gold(self.store, self.visit.user, self.project, annotation_id, reason))

    def _show_version(self, taken: list[RationaleSet]) -> None:
        """The panel starts with the version there is, and with the ticked sets."""
        st.markdown(f"**{_('Your own version')}**")
        st.caption(_("Select sets above to edit and store as gold."))
        distinct = {chosen.token_indices: chosen for chosen in (*self._version_so_far(), *taken)}
        view = inspection.as_draft_of_lead(self.comparison, self.project, list(distinct.values()))
        draft = components.edit(view.work, view.project, key=f"{self.key}_edit")
        if draft is not None:
            carry_out(
                lambda: adjudicate(
                    self.store, self.visit.user, self.project, self.instance.id, draft.result, draft.sets, draft.note
                )
            )

    def _version_so_far(self) -> tuple[RationaleSet, ...]:
        choice = self.comparison.choice
        if choice is None or not choice.is_adjudicated:
            return ()
        annotations = (view.annotation for view in self.comparison.views if view.annotation)
        return next((annotation.sets for annotation in annotations if annotation.id == choice.annotation_id), ())


def _facts(*facts: str | None) -> str:
    return as_text(" · ".join(_("no label") if fact is None else fact or "–" for fact in facts))


def _chosen_words(choice: GoldChoice) -> str:
    by, reason = as_text(choice.chosen_by), as_text(choice.reason)
    if choice.is_exhaustive:
        return _("Exhaustive gold, adopted by **{by}**: {reason}", by=by, reason=reason)
    return _("Gold by **{by}**: {reason}", by=by, reason=reason)


def _guidelines_words(annotation: Annotation) -> tuple[str, ...]:
    number = annotation.guidelines
    return () if number is None else (_("Made with guidelines version {number}.", number=number),)
