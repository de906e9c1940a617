"""Benchmarks of Marriage."""

from __future__ import annotations

import time
from itertools import islice

import numpy as np

from benchmarks.common import Row, benchmark, timed
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.games.marriage.cards.cards import CARDS, COPIES, counts_of
from ustad.runtime.games.marriage.cards.finishes import finish_work
from ustad.runtime.games.marriage.cards.maal import joker_mask


@benchmark
def marriage_distances() -> Row:
    """Find how far hands are from a show (21 cards), and from a finish with all outs (13)."""
    from ustad.runtime.games.marriage import kernels

    deck = np.repeat(np.arange(CARDS), COPIES)
    runs, size = 6, 1000  # each run with hands that were not seen before
    hands = [np.random.default_rng(seed).permutation(deck) for seed in range(runs * size)]
    shows = iter([counts_of(hand[:21]) for hand in hands])
    finishes = iter([counts_of(hand[:13]) for hand in hands])
    memory = np.zeros(1 << 16, dtype=np.int64)
    none = np.zeros(CARDS, dtype=np.int64)
    work, jokers = finish_work(), joker_mask(6)

    def show() -> None:
        for hand in islice(shows, size):
            kernels.show_distance(memory, hand, none, False)

    def finish() -> None:
        for hand in islice(finishes, size):
            kernels.search_finish(work, hand, jokers, 12, True, 0)

    show()
    finish()
    row, other = timed(show, runs - 1), timed(finish, runs - 1)
    each, of_finish = row["cpu_s"] / size, other["cpu_s"] / size
    return {
        **row,
        "show_s": each,
        "finish_s": of_finish,
        "target": "at most 10 microseconds a show distance, 150 a finish distance",
        "ok": each <= 10e-6 and of_finish <= 150e-6,
    }


@benchmark
def marriage_round() -> Row:
    """Play rounds of four hard bots through their views."""
    entry = entry_of("marriage")
    rules = entry.rules.read({})
    bot = entry.levels.bot("hard", rules, None, 0)

    def play(seed: int) -> None:
        state = rules.deal(4, (seed,))
        while not state.is_over():
            state = state.apply(bot.choose(state.view(state.current_player())))

    play(0)
    seeds = iter(range(1, 99))
    row = timed(lambda: play(next(seeds)), 20)
    return {**row, "target": "at most 150 ms", "ok": row["cpu_s"] <= 0.150}


@benchmark
def marriage_moves() -> Row:
    """Choose and rate moves at every level, in rounds of four: the slowest move of each."""
    entry = entry_of("marriage")
    rules = entry.rules.read({})
    slowest: Row = {}
    for level in ("easy", "medium", "hard", "expert"):
        bot = entry.levels.bot(level, rules, None, 0)
        taken = []
        for seed in range(4):
            state = rules.deal(4, (seed,))
            while not state.is_over():
                view = state.view(state.current_player())
                begin = time.process_time()
                move = bot.choose(view)
                chosen = time.process_time()
                bot.ask(view)
                taken.append((chosen - begin, time.process_time() - chosen))
                state = state.apply(move)
        slowest[f"{level}_choose_s"], slowest[f"{level}_ask_s"] = np.max(taken, axis=0).tolist()
    ok = max(seconds for name, seconds in slowest.items() if "expert" not in name) <= 0.05
    ok = ok and slowest["expert_choose_s"] <= 0.5 and slowest["expert_ask_s"] <= 0.5
    return {**slowest, "target": "at most 50 ms a move, expert 500 ms", "ok": ok}


@benchmark
def marriage_strength() -> Row:
    """Measure expert against three hard: net points a round, paired deals, all four seats."""
    from ustad.solver.marriage.measuring import measure

    mean, half = measure("expert", "hard", 1000, 101)
    ok = mean >= 0.8 and mean - half > 0.4
    return {"net": mean, "half_width": half, "target": "at least +0.8, lower end +0.4", "ok": ok}


@benchmark
def marriage_predictions() -> Row:
    """Measure how much more net expert predicts than it realises, over 4,000 rounds of four."""
    from ustad.solver.marriage.measuring import prediction_errors

    errors = prediction_errors(4000, 103)
    row: Row = {}
    for sort, (mean, half, _) in errors.items():
        row |= {f"{sort}_mean": mean, f"{sort}_half_width": half}
    ok = all(abs(mean) <= max(1.0, half) for mean, half, _ in errors.values())
    return {**row, "target": "each within 1 point or its 95% interval", "ok": ok}
