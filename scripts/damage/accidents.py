"""Accidents that happen to files: somewhere, bytes are not what was written."""

from __future__ import annotations

import random

PAGE = 4096


def accident(content: bytes, luck: random.Random) -> tuple[str, bytes]:
    """Return what happened to a file, and what it then holds."""
    changed, size = bytearray(content), len(content)
    how = luck.choice(["bit", "bits", "lost", "swapped", "inserted", "removed", "cut"])
    at = luck.randrange(size)
    if how == "bit":
        changed[at] ^= 1 << luck.randrange(8)
    elif how == "bits":
        for _ in range(luck.randrange(2, 50)):
            changed[luck.randrange(size)] ^= luck.randrange(1, 256)
    elif how == "lost":
        at -= at % PAGE
        changed[at : at + PAGE] = bytes(len(changed[at : at + PAGE]))
    elif how == "swapped":
        first, second = (PAGE * luck.randrange(max(size // PAGE, 1)) for _ in range(2))
        one, two = content[first : first + PAGE], content[second : second + PAGE]
        changed[first : first + PAGE], changed[second : second + PAGE] = two, one
    elif how == "inserted":
        changed[at:at] = luck.randbytes(luck.randrange(1, 20))
    elif how == "removed":
        del changed[at : at + luck.randrange(1, 20)]
    else:
        del changed[at:]
    return f"{how} at {at}", bytes(changed)
