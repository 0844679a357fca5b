"""What methods say of their own scores (migration m009)."""

# A JSON object of numbers by name: r2, convergence_share, special_share ... NULL: nothing was said.
FACTS = (
    """ALTER TABLE attributions ADD COLUMN facts TEXT
        CHECK (facts IS NULL OR (json_valid(facts) AND json_type(facts) = 'object'))""",
)
