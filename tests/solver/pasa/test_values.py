"""The equilibrium of pasa against rational numbers, the raw game, and the source's figures."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ustad.runtime import arena
from ustad.runtime.core.errors import OptionError, UsageError
from ustad.runtime.core.game import CHANCE
from ustad.runtime.games.pasa.entry import ENTRY
from ustad.runtime.games.pasa.levels import Betting, EasyBot, HardBot, TableBot
from ustad.runtime.games.pasa.rules import RULES, USUAL_STACKS, Pasa, PasaState
from ustad.runtime.games.pasa.states import first_split, split_number
from ustad.runtime.games.pasa.tables import TABLES
from ustad.runtime.questions import Advisor, read_position
from ustad.solver.build import Builder, build_table
from ustad.solver.pasa import values as solver
from ustad.solver.pasa.build import PasaSolver
from ustad.solver.pasa.strength import evaluate, mean_share
from ustad.tables import open_table

REFERENCE = json.loads((Path(__file__).parents[2] / "data" / "pasa.json").read_text())

HOUSE = {"players": 4, "chips": 40, "cap": "first_come", "max_bet": 2}
USUAL = {"players": 4, "chips": 40}
EVERY_BET = {"players": 4, "chips": 40, "menu": "all"}

Shares = tuple[Fraction, ...]
Policy = Callable[[tuple[int, ...], int, int, list[int], list[Shares]], int]


class Exact:
    """Pasa in rational numbers, told anew from the rules and as slow as that.

    Stacks stand with the thrower first.  ``field`` names what each seat does, by its
    distance from the first thrower; a turn's thrower is as far from it as turns have passed.
    """

    def __init__(
        self, options: Mapping[str, Any], field: Sequence[str], tie: Fraction = Fraction(1, 10**9)
    ) -> None:
        self.cap, self.menu = options["cap"], options["menu"]
        self.max_bet = options.get("max_bet") or 10**9
        self.field = field
        self.tie = tie
        self.shares = cache(self._shares)

    def bets(self, stacks: tuple[int, ...], made: tuple[int, ...]) -> list[int]:
        """Return the legal bets of the next seat; ``made`` has one for each seat from 1 on."""
        seat = len(made) + 1
        if stacks[seat] == 0:
            return [0]
        most = min(stacks[seat], stacks[0] - sum(made), self.max_bet)
        if self.cap == "share":
            most = min(most, max(1, stacks[0] // sum(stack > 0 for stack in stacks[1:])))
        if most == 0:
            return [0]
        if self.menu == "all":
            return list(range(1, most + 1))
        return sorted({max(1, most // 4), max(1, most // 2), most, 1})

    def _shares(self, stacks: tuple[int, ...], turns: int) -> Shares:
        if turns == 0 or max(stacks) == sum(stacks):
            top = [Fraction(stack == max(stacks)) for stack in stacks]
            return tuple(share / sum(top) for share in top)
        if stacks[0] == 0:
            return self._turned(stacks, turns)
        return self._throw(stacks, turns, ())

    def _turned(self, stacks: tuple[int, ...], turns: int) -> Shares:
        """Return the shares when the dice go on, in the order of the seats of this throw."""
        after = self.shares((*stacks[1:], stacks[0]), turns - 1)
        return (after[-1], *after[:-1])

    def _throw(self, stacks: tuple[int, ...], turns: int, made: tuple[int, ...]) -> Shares:
        if len(made) == len(stacks) - 1:
            taken = (stacks[0] + sum(made), *(s - b for s, b in zip(stacks[1:], made, strict=True)))
            paid = (stacks[0] - sum(made), *(s + b for s, b in zip(stacks[1:], made, strict=True)))
            pairs = zip(self.shares(taken, turns), self._turned(paid, turns), strict=True)
            return tuple((won + lost) / 2 for won, lost in pairs)
        seat = len(made) + 1
        bets = self.bets(stacks, made)
        policy = self.field[(seat - turns) % len(stacks)]
        lead = stacks[seat] - max(s for i, s in enumerate(stacks) if i != seat)
        if policy == "min" or (policy == "hard" and lead > turns):
            return self._throw(stacks, turns, (*made, bets[0]))
        if policy in ("max", "hard"):
            return self._throw(stacks, turns, (*made, bets[-1]))
        after = [self._throw(stacks, turns, (*made, bet)) for bet in bets]
        if policy == "random":
            return tuple(sum(column) / len(after) for column in zip(*after, strict=True))
        best = max(shares[seat] for shares in after)
        return next(shares for shares in after if shares[seat] >= best - self.tie)


# The reference, exactly.


@pytest.mark.parametrize("case", REFERENCE["two_seats"], ids=str)
def test_two_seats_of_the_reference(case: dict[str, Any]) -> None:
    """As fractions by the rational solver, and by the table and its bot."""
    position = case["position"]
    stacks, turns = tuple(position["stacks"]), position["turns_left"]
    exact = Exact(position["options"], ["best", "best"])
    assert exact.shares(stacks, turns)[0] == Fraction(case["share_of_seat_0"])
    throw = solved_throw({"menu": "all", "cap": "first_come"}, stacks, turns)
    own = [shares[1] for shares in throw.after_each(())]
    tied = [bet for bet, share in enumerate(own, 1) if share >= max(own) - 1e-9]
    assert tied == case["best_bets"]
    assert throw.shares(())[0] == float(Fraction(case["share_of_seat_0"]))


@pytest.mark.parametrize("case", REFERENCE["equilibria"], ids=str)
def test_equilibria_of_the_reference(case: dict[str, Any]) -> None:
    position = case["position"]
    stacks, turns = tuple(position["stacks"]), position["turns_left"]
    exact = Exact(position["options"], ["best"] * len(stacks))
    expected = tuple(map(Fraction, case["shares"]))
    assert exact.shares(stacks, turns) == expected
    options = {name: position["options"][name] for name in ("cap", "menu")}
    found = solved_throw(options, stacks, turns).shares(())
    assert found == pytest.approx(tuple(map(float, expected)), abs=1e-14)


@pytest.mark.parametrize("case", REFERENCE["best_response_to_minimum"], ids=str)
def test_best_responses_of_the_reference(case: dict[str, Any]) -> None:
    expected = [Fraction(share) for share in case["best_response_by_distance_from_first_thrower"]]
    key = {"cap": case["cap"], "menu": "all", "players": 4, "chips": 4 * case["stack"]}
    found = []
    for seat in range(4):
        field = ["min"] * 4
        field[seat] = "best"
        found.append(evaluate(key, field)[seat])
        if case["stack"] == 2:
            shares = Exact(key, field).shares((2, 2, 2, 2), case["turns"])
            assert shares[seat] == expected[seat]
    assert found == pytest.approx(list(map(float, expected)), abs=1e-14)
    assert mean_share(key, "best", "min") == pytest.approx(case["mean"], abs=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("case", REFERENCE["best_response_to_minimum"], ids=str)
def test_best_responses_of_the_reference_in_rational_numbers(case: dict[str, Any]) -> None:
    key = {"cap": case["cap"], "menu": "all"}
    for seat, expected in enumerate(case["best_response_by_distance_from_first_thrower"]):
        field = ["min"] * 4
        field[seat] = "best"
        shares = Exact(key, field).shares((case["stack"],) * 4, case["turns"])
        assert shares[seat] == Fraction(expected)


class StubTable:
    """A solved table that was never a file."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.spec = TABLES.spec(options)
        self.values = solver.solve(options)


def solved_throw(rules: Mapping[str, Any], stacks: tuple[int, ...], turns: int) -> Betting:
    players = len(stacks)
    key = {**rules, "players": players, "chips": sum(stacks), "laps": -(-turns // players)}
    table: Any = StubTable(key)
    return Betting(Pasa(**rules), table, stacks, turns)


def test_more_known_two_seat_values() -> None:
    """From the rules file: k turns left, thrower's stack first, every bet allowed."""
    rules = {"menu": "all", "cap": "first_come"}
    for stacks, turns, share in [
        ((3, 2), 1, Fraction(1, 2)),
        ((2, 3), 1, Fraction(1, 4)),
        ((10, 10), 4, Fraction(509, 1024)),
        ((3, 5), 2, Fraction(5, 16)),
    ]:
        assert solved_throw(rules, stacks, turns).shares(())[0] == float(share)
    first_bets = {((10, 10), 4): 6, ((3, 5), 2): 2}
    for (stacks, turns), bet in first_bets.items():
        own = [shares[1] for shares in solved_throw(rules, stacks, turns).after_each(())]
        assert [b for b, share in enumerate(own, 1) if share >= max(own) - 1e-9] == [bet]


SMALL = [
    {"players": 2, "chips": 9, "laps": 2, "cap": "share", "menu": "buttons"},
    {"players": 3, "chips": 8, "laps": 2, "cap": "first_come", "menu": "all"},
    {"players": 3, "chips": 12, "laps": 1, "cap": "share", "menu": "buttons"},
    {"players": 4, "chips": 7, "laps": 1, "cap": "first_come", "menu": "buttons", "max_bet": 2},
    {"players": 5, "chips": 6, "laps": 1, "cap": "share", "menu": "all"},
    {"players": 6, "chips": 5, "laps": 1, "cap": "first_come", "menu": "all", "max_bet": 1},
]


def splits(players: int, chips: int) -> list[tuple[int, ...]]:
    if players == 1:
        return [(chips,)]
    return [(own, *rest) for own in range(chips + 1) for rest in splits(players - 1, chips - own)]


@pytest.mark.parametrize("key", SMALL, ids=str)
def test_every_state_equals_the_rational_solver(key: dict[str, Any]) -> None:
    """All splits of all totals in the table, chipless throwers and finished games among them."""
    values = solver.solve(key)
    exact = Exact(key, ["best"] * key["players"])
    seen = np.zeros(values.shape[1], dtype=int)
    totals = range(1 if key["players"] == 2 else key["chips"], key["chips"] + 1)
    for total in totals:
        for stacks in splits(key["players"], total):
            row = first_split(key["players"], key["chips"], total) + split_number(stacks)
            seen[row] += 1
            for turns in range(1, len(values) + 1):
                expected = [float(share) for share in exact.shares(stacks, turns)]
                assert values[turns - 1, row].tolist() == pytest.approx(expected, abs=1e-13)
    assert (seen == 1).all()


def test_every_state_is_written_and_its_shares_sum_to_one() -> None:
    """The solver starts from NaN; a state left out, or read too early, would show."""
    for key in (USUAL, HOUSE, {"players": 2, "chips": 100}, {"players": 3, "chips": 60}):
        values = solver.solve(key)
        assert np.isfinite(values).all()
        assert np.abs(values.sum(axis=2) - 1).max() < 1e-14
        assert values.min() >= 0


# The raw game.


def test_value_iteration_on_the_raw_game_of_two_seats() -> None:
    """Pending bets, single throws and the loop of bachyo, iterated until nothing changes.

    Nothing is known here of half paro and half tiro, of an order of states or of tables: the
    states are those that the game itself reaches.
    """
    rules = Pasa(cap="first_come", menu="all")
    states, chances, bettor, value = raw_game(rules.start((6, 5), 0, 4))
    for _ in range(2000):
        before = value.copy()
        for row, (seat, rows, weights) in enumerate(zip(bettor, states, chances, strict=True)):
            if weights is not None:
                value[row] = weights @ value[rows]
            elif rows:
                value[row] = max(value[rows]) if seat == 0 else min(value[rows])
        if np.abs(value - before).max() < 1e-15:
            break
    else:
        raise AssertionError("no end of the iteration")
    expected = solved_throw({"cap": "first_come", "menu": "all"}, (6, 5), 4).shares(())
    assert value[0] == pytest.approx(expected[0], abs=1e-13)


def raw_game(
    start: PasaState,
) -> tuple[list[list[int]], list[np.ndarray | None], list[int], np.ndarray]:
    """Return, for every state reachable from a start, what can follow it.

    Returns:
        The rows that follow; their chances, None at a bet; the seat to move; and
        seat 0's share where the game is over, 0 elsewhere.
    """
    rows: dict[PasaState, int] = {start: 0}
    order = [start]
    following, chances, seats, value = [], [], [], []
    for state in order:  # grows while it is read
        seat = state.current_player()
        outcomes = state.chance_outcomes()
        moves = [outcome for outcome, _ in outcomes] if seat == CHANCE else state.legal_moves()
        after = [state.apply(move) for move in moves]
        for found in after:
            if found not in rows:
                rows[found] = len(order)
                order.append(found)
        following.append([rows[found] for found in after])
        chances.append(np.array([p for _, p in outcomes]) if seat == CHANCE else None)
        seats.append(seat)
        value.append(state.returns()[0] if state.is_over() else 0.0)
    return following, chances, seats, np.array(value)


# Strength, computed.


def test_the_claim_of_the_source() -> None:
    """Four seats against the easiest: the least bet wins 25.0%, the strongest level 32.2%.

    Figures of the rules file for stack 10, max_bet 2, first come, and its best response.
    """
    assert mean_share(HOUSE, "min", "min") == pytest.approx(0.25, abs=1e-12)
    assert mean_share(HOUSE, "hard", "min") == pytest.approx(0.322005, abs=5e-7)
    assert mean_share(HOUSE, "best", "min") == pytest.approx(0.3591, abs=5e-5)


def test_without_a_table_maximum_the_lead_rule_and_the_best_response_win_more() -> None:
    """Figures of the rules file."""
    assert mean_share(EVERY_BET, "hard", "min") == pytest.approx(0.4490, abs=5e-5)
    assert mean_share(USUAL, "best", "min") == pytest.approx(0.5593, abs=5e-5)


@pytest.mark.slow
def test_the_best_response_with_every_bet_allowed() -> None:
    assert mean_share(EVERY_BET, "best", "min") == pytest.approx(0.5812, abs=5e-5)


def test_four_seats_with_ten_stakes() -> None:
    """The rules file: .2728 .2548 .2436 .2289, the first thrower first."""
    shares = evaluate(USUAL, ["best"] * 4)
    assert shares == pytest.approx((0.2728, 0.2548, 0.2436, 0.2289), abs=5e-5)


def test_the_levels_are_as_strong_as_promised() -> None:
    """Seats averaged, one against three, cap=share, stack 10, four seats."""
    table = solver.solve(USUAL)
    assert mean_share(USUAL, "table", "min", table) >= 0.46
    assert mean_share(USUAL, "table", "random", table) >= 0.31
    assert mean_share(USUAL, "table", "hard", table) >= 0.255
    assert mean_share(USUAL, "hard", "table", table) <= 0.24


def test_nobody_gains_by_leaving_the_equilibrium() -> None:
    """The best response to the table wins in each seat what the table gives that seat."""
    key = {"players": 3, "chips": 30}
    table = solver.solve(key)
    equilibrium = evaluate(key, ["table"] * 3, table)
    for seat in range(3):
        field = ["table"] * 3
        field[seat] = "best"
        assert evaluate(key, field, table)[seat] == pytest.approx(equilibrium[seat], abs=1e-12)


@pytest.mark.parametrize(
    "field",
    [("random", "hard", "best"), ("max", "best", "min"), ("best", "random", "random")],
)
def test_fields_of_policies_equal_the_rational_evaluation(field: tuple[str, ...]) -> None:
    """Every seat's share, from the start of a game in which the stacks soon differ."""
    key = {"players": 3, "chips": 12, "laps": 2, "cap": "first_come", "menu": "buttons"}
    expected = Exact(key, field).shares((4, 4, 4), 6)
    found = evaluate(key, field)
    assert found == pytest.approx(tuple(map(float, expected)), abs=1e-13)


def test_the_policies_are_the_bots(tmp_path: Path) -> None:
    """Easy, hard and expert, playing the game itself, share the win as computed."""
    key = {"players": 3, "chips": 9, "laps": 1, "menu": "all"}
    rules = Pasa(menu="all", stack=3, laps=1)
    table, _ = build_table(ENTRY, key, tmp_path)
    bots = [HardBot(), TableBot(rules, tmp_path), EasyBot()]

    @cache
    def shares(state: PasaState) -> tuple[float, ...]:
        if state.is_over():
            return state.returns()
        if state.current_player() == CHANCE:  # a throw that decides is paro or tiro, equally often
            pair = [shares(state.apply(throw)) for throw in ((1, 6, 6), (2, 2, 2))]
            return tuple((won + lost) / 2 for won, lost in zip(*pair, strict=True))
        return shares(state.apply(bots[state.current_player()].choose(state)))

    found = evaluate(key, ["hard", "table", "min"], table.values)
    assert shares(rules.new(3)) == pytest.approx(found, abs=1e-13)


def test_the_bot_makes_the_bets_that_the_solver_made() -> None:
    """Its solved throws are the stored rows, to the last bit, for every state of a table."""
    table: Any = StubTable({"players": 3, "chips": 14, "laps": 1, "menu": "all"})
    rules = Pasa(menu="all")
    for stacks in splits(3, 14):
        if stacks[0] and max(stacks) < 14:
            for turns in range(1, 4):
                found = Betting(rules, table, stacks, turns).shares(())
                assert list(found) == table.values[turns - 1, split_number(stacks)].tolist()


def test_fields_that_are_none_are_refused() -> None:
    with pytest.raises(UsageError, match="field"):
        evaluate(USUAL, ["min"] * 3)
    with pytest.raises(UsageError, match="field"):
        evaluate(USUAL, ["clever"] * 4)
    with pytest.raises(UsageError, match="table"):
        evaluate(USUAL, ["table"] * 4)


# The work itself.


def test_the_values_do_not_depend_on_the_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone = solver.solve(HOUSE, threads=1)
    monkeypatch.setattr(solver, "_SIDE_BY_SIDE", 4)
    assert solver.solve(HOUSE, threads=3).tobytes() == alone.tobytes()


def test_progress_counts_all_states() -> None:
    seen: list[tuple[int, int]] = []
    solver.solve({"players": 3, "chips": 9}, lambda done, of: seen.append((done, of)))
    assert seen == sorted(seen)
    assert seen[-1] == (6 * 55, 6 * 55)


def test_size_and_time_are_said_beforehand_and_what_cannot_fit_is_refused(tmp_path: Path) -> None:
    """98,728 states = C(43, 3) splits in eight turns, with four shares of eight bytes."""
    said: list[str] = []
    builder = Builder(tmp_path, announce=said.append)
    builder.build(ENTRY, USUAL)
    assert len(said) == 1
    assert "98,728 states" in said[0]
    assert "3.2 MB" in said[0]
    assert "CPU seconds" in said[0]
    builder.build(ENTRY, USUAL)
    assert len(said) == 1  # it was there: no work, nothing to say
    with pytest.raises(OptionError, match="99,118,656 states"):
        PasaSolver().forecast({"players": 6, "chips": 60})


@pytest.fixture(scope="session")
def default_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pasa")
    for options in TABLES.defaults():
        build_table(ENTRY, options, folder)
    return folder


def test_the_default_tables(default_tables: Path) -> None:
    """Two seats up to stack 50, three 20, four 10, five 5, six 3, and the house; at most 24 MB."""
    keys = [(o["players"], o["chips"], o["cap"], o["max_bet"]) for o in TABLES.defaults()]
    assert keys == [
        (2, 100, "share", None),
        (3, 60, "share", None),
        (4, 40, "share", None),
        (5, 25, "share", None),
        (6, 18, "share", None),
        (4, 40, "first_come", 2),
    ]
    assert sum(path.stat().st_size for path in default_tables.iterdir()) <= 24_000_000
    table = open_table(TABLES.spec(USUAL), default_tables)
    assert table.start_value == pytest.approx(0.2728, abs=5e-5)
    assert table.counts == {"states": 98_728, "splits": 12_341}


def test_two_seats_of_the_default_tables_answer_every_stack_up_to_50(default_tables: Path) -> None:
    """One file holds all totals; each is what a table of that total alone holds."""
    bot = TableBot(Pasa(), default_tables)
    choose = random.Random(1)
    for chips in (2, 3, 11, 20, 57, 99, 100):
        alone: Any = StubTable({"players": 2, "chips": chips})
        for turns in (1, 2, 4):
            own = choose.randint(1, chips - 1)
            state = Pasa().start((own, chips - own), 0, turns)
            row = first_split(2, chips, chips) + split_number(state.stacks)
            found = (bot.ask(state).extra or {})["win_shares"]
            assert found == alone.values[turns - 1, row].tolist()


@pytest.mark.parametrize("seats", range(2, 7))
def test_a_new_game_is_played_to_its_winner_by_the_default_tables(
    seats: int, default_tables: Path
) -> None:
    """``new`` without options, expert in every seat; the shares at the end sum to 1."""
    advisor = Advisor(default_tables)
    at = advisor.new("pasa", players=seats)["position"]
    moves = 0
    for step in itertools.count():
        if advisor.legal(at)["legal"]:
            at = advisor.apply(at, advisor.move(at)["move"])["position"]
            moves += 1
        elif read_position(at)[1].is_over():
            break
        else:
            at = advisor.apply(at, seed=step)["position"]
    assert moves > 0
    assert sum(at["stacks"]) == seats * USUAL_STACKS[seats]
    assert sum(advisor.ask(at)["win_shares"]) == pytest.approx(1)


@pytest.mark.parametrize("seats", range(2, 7))
def test_an_arena_of_experts_is_dealt_by_the_default_tables(
    seats: int, default_tables: Path
) -> None:
    """One deal without options, each seat taken once by each player: the mean is an equal share."""
    options = RULES.read_options({})
    match = arena.Match("pasa", options, ("expert",) * seats, seats, 1, str(default_tables))
    [told] = arena.run(match)["levels"]
    assert told["win_share"]["mean"] == pytest.approx(1 / seats)


def test_new_games_of_other_stacks_are_dealt_as_they_are_asked_for() -> None:
    """Nobody says: 10, 20, 10, 5, 3 stakes with 2 to 6 seats; who says is heeded."""
    assert [Pasa().new(seats).stacks[0] for seats in range(2, 7)] == [10, 20, 10, 5, 3]
    assert RULES.read({"stack": None}).new(6).stacks == (3,) * 6
    assert RULES.read({"stack": 10}).new(6).stacks == (10,) * 6
    assert [TABLES.spec({"players": seats}).options["chips"] for seats in range(2, 7)] == [
        20, 60, 40, 25, 18
    ]  # fmt: skip
