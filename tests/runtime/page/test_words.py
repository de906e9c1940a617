"""The words of the page: every language has all that another has, and all that modules ask for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import ustad.runtime.page
from ustad.runtime.core.registry import NAMES
from ustad.runtime.games.pasa.rules import PARO_SUMS, TIRO_SUMS
from ustad.runtime.games.yacht.rules import BONUS, BONUS_AT, EXTRA_YACHT
from ustad.runtime.page.wording import LANGUAGES, joined

WEB = Path(ustad.runtime.page.__file__).parent / "web" / "page"

PLACES = re.compile(r"\{(\w+)\}")
ASKED = re.compile(r"\bt\(\s*\"([a-z_]+)\"")
ASKED_OF_ONE = re.compile(
    r"\bt\(\s*\"([a-z_]+)\",\s*\{[^{}]*\},\s*(?:GAME|\"marriage\"|\"raja_pasu\")"
)


def flat(language: str) -> dict[str, Any]:
    return {
        f"{part}/{key}": text
        for part, words in joined(language).items()
        for key, text in words.items()
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_lacks_a_word_that_another_has(language: str) -> None:
    found, english = flat(language), flat("en")
    assert found.keys() == english.keys()
    for key, text in english.items():
        assert found[key], key
        if isinstance(text, str):
            assert sorted(PLACES.findall(found[key])) == sorted(PLACES.findall(text)), key


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_words_are_translated(language: str) -> None:
    """Not one is the English one left as it was, but for texts that are places alone."""
    english = joined("en")["page"]
    same = [key for key, text in joined(language)["page"].items() if text == english[key]]
    letters = [key for key in same if re.search("[A-Za-z]", PLACES.sub("", english[key]))]
    assert letters == []


def test_every_word_that_a_module_asks_for_is_there() -> None:
    words = joined("en")
    known = {key.rpartition(".")[2] for part in words.values() for key in part}
    for path in WEB.glob("*.js"):
        for key in ASKED.findall(path.read_text(encoding="utf-8")):
            assert key in known or key.endswith("_"), f"{path.name}: {key}"


def test_the_files_are_json_with_each_key_once() -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), [key for key in keys if keys.count(key) > 1]
        return dict(pairs)

    for path in (WEB.parent.parent / "words").glob("*.json"):
        json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=once)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_of_every_game_are_told(language: str) -> None:
    """As many paragraphs and the same numbers in every language, whatever the digits."""
    for game in NAMES:
        english, found = joined("en")[game]["rules"], joined(language)[game]["rules"]
        assert len(found) == len(english) > 6
        for ours, theirs in zip(found, english, strict=True):
            assert ours.startswith("# ") == theirs.startswith("# ")


def test_rules_say_what_the_rules_of_the_game_count() -> None:
    """Points that stand in the rules' own modules."""
    rules = {game: " ".join(joined("en")[game]["rules"]) for game in NAMES}
    for number in (BONUS, BONUS_AT, EXTRA_YACHT):
        assert f"{number}" in rules["yacht"]
    for number in (*PARO_SUMS, *TIRO_SUMS):
        assert f"{number}" in rules["pasa"]
