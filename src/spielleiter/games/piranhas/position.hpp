/// @file
/// Piranhas: fish on 10 × 10 fields gather their swarm. The rules are in rules.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bits.hpp"
#include "core/game.hpp"
#include "core/random.hpp"
#include "lines.hpp"

namespace spielleiter {
class Cursor;
}

namespace spielleiter::piranhas {

/// A set of fields with a guard column, so that neighbours never wrap: bit 11·y + x.
using Board = Bits<2>;
/// Bits from a row to the next: ten fields and the guard.
inline constexpr std::size_t stride = 11;
/// The bit of a field.
constexpr std::size_t bit_of(Square square) { return number_of(square) + number_of(square) / side; }
/// The field of a bit.
constexpr Square square_of(std::size_t bit) { return numbered(bit - bit / stride); }

/// The fields next to a set in all eight directions, and the set itself.
constexpr Board with_neighbours(const Board& board) {
    const Board wide = board | board.up<1>() | board.down<1>();
    return wide | wide.up<stride>() | wide.down<stride>();
}

inline constexpr int last_ply = 60;  ///< 30 rounds

/// A season, or its first document.
enum class Edition : std::uint8_t { draft_2019, season_2019, season_2026 };

/// Which rules judge the ends; the moves are the same everywhere.
struct Rules {
    Edition season = Edition::season_2026;  ///< which of them
    bool as_server = false;                 ///< by the official server, not by the document

    /// The same edition by the same authority.
    bool operator==(const Rules&) const = default;
    /// Refuses names that do not exist.
    static Rules named(std::string_view edition, std::string_view authority);
    /// As `named` takes it.
    std::string_view edition() const;
    /// As `named` takes it.
    std::string_view authority() const { return as_server ? "server" : "document"; }
    /// Whether swarms are measured by weight, not by number.
    bool weighs() const { return season == Edition::season_2026; }
};

/// A fish, the direction it swims and how far. The distance belongs to the move so that it can be
/// written as `A4-C4`; it must equal the number of fish on the line.
struct Move {
    Square from{};                        ///< where the fish is
    Direction direction = Direction::up;  ///< where it swims
    std::uint8_t distance = 0;            ///< how far it swims

    /// One more than the largest code.
    static constexpr std::size_t codes = squares * directions * 11;

    /// The same move.
    bool operator==(const Move&) const = default;
    /// A dense number below `codes`.
    std::uint32_t code() const {
        const auto number = static_cast<std::uint32_t>(from);
        return (number * 8U + static_cast<std::uint32_t>(direction)) * 11U + distance;
    }
    /// The inverse of `code`.
    static Move coded(std::uint32_t code);
    std::optional<Square> target() const;  ///< nothing if it leaves the board
    /// As people write it; see rules.md.
    std::string text() const;
};
std::string_view name_of(Direction direction);  ///< `up-right`

/// The same field by column and row.
constexpr Cell cell_of(Square square) {
    return {static_cast<std::uint8_t>(column_of(square)),
            static_cast<std::uint8_t>(row_of(square))};
}

/// What lies on a field: a fish of a seat and its weight, or an octopus.
struct Occupant {
    std::uint8_t weight = 0;  ///< 1 to 3; 0 of an octopus
    Seat owner = 0;           ///< the seat of a fish

    static constexpr std::size_t codes = 7;  ///< one more than the largest code

    /// The same thing.
    bool operator==(const Occupant&) const = default;
    /// A dense number below `codes`.
    std::uint32_t code() const { return weight == 0 ? 6U : owner * 3U + weight - 1U; }
    /// The inverse of `code`.
    static Occupant coded(std::uint32_t code) {
        if (code == 6) return {};
        return {static_cast<std::uint8_t>(code % 3 + 1), static_cast<Seat>(code / 3)};
    }
    /// Belongs to nobody.
    bool is_octopus() const { return weight == 0; }
    /// Whose it is, if it is anybody's.
    std::optional<Seat> seat() const {
        return is_octopus() ? std::nullopt : std::optional<Seat>(owner);
    }
    /// As it is written in a position.
    char text() const { return "abcABC#"[code()]; }
};

/// In the order of the checks.
enum class Mistake : std::uint8_t {
    wrong_start,
    wrong_distance,
    out_of_bounds,
    jump_over_opponent,
    blocked,
    blocked_by_self,
    game_over,
};

/// A moment of the game.
class Position {
  public:
    using Move = piranhas::Move;                         ///< as `GamePosition` asks
    using Mistake = piranhas::Mistake;                   ///< in the order of the checks
    using Occupant = piranhas::Occupant;                 ///< what `at` finds on a cell
    using Rules = piranhas::Rules;                       ///< as `GamePosition` asks
    using Moves = MoveList<Move, squares * directions>;  ///< room for the longest list of moves

    /// Numbers of the action space; see rules.md.
    static constexpr std::size_t actions = squares * directions;
    /// Planes, rows and columns of an observation; see rules.md.
    static constexpr std::array<std::size_t, 3> planes{9, 10, 10};
    /// Names and explanations, in the order of the checks.
    static constexpr std::array mistakes{
        MistakeEntry<Mistake>{Mistake::wrong_start, "WRONG_START",
                              "no own fish is on the start field"},
        MistakeEntry<Mistake>{Mistake::wrong_distance, "WRONG_DISTANCE",
                              "a fish swims exactly as far as there are fish on its line"},
        MistakeEntry<Mistake>{Mistake::out_of_bounds, "DESTINATION_OUT_OF_BOUNDS",
                              "the target is off the board"},
        MistakeEntry<Mistake>{Mistake::jump_over_opponent, "JUMP_OVER_OPPONENT",
                              "an opponent's fish bars the way"},
        MistakeEntry<Mistake>{Mistake::blocked, "DESTINATION_BLOCKED", "the target is an octopus"},
        MistakeEntry<Mistake>{Mistake::blocked_by_self, "DESTINATION_BLOCKED_BY_SELF",
                              "the target is an own fish"},
        MistakeEntry<Mistake>{Mistake::game_over, "GAME_OVER", "the game is over"}};

    /// The first position of a game; the seed decides what is drawn.
    static Position start(std::uint64_t seed, std::string_view set_up, Rules rules);
    /// Reads what `text` writes; refuses with the place of the mistake.
    static Position parse(std::string_view text, Rules rules);

    /// Equal if the rest of the game is.
    bool operator==(const Position& other) const;
    /// How many play.
    static std::size_t seats() { return 2; }
    /// By which the game is judged.
    Rules rules() const { return rules_; }
    /// Turns taken so far.
    int ply() const { return ply_; }
    int moves_left() const { return std::max(1, (last_ply - ply_ + 1) / 2); }  ///< of the mover
    /// Whose turn it is.
    Seat to_move() const { return ply_ & 1U; }
    /// All of them, in a fixed order; the game must not be over.
    Moves legal_moves() const;
    /// The first rule that a move breaks, or nothing.
    std::optional<Mistake> why_illegal(Move move) const;
    /// Makes a legal move; nothing is checked.
    void play(Move move);
    /// Ranks and reason once the game is over.
    std::optional<Outcome> outcome() const;
    /// The points of each seat at this moment.
    std::array<int, max_seats> scores() const;
    /// 64 bits for tables; equal positions have equal keys.
    std::uint64_t key() const { return key_; }
    /// One line that `parse` reads back.
    std::string text() const;
    /// Reads what `Move::text` writes.
    Move parse_move(std::string_view text) const;
    /// The number of a move in the action space.
    static Action action(Move move) {
        return static_cast<Action>(number_of(move.from) * directions) +
               static_cast<Action>(move.direction);
    }
    /// The inverse of `action`.
    Move move_at(Action action) const;
    /// Writes the planes as a seat sees them.
    void observe(std::uint8_t* planes_out, Seat viewer) const;

    /// Quicker than to ask for the outcome.
    bool is_over() const { return decided() || (judges_blocking() && !can_move()); }
    /// Over by the limit or by a swarm, not because a side cannot move.
    bool decided() const {
        return ply_ >= last_ply || (ply_ % 2 == 0 && union_ends(fish_, whole_));
    }
    /// Quicker than to list them.
    int count_moves() const;
    std::uint64_t count_replies() const;
    std::optional<Move> random_move(Random& random) const;

    /// Weight (2026) or size (2019) of the largest swarm of a side; 0 without fish.
    int largest_swarm(Seat seat) const;
    /// Whether all fish of a side are one swarm, as the rules in force see it.
    bool is_whole(Seat seat) const { return whole_[seat]; }

    /// Rows are numbered from 0.
    static constexpr int first_row = 0;
    /// Width of the board.
    static std::size_t columns() { return side; }
    /// Height of the board.
    static std::size_t rows() { return side; }
    /// What lies on a cell.
    std::optional<Occupant> at(Cell cell) const;
    /// The fish of a side that touch each other, group by group.
    std::vector<Board> swarms(Seat seat) const;

    /// The fields with fish of a seat.
    const Board& fish(Seat seat) const { return fish_[seat]; }
    /// The fields on which nothing can land.
    const Board& octopuses() const { return octopuses_; }
    /// 1 to 3; the field must hold a fish.
    int weight(Square square) const {
        return 1 + medium_or_large_.test(bit_of(square)) + large_.test(bit_of(square));
    }
    /// The seat that was whole first, where that decides.
    std::optional<Seat> union_credit() const;

  private:
    void put(Square square, Seat seat, int weight);
    void put_octopus(Square square);
    void lift(Square square, Seat seat);
    void draw_fish(Random& random);
    void draw_octopuses(Random& random);
    LineBits land(std::size_t line, Seat seat) const {
        return static_cast<LineBits>(on_board[line] & ~(lines_[seat][line] | octopus_lines_[line]));
    }
    std::uint8_t distance(Square from, Direction direction) const;
    bool can_move() const;
    bool whole(const Board& fish) const;
    bool unites(Square from, Square to, bool takes) const;
    bool union_ends(const std::array<Board, 2>& fish, const std::array<bool, 2>& wholes) const;
    /// The server of 2019 has no rule for a side that cannot move.
    bool judges_blocking() const { return !rules_.as_server || rules_.weighs(); }
    int weigh(const Board& swarm) const;
    void give_credit(Seat mover);
    Outcome judged_by_swarms() const;
    void read_square(Cursor& cursor, Square square);
    void read_counters(Cursor& cursor);
    void set_counters(int ply, std::uint8_t credit);

    std::array<std::array<LineBits, line_count>, 2> lines_{};
    std::array<LineBits, line_count> octopus_lines_{};
    std::array<Board, 2> fish_{};
    Board medium_or_large_{};
    Board large_{};
    Board octopuses_{};
    std::uint64_t key_ = 0;
    std::array<bool, 2> whole_{};  ///< follows from `fish_`
    std::uint8_t ply_ = 0;
    std::uint8_t credit_ = no_credit;
    Rules rules_{};

    static constexpr std::uint8_t no_credit = 2;
};

}  // namespace spielleiter::piranhas
