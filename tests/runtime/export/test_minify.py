"""Code without comments is the same program: its tokens are those of the code before.

That it plays the same games is seen where the engine of a package is compared with Python.
"""

from __future__ import annotations

import pytest

from ustad.runtime.export.folder import reader_files
from ustad.runtime.export.minify import Token, minified, tokens


def program(text: str) -> list[tuple[Token, bool]]:
    """Return the tokens that a program is made of, and whether a line breaks before each."""
    found, breaks = [], False
    for token in tokens(text):
        if token.kind in ("comment", "space"):
            breaks = breaks or "\n" in token.text
        else:
            found.append((token, breaks and bool(found)))
            breaks = False
    return found


@pytest.mark.parametrize("name", reader_files())
def test_the_modules_of_the_engine_stay_the_same_programs(name: str) -> None:
    text = reader_files()[name].decode()
    assert "".join(token.text for token in tokens(text)) == text
    found = minified(text)
    assert program(found) == program(text)
    assert all(token.kind != "comment" for token in tokens(found))
    assert "\n\n" not in found
    assert all(line == line.strip() for line in found.splitlines())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a // b\n/ c / d", "a\n/ c / d\n"),
        ("x = /[/*]/.test(y) // z", "x = /[/*]/.test(y)\n"),
        ("return /\\//g /* 1 */ /* 2 */ + 1", "return /\\//g + 1\n"),
        ("a = b/*\n*/c", "a = b\nc\n"),
        ("s = '// \\' no' + \"/* no */\";", "s = '// \\' no' + \"/* no */\";\n"),
        ("`a\n  // ${`}${ {b: 1}.b /* c */ } //`} \\` \\${ `", None),
        ("x[1] / 2 / y() / 3 // f", "x[1] / 2 / y() / 3\n"),
    ],
)
def test_what_looks_like_a_comment_and_is_none(text: str, expected: str | None) -> None:
    expected = "`a\n  // ${`}${ {b: 1}.b } //`} \\` \\${ `\n" if expected is None else expected
    assert minified(text) == expected


def test_a_template_without_end_is_told() -> None:
    with pytest.raises(ValueError, match="no end"):
        minified("`a ${b} c")
