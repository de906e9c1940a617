"""Questions and play: the rules of the games, the bots, and the commands.

This package never imports :mod:`ustad.solver`; only the ``build`` command starts
it.  Answering a question needs numpy and h5py alone.
"""

from ustad.runtime.advice import Advisor, ask
from ustad.runtime.errors import UstadError

__all__ = ["Advisor", "UstadError", "ask"]
