/// @file
/// Blokus as the Software-Challenge plays it: two seats, four colours, 21 polyominoes each.
///
/// The rules are in rules.md. Placements are found contact by contact: a contact is a free cell of
/// which a placement has to cover at least one, and covers.hpp answers at once how it can be done.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/game.hpp"
#include "core/random.hpp"
#include "pieces.hpp"

namespace spielleiter::blokus {

/// A placement or a pass, by its number (rules.md §3).
struct Move {
    std::uint16_t number = 0;  ///< orientation · 400 + cell; the last one is the pass

    /// One more than the largest code.
    static constexpr std::size_t codes = orientations * cells + 1;

    /// The move that places nothing.
    static constexpr Move pass() { return {static_cast<std::uint16_t>(codes - 1)}; }
    /// The inverse of `code`.
    static constexpr Move coded(std::uint32_t code) { return {static_cast<std::uint16_t>(code)}; }

    /// The same move.
    bool operator==(const Move&) const = default;
    /// A dense number below `codes`.
    std::uint32_t code() const { return number; }
    /// Whether it places nothing.
    bool is_pass() const { return *this == pass(); }
    /// How the piece is held, and on which cell its upper left corner lies; not of a pass.
    const Orientation& orientation() const { return all_orientations[number / cells]; }
    /// Where the upper left corner of the piece lies.
    std::size_t cell() const { return number % cells; }
    std::string turn() const;  ///< how the piece is held: `N` as in the table, `RF`; not of a pass
    std::string text() const;  ///< `PENTO_Y:R@a5`, or `pass`
};

/// What lies on a cell: a square of a colour.
struct Occupant {
    Colour colour = Colour::blue;  ///< of the piece

    static constexpr std::size_t codes = colours;  ///< one more than the largest code

    /// The same thing.
    bool operator==(const Occupant&) const = default;
    /// A dense number below `codes`.
    std::uint32_t code() const { return static_cast<std::uint32_t>(colour); }
    /// The inverse of `code`.
    static Occupant coded(std::uint32_t code) { return {all_colours[code]}; }
    /// Whose it is, if it is anybody's.
    std::optional<Seat> seat() const { return seat_of(colour); }
    /// As it is written in a position.
    char text() const { return "BYRG"[index_of(colour)]; }
};

/// In the order of the checks (rules.md §5).
enum class Mistake : std::uint8_t {
    game_over,
    colour_not_on_turn,
    passes_first_move,
    not_the_start_piece,
    already_placed,
    off_board,
    occupied,
    touches_own_edge,
    not_on_corner,
    not_on_edge,
    no_corner_contact,
};

/// What an edition and an authority decide (rules.md §6).
struct Rules {
    bool corners = false;  ///< 2021: the first piece covers a corner, and PENTO_X is never drawn
    bool server = false;   ///< as the official server judges, not as the document says

    /// The same edition by the same authority.
    bool operator==(const Rules&) const = default;
    /// Refuses names that do not exist.
    static Rules named(std::string_view edition, std::string_view authority);
    /// As `named` takes it.
    std::string_view edition() const { return corners ? "blokus-2021" : "blokus-2027"; }
    /// As `named` takes it.
    std::string_view authority() const { return server ? "server" : "document"; }

    /// After so many the game ends in any case.
    int turns() const { return server && !corners ? 96 : 100; }
    /// Whether a colour that has placed everything ends the game.
    bool finished_colour_ends_game() const { return !server; }
    /// Whether a colour may pass before its first piece.
    bool first_turn_may_pass() const { return !server; }
    /// Whether a piece may be drawn as start piece.
    bool may_start(std::size_t kind) const {
        return kind >= first_pentomino && !(corners && kind == pento_x);
    }
};

/// Cells as rows of bits: cell (x, y) is bit x of row y.
using Rows = std::array<std::uint32_t, side>;

/// How many cells these are.
inline int number_of_cells(const Rows& rows) {
    int sum = 0;
    for (const std::uint32_t row : rows) sum += std::popcount(row);
    return sum;
}

/// A moment of the game.
class Position {
  public:
    using Move = blokus::Move;          ///< as `GamePosition` asks
    using Mistake = blokus::Mistake;    ///< as `GamePosition` asks
    using Occupant = blokus::Occupant;  ///< what `at` finds on a cell
    using Rules = blokus::Rules;        ///< as `GamePosition` asks
    /// Room for the longest list of moves.
    using Moves = MoveList<Move, placements_on_board() + 1>;

    /// Numbers of the action space; see rules.md.
    static constexpr std::size_t actions = Move::codes;
    /// Planes, rows and columns of an observation; see rules.md.
    static constexpr std::array<std::size_t, 3> planes{101, side, side};
    /// Names and explanations, in the order of the checks.
    static constexpr std::array mistakes{
        MistakeEntry<Mistake>{Mistake::game_over, "GAME_OVER", "the game is over"},
        MistakeEntry<Mistake>{Mistake::colour_not_on_turn, "COLOUR_NOT_ON_TURN",
                              "it is another colour's turn"},
        MistakeEntry<Mistake>{Mistake::passes_first_move, "PASSES_FIRST_MOVE",
                              "the first move of a colour has to place a piece"},
        MistakeEntry<Mistake>{Mistake::not_the_start_piece, "NOT_THE_START_PIECE",
                              "the first piece of a colour has to be the drawn one"},
        MistakeEntry<Mistake>{Mistake::already_placed, "ALREADY_PLACED",
                              "the piece has been placed before"},
        MistakeEntry<Mistake>{Mistake::off_board, "OFF_BOARD",
                              "the piece does not lie wholly on the board"},
        MistakeEntry<Mistake>{Mistake::occupied, "OCCUPIED", "the piece would cover another one"},
        MistakeEntry<Mistake>{Mistake::touches_own_edge, "TOUCHES_OWN_EDGE",
                              "the piece lies beside a piece of its own colour"},
        MistakeEntry<Mistake>{Mistake::not_on_corner, "NOT_ON_CORNER",
                              "the first piece of a colour has to cover a corner of the board"},
        MistakeEntry<Mistake>{
            Mistake::not_on_edge, "NOT_ON_EDGE",
            "the first piece of a colour has to cover a field on the edge of the board"},
        MistakeEntry<Mistake>{Mistake::no_corner_contact, "NO_CORNER_CONTACT",
                              "the piece touches no piece of its own colour at a corner"}};

    Position();
    /// The first position of a game; the seed decides what is drawn.
    static Position start(std::uint64_t seed, std::string_view set_up, Rules rules);
    /// Reads what `text` writes; refuses with the place of the mistake.
    static Position parse(std::string_view text, Rules rules);

    /// Equal if the rest of the game is.
    bool operator==(const Position&) const = default;
    /// How many play.
    static std::size_t seats() { return 2; }
    /// By which the game is judged.
    Rules rules() const { return rules_; }
    /// Turns taken so far.
    int ply() const { return turn_; }
    int moves_left() const;  ///< about so many, of the seat to move
    /// Whose turn it is.
    Seat to_move() const { return turn_ % 2; }
    Colour colour() const { return all_colours[turn_ % colours]; }  ///< whose turn it is
    /// Whether a colour still gets a turn.
    bool is_in_play(Colour colour) const { return holds(in_play_, colour); }

    /// Placements by the first contact they cover and then by number; the pass comes last.
    Moves legal_moves() const;
    /// Quicker than to list them.
    std::uint64_t count_moves() const;
    /// Every legal *placement* is equally likely; a pass only where there is none, which no game
    /// leads to but a position made by hand may have.
    std::optional<Move> random_move(Random& random) const;
    /// Fills `drawn` with legal placements drawn like that, each on its own; false if there is
    /// none.
    bool draw(Random& random, std::span<Move> drawn) const;
    /// The first rule that a move breaks, or nothing.
    std::optional<Mistake> why_illegal(Move move) const;
    /// Makes a legal move; nothing is checked.
    void play(Move move);
    /// Quicker than to ask for the outcome.
    bool is_over() const;
    /// Ranks and reason once the game is over.
    std::optional<Outcome> outcome() const;
    /// The points of each seat at this moment.
    std::array<int, max_seats> scores() const;
    /// 64 bits for tables; equal positions have equal keys.
    std::uint64_t key() const;
    /// One line that `parse` reads back.
    std::string text() const;
    /// Reads what `Move::text` writes.
    static Move parse_move(std::string_view text);
    /// The number of a move in the action space.
    static Action action(Move move) { return move.number; }
    /// The inverse of `action`.
    static Move move_at(Action action) { return Move::coded(action); }
    /// Writes the planes as a seat sees them.
    void observe(std::uint8_t* planes_out, Seat viewer) const;

    /// Width of the board.
    static std::size_t columns() { return side; }
    /// Height of the board.
    static std::size_t rows() { return side; }
    /// What lies on a cell.
    std::optional<Occupant> at(Cell cell) const;
    /// The cells that a colour has covered.
    const Rows& squares(Colour colour) const { return squares_[colour]; }
    /// The pieces a colour has not placed, as a mask.
    std::uint32_t remaining(Colour colour) const { return remaining_[colour]; }
    /// The piece that every colour places first.
    std::size_t start_piece() const { return start_piece_; }
    /// Of one colour, as the rules count them.
    int points(Colour colour) const;

  private:
    bool is_first(Colour colour) const { return remaining_[colour] == all_pieces; }
    bool may_pass() const { return rules_.first_turn_may_pass() || !is_first(colour()); }
    std::uint32_t pieces(Colour colour) const;
    bool can_place(Colour colour) const;
    std::optional<Mistake> wrong_place(Move move) const;
    void place(Move move);
    void skip_colours_without_moves();
    std::uint64_t compute_piece_keys() const;

    friend struct PlacementMap;
    friend struct Survey;
    friend struct PolicyInput;
    friend struct ForecastInput;
    friend class Endgame;

    ByColour<Rows> squares_{};
    ByColour<std::uint32_t> remaining_{};  ///< bit i: piece i has not been placed
    std::uint64_t piece_keys_ = 0;         ///< keys of squares and remaining pieces
    std::uint8_t turn_ = 0;
    std::uint8_t start_piece_ = first_pentomino;
    ColourSet in_play_ = 0b1111;
    ColourSet mono_last_ = 0;  ///< those whose last piece was the monomino
    Rules rules_;
};

}  // namespace spielleiter::blokus
