"""The arena: fair seating, the same luck for each seating, honest intervals, any workers."""

from __future__ import annotations

import concurrent.futures
import concurrent.futures.process
import json
import multiprocessing
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ustad.runtime import arena, record
from ustad.runtime.core.errors import UsageError, WorkerError
from ustad.runtime.core.game import CHANCE
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.games.five_dice.bots import FIRST_WRITE
from ustad.runtime.games.five_dice.sheet import KEEP_MOVES
from ustad.runtime.games.five_dice.turn import ROLLS
from ustad.runtime.games.yacht.rules import WRITES
from ustad.tables import (
    CorruptTableError,
    MismatchedTableError,
    MissingTableError,
    TableError,
    TableWriteError,
)


def a_match(tables: Path | None, *levels: str, games: int = 12, seed: int = 3) -> arena.Match:
    options = entry_of("yacht").rules.read_options({})
    return arena.Match("yacht", options, levels, games, seed, str(tables or "no tables"))


def test_each_player_sits_in_each_seat_once_a_deal_with_the_same_dice() -> None:
    """Three equal players: in a deal, what falls to a seat decides, so all get the same sums."""
    result = arena.play_batch(a_match(None, "easy", "easy", "easy"), 0)[..., :3]
    deals = result.reshape(4, 3, 3, 3)  # deal, rotation, player, measure
    by_player = deals.sum(axis=1)
    assert np.array_equal(by_player[:, 0], by_player[:, 1])
    assert np.array_equal(by_player[:, 0], by_player[:, 2])
    # Each rotation gives the same three scores, each time to other players.
    scores = np.sort(deals[..., 1], axis=2)
    assert np.array_equal(scores[:, 0], scores[:, 1])
    assert not np.array_equal(deals[:, 0, :, 1], deals[:, 1, :, 1])


def test_dice_of_a_seat_depend_on_nothing_but_deal_seat_turn_and_roll() -> None:
    rules = entry_of("yacht").rules.make(second_yacht="plain")
    luck, again = rules.luck(2, (5, 1)), rules.luck(2, (5, 1))
    state = other = rules.new(2)
    for _ in range(20):
        assert luck.outcome(state) == again.outcome(state)
        state = state.apply(luck.outcome(state))
        other = other.apply(luck.outcome(other))
        # One keeps nothing, the other writes at once: the next first roll is the same.
        while state.current_player() != CHANCE or state.rolls_left != 3:
            if state.current_player() == CHANCE:
                state = state.apply(luck.outcome(state))
            else:
                state = state.apply(state.legal_moves()[0])
        other = other.apply(other.rules.writes(other.sheet, other.dice, other.rolls_left)[0])
        assert luck.outcome(state) == luck.outcome(other)
    firsts = {rules.luck(2, (5, deal)).outcome(rules.new(2)) for deal in range(20)}
    assert len(firsts) > 10


def test_win_shares_add_up_to_one_a_game_and_ties_share() -> None:
    result = arena.play_batch(a_match(None, "easy", "medium"), 0)
    assert np.allclose(result[:, :, 0].sum(axis=1), 1)
    assert arena._win_shares([3.0, 7.0, 7.0]) == [0.0, 0.5, 0.5]


def test_a_mean_is_a_ratio_over_deals_with_its_clustered_error() -> None:
    """Against the formula of a ratio estimator, by hand: sums 2, 4, 9 of 2, 2, 3 games."""
    mean = arena._mean(
        np.array([2.0, 4.0, 9.0]), np.array([2.0, 2.0, 3.0]), lambda degrees: degrees
    )
    assert mean["mean"] == pytest.approx(15 / 7)
    residuals = [2 - 30 / 7, 4 - 30 / 7, 9 - 45 / 7]
    error = (1.5 * sum(r * r for r in residuals)) ** 0.5 / 7
    assert mean["se"] == pytest.approx(error)
    assert mean["high"] - mean["mean"] == pytest.approx(2 * error)


def test_with_whole_deals_the_error_is_that_of_the_deal_means(tables: Path) -> None:
    summary = arena.run(a_match(tables, "hard", "easy", games=40))
    results = np.concatenate([arena.play_batch(a_match(tables, "hard", "easy", games=40), 0)])
    means = results[:, 0, 1].reshape(20, 2).mean(axis=1)
    row = summary["levels"][0]
    assert row["level"] == "hard"
    assert row["score"]["mean"] == pytest.approx(means.mean())
    assert row["score"]["se"] == pytest.approx(means.std(ddof=1) / 20**0.5)


def test_the_intervals_hold_what_they_say() -> None:
    """Of 300 samples of 30 made-up deals, about 95% of the intervals hold the true mean, 2."""
    random = np.random.default_rng(1)
    student = arena._student()
    held = 0
    for _ in range(300):
        counts = random.integers(2, 5, 30).astype(float)
        mean = arena._mean(counts * (2 + random.normal(size=30)), counts, student)
        held += mean["low"] <= 2 <= mean["high"]
    assert 0.91 <= held / 300 <= 0.985


def test_the_result_is_the_same_for_any_number_of_workers(tables: Path) -> None:
    match = a_match(tables, "hard", "medium", "easy", games=3 * 128 * 2 + 5)
    assert match.batches == 3
    alone = arena.run(match)
    assert arena.run(match, jobs=2) == alone


def test_the_result_is_the_same_on_a_cluster(tables: Path) -> None:
    """On two workers of a local Dask cluster."""
    distributed: Any = pytest.importorskip("distributed")
    match = a_match(tables, "easy", "medium", games=2 * 128 * 2)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        found = arena.run(match, cluster=cluster.scheduler_address)
    assert found == arena.run(match)


def test_a_part_of_a_deal_is_counted_for_what_it_is() -> None:
    summary = arena.run(a_match(None, "easy", "medium", "medium", games=4))
    assert (summary["games"], summary["deals"]) == (4, 2)
    assert [row["seats"] for row in summary["levels"]] == [4, 8]


def test_progress_reaches_the_end() -> None:
    seen: list[tuple[int, int]] = []
    arena.run(a_match(None, "easy", "easy", games=5), progress=lambda *at: seen.append(at))
    assert seen[-1] == (5, 5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["easy"] * 7, "1 to 6 levels"),
        (["easy", "great"], "level: expected one of"),
        (["easy", "--games", "0"], "--games: expected at least 1"),
        (["easy", "--games", "many"], "--games: expected a whole number"),
        (["easy", "--seed", "-1"], "seed: expected"),
        (["easy", "--jobs", "0"], "--jobs: expected 1 to 256"),
        (["easy", "--jobs", "3000000000"], "--jobs: expected 1 to 256"),
        (["easy", "--option", "colour=red"], "no such option"),
        (["hard", "--tables", "/nowhere/at/all"], "ustad build yacht"),
        (["easy", "easy", "--cluster", "tcp://127.0.0.1:1"], "no Dask scheduler answers"),
    ],
)
def test_bad_matches_are_one_line_errors(
    run_ustad: Callable[..., Any],
    words: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arena, "CLUSTER_SECONDS", 0.5)
    run = run_ustad("arena", "yacht", *words)
    assert run.status == 2
    assert run.out == ""
    assert message in run.err
    assert run.err.count("\n") == 1


def test_the_command_prints_a_table_or_json(run_ustad: Callable[..., Any], tables: Path) -> None:
    words = ("arena", "yacht", "hard", "easy", "--games", 6, "--seed", 2, "--tables", tables)
    text, told = run_ustad(*words), run_ustad(*words, "--json")
    assert text.status == told.status == 0
    assert "win share" in text.out
    assert "hard" in text.out
    answer = json.loads(told.out)
    assert [row["level"] for row in answer["levels"]] == ["hard", "easy"]
    assert set(answer["levels"][0]["win_share"]) == {"mean", "se", "low", "high"}


def test_a_table_that_goes_missing_is_told_by_the_worker(tmp_path: Path) -> None:
    """Errors travel between processes with their message."""
    with (
        concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool,
        pytest.raises(MissingTableError, match="ustad build yacht"),
    ):
        pool.submit(arena.play_batch, a_match(tmp_path, "hard"), 0).result()


@pytest.mark.parametrize(
    "error",
    [
        MissingTableError(Path("a"), "what", "remedy"),
        CorruptTableError(Path("a"), "this", "that", "remedy"),
        MismatchedTableError(Path("a"), "this", "that", "remedy"),
        TableWriteError(Path("a"), "reason"),
    ],
)
def test_table_errors_survive_pickling(error: TableError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.kind) == (type(error), str(error), error.kind)


def test_a_worker_that_is_killed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(concurrent.futures.Executor):
        def submit(self, *_: Any, **__: Any) -> Any:
            raise concurrent.futures.process.BrokenProcessPool("gone")

    monkeypatch.setattr(arena, "_executor", lambda jobs, cluster: Broken())
    with pytest.raises(WorkerError, match="start again"):
        arena.run(a_match(None, "easy"), jobs=2)


def test_one_level_alone_can_be_measured() -> None:
    summary = arena.run(a_match(None, "medium", games=10))
    assert summary["levels"][0]["win_share"]["mean"] == 1.0


def test_a_missing_seat_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="one a seat"):
        arena.run(a_match(None, games=1))


class _Gains:
    """Says that each turn of a player gains a hundredth."""

    def begins_turn(self, state: Any, player: int) -> bool:
        return bool(state.to_move == player and state.rolls_left == 3 and not state.is_over())

    def advantages(self, states: Any, player: Any) -> Any:
        return np.full(len(states), 0.01)


def test_exact_gains_are_summed_over_the_turns_of_the_one_player_not_hard(
    tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """13 turns a game and an even share: 1/3 + 0.13, without spread; for one player alone."""
    monkeypatch.setattr(type(entry_of("yacht").levels), "turn_gains", lambda *_: _Gains())
    summary = arena.run(a_match(tables, "medium", "hard", "hard"))
    rows = {row["level"]: row for row in summary["levels"]}
    assert rows["medium"][arena.EXACT]["mean"] == pytest.approx(1 / 3 + 0.13, abs=1e-12)
    assert rows["medium"][arena.EXACT]["se"] == pytest.approx(0, abs=1e-12)
    assert arena.EXACT not in rows["hard"]
    assert "turn by turn: 0.46333" in arena.as_text(summary)
    other = arena.run(a_match(tables, "medium", "medium", "hard"))
    assert all(arena.EXACT not in row for row in other["levels"])


def test_the_interval_of_a_win_share_stays_within_0_and_1() -> None:
    """Two deals of two games, three of four won: the plain interval would reach 3.9 and -2.4."""
    match = arena.Match("pasa", {}, ("hard", "easy"), 4, 0, "")
    won = np.array([1.0, 1.0, 1.0, 0.0])
    results = np.full((4, 2, 5), np.nan)
    results[:, 0, :3] = won[:, None]
    results[:, 1, :3] = 1 - won[:, None]
    results[:, :, arena.LUCK] = 0.1
    summary = arena._summary(match, results, lambda degrees: 12.7)
    for row, mean in zip(summary["levels"], (0.75, 0.25), strict=True):
        share = row["win_share"]
        assert (share["mean"], share["low"], share["high"]) == (mean, 0.0, 1.0)
        assert row["score"]["high"] > 1
        less = row[arena.WITHOUT_LUCK]
        assert (less["measure"], less["low"], less["high"]) == ("win_share", 0.0, 1.0)
        assert less["mean"] == pytest.approx(mean - 0.1)
    assert "0.7500 [0.0000, 1.0000]" in arena.as_text(summary)


def test_each_game_is_written_down_and_played_as_without(tmp_path: Path) -> None:
    """Files by the numbers of the games; what was measured can be read off them."""
    match = a_match(None, "easy", "medium", games=5)
    plain = arena.play_batch(match, 0)
    records = tmp_path / "records"
    arena.run(replace(match, records=str(records)))
    names = [f"{game:06}.jsonl" for game in range(5)]
    assert sorted(path.name for path in records.iterdir()) == names
    for game, name in enumerate(names):
        found = record.read(records / name)
        assert [player.level for player in found.players][game % 2] == "easy"
        assert found.seed == (3, game // 2)
        by_player = [found.last.scores()[(player + game) % 2] for player in range(2)]
        assert by_player == plain[game, :, 1].tolist()
    with pytest.raises(UsageError, match="expected a new or empty folder"):
        arena.run(replace(match, records=str(records)))


def test_luck_subtracted_a_level_that_plays_the_values_has_no_spread(tables: Path) -> None:
    """Hard's total is the table's, 254.5877, in any game; easy's interval is 3 times narrower."""
    summary = arena.run(a_match(tables, "hard", "easy", games=120))
    hard, easy = (row[arena.WITHOUT_LUCK] for row in summary["levels"])
    assert (hard["measure"], hard["se"], hard["times_narrower"]) == ("score", 0.0, None)
    assert hard["mean"] == pytest.approx(254.5877, abs=5e-5)
    counted = summary["levels"][1]["score"]
    assert easy["times_narrower"] > 3
    assert abs(easy["mean"] - counted["mean"]) < 4 * counted["se"]
    shown = arena.as_text(summary)
    assert "hard: score with luck subtracted: 254.588 ± 0.000, nothing else has a part" in shown
    assert "times narrower" in shown


def test_without_the_table_luck_is_not_subtracted_unless_it_is_asked_for(tmp_path: Path) -> None:
    match = a_match(tmp_path, "easy", "medium", games=2)
    assert all(arena.WITHOUT_LUCK not in row for row in arena.run(match)["levels"])
    with pytest.raises(MissingTableError):
        arena.run(replace(match, luck="expected_total"))
    with pytest.raises(UsageError, match="--luck: yacht: expected expected_total or win_share"):
        arena.run(replace(match, luck="margin"))
    chess_like = arena.Match("raja_pasu", {}, ("easy", "easy"), 1, 0, "", luck="margin")
    with pytest.raises(UsageError, match="luck has no part in it"):
        arena.run(chess_like)


@pytest.mark.parametrize("level", ["easy", "medium"])
def test_choices_by_arrays_are_those_of_single_views(level: str) -> None:
    """All rolls with 0, 1 and 2 rolls left, on sheets of a random game."""
    rules = entry_of("yacht").rules.read({})
    bot: Any = entry_of("yacht").levels.bot(level, rules, None, 0)
    state, luck = rules.new(1), rules.luck(1, (8,))
    while not state.is_over():
        if state.current_player() == CHANCE:
            state = state.apply(luck.outcome(state))
            continue
        if len(state.sheet.points) - sum(p < 0 for p in state.sheet.points) in (0, 5, 12):
            choices = bot.turn_choices([state.sheet])[:, 0]
            for left in range(3):
                for roll, dice in enumerate(ROLLS):
                    view = state._replace(dice=dice, rolls_left=left)
                    chosen = choices[left, roll]
                    keeps = chosen < FIRST_WRITE
                    move = KEEP_MOVES[chosen] if keeps else WRITES[chosen - FIRST_WRITE]
                    assert bot.choose(view) == move
        state = state.apply(state.legal_moves()[-1])
