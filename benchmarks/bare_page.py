"""A bare Streamlit page with the token panel and the tokens as its data: what opening a text may be compared with.

It is the script of the page; `python -m benchmarks.bare_page WORK.json PORT` serves it as the program serves its own (a
small application on uvicorn, with the panel's files). WORK.json holds a work object and its project (docs/panel.md).
"""

import os
import sys
from pathlib import Path

import msgspec

from annotator.usecases.annotate.panel_messages import ShownProject, ShownWork

_WORK = "ANNOTATOR_BENCHMARK_WORK"


class _Work(msgspec.Struct):
    """What the file holds."""

    work: ShownWork
    project: ShownProject


def serve(work: str, port: int) -> None:
    """Until the process is stopped."""
    os.environ[_WORK] = work
    import uvicorn
    from streamlit import config
    from streamlit.starlette import App

    from annotator.web.routes.static import routes

    config.set_option("browser.gatherUsageStats", False)
    config.set_option("server.fileWatcherType", "none")
    app = App(Path(__file__), routes=routes)
    uvicorn.run(
        app, host="127.0.0.1", port=port, log_level="warning", access_log=False, log_config=None, server_header=False,
        ws="websockets-sansio", ws_per_message_deflate=False,
    )  # fmt: skip


def show() -> None:
    """The page."""
    from annotator.web import components

    work = msgspec.json.decode(Path(os.environ[_WORK]).read_bytes(), type=_Work)
    components.read(work.work, work.project, key="panel")


if __name__ == "__main__":
    if _WORK in os.environ:
        show()  # Streamlit runs the script, in the process that serves it
    else:
        serve(sys.argv[1], int(sys.argv[2]))
