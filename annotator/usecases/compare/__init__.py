"""What tells rows and models apart: differences, the instances they are in, and the report of a comparison."""
