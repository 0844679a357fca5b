"""The metrics of four papers from files alone: no database is opened here."""
