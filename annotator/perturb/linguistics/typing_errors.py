"""Two neighbouring letters in each other's place: a slip of the fingers that always changes the text.

A test swaps any such pair of the whole text, once or twice; a suggestion one in each word, and never the first letter of a
word, which readers go by.
"""


def swappable_pairs(text: str) -> list[int]:
    """Where two different letters stand in a row: the index of the first.

    >>> swappable_pairs("all, in")
    [0, 5]
    """
    return [
        index for index in range(len(text) - 1) if text[index : index + 2].isalpha() and text[index] != text[index + 1]
    ]


def swapped_pair(text: str, index: int) -> str:
    """The two letters from an index on, the second one first.

    >>> swapped_pair("all, in", 5)
    'ni'
    """
    return text[index + 1] + text[index]
