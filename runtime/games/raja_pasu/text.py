"""Raja Pasu in words: the board, the sowing, and what a player types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ustad.runtime.core.entry import Text
from ustad.runtime.core.errors import MoveError, shown
from ustad.runtime.games.raja_pasu.codec import CODEC
from ustad.runtime.games.raja_pasu.rules import HOLES, NORTH, ROW, SEATS, SOUTH, RajaPasuState, Sow


class RajaPasuText(Text[RajaPasuState, Sow]):
    """The board and the sowing in words."""

    # Text.

    def describe(self, state: RajaPasuState) -> str:
        """Return the board as South sees it, and whose turn it is."""
        seeds = ["x" if hole in state.closed else str(state.board[hole]) for hole in range(HOLES)]
        taken = state.captured

        def line(name: str, row: Sequence[object]) -> str:
            return f"{name:<6}" + "".join(f"{held!s:>4}" for held in row)

        lines = [
            line("", range(HOLES - 1, ROW - 1, -1)),
            line("North", seeds[: ROW - 1 : -1]) + f"   captured {taken[NORTH]}",
            line("South", seeds[:ROW]) + f"   captured {taken[SOUTH]}",
            line("", range(ROW)),
        ]
        if state.match:
            south, north = state.match.owned
            lines.append(f"round {state.match.round}, owned at its start {south} and {north}")
        if state.is_over():
            south, north = state.owned()
            over = "match" if state.match and state.next_round() is state else "round"
            lines.append(f"the {over} is over: South {south}, North {north}")
        else:
            lines.append(f"{SEATS[state.to_move]} to move")
        return "\n".join(lines)

    def describe_move(self, move: Sow) -> str:
        """Return a move in a few words."""
        return f"hole {move.hole}"

    def describe_step(self, before: RajaPasuState, move: Sow, after: RajaPasuState) -> str:
        """Return the sowing, a line for each lap and each capture."""
        lines = [f"{SEATS[before.to_move]} sows hole {move.hole}"]
        for event in CODEC.events(before, move, after):
            lines.append("  " + _event_text(event))
        return "\n".join(lines)

    def prompt(self, state: RajaPasuState) -> str:
        """Return what can be typed now."""
        return "a hole to sow: " + ", ".join(str(move.hole) for move in state.legal_moves())

    def move_from_text(self, state: RajaPasuState, text: str) -> Sow:
        """Return the hole that was typed by its number."""
        word = text.strip().lower().removeprefix("hole").strip()
        if word.isascii() and word.isdigit() and len(word) <= 2:
            for move in state.legal_moves():
                if move.hole == int(word):
                    return move
        raise MoveError(f"{shown(text)}: expected {self.prompt(state)}")


def _event_text(event: Mapping[str, Any]) -> str:
    """Return an event as a player would tell it."""
    if "lap" in event:
        sown = " ".join(map(str, event["sown"]))
        return f"lap {event['lap']}: {event['seeds']} from hole {event['hole']} to {sown}"
    if "pasu" in event:
        return f"pasu: four in hole {event['pasu']} go to {SEATS[event['seat']]}"
    if "pussa" in event:
        return f"pussa: {event['seeds']} from hole {event['pussa']} go to {SEATS[event['seat']]}"
    if "endless" in event:
        return "the relay would never end and is stopped"
    if "over" in event:
        why = "the third time for this position" if event["repeated"] else "no seed to sow"
        south, north = event["over"]
        return f"the round ends, {why}: South takes {south}, North {north} of what is left"
    south, north = event["owned"]
    return (
        f"round {event['round']}: South owns {south}, North {north}; {SEATS[event['leader']]} leads"
    )


TEXT = RajaPasuText()
