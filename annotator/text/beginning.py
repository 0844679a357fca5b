"""The beginning of a text, as a title: whole words, on one line."""

_ENDS = " ,;:–—-"


def beginning(text: str, limit: int) -> str:
    r"""At most `limit` characters of a text, cut between two words; a script that parts no words is cut between characters.

    >>> beginning("The soup\n was cold", 40), beginning("The soup was cold", 11), beginning("菜上得很慢，汤是冷的。", 4)
    ('The soup was cold', 'The soup…', '菜上得很…')
    """
    # White space may be long; what is read is bounded all the same.
    words = " ".join(text[: 4 * limit + 1].split())
    if len(words) <= limit:
        return words if len(text) <= 4 * limit + 1 else f"{words}…"
    cut = words[: limit + 1]
    whole = cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut[:limit]
    return f"{whole.rstrip(_ENDS)}…"
