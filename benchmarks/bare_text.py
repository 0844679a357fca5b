"""A bare Streamlit page whose component shows a text: the least that opening a text can cost on this platform.

It is the script of the page; `python -m benchmarks.bare_text TEXT.txt PORT` serves it as the program serves its own (a small
application on uvicorn). The component is one short module, written in the page; it shows each line as a paragraph.
"""

import os
import sys
from pathlib import Path

_TEXT = "ANNOTATOR_BENCHMARK_TEXT"
_MODULE = """
export default function ({ data, parentElement }) {
  const text = document.createElement("div");
  text.className = "segment-text";
  for (const line of data.split("\\n")) {
    const paragraph = document.createElement("p");
    paragraph.textContent = line;
    text.append(paragraph);
  }
  const panel = document.createElement("div");
  panel.className = "panel";
  panel.append(text);
  parentElement.append(panel);
}
"""


def serve(text: str, port: int) -> None:
    """Until the process is stopped."""
    os.environ[_TEXT] = text
    import uvicorn
    from streamlit import config
    from streamlit.starlette import App

    config.set_option("browser.gatherUsageStats", False)
    config.set_option("server.fileWatcherType", "none")
    uvicorn.run(
        App(Path(__file__)), host="127.0.0.1", port=port, log_level="warning", access_log=False, log_config=None,
        server_header=False, ws="websockets-sansio", ws_per_message_deflate=False,
    )  # fmt: skip


def show() -> None:
    """The page."""
    import streamlit as st

    st.set_page_config(layout="wide")
    show_text = st.components.v2.component("text", js=_MODULE)
    show_text(data=Path(os.environ[_TEXT]).read_text(encoding="utf-8"), key="text")


if __name__ == "__main__":
    if _TEXT in os.environ:
        show()  # Streamlit runs the script, in the process that serves it
    else:
        serve(sys.argv[1], int(sys.argv[2]))
