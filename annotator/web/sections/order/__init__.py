"""The section Order of the Project page: what annotators get next."""
