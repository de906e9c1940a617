"""JavaScript without comments, indentation and blank lines, for packages that go over a network.

Nothing else changes, names neither: wherever there was a line break outside of comments there is
one, so that what is left is the same program.  The text is read token by token: comments,
strings, regular expressions and the texts of templates.  Whether ``/`` divides or begins a
regular expression is told by the token before: after a word, a number, ``)``, ``]``, ``}`` or the
end of a text it divides.  After ``)`` and ``}`` that is not so in all of the language; it is in
the code of this project, whose packages are played against Python by the tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_STRING = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_REGEX = r"/(?:[^\\/\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*"
_TOKEN = re.compile(
    rf"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<space>\s+)|(?P<text>{_STRING})|(?P<regex>{_REGEX})"
    r"|(?P<word>[\w$]+)|(?P<sign>.)",
    re.DOTALL,
)
_TEMPLATE = re.compile(r"[`}](?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{)", re.DOTALL)
"""A template, or its text between two of the expressions in it."""

_BEFORE_REGEX = frozenset({"return", "typeof", "case", "in", "of", "void", "throw"})


class Token(NamedTuple):
    """A token of a program: ``comment``, ``space``, ``text``, ``regex``, ``word`` or ``sign``."""

    kind: str
    text: str


def tokens(program: str) -> Iterator[Token]:
    r"""Yield the tokens of a program, which put together are the program.

    >>> [token.text for token in tokens("a = `b${ {} }` / /[/]/g;")]
    ['a', ' ', '=', ' ', '`b${', ' ', '{', '}', ' ', '}`', ' ', '/', ' ', '/[/]/g', ';']

    Raises:
        ValueError: a template has no end.
    """
    at, divides = 0, False
    braces: list[int] = []  # those open within each expression of a template
    while at < len(program):
        letter = program[at]
        if letter == "`" or (letter == "}" and braces and braces[-1] == 0):
            text = _TEMPLATE.match(program, at)
            if text is None:
                raise ValueError("a template has no end")
            if letter == "}":
                braces.pop()
            token = Token("text", text.group())
            if opens := token.text.endswith("${"):
                braces.append(0)
            divides = not opens
        else:
            found = _TOKEN.match(program, at)
            assert found is not None  # any sign is a token
            token = Token(str(found.lastgroup), found.group())
            if token.kind == "regex" and divides:
                token = Token("sign", "/")
            if braces:
                braces[-1] += (token.text == "{") - (token.text == "}")
            if token.kind not in ("comment", "space"):
                closes = token.kind != "sign" or token.text in (")", "]", "}")
                divides = closes and token.text not in _BEFORE_REGEX
        yield token
        at += len(token.text)


def minified(program: str) -> str:
    r"""Return a program without comments, indentation and blank lines.

    >>> minified("/** Half. */\nconst half = (x) => {\n  return x / 2; // exact\n\n};\n")
    'const half = (x) => {\nreturn x / 2;\n};\n'

    Raises:
        ValueError: a template has no end.
    """
    parts: list[str] = []
    gap = "\n"  # what stands between two tokens; nothing is needed at the beginning
    for kind, text in tokens(program):
        if kind in ("comment", "space"):
            gap = "\n" if "\n" in gap + text else " "
            continue
        parts += [gap, text]
        gap = ""
    return "".join(parts[1:]) + "\n"
