/// @file
/// Nim: three heaps, take any number from one; who takes the last one wins.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/game.hpp"

namespace spielleiter::nim {

inline constexpr std::size_t heaps = 3;    ///< on the table
inline constexpr std::size_t largest = 9;  ///< matches of a heap at most

/// Some matches taken from one heap.
struct Move {
    std::uint8_t heap = 0;   ///< 0 … 2
    std::uint8_t taken = 1;  ///< 1 … 9

    static constexpr std::size_t codes = heaps * largest;  ///< one more than the largest code

    /// The same move.
    bool operator==(const Move&) const = default;
    /// A dense number below `codes`.
    std::uint32_t code() const { return static_cast<std::uint32_t>(heap * largest + taken - 1U); }
    /// The inverse of `code`.
    static Move coded(std::uint32_t code);
    std::string text() const;  ///< `A3`: three from the first heap
};

/// Why a move is illegal.
enum class Mistake : std::uint8_t { not_enough, game_over };

/// What lies on a cell: a stone, which belongs to nobody.
struct Occupant {
    static constexpr std::size_t codes = 1;  ///< one more than the largest code

    /// The same thing.
    bool operator==(const Occupant&) const = default;
    /// A dense number below `codes`.
    static std::uint32_t code() { return 0; }
    /// The inverse of `code`.
    static Occupant coded(std::uint32_t) { return {}; }
    /// Whose it is, if it is anybody's.
    static std::optional<Seat> seat() { return std::nullopt; }
    /// As it is written in a position.
    static char text() { return 'o'; }
};

/// Both authorities judge alike; a position only remembers by whom it is judged.
struct Rules {
    bool as_server = false;  ///< by the official server, not by the document

    /// The same edition by the same authority.
    bool operator==(const Rules&) const = default;
    /// Refuses names that do not exist.
    static Rules named(std::string_view edition, std::string_view authority);
    /// As `named` takes it.
    static std::string_view edition() { return "nim"; }
    /// As `named` takes it.
    std::string_view authority() const { return as_server ? "server" : "document"; }
};

/// The three heaps and whose turn it is.
class Position {
  public:
    using Move = nim::Move;                         ///< some matches taken from one heap
    using Mistake = nim::Mistake;                   ///< why a move is illegal
    using Occupant = nim::Occupant;                 ///< what `at` finds on a cell
    using Rules = nim::Rules;                       ///< as `GamePosition` asks
    using Moves = MoveList<Move, heaps * largest>;  ///< room for the longest list of moves

    /// Numbers of the action space; see rules.md.
    static constexpr std::size_t actions = Move::codes;
    /// Planes, rows and columns of an observation; see rules.md.
    static constexpr std::array<std::size_t, 3> planes{1, 1, heaps};
    /// Names and explanations, in the order of the checks.
    static constexpr std::array mistakes{
        MistakeEntry<Mistake>{Mistake::not_enough, "NOT_ENOUGH",
                              "the heap does not hold that many"},
        MistakeEntry<Mistake>{Mistake::game_over, "GAME_OVER", "the game is over"}};

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
    int ply() const { return ply_; }
    /// Whose turn it is.
    Seat to_move() const { return ply_ % 2; }
    /// All of them, in a fixed order; the game must not be over.
    Moves legal_moves() const;
    /// The first rule that a move breaks, or nothing.
    std::optional<Mistake> why_illegal(Move move) const;
    /// Makes a legal move; nothing is checked.
    void play(Move move);
    /// Ranks and reason once the game is over.
    std::optional<Outcome> outcome() const;
    /// The points of each seat at this moment.
    static std::array<int, max_seats> scores() { return {}; }
    /// 64 bits for tables; equal positions have equal keys.
    std::uint64_t key() const;
    std::string text() const;  ///< the heaps and the ply: `3/4/5 0`
    /// Reads what `Move::text` writes.
    static Move parse_move(std::string_view text);
    /// The number of a move in the action space.
    static Action action(Move move) { return move.code(); }
    /// The inverse of `action`.
    static Move move_at(Action action) { return Move::coded(action); }
    /// Writes the planes as a seat sees them.
    void observe(std::uint8_t* planes_out, Seat viewer) const;

    /// A heap is a column; its lowest stone lies in row 0.
    static std::size_t columns() { return heaps; }
    /// Height of the board.
    static std::size_t rows() { return largest; }
    /// What lies on a cell.
    std::optional<Occupant> at(Cell cell) const {
        return cell.y < heaps_[cell.x] ? std::optional(Occupant{}) : std::nullopt;
    }
    /// Matches left on each heap.
    const std::array<std::uint8_t, heaps>& sizes() const { return heaps_; }

  private:
    std::array<std::uint8_t, heaps> heaps_{};
    std::uint8_t ply_ = 0;
    Rules rules_{};
};

}  // namespace spielleiter::nim
