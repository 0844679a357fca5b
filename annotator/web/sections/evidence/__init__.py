"""Second passes in which all evidence is marked, on Project under Texts."""
