"""Notices to the people concerned: made in the transaction of what happened, read on the start page."""
