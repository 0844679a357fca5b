"""The entry script: Streamlit runs it anew for each click, and its frame runs the page that was asked for."""

import streamlit as st

from annotator.web import frame
from annotator.web.routes.static import ICON

st.set_page_config(page_icon=ICON, layout="wide", initial_sidebar_state=230)
frame.show()
