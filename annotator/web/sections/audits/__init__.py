"""Audits of accepted changed versions: judging on Perturb, drawing and results on Project under Quality."""
