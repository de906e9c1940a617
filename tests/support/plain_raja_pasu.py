"""A plain player of Raja Pasu, apart from the game's own rules.

It plays on the 14 holes as the text has it, with a set of what the move has met; it knows no ring
and shares no code with the game.
"""

from __future__ import annotations

Board = tuple[int, ...]


def plain_move(
    board: Board, closed: frozenset[int], mover: int, hole: int, skipped: bool = False
) -> tuple[Board, tuple[int, int], int, bool]:
    """Return the board after a move, what South and North took, the laps, and if it was endless."""
    seeds = {at: held for at, held in enumerate(board) if at not in closed}

    def following(at: int) -> int:
        at = (at + 1) % 14
        while at in closed:
            at = (at + 1) % 14
        return at

    captured = [0, 0]
    met = set()
    start, laps, endless = hole, 0, False
    while True:
        before = (start, tuple(sorted(seeds.items())))
        if before in met:
            endless = True
            break
        met.add(before)
        hand, seeds[start] = seeds[start], 0
        last = start
        while hand:
            last = following(last)
            if skipped and last == start and len(seeds) > 1:
                last = following(last)
            seeds[last] += 1
            hand -= 1
            if seeds[last] == 4:
                seeds[last] = 0
                captured[0 if last <= 6 else 1] += 4
        laps += 1
        start = following(last)
        if seeds[start] == 0:
            beyond = following(start)
            captured[mover] += seeds[beyond]
            seeds[beyond] = 0
            break
    return (
        tuple(seeds.get(at, 0) for at in range(14)),
        (captured[0], captured[1]),
        laps,
        endless,
    )
