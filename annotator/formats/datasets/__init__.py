"""Data sets that papers published in forms of their own: e-SNLI, CoS-E, HateXplain, AESW."""
