"""The papers' tables of a project: their rows, columns, order and scales."""
