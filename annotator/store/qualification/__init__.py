"""Training and calibration: its rules, its items with known gold, the tries of people, and what they answered."""
