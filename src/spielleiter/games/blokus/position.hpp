/// @file
/// Blokus as the Software-Challenge plays it: two seats, four colours, 21 polyominoes each.
///
/// The rules are in rules.md. Placements are found contact by contact: a contact is a free cell of
/// which a placement has to cover at least one, and covers.hpp answers at once how it can be done.
#pragma once

#include <array>
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
    std::uint16_t number = 0;

    static constexpr std::size_t codes = orientations * cells + 1;

    static constexpr Move pass() { return {static_cast<std::uint16_t>(codes - 1)}; }
    static constexpr Move coded(std::uint32_t code) { return {static_cast<std::uint16_t>(code)}; }

    bool operator==(const Move&) const = default;
    std::uint32_t code() const { return number; }
    bool is_pass() const { return *this == pass(); }
    /// How the piece is held, and on which cell its upper left corner lies; not of a pass.
    const Orientation& orientation() const { return all_orientations[number / cells]; }
    std::size_t cell() const { return number % cells; }
    std::string turn() const;  ///< how the piece is held: `N` as in the table, `RF`; not of a pass
    std::string text() const;  ///< `PENTO_Y:R@a5`, or `pass`
};

/// What lies on a cell: a square of a colour.
struct Occupant {
    std::uint8_t colour = 0;  ///< blue, yellow, red, green

    static constexpr std::size_t codes = colours;

    bool operator==(const Occupant&) const = default;
    std::uint32_t code() const { return colour; }
    static Occupant coded(std::uint32_t code) { return {static_cast<std::uint8_t>(code)}; }
    std::optional<Seat> seat() const { return static_cast<Seat>(colour % 2U); }
    char text() const { return "BYRG"[colour]; }
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

    bool operator==(const Rules&) const = default;
    static Rules named(std::string_view edition, std::string_view authority);
    std::string_view edition() const { return corners ? "blokus-2021" : "blokus-2027"; }
    std::string_view authority() const { return server ? "server" : "document"; }

    int turns() const { return server && !corners ? 96 : 100; }
    bool finished_colour_ends_game() const { return !server; }
    bool first_turn_may_pass() const { return !server; }
    bool may_start(std::size_t kind) const {
        return kind >= first_pentomino && !(corners && kind == pento_x);
    }
};

/// Cells as rows of bits: cell (x, y) is bit x of row y.
using Rows = std::array<std::uint32_t, side>;

class Position {
  public:
    using Move = blokus::Move;
    using Mistake = blokus::Mistake;
    using Occupant = blokus::Occupant;
    using Rules = blokus::Rules;
    using Moves = MoveList<Move, placements_on_board() + 1>;

    static constexpr std::size_t actions = Move::codes;
    static constexpr std::array<std::size_t, 3> planes{101, side, side};
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
    static Position start(std::uint64_t seed, std::string_view set_up, Rules rules);
    static Position parse(std::string_view text, Rules rules);

    bool operator==(const Position&) const = default;
    static std::size_t seats() { return 2; }
    Rules rules() const { return rules_; }
    int ply() const { return turn_; }
    int moves_left() const;  ///< about so many, of the seat to move
    Seat to_move() const { return turn_ % 2; }
    std::size_t colour() const { return turn_ % colours; }  ///< blue, yellow, red, green
    bool is_in_play(std::size_t colour) const { return (in_play_ >> colour & 1U) != 0; }

    /// Placements by the first contact they cover and then by number; the pass comes last.
    Moves legal_moves() const;
    std::uint64_t count_moves() const;
    /// Every legal *placement* is equally likely; a pass only where there is none, which no game
    /// leads to but a position made by hand may have.
    std::optional<Move> random_move(Random& random) const;
    /// Fills `drawn` with legal placements drawn like that, each on its own; false if there is
    /// none.
    bool draw(Random& random, std::span<Move> drawn) const;
    std::optional<Mistake> why_illegal(Move move) const;
    void play(Move move);
    bool is_over() const;
    std::optional<Outcome> outcome() const;
    std::array<int, max_seats> scores() const;
    std::uint64_t key() const;
    std::string text() const;
    static Move parse_move(std::string_view text);
    static Action action(Move move) { return move.number; }
    static Move move_at(Action action) { return Move::coded(action); }
    void observe(std::uint8_t* planes_out) const;

    static std::size_t columns() { return side; }
    static std::size_t rows() { return side; }
    std::optional<Occupant> at(Cell cell) const;
    const Rows& squares(std::size_t colour) const { return squares_[colour]; }
    std::uint32_t remaining(std::size_t colour) const { return remaining_[colour]; }
    std::size_t start_piece() const { return start_piece_; }
    int points(std::size_t colour) const;

  private:
    bool is_first(std::size_t colour) const { return remaining_[colour] == all_pieces; }
    bool may_pass() const { return rules_.first_turn_may_pass() || !is_first(colour()); }
    std::uint32_t pieces(std::size_t colour) const;
    bool can_place(std::size_t colour) const;
    std::optional<Mistake> wrong_place(Move move) const;
    void place(Move move);
    void pass_over_stuck_colours();
    std::uint64_t count_things() const;

    friend struct Ground;
    friend struct Survey;
    friend struct Sight;
    friend struct Prospect;
    friend class Endgame;

    std::array<Rows, colours> squares_{};
    std::array<std::uint32_t, colours> remaining_{};  ///< bit i: piece i has not been placed
    std::uint64_t things_ = 0;                        ///< keys of squares and remaining pieces
    std::uint8_t turn_ = 0;
    std::uint8_t start_piece_ = first_pentomino;
    std::uint8_t in_play_ = 0b1111;  ///< bit per colour
    std::uint8_t mono_last_ = 0;     ///< bit per colour
    Rules rules_;
};

}  // namespace spielleiter::blokus
