"""What the seasons' lobbies do differently, as data. A dialect is named by its protocol's year.

A dialect says how messages are spelt and what the lobby does; the game's payload is defined in
`games/*/wire.py`. `ANY` reads what every season writes and answers as the newest: for a port that
several seasons share, until a connection has said which game it wants.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace


class OnError(enum.Enum):
    """What a request that cannot be served (wrong password, unknown room or code) leads to."""

    CLOSE = enum.auto()
    """No answer: close message, end of document, connection closed."""
    PACKET_AND_CLOSE = enum.auto()
    """An error packet, then the same."""
    PACKET = enum.auto()
    """An error packet; the connection stays open."""


class OnCancel(enum.Enum):
    """What an administrator's `cancel` leads to before everybody gets `left`."""

    NO_RESULT = enum.auto()
    """Nothing; and the administrator's own connection is dropped."""
    NO_WIN_POINTS = enum.auto()
    """A result with 0 win points for both; the points decide the winner."""
    AS_IF_OVER = enum.auto()
    """A result as if the game had regularly ended on the present board."""


class OnUnknownGame(enum.Enum):
    """What a `join` or `prepare` for a game type that is not offered leads to."""

    AS_ERROR = enum.auto()
    """As any request that cannot be served (`OnError`)."""
    DROP = enum.auto()
    """The connection is dropped without a word."""


class PausedNotice(enum.Enum):
    """When observers get `paused` on a change of the pause."""

    NEVER = enum.auto()
    AFTER = enum.auto()
    """Unpausing: after the state that follows."""
    BEFORE = enum.auto()


class Results(enum.Enum):
    """How a result is written."""

    BY_ENTRY = enum.auto()
    """`scores` with one `entry` per player, one `winner` with team, regular and reason."""
    BY_COLOUR = enum.auto()
    """Flat `score` with cause and reason, `winner` with colour and display name."""
    BY_TEAM = enum.auto()
    """Flat `score` with cause and reason, `winner` with display name and a child for the team."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One season's lobby. Of spellings given as a tuple all are read, the first is written."""

    year: int
    to_the_letter: bool = False
    """As the season's document says, where its server did otherwise."""
    reasons_for_all: bool = False
    """Every score says why the game ended, not only the offender's."""

    # spelling
    password_attributes: tuple[str, ...] = ("password",)
    close_elements: tuple[str, ...] = ("close",)
    move_request_class: str = "moveRequest"
    pause_in_slots: bool = False
    """`shouldBePaused` in each slot instead of `pause` in `prepare`; all slots are reserved."""
    existing_attribute: bool = False
    """`joinedGameRoom existing=` instead of `playerCount=`."""
    original_child: str = "originalMessage"
    """What the refused message is called inside a room's `error`."""
    error_as_data: bool = True
    """A room's error as `<data class="error">` instead of `<error>` directly in `room`."""
    winner_class: str | None = None
    """The `class` of a result's `winner`."""
    results: Results = Results.BY_ENTRY
    also_requests: frozenset[str] = frozenset()
    """Requests this season knows besides those all know."""

    # joining
    names_game_type: bool = False
    """`join` must name a game type."""
    on_unknown_game: OnUnknownGame = OnUnknownGame.DROP
    joined_when_full: bool = False
    """`joined` answers a reservation only when all seats are taken, just before the welcome."""
    default_name: str = ""
    """Display name of a player whose slot has none."""

    # errors
    on_error: OnError = OnError.PACKET
    ignores_strangers: bool = False
    """An administrator's request by somebody else is silently ignored."""
    ends_document_on_error: bool = False
    """A connection dropped for malformed input still gets the end of the document."""
    violation_closes: bool = False
    """A player who breaks a rule or the order of play is disconnected."""
    violation_packet: bool = False
    """Before that, the player gets an error packet with the message."""
    violation_closes_before_result: bool = False
    """The player is disconnected before the result and does not get it."""
    observers_get_bare_mistake: bool = False
    """Observers get the mistake's text only, without name and original message."""
    out_of_turn_is_leaving: bool = False
    """A move out of turn is judged as having left the game."""

    # course of a game
    observe_sends_state: bool = False
    """A new observer gets the present state at once."""
    paused_start_shows_state: bool = True
    """Observers get the first state of a game that starts paused."""
    paused_start_tells_players: bool = False
    """So do the players; when the pause ends they get the request alone."""
    paused_notice: PausedNotice = PausedNotice.BEFORE
    on_cancel: OnCancel = OnCancel.AS_IF_OVER
    closes_after_game: bool = False
    """After the result the document ends and the connection is closed."""
    condition_in_state: bool = False
    """The last state of a game, however it ended, carries the result as `condition`."""
    takes_hints: bool = False
    """A move may carry hints; otherwise official servers close the sender's connection."""
    passes_hints: bool = False
    """Hints added to a move are shown to observers."""
    replay_time_last: bool = False
    """Names of replay files: the players, then the time as 2019.03.01_12_30_00."""


Y2026 = Dialect(year=2026, also_requests=frozenset({"joinRoom"}))
"""2026 and 2027: one lobby, no difference on the wire was found."""

Y2021 = Dialect(
    year=2021,
    close_elements=("sc.protocol.CloseConnection",),
    move_request_class="sc.framework.plugins.protocol.MoveRequest",
    results=Results.BY_TEAM,
    also_requests=frozenset({"joinRoom", "testMode", "scoreForPlayer"}),
    names_game_type=True,
    on_unknown_game=OnUnknownGame.AS_ERROR,
    on_error=OnError.PACKET_AND_CLOSE,
    violation_closes=True,
    violation_packet=True,
    out_of_turn_is_leaving=True,
    paused_notice=PausedNotice.AFTER,
    on_cancel=OnCancel.NO_WIN_POINTS,
)

Y2019 = Dialect(
    year=2019,
    takes_hints=True,
    password_attributes=("passphrase",),
    close_elements=("sc.protocol.responses.CloseConnection",),
    move_request_class="sc.framework.plugins.protocol.MoveRequest",
    pause_in_slots=True,
    existing_attribute=True,
    original_child="originalRequest",
    results=Results.BY_COLOUR,
    also_requests=frozenset({"timeout", "freeReservation", "testMode", "scoreForPlayer"}),
    names_game_type=True,
    on_unknown_game=OnUnknownGame.AS_ERROR,
    joined_when_full=True,
    default_name="Unknown",
    on_error=OnError.CLOSE,
    ignores_strangers=True,
    ends_document_on_error=True,
    violation_closes=True,
    violation_closes_before_result=True,
    observers_get_bare_mistake=True,
    out_of_turn_is_leaving=True,
    paused_start_shows_state=False,
    paused_notice=PausedNotice.NEVER,
    on_cancel=OnCancel.NO_RESULT,
    replay_time_last=True,
)

Y2019_DOCUMENT = replace(
    Y2019,
    to_the_letter=True,
    error_as_data=False,
    winner_class="player",
    violation_closes=False,
    violation_closes_before_result=False,
    observers_get_bare_mistake=False,
    out_of_turn_is_leaving=False,
    reasons_for_all=True,
    observe_sends_state=True,
    paused_start_shows_state=True,
    paused_start_tells_players=True,
    closes_after_game=True,
    condition_in_state=True,
    passes_hints=True,
)
"""2019 to the letter of its document; what the document leaves open is as that season's server."""

ANY = replace(
    Y2026,
    password_attributes=("password", "passphrase"),
    close_elements=("close", *Y2021.close_elements, *Y2019.close_elements),
    also_requests=Y2026.also_requests | Y2021.also_requests | Y2019.also_requests,
)
