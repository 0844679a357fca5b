"""Talk on the Project page: the threads of an instance, and the questions that wait for the lead."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.domain.reviews import Thread
from annotator.domain.texts import first_words
from annotator.language import _, several
from annotator.usecases.annotate.talk import PAGE_SIZE, answer, begin, questions, talk_of
from annotator.usecases.databases import Store
from annotator.web.buttons import submitted
from annotator.web.frame import as_text, carry_out
from annotator.web.page_parts import open_instance
from annotator.web.session import Visit
from annotator.web.shown_times import shown_time


def show(store: Store, visit: Visit, project: Project, instance_id: int) -> None:
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
        st.markdown(f"**{as_text(comment.author)}** {as_text(comment.text)}")
        st.caption(f"{comment.spoken_as} · {shown_time(comment.created_at)}")
    with st.form(f"talk_{thread.id}", border=False, clear_on_submit=True):
        field, button = st.columns([5, 1], vertical_alignment="bottom")
        words = f"talk_answer_{thread.id}"
        field.text_input(
            _("Answer"), max_chars=10_000, label_visibility="collapsed", placeholder=_("Answer"), key=words
        )
        given = submitted(_("Answer"), container=button, width="stretch", key=f"talk_send_{thread.id}", fields=(words,))
        if given is not None:
            carry_out(lambda: answer(store, visit.user, thread.id, given[words]))
