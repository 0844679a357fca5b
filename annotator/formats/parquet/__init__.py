"""Parquet files and the data set's card."""
