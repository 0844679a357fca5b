"""The panel on a page, as Streamlit's component sends it."""

import subprocess
import sys

from tests.house.test_house import ROOT

PAGE = """
import sys
from streamlit.testing.v1 import AppTest

tried = AppTest.from_string(
    "from annotator.web.components import panel_component\\n"
    "panel_component('tried', 'annotate/main.js')(data={'project': 1, 'guidelines': None, 'work': {}}, key='tried')",
    default_timeout=60,
).run()
print(tried.main[0].proto.json, *sorted({"pandas", "pyarrow"} & {*sys.modules}))
"""


def test_a_page_with_a_panel_loads_neither_pandas_nor_pyarrow() -> None:
    """They are 80 MB of a server's memory. In a dictionary Streamlit would look for data frames, with both."""
    done = subprocess.run(
        [sys.executable, "-c", PAGE], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == '[{"project": 1, "guidelines": null, "work": {}}]\n'
