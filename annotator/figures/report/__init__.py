"""A comparison of models as one HTML page that needs nothing from elsewhere: what is on it, and how it is drawn."""
