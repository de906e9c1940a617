"""Levels against each other: many games, seats rotated, the same luck for each seating.

The problem.  How much better is one level than another?  Luck is far larger than
skill in these games, so it is shared out evenly.  A *deal* is one fall of the dice
or cards; it is played once for each rotation of the players round the table, so
that each sits in each seat with the same luck before it.

The algorithm.  Deals are cut into batches of a fixed size.  A batch plays its
games in lockstep, so that a bot is asked for many games at once.  Everything in a
batch follows from the seed and the batch's number: the result is the same for any
number of workers, in this process, in others (``jobs``), or in a Dask cluster.

Statistics.  Games of one deal are no independent samples; deals are.  A mean is
the ratio of two sums over deals, its standard error that of a ratio estimator
with deals as clusters (W. G. Cochran, *Sampling Techniques*, 3rd ed. 1977, section
2.11), its interval Student's t with deals - 1 degrees of freedom.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core import registry
from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import MissingPackageError, UsageError, WorkerError
from ustad.runtime.core.game import CHANCE, OVER, Bot
from ustad.runtime.core.work import Progress
from ustad.runtime.record import Player, Record, returns_of

Floats = NDArray[np.float64]

MEASURES = ("win_share", "score", "return")
"""What is measured of a seat in a game: its share of the win by the scores (equals
share it), its score, and what it gains by the game's own reckoning."""


EXACT = "win_share_exact"
"""The same mean as ``win_share``, from what the player's turns gain exactly over level hard:
told of the one player of another level where all others are of that level and a game knows."""

CLUSTER_SECONDS = 10
"""How long a Dask scheduler may take to answer, and then its first worker to be there."""

MOST_JOBS = 256
"""The most local processes."""


@dataclass(frozen=True)
class Match:
    """What an arena plays.

    Attributes:
        game: the game's name.
        options: the full option set of its rules.
        levels: the level of each player, one a seat.
        games: how many games, at least 1.
        seed: what all luck is drawn from.
        tables: the folder of the tables, None for the usual places.
        records: the folder that gets a record of each game, if they are to be kept.
    """

    game: str
    options: Mapping[str, Any]
    levels: tuple[str, ...]
    games: int
    seed: int
    tables: str | None
    records: str | None = None

    @property
    def entry(self) -> AnyEntry:
        """The game."""
        return registry.entry(self.game)

    @property
    def batches(self) -> int:
        """The number of batches."""
        return -(-self.games // self.batch_games)

    @property
    def batch_games(self) -> int:
        """The number of games of a full batch."""
        return self.entry.levels.arena_deals * len(self.levels)

    def batch(self, number: int) -> range:
        """Return the numbers of the games of a batch.

        Game g is deal ``g // players`` with the players moved round the table by
        ``g % players`` seats.
        """
        return range(self.games)[number * self.batch_games : (number + 1) * self.batch_games]


def _folder(match: Match) -> Path | None:
    return None if match.tables is None else Path(match.tables)


def play_batch(match: Match, number: int) -> Floats:
    """Play one batch.

    Returns:
        (games, players, 4) the :data:`MEASURES` of each player in each game, and the
        exact win share, NaN where it is not known.
    """
    levels, players = match.entry.levels, len(match.levels)
    rules = match.entry.rules.make(**match.options)
    folder = _folder(match)
    # Bots draw from their seed and the view alone: another seed for each batch.
    bot_seed = int(np.random.SeedSequence([match.seed, number]).generate_state(1)[0])
    bots = {level: levels.bot(level, rules, folder, bot_seed) for level in match.levels}
    games = match.batch(number)
    deals = {game // players for game in games}
    luck = {deal: rules.luck(players, (match.seed, deal)) for deal in deals}
    starts = {deal: rules.deal(players, (match.seed, deal)) for deal in deals}
    # Who sits where: player p of game g sits in seat (p + g) % players.
    seated = [[match.levels[(seat - game) % players] for seat in range(players)] for game in games]
    watched = _watched(match)
    gains = None
    if watched is not None:
        gains = levels.turn_gains(match.levels[watched], rules, folder)
    turns: list[tuple[int, Any]] = []
    steps: list[list[tuple[Any, Any]]] = [[] for _ in games]

    def look(at: int, state: Any, step: Any) -> None:
        if match.records is not None:
            steps[at].append((state, step))
        if watched is None or gains is None or state.current_player() != CHANCE:
            return
        if gains.begins_turn(state, (watched + games[at]) % players):
            turns.append((at, state))

    finished = _play(
        [starts[game // players] for game in games],
        [luck[game // players] for game in games],
        [[bots[level] for level in seats] for seats in seated],
        look,
    )
    if match.records is not None:
        _write_records(match, games, seated, steps, finished)
    result = np.full((len(games), players, len(MEASURES) + 1), np.nan)
    for at, (game, state) in enumerate(zip(games, finished, strict=True)):
        by_seat = np.array([_win_shares(state.scores()), state.scores(), state.returns()]).T
        result[at, :, :-1] = [by_seat[(player + game) % players] for player in range(players)]
    if watched is not None and gains is not None:
        gained = gains.advantages([state for _, state in turns], bots[match.levels[watched]])
        numbers = [at for at, _ in turns]
        result[:, watched, -1] = 1 / players + np.bincount(numbers, gained, len(games))
    return result


def _write_records(
    match: Match,
    games: Sequence[int],
    seated: Sequence[Sequence[str]],
    steps: Sequence[Sequence[tuple[Any, Any]]],
    finished: Sequence[Any],
) -> None:
    """Write a file for each game, named by its number."""
    for game, levels, played, last in zip(games, seated, steps, finished, strict=True):
        players = tuple(Player(level, level) for level in levels)
        states = (*(state for state, _ in played), last)
        seed = (match.seed, game // len(levels))
        found = Record(
            match.entry, players, tuple(step for _, step in played), states, returns_of(last), seed
        )
        found.write(Path(match.records or "") / f"{game:06}.jsonl")


def _watched(match: Match) -> int | None:
    """Return the player whose gain may be known exactly: the one not of level hard."""
    others = [player for player, level in enumerate(match.levels) if level != "hard"]
    return others[0] if len(others) == 1 and len(match.levels) > 1 else None


def _play(
    states: list[Any],
    luck: Sequence[Any],
    bots: Sequence[Sequence[Bot[Any, Any]]],
    look: Callable[[int, Any, Any], None],
) -> list[Any]:
    """Play games to their end in lockstep: all that wait for one bot are asked at once.

    ``look`` is called with the number of a game, each state, and the step that follows.
    """
    running = list(range(len(states)))
    while running:
        waiting: dict[int, tuple[Bot[Any, Any], list[int], list[Any]]] = {}
        still = []
        for at in running:
            state = states[at]
            while (player := state.current_player()) == CHANCE:
                outcome = luck[at].outcome(state)
                look(at, state, outcome)
                state = state.apply(outcome)
            states[at] = state
            if player == OVER:
                continue
            still.append(at)
            bot = bots[at][player]
            _, members, views = waiting.setdefault(id(bot), (bot, [], []))
            members.append(at)
            views.append(state.view(player))
        for bot, members, views in waiting.values():
            for at, move in zip(members, bot.choose_many(views), strict=True):
                look(at, states[at], move)
                states[at] = states[at].apply(move)
        running = still
    return states


def _win_shares(scores: Sequence[float]) -> list[float]:
    best = max(scores)
    share = 1 / sum(score == best for score in scores)
    return [share if score == best else 0.0 for score in scores]


def run(
    match: Match,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Play a match and return the JSON object that ``ustad arena --json`` prints.

    Args:
        match: what to play.
        jobs: local processes; 1 plays in this one.
        cluster: the address of a Dask scheduler to play on instead.
        progress: called with the games done and all games.

    Raises:
        UsageError: the match is none.
        TableError: a level needs a table that is missing or unfit.
        MissingPackageError: a package of an extra is missing.
    """
    _check(match, jobs)
    interval = _student()
    # Make each bot once here: what most levels lack is said before the work starts.
    entry, folder = match.entry, _folder(match)
    rules = entry.rules.make(**match.options)
    kept = [entry.levels.bot(level, rules, folder, 0) for level in match.levels]
    results = []
    try:
        with _executor(min(jobs, match.batches), cluster) as executor:
            done = 0
            for result in _batches(match, executor):
                results.append(result)
                done += len(result)
                if progress:
                    progress(done, match.games)
    except BrokenExecutor:
        raise WorkerError("arena: a worker process was ended from outside; start again") from None
    del kept
    return _summary(match, np.concatenate(results), interval)


def _check(match: Match, jobs: int) -> None:
    least, most, _ = match.entry.rules.seats
    players = len(match.levels)
    if not least <= players <= most:
        seats = f"{least} to {most}"
        raise UsageError(f"arena: {match.game}: expected {seats} levels, one a seat, got {players}")
    if match.games < 1:
        raise UsageError(f"--games: expected at least 1, got {match.games}")
    if match.records is not None:
        _make_folder(Path(match.records))
    if not 1 <= jobs <= MOST_JOBS:
        raise UsageError(f"--jobs: expected 1 to {MOST_JOBS}, got {jobs}")


def _make_folder(folder: Path) -> None:
    """Make the folder of the records; one that holds something is refused."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"--records: {folder}: expected a new or empty folder")
    except OSError as error:
        raise UsageError(f"--records: {folder}: {error.strerror or error}") from None


def _batches(match: Match, executor: Executor | None) -> Iterator[Floats]:
    """Yield the results of the batches in order."""
    if executor is None:
        yield from (play_batch(match, number) for number in range(match.batches))
        return
    futures = [executor.submit(play_batch, match, number) for number in range(match.batches)]
    try:
        for future in futures:
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def _executor(jobs: int, cluster: str | None) -> AbstractContextManager[Executor | None]:
    if cluster is not None:
        return _dask(cluster)
    if jobs == 1:
        return nullcontext()
    # Processes are started afresh: a fork would copy the locks of running threads.
    return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    """Open an executor on a Dask cluster."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise MissingPackageError(
            "--cluster needs the package distributed: pip install 'ustad[cluster]'"
        ) from None
    try:
        client = distributed.Client(address, timeout=CLUSTER_SECONDS)
    except (OSError, ValueError) as error:
        reason = (str(error).splitlines() or ["no answer"])[0]
        raise UsageError(f"--cluster: {address}: no Dask scheduler answers: {reason}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=CLUSTER_SECONDS)
        except TimeoutError:
            raise UsageError(f"--cluster: {address}: the scheduler has no worker") from None
        yield client.get_executor()


def _student() -> Callable[[int], float]:
    """Return the function that gives the half-width of a 95% interval in standard errors."""
    try:
        from scipy.stats import t
    except ImportError:
        raise MissingPackageError(
            "the arena needs the package scipy: pip install 'ustad[build]'"
        ) from None
    return lambda degrees: float(t.ppf(0.975, degrees))


def _summary(match: Match, results: Floats, interval: Callable[[int], float]) -> dict[str, Any]:
    """Return the measures of each level.

    Args:
        match: what was played.
        results: (games, players, 4) the measures and the exact win share.
        interval: the half-width of the interval by degrees of freedom.
    """
    players = len(match.levels)
    starts = np.arange(0, match.games, players)
    levels = []
    for level in dict.fromkeys(match.levels):
        at = [player for player in range(players) if match.levels[player] == level]
        # (deals, 4): sums over the seats of this level and the games of one deal.
        sums = np.add.reduceat(results[:, at].sum(axis=1), starts, axis=0)
        counts = np.add.reduceat(np.full(match.games, float(len(at))), starts)
        row: dict[str, Any] = {"level": level, "seats": int(counts.sum())}
        for measure, name in enumerate(MEASURES):
            row[name] = _mean(sums[:, measure], counts, interval)
        if not np.isnan(sums[:, -1]).any():
            row[EXACT] = _mean(sums[:, -1], counts, interval)
        for name in {"win_share", EXACT} & row.keys():
            row[name] = _share(row[name])
        levels.append(row)
    return {
        "game": match.game,
        "options": dict(match.options),
        "games": match.games,
        "deals": len(starts),
        "players": players,
        "seed": match.seed,
        "levels": levels,
    }


def _mean(sums: Floats, counts: Floats, interval: Callable[[int], float]) -> dict[str, Any]:
    """Return mean, standard error and 95% interval, None where one deal gives none."""
    mean = float(sums.sum() / counts.sum())
    deals = len(sums)
    if deals < 2:
        return {"mean": mean, "se": None, "low": None, "high": None}
    residuals = sums - mean * counts
    variance = deals / (deals - 1) * float(residuals @ residuals) / float(counts.sum()) ** 2
    error = variance**0.5
    half = interval(deals - 1) * error
    return {"mean": mean, "se": error, "low": mean - half, "high": mean + half}


def _share(mean: dict[str, Any]) -> dict[str, Any]:
    """Return a mean whose interval does not leave 0 to 1, as no share does."""
    if mean["se"] is None:
        return mean
    return {**mean, "low": max(mean["low"], 0.0), "high": min(mean["high"], 1.0)}


def as_text(summary: Mapping[str, Any]) -> str:
    """Return the result as a table for people."""
    lines = [
        f"{summary['game']}: {summary['games']} games, {summary['deals']} deals, "
        f"seed {summary['seed']}; means with 95% intervals",
        f"{'level':<10}{'win share':>22}{'score':>24}{'return':>24}",
    ]
    for row in summary["levels"]:
        cells = [
            f"{_cell(row['win_share'], 4):>22}",
            f"{_cell(row['score'], 2):>24}",
            f"{_cell(row['return'], 4):>24}",
        ]
        lines.append(f"{row['level']:<10}" + "".join(cells))
    lines += [
        f"{row['level']} plays by {row['plays_by']}"
        for row in summary["levels"]
        if "plays_by" in row
    ]
    lines += [
        f"{row['level']}: win share by its exact gain over hard, turn by turn: "
        f"{_cell(row[EXACT], 5)}"
        for row in summary["levels"]
        if EXACT in row
    ]
    return "\n".join(lines)


def _cell(mean: Mapping[str, Any], digits: int) -> str:
    if mean["se"] is None:
        return f"{mean['mean']:.{digits}f}"
    above, below = mean["high"] - mean["mean"], mean["mean"] - mean["low"]
    if abs(above - below) > 1e-12:  # cut short at 0 or 1
        return f"{mean['mean']:.{digits}f} [{mean['low']:.{digits}f}, {mean['high']:.{digits}f}]"
    return f"{mean['mean']:.{digits}f} ± {above:.{digits}f}"
