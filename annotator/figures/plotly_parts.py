"""What charts are made of, imported where one is drawn.

Plotly takes pandas for loaded as soon as its import has begun: where another thread was still at it (a table on somebody else's
page), a chart failed. Imported here first, pandas is whole, since an import waits for the same import in another thread.
"""

import pandas  # noqa: F401, ICN001  (whole before Plotly looks for it)
from plotly.graph_objects import Bar, Figure, Scatter
from plotly.subplots import make_subplots

__all__ = ["Bar", "Figure", "Scatter", "make_subplots"]
