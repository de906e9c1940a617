"""Levels against each other: many games, seats rotated, the same luck for each seating.

The problem.  How much better is one level than another?  Luck is far larger than
skill in these games, so it is shared out evenly.  A *deal* is one fall of the dice
or cards; it is played once for each rotation of the players round the table, so
that each sits in each seat with the same luck before it.

The algorithm.  Deals are cut into batches of a fixed size.  A batch plays its
games in lockstep, so that a bot is asked for many games at once.  Everything in a
batch follows from the seed and the batch's number: the result is the same for any
number of workers, in this process, in others (``jobs``), or in a Dask cluster.

Luck subtracted.  With a judge (:mod:`ustad.runtime.core.judge`) whose values chance does not
change on the mean, what chance did change in a game, summed over its falls, has mean 0 and most
of the spread of the result.  So result less luck has the same mean, whatever the levels play,
and a far narrower interval (martingale differences as control variates: M. Zinkevich and others,
"Optimal Unbiased Estimators for Evaluating Agent Performance", AAAI 2006).

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
from ustad.runtime.core.errors import MissingPackageError, UsageError, UstadError, WorkerError
from ustad.runtime.core.game import CHANCE, OVER, Bot
from ustad.runtime.core.judge import Judge
from ustad.runtime.core.strength import graded_bot
from ustad.runtime.core.work import Progress
from ustad.runtime.record import Player, Record, returns_of
from ustad.tables import TableError

Floats = NDArray[np.float64]

MEASURES = ("win_share", "score", "return")
"""What is measured of a seat in a game: its share of the win by the scores (equals
share it), its score, and what it gains by the game's own reckoning."""


OF_UNIT = {"expected_total": "score", "win_share": "win_share"}
"""The measure that values of a unit are expectations of: luck can be subtracted from it."""

PENDING = 512
"""Falls of chance that are rated at once."""

WITHOUT_LUCK = "without_luck"
"""The mean of the measure that luck is known of, luck subtracted."""

EXACT = "win_share_exact"
"""The same mean as ``win_share``, from what the player's turns gain exactly over level hard:
told of the one player of another level where all others are of that level and a game knows."""

CLUSTER_SECONDS = 10
"""How long a Dask scheduler may take to answer, and then its first worker to be there."""

EXACT_SHARE, LUCK = len(MEASURES), len(MEASURES) + 1
"""The places of the exact win share and the luck after the measures."""

MOST_JOBS = 256
"""The most local processes."""


@dataclass(frozen=True)
class Match:
    """What an arena plays.

    Attributes:
        game: the game's name.
        options: the full option set of its rules.
        levels: the level of each player, one a seat; it may have a strength, ``hard:0.6``.
        games: how many games, at least 1.
        seed: what all luck is drawn from.
        tables: the folder of the tables, None for the usual places.
        records: the folder that gets a record of each game, if they are to be kept.
        luck: the unit that luck is measured and subtracted in, None for the usual one if
            the tables for it are there.
    """

    game: str
    options: Mapping[str, Any]
    levels: tuple[str, ...]
    games: int
    seed: int
    tables: str | None
    records: str | None = None
    luck: str | None = None

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
        (games, players, 5) the :data:`MEASURES` of each player in each game, the exact win
        share, and the luck; the last two NaN where they are not known.
    """
    levels, players = match.entry.levels, len(match.levels)
    rules = match.entry.rules.make(**match.options)
    folder = _folder(match)
    # Bots draw from their seed and the view alone: another seed for each batch.
    bot_seed = int(np.random.SeedSequence([match.seed, number]).generate_state(1)[0])
    bots = {
        grade: graded_bot(match.entry, grade, rules, folder, bot_seed) for grade in match.levels
    }
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
    judge = _judge(match, rules, bots)
    playing = [[bots[level] for level in seats] for seats in seated]
    luck_of = None if judge is None else _Luck(judge, playing)

    def look(at: int, state: Any, step: Any) -> None:
        if match.records is not None:
            steps[at].append((state, step))
        if state.current_player() != CHANCE:
            return
        if luck_of is not None:
            luck_of.falls(at, state, state.apply(step))
        if gains is None or watched is None:
            return
        if gains.begins_turn(state, (watched + games[at]) % players):
            turns.append((at, state))

    finished = _play(
        [starts[game // players] for game in games],
        [luck[game // players] for game in games],
        playing,
        look,
    )
    if match.records is not None:
        _write_records(match, games, seated, steps, finished)
    result = _measured(games, finished, None if luck_of is None else luck_of.by_seat())
    if watched is not None and gains is not None:
        gained = gains.advantages([state for _, state in turns], bots[match.levels[watched]])
        numbers = [at for at, _ in turns]
        result[:, watched, EXACT_SHARE] = 1 / players + np.bincount(numbers, gained, len(games))
    return result


def _measured(games: range, finished: Sequence[Any], lucky: Floats | None) -> Floats:
    """Return (games, players, 5) what finished games brought each player; see :func:`play_batch`.

    Args:
        games: their numbers, which tell who sat where.
        finished: their last states.
        lucky: (games, seats) their luck, None where it is not known.
    """
    players = len(finished[0].scores())
    result = np.full((len(games), players, len(MEASURES) + 2), np.nan)
    for at, (game, state) in enumerate(zip(games, finished, strict=True)):
        by_seat = np.array([_win_shares(state.scores()), state.scores(), state.returns()]).T
        in_seat = [(player + game) % players for player in range(players)]
        result[at, :, : len(MEASURES)] = by_seat[in_seat]
        if lucky is not None:
            result[at, :, LUCK] = lucky[at, in_seat]
    return result


class _Luck:
    """Sums up what chance changed in many games.

    Args:
        judge: rates the positions.
        playing: the bot of every seat of each game.
    """

    def __init__(self, judge: Judge[Any, Any], playing: Sequence[Sequence[Any]]) -> None:
        self._judge = judge
        self._playing = playing
        self._sums = np.zeros((len(playing), len(playing[0])))
        self._pending: list[tuple[int, Any, Any]] = []

    def falls(self, at: int, before: Any, after: Any) -> None:
        """Note a fall of chance in a game."""
        self._pending.append((at, before, after))
        if len(self._pending) >= PENDING:
            self._rate()

    def by_seat(self) -> Floats:
        """Return (games, seats) the luck of each game."""
        self._rate()
        return self._sums

    def _rate(self) -> None:
        if self._pending:
            at, before, after = zip(*self._pending, strict=True)
            luck = self._judge.luck(before, after, [self._playing[game] for game in at])
            np.add.at(self._sums, list(at), luck)
            self._pending.clear()


def _judge(match: Match, rules: Any, bots: Mapping[str, Any]) -> Judge[Any, Any] | None:
    """Return who measures luck, None if nobody can.

    Raises:
        TableError: luck is asked for, and a table is missing or unfit.
    """
    levels = match.entry.levels
    unit = match.luck or next(iter(levels.units), None)
    if unit is None or unit not in OF_UNIT:
        return None
    level = levels.units[unit]
    try:
        bot = bots.get(level) or levels.bot(level, rules, _folder(match), 0)
        judge = levels.baseline(unit, bot)
        judge.values([rules.new(len(match.levels))])  # some look for their table only then
    except (TableError, UstadError):
        if match.luck is not None:
            raise
        return None
    return judge if judge.fair else None


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
    kept = [graded_bot(entry, grade, rules, folder, 0) for grade in match.levels]
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
    units = [unit for unit in match.entry.levels.units if unit in OF_UNIT]
    if match.luck is not None and match.luck not in units:
        expected = " or ".join(units) or "nothing: luck has no part in it that is known"
        raise UsageError(f"--luck: {match.game}: expected {expected}, got {match.luck}")
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
        results: (games, players, 5) as :func:`play_batch` returns them.
        interval: the half-width of the interval by degrees of freedom.
    """
    players = len(match.levels)
    starts = np.arange(0, match.games, players)
    levels = []
    for level in dict.fromkeys(match.levels):
        at = [player for player in range(players) if match.levels[player] == level]
        # (deals, 5): sums over the seats of this level and the games of one deal.
        sums = np.add.reduceat(results[:, at].sum(axis=1), starts, axis=0)
        counts = np.add.reduceat(np.full(match.games, float(len(at))), starts)
        row: dict[str, Any] = {"level": level, "seats": int(counts.sum())}
        for measure, name in enumerate(MEASURES):
            row[name] = _mean(sums[:, measure], counts, interval)
        if not np.isnan(sums[:, EXACT_SHARE]).any():
            row[EXACT] = _mean(sums[:, EXACT_SHARE], counts, interval)
        if not np.isnan(sums[:, LUCK]).any() and sums[:, LUCK].any():
            of = OF_UNIT[match.luck or next(iter(match.entry.levels.units))]
            less = _mean(sums[:, MEASURES.index(of)] - sums[:, LUCK], counts, interval)
            less = _narrower(less, row[of])
            row[WITHOUT_LUCK] = {"measure": of, **(_share(less) if of == "win_share" else less)}
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


def _narrower(mean: dict[str, Any], plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mean with how many times narrower its interval is; None where it has no width."""
    if mean["se"] is None:
        return mean
    if mean["se"] < 1e-9 * max(1.0, plain["se"]):  # the rounding of sums alone
        mean |= {"se": 0.0, "low": mean["mean"], "high": mean["mean"]}
    return {**mean, "times_narrower": plain["se"] / mean["se"] if mean["se"] else None}


def _share(mean: dict[str, Any]) -> dict[str, Any]:
    """Return a mean whose interval does not leave 0 to 1, as no share does."""
    if mean["se"] is None:
        return mean
    # Luck subtracted, few deals can leave a mean beyond them too.
    return {**mean} | {end: min(max(mean[end], 0.0), 1.0) for end in ("low", "high")}


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
    lines += [_without_luck_text(row) for row in summary["levels"] if WITHOUT_LUCK in row]
    lines += [
        f"{row['level']}: win share by its exact gain over hard, turn by turn: "
        f"{_cell(row[EXACT], 5)}"
        for row in summary["levels"]
        if EXACT in row
    ]
    return "\n".join(lines)


def _without_luck_text(row: Mapping[str, Any]) -> str:
    told = row[WITHOUT_LUCK]
    text = f"{row['level']}: {told['measure'].replace('_', ' ')} with luck subtracted: "
    text += _cell(told, 5 if told["measure"] == "win_share" else 3)
    if told["se"] is None:
        return text
    times = told["times_narrower"]
    narrower = "nothing else has a part in it" if times is None else f"{times:.1f} times narrower"
    return f"{text}, {narrower}"


def _cell(mean: Mapping[str, Any], digits: int) -> str:
    if mean["se"] is None:
        return f"{mean['mean']:.{digits}f}"
    above, below = mean["high"] - mean["mean"], mean["mean"] - mean["low"]
    if abs(above - below) > 1e-12:  # cut short at 0 or 1
        return f"{mean['mean']:.{digits}f} [{mean['low']:.{digits}f}, {mean['high']:.{digits}f}]"
    return f"{mean['mean']:.{digits}f} ± {above:.{digits}f}"
