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

    note = (
        "A game is one round. The game of the source is the match, rounds until a side can fill no "
        "hole: --option match=true."
    )
    outline = (
        "Sow a hole of your row, seed by seed, into the holes that\n"
        "follow; while the hole after the last seed holds seeds they\n"
        "are sown on. Pasu: a hole that a seed brings to four is\n"
        "taken by the owner of its row. Pussa: the next hole is\n"
        "empty, the move ends and you take the hole beyond it. Who\n"
        "has no seed to sow ends the round; most seeds win. Type the\n"
        "number of a hole, such as 2. Holes marked * were changed by\n"
        "the last move."
    )

    def name(self, seat: int) -> str:
        """Return what a seat is called."""
        return "you" if seat == self.you else SEATS[seat]

    def does(self, seat: int, verb: str) -> str:
        """Return a seat and what it does: ``you sow``, ``North sows``."""
        return f"you {verb}" if seat == self.you else f"{SEATS[seat]} {verb}s"

    def describe(self, state: RajaPasuState) -> str:
        """Return the board as South sees it, and whose turn it is."""
        lines = self._board(state, state.board)
        if state.match:
            lines.append(_describe_match(state))
        if state.is_over():
            south, north = state.owned()
            over = "match" if state.match and state.next_round() is state else "round"
            lines.append(f"the {over} is over: South {south}, North {north}")
        else:
            lines.append(f"{self.name(state.to_move)} to move")
        return "\n".join(lines)

    def _board(self, state: RajaPasuState, before: Sequence[int]) -> list[str]:
        """Return the lines of the board, holes marked that differ from those before."""

        def line(name: str, row: Sequence[object]) -> str:
            return f"{name:<6}" + "".join(f"{held!s:>4}" for held in row)

        seeds = [
            "x" if hole in state.closed else f"{held}{'*' if held != was else ''}"
            for hole, (held, was) in enumerate(zip(state.board, before, strict=True))
        ]
        beside = [
            f"   captured {taken}{', your row' if seat == self.you else ''}"
            for seat, taken in enumerate(state.captured)
        ]
        return [
            line("", range(HOLES - 1, ROW - 1, -1)),
            line("North", seeds[: ROW - 1 : -1]) + beside[NORTH],
            line("South", seeds[:ROW]) + beside[SOUTH],
            line("", range(ROW)),
        ]

    def describe_move(self, move: Sow) -> str:
        """Return a move in a few words."""
        return f"hole {move.hole}"

    def describe_step(self, before: RajaPasuState, move: Sow, after: RajaPasuState) -> str:
        """Return the sowing, a line for each lap and each capture, and the board it changed."""
        lines = [f"{self.does(before.to_move, 'sow')} hole {move.hole}"]
        for event in CODEC.events(before, move, after):
            lines.append("  " + self._event_text(event))
        return "\n".join([*lines, *self._board(before.after_sowing(move), before.board)])

    def _event_text(self, event: Mapping[str, Any]) -> str:
        """Return an event as a player would tell it."""
        if "lap" in event:
            sown = " ".join(map(str, event["sown"]))
            return f"lap {event['lap']}: {event['seeds']} from hole {event['hole']} to {sown}"
        if "pasu" in event:
            return f"pasu: four in hole {event['pasu']} go to {self.name(event['seat'])}"
        if "pussa" in event:
            seat = self.name(event["seat"])
            return f"pussa: {event['seeds']} from hole {event['pussa']} go to {seat}"
        if "endless" in event:
            return "the relay would never end and is stopped"
        if "over" in event:
            why = "the third time for this position" if event["repeated"] else "no seed to sow"
            south, north = event["over"]
            return f"the round ends, {why}: South takes {south}, North {north} of what is left"
        south, north = event["owned"]
        leads = self.does(event["leader"], "lead")
        return f"round {event['round']}: South owns {south}, North {north}; {leads}"

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


def _describe_match(state: RajaPasuState) -> str:
    """Return the round of a match, what each owned at its start, and the closed holes."""
    assert state.match is not None
    south, north = state.match.owned
    closed = ", ".join(map(str, state.closed)) or "none"
    return (
        f"match, round {state.match.round} of at most {state.rules.max_rounds}\n"
        f"owned at its start: South {south}, North {north}\n"
        f"closed holes: {closed}"
    )


TEXT = RajaPasuText()
