"""Numbers from arrays, and the register of their definitions. No model, no database, no screen."""
