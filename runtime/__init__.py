"""Questions and play: the rules of the games, the bots, and the commands.

This package never imports :mod:`ustad.solver`; only the ``build`` command starts
it.  Answering a question needs numpy and h5py alone.

    >>> from ustad.runtime import ask
    >>> position = {"game": "raja_pasu", "board": [7] * 14, "to_move": 0}
    >>> ask(position, level="medium")
    {'best': [{'hole': 0}]}
"""

from ustad.runtime.core.errors import UstadError
from ustad.runtime.questions import Advisor, ask

__all__ = ["Advisor", "UstadError", "ask"]
