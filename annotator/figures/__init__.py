"""Charts from plain values. Plotly is loaded when a chart is drawn; nothing here asks a database or a page."""
