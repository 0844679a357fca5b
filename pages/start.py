"""Start: what waits for me, in all my projects."""

import streamlit as st

from annotator.web.page_parts import READABLE
from annotator.web.sections.start import page
from annotator.web.session import current_visit, page_store

with page_store() as store, st.container(width=READABLE):
    page.show(store, current_visit(store))
