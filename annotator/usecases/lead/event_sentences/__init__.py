"""The record in words, by subject: what each kind of event says to somebody who reads it."""
