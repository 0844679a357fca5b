"""Training and calibration: who may be given work is shown by what they make of texts with known gold."""
