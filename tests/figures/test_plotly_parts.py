"""Plotly and pandas in a server whose threads need both for the first time at once."""

import subprocess
import sys

_AT_ONCE = """
import sys, threading
from annotator.figures.bars import Part, stacked_bars

def table():
    import pandas

def chart():
    stacked_bars([Part("a", "k", 1, ())], {"k": "K"}, title="", across="", up="")

failures = []
threading.excepthook = lambda failure: failures.append(failure.exc_value)
threads = [threading.Thread(target=of_page) for of_page in (table, chart) * 4]
sys.setswitchinterval(1e-6)
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failures, failures
"""


def test_pages_that_need_tables_and_charts_for_the_first_time_at_once_all_get_them() -> None:
    process = subprocess.run([sys.executable, "-c", _AT_ONCE], capture_output=True, text=True, check=False, timeout=120)
    assert process.returncode == 0, process.stderr
