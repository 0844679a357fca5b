"""The start page: what waits for somebody, over all their projects."""
