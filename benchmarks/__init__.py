"""How fast the program is, as ratios to something simpler that is measured in the same run. See README.md."""
