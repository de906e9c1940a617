"""The choice of moves survives rounding, and what is packed comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exports import (
    DICE_POKER,
    OTHER_DICE_POKER,
    OTHER_PASA,
    PASA,
    PASA_TWO,
    Made,
    Named,
)
from hypothesis import given
from hypothesis import strategies as st

from ustad.runtime.core.errors import ExportError
from ustad.runtime.export import (
    rounded,
)
from ustad.runtime.games.dice_poker import export as dice_poker_export
from ustad.runtime.games.dice_poker import levels as dice_poker_bots
from ustad.runtime.games.dice_poker import rules as dice_poker
from ustad.runtime.games.five_dice import export as five_dice_export
from ustad.runtime.games.five_dice import rounding
from ustad.runtime.games.five_dice.arrays import reachable
from ustad.runtime.games.five_dice.bots import FIRST_WRITE
from ustad.runtime.games.five_dice.turn import KEEPS, ROLLS
from ustad.runtime.games.pasa import states as pasa_states
from ustad.runtime.games.raja_pasu import export as raja_pasu_export
from ustad.runtime.games.yacht import export as yacht_export


def test_the_proof_counts_what_the_bots_choose(made: Callable[[Named], Made]) -> None:
    # An independent way: the bot of the rounded table chooses, the bot of the exact one rates.
    export = made(("dice_poker", {"dash": "sacrifice"}))
    rules = dice_poker.DicePoker(**export.table.spec.options)
    packed = rounded(export.table.values, 0.02)
    exact = dice_poker_bots.TableBot(rules, export.table)
    told = dice_poker_bots.TableBot(rules, replace(export.table, source=packed.values()))
    arrays = dice_poker_export.sheet_arrays(rules.numbers)
    states = rounding._one_of_each_future(arrays, reachable(arrays, 15))
    some = states.at(np.random.default_rng(2).permutation(len(states.open))[:60])
    keys = [
        dice_poker.State(int(opened), int(opened).bit_count(), int(total))
        for opened, total in zip(some.open, some.sum, strict=True)
    ]
    choices = [bot.solve(keys) for bot in (told, exact)]
    changed, most, compared = 0, 0.0, 0
    for rolls_left in range(3):
        lanes, rolls = (axis.ravel() for axis in np.indices((len(keys), 252)))
        worth = _worth(choices[1], rolls, lanes, rolls_left)
        seen = _worth(choices[0], rolls, lanes, rolls_left)
        tied = seen >= seen.max(axis=1, keepdims=True) - 1e-9
        cost = worth.max(axis=1) - np.where(tied, worth, np.inf).min(axis=1)
        changed += int((cost > 1e-9).sum())
        most = max(most, float(cost.max()))
        compared += len(cost)
    proof = rounding.Proof()
    for block in rounding._blocks(arrays, some):
        values = rounding.Values(export.table.values, packed.values())
        proof.add(rounding._prove_block(arrays, values, block))
    assert (proof.decisions, proof.changed) == (compared, changed)
    assert changed > 0
    assert proof.largest_cost == pytest.approx(most, abs=1e-12)


def _worth(turns: Any, rolls: Any, lanes: Any, rolls_left: int) -> Any:
    """Return (m, choices) what each keep and write is worth, minus infinity for none."""
    writes = turns.write_values(rolls, lanes, rolls_left)
    if not rolls_left:
        return writes
    keeps = turns.turn.keeps(rolls_left)[:FIRST_WRITE, lanes].T.copy()
    allowed = np.zeros((252, FIRST_WRITE), dtype=bool)
    for roll, dice in enumerate(ROLLS):
        allowed[roll, list(_sub_keeps(dice))] = True
    keeps[~allowed[rolls]] = -np.inf
    return np.concatenate([keeps, writes], axis=1)


def _sub_keeps(dice: tuple[int, ...]) -> set[int]:
    from itertools import combinations

    places = {keep: at for at, keep in enumerate(KEEPS)}
    return {places[kept] for size in range(5) for kept in combinations(dice, size)}


@pytest.mark.parametrize("named", [DICE_POKER, *OTHER_DICE_POKER], ids=str)
def test_all_of_dice_poker_survives_rounding(named: Named, made: Callable[[Named], Made]) -> None:
    proof = made(named).content.proof
    assert proof["residual"] == 0.0
    assert 0 < proof["changed"] < proof["decisions"] / 1000
    assert 0 < proof["largest_cost"] < 0.005


@pytest.mark.slow
@pytest.mark.parametrize("options", yacht_export.option_sets(), ids=str)
def test_all_of_yacht_survives_rounding(options: dict[str, Any], folder: Path) -> None:
    proof = yacht_export.content(options, folder).proof
    # All reachable states but the finished sheets: 64 x 2,794 for each content of the yacht box.
    contents = 2 if options["second_yacht"] == "plain" else 3
    assert proof["states"] == contents * 64 * 2794 - (contents - 1) * 64
    assert proof["residual"] == 0.0
    assert proof["largest_cost"] < 0.005


def test_a_rounding_that_costs_too_much_is_refused(
    made: Callable[[Named], Made], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    made(DICE_POKER)
    monkeypatch.setattr(five_dice_export, "LEAST_SCALE", 0.05)
    with pytest.raises(ExportError, match="a move chosen by the rounded values costs"):
        dice_poker_export.content({}, folder)


@pytest.mark.parametrize(
    "wrong",
    [
        {"bonus": 49},
        {"part_weight": [0] * 6 + [2, 1, 4, 8, 16, 32, 64, 128, 256]},
        {"roll_cases": [0] * 252},
    ],
    ids=str,
)
def test_arrays_that_do_not_say_what_the_rules_say_are_refused(
    wrong: dict[str, Any], made: Callable[[Named], Made]
) -> None:
    export = made(DICE_POKER)
    rules = dice_poker.DicePoker(**export.table.spec.options).numbers
    arrays = replace(dice_poker_export.sheet_arrays(rules), **wrong)
    read = export.content.files["values.bin"]["values"].values()
    with pytest.raises(ExportError, match=r"off the table|do not share"):
        rounding.prove(arrays, 15, export.table.values, read, 1)


@pytest.mark.parametrize("named", [PASA, PASA_TWO, *OTHER_PASA], ids=str)
def test_every_bet_of_pasa_is_that_of_the_table(
    named: Named, made: Callable[[Named], Made]
) -> None:
    content = made(named).content
    proof = content.proof
    assert proof["residual"] == 0.0
    assert proof["largest_error"] < 0.001
    nodes, bets = (
        content.files["values.bin"][name].numbers.astype(np.int64)
        for name in ("stored_nodes", "stored_bets")
    )
    assert len(nodes) == proof["stored"]
    assert len(np.unique(nodes)) == proof["changed"] < proof["bets"] / 2
    assert (np.diff(nodes * 256 + bets) > 0).all()


def test_splits_of_pasa_are_in_the_order_of_their_numbers() -> None:
    for players, chips in ((2, 9), (3, 7), (5, 6)):
        stacks = pasa_states.all_splits(players, chips)
        assert [pasa_states.split_number(held) for held in stacks.tolist()] == list(
            range(len(stacks))
        )
        assert (stacks.sum(axis=1) == chips).all()
        assert (pasa_states.split_numbers(stacks) == np.arange(len(stacks))).all()


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1))
def test_gaps_come_back_from_bytes(numbers: list[int]) -> None:
    gaps = np.array(numbers, dtype=np.uint32)
    content = raja_pasu_export.gaps_in_bytes(gaps)
    assert (raja_pasu_export.bytes_to_gaps(content) == gaps).all()


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.sampled_from([0.0, 0.01]))
def test_rounded_values_are_off_by_half_a_step_and_zero_stays(
    numbers: list[float], least: float
) -> None:
    values = np.array([0.0, *numbers])
    packed = rounded(values, least)
    assert packed.scale is not None
    assert packed.scale >= least
    read = packed.values()
    assert read[0] == 0.0
    assert np.abs(read - values).max() <= packed.scale * 0.5 * (1 + 1e-6)
