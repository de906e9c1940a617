"""The sheets in words: columns that add up, points before a write, 60 columns for any table."""

from __future__ import annotations

import random
from typing import Any

import pytest

from ustad.runtime.core.entry import NARROW
from ustad.runtime.core.game import CHANCE
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.core.texts import narrow
from ustad.runtime.games.five_dice.sheet import Keep, SheetState, Write
from ustad.runtime.games.five_dice.text import SheetText

GAMES = ("yacht", "dice_poker")
UPPER_63 = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15}
SCHOOL = {"ones": 0, "twos": 2, "threes": 0, "fours": -4, "fives": 5, "sixes": 0}


def text_of(game: str, you: int | None = None) -> SheetText:
    text = entry_of(game).text
    assert isinstance(text, SheetText)
    return text if you is None else text.read_by(you)


def state(game: str, sheet: dict[str, int], dice: list[int], **changes: Any) -> SheetState:
    position = {"game": game, "sheets": [sheet], "dice": dice, "rolls_left": 0, **changes}
    return entry_of(game).codec.state_from_json(position)


def random_states(game: str, players: int, seed: int, **options: Any) -> list[SheetState]:
    """Return the states of a game of random moves."""
    rules = entry_of(game).rules.read(options)
    choose, luck, at = random.Random(seed), rules.luck(players, (seed,)), rules.new(players)
    found = [at]
    while not at.is_over():
        if at.current_player() == CHANCE:
            at = at.apply(luck.outcome(at))
        else:
            ends = [move for move in at.legal_moves() if not isinstance(move, Keep)]
            at = at.apply(choose.choice(ends or at.legal_moves()))
        found.append(at)
    return found


def cells(line: str) -> list[str]:
    return line[15:].split()


@pytest.mark.parametrize("game", GAMES)
def test_columns_add_up(game: str) -> None:
    """Boxes, the bonus and extra yachts make the total; the upper boxes make the upper sum."""
    text = text_of(game)
    options = {} if game == "yacht" else {"dash": "sacrifice"}
    for seed in range(4):
        for at in random_states(game, 1, seed, **options):
            rows = {
                line[:15].strip(): line[15:22].strip() for line in text.describe(at).split("\n")
            }
            held = {row: int(cell) for row, cell in rows.items() if cell.lstrip("-").isdigit()}
            boxes = sum(held.get(box, 0) for box in at.rules.boxes)
            assert held["total"] == at.totals()[0]
            assert held["total"] == boxes + held.get("bonus", 0) + held.get("extra yacht", 0)
            upper = sum(held.get(box, 0) for box in at.rules.boxes[:6])
            assert held[text.upper_name] == upper


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", [1, 2, 3, 4, 5, 6])
def test_sixty_columns_suffice(game: str, players: int) -> None:
    text = text_of(game, players - 1)
    for at in random_states(game, players, players)[::3]:
        lines = text.describe(at).splitlines()
        assert max(map(len, lines)) <= NARROW
        heads = [word for line in lines if line.startswith(" ") for word in line.split()]
        assert heads.count("you") == 1
        assert heads.count("seat") == players - 1
    assert max(map(len, text.outline.splitlines())) <= NARROW


def test_the_bonus_stands_beside_what_the_box_will_hold() -> None:
    """18 sixes lift the upper sum to 63: the box holds 18, and 35 come with it."""
    at = state("yacht", UPPER_63, [1, 2, 6, 6, 6])
    assert "sixes                .       18  +35 bonus" in text_of("yacht").describe(at)
    assert text_of("yacht").describe_choice(at, Write("sixes")) == "write sixes for 18 (+35 bonus)"
    at = state("dice_poker", {"ones": 0, "twos": 0, "threes": 0, "fours": 0, "fives": 0}, [6] * 5)
    assert "sixes                .       12  +50 bonus" in text_of("dice_poker").describe(at)


def test_a_further_yacht_stands_beside_what_the_box_will_hold() -> None:
    at = state("yacht", {**UPPER_63, "yacht": 50}, [6, 6, 6, 6, 6])
    assert "sixes                .       30  +35 bonus  +100 extra yacht" in text_of(
        "yacht"
    ).describe(at)
    after = at.apply(Write("sixes"))
    told = text_of("yacht", 0).describe_step(at, Write("sixes"), after)
    assert told == "you write sixes for 30 (+35 bonus, +100 extra yacht), total 260"


def test_the_bonus_is_open_earned_or_out_of_reach() -> None:
    def bonus(game: str, sheet: dict[str, int]) -> list[str]:
        told = text_of(game).describe(state(game, sheet, [1, 1, 1, 1, 1])).splitlines()
        return next(cells(line) for line in told if line.startswith("bonus"))

    assert bonus("yacht", {"sixes": 24}) == ["."]
    assert bonus("yacht", {**UPPER_63, "sixes": 18}) == ["35"]
    assert bonus("yacht", {"sixes": 0, "fives": 10}) == ["-"]  # 10 + 20 + 15 + 10 + 5 = 60
    assert bonus("dice_poker", {"sixes": -18}) == ["."]  # fives to ones may add 10+8+6+4+2 = 30
    assert bonus("dice_poker", {"sixes": -18, "fives": -15}) == ["-"]


def test_a_dash_is_a_dash_and_a_school_row_of_three_dice_is_0() -> None:
    at = state("dice_poker", {**SCHOOL, "pair": 0}, [1, 2, 3, 5, 6], options={"dash": "sacrifice"})
    lines = text_of("dice_poker").describe(at).splitlines()
    told = {line[:15].strip(): cells(line) for line in lines}
    assert told["ones"] == ["0"]
    assert told["pair"] == ["-"]
    assert told["poker"] == [".", "-"]
    assert told["chance"] == [".", "17"]
    told_before = text_of("dice_poker").describe_choice(at, Write("poker"))
    assert told_before == "write poker for 0, a dash"
    yacht = state("yacht", {}, [1, 2, 3, 5, 6])
    assert text_of("yacht").describe_choice(yacht, Write("yacht")) == "write yacht for 0"


def test_giving_up_a_box_is_asked_twice_unless_it_is_forced() -> None:
    yacht, poker = text_of("yacht"), text_of("dice_poker")
    at = state("yacht", {}, [1, 2, 3, 5, 6])
    assert yacht.wastes(at, Write("yacht"))
    assert yacht.wastes(at, Write("fours"))
    assert not yacht.wastes(at, Write("ones"))
    boxes = at.rules.boxes[:-1]
    rest = {box: 0 for box in boxes if box not in ("yacht", "fours")} | {"chance": 20}
    forced = state("yacht", rest, [1, 2, 3, 5, 6])
    assert not yacht.wastes(forced, Write("yacht"))
    early = state("yacht", rest, [1, 2, 3, 5, 6], rolls_left=1)
    assert yacht.wastes(early, Write("yacht"))
    assert not yacht.wastes(early, Keep(()))
    sacrifice = {"dash": "sacrifice"}
    assert not poker.wastes(state("dice_poker", {}, [1, 1, 1, 2, 3]), Write("ones"))  # par
    missed = state("dice_poker", SCHOOL, [1, 2, 3, 5, 6], options=sacrifice)
    assert poker.wastes(missed, Write("poker"))


def test_the_shortlist_has_the_best_keeps_and_the_best_writes() -> None:
    at = state("yacht", {}, [1, 2, 3, 5, 6], rolls_left=2)
    moves = list(at.legal_moves())
    told = text_of("yacht").shortlist(moves, 8)
    assert [isinstance(move, Keep) for move in told] == [True] * 4 + [False] * 4
    assert told[:4] == moves[:4]
    last = state("yacht", {}, [1, 2, 3, 5, 6])
    assert text_of("yacht").shortlist(last.legal_moves(), 8) == list(last.legal_moves()[:8])
    rest = {**dict.fromkeys(at.rules.boxes[1:], 0), "chance": 20}
    one = state("yacht", rest, [1, 2, 3, 5, 6], rolls_left=1)
    assert len(text_of("yacht").shortlist(one.legal_moves(), 8)) == 8


def test_the_chance_of_five_equal() -> None:
    """Four of a face need one more in one roll, 1/6, or in two, 11/36."""
    text = text_of("yacht")
    at = state("yacht", {}, [3, 6, 6, 6, 6], rolls_left=1)
    assert text.chances(at) == "five equal this turn, if you go for them: 16.67%"
    assert text.chances(at._replace(rolls_left=2)).endswith(" 30.56%")
    assert text.chances(at._replace(rolls_left=0)) == ""
    assert text.chances(state("yacht", {"yacht": 0}, [6] * 5, rolls_left=1)) == ""
    further = state("yacht", {"yacht": 50}, [6] * 5, rolls_left=1)
    assert text.chances(further).endswith(" 100.00%")
    school = state("dice_poker", {}, [6] * 5, rolls_left=1)
    assert text_of("dice_poker").chances(school) == ""


@pytest.mark.parametrize("game", GAMES)
def test_the_last_remark_is_about_you(game: str) -> None:
    """Seat 0 is to move again when the game is over; the person sits in seat 1."""
    options = {} if game == "yacht" else {"dash": "sacrifice"}
    over = random_states(game, 2, 1, **options)[-1]
    mine, other = (text_of(game, seat).describe(over) for seat in (1, 0))
    if game == "yacht":
        uppers = [sheet.upper for sheet in over.sheets]
        assert uppers[0] != uppers[1]
        assert f"upper sum {uppers[1]}: {63 - uppers[1]} short of the bonus of 35" in mine
        assert f"upper sum {uppers[0]}: " in other
    assert "you" in mine.splitlines()[0]
    gains = over.returns()
    told = text_of(game, 1).result(over)
    assert "you" in told
    assert game == "yacht" or f"you {gains[1]:+.2f}" in told


def test_who_won_and_by_how_much() -> None:
    over = random_states("yacht", 3, 2)[-1]
    first, second, third = sorted(range(3), key=lambda seat: -over.scores()[seat])
    one, two, three = (f"{over.scores()[seat]:g}" for seat in (first, second, third))
    assert len({one, two, three}) == 3
    told = {seat: text_of("yacht", seat).result(over) for seat in range(3)}
    assert told[first] == f"you won: you {one}, seat {second} {two}, seat {third} {three}"
    assert told[second] == f"seat {first} won, {one} to your {two}; seat {third} {three}"
    assert told[third] == f"seat {first} won, {one} to your {three}; seat {second} {two}"
    watched = f"seat {first} won: seat {first} {one}, seat {second} {two}, seat {third} {three}"
    assert text_of("yacht").result(over) == watched


def test_a_turn_without_a_write_says_so() -> None:
    """With chance alone open it waits for the third throw."""
    options = {"dash": "sacrifice", "chance_after_miss": True}
    sheet = {box: 0 for box in entry_of("dice_poker").rules.read({}).boxes if box != "chance"}
    at = state("dice_poker", sheet, [1, 2, 3, 5, 6], rolls_left=1, options=options)
    assert text_of("dice_poker").prompt(at) == "the dice to keep (0 to roll all)"


def test_long_lines_are_broken_between_words_and_set_in() -> None:
    line = "  " + " ".join(["word"] * 20)
    broken = narrow(line).splitlines()
    assert max(map(len, broken)) <= NARROW
    assert broken[1].startswith("    word")
    assert narrow("a\n\n  b") == "a\n\n  b"
