"""The Tests page: building functional tests, their results, files and word lists."""
