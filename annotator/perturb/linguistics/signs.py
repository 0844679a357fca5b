"""Signs that end a sentence, and the beginning of addresses that are made up.

A test that adds a phrase asks only for one of these signs; a suggestion also takes a tilde for an end, which Chinese reviews
close with, and looks behind closing quotation marks.
"""

SENTENCE_SIGNS = ".!?…。！？"
FULL_STOP, CHINESE_FULL_STOP = ".", "。"
EXAMPLE_ADDRESS = "https://example.com/"  # a host that is kept free for examples: nobody can have it
