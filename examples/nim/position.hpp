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

inline constexpr std::size_t heaps = 3;
inline constexpr std::size_t largest = 9;

struct Move {
    std::uint8_t heap = 0;   ///< 0 … 2
    std::uint8_t taken = 1;  ///< 1 … 9

    static constexpr std::size_t codes = heaps * largest;

    bool operator==(const Move&) const = default;
    std::uint32_t code() const { return static_cast<std::uint32_t>(heap * largest + taken - 1U); }
    static Move coded(std::uint32_t code);
    std::string text() const;  ///< `A3`: three from the first heap
};

enum class Mistake : std::uint8_t { not_enough, game_over };

/// What lies on a cell: a stone, which belongs to nobody.
struct Occupant {
    static constexpr std::size_t codes = 1;

    bool operator==(const Occupant&) const = default;
    static std::uint32_t code() { return 0; }
    static Occupant coded(std::uint32_t) { return {}; }
    static std::optional<Seat> seat() { return std::nullopt; }
    static char text() { return 'o'; }
};

/// Both authorities judge alike; a position only remembers by whom it is judged.
struct Rules {
    bool as_server = false;

    bool operator==(const Rules&) const = default;
    static Rules named(std::string_view edition, std::string_view authority);
    static std::string_view edition() { return "nim"; }
    std::string_view authority() const { return as_server ? "server" : "document"; }
};

class Position {
  public:
    using Move = nim::Move;
    using Mistake = nim::Mistake;
    using Occupant = nim::Occupant;
    using Rules = nim::Rules;
    using Moves = MoveList<Move, heaps * largest>;

    static constexpr std::size_t actions = Move::codes;
    static constexpr std::array<std::size_t, 3> planes{1, 1, heaps};
    static constexpr std::array mistakes{
        MistakeEntry<Mistake>{Mistake::not_enough, "NOT_ENOUGH",
                              "the heap does not hold that many"},
        MistakeEntry<Mistake>{Mistake::game_over, "GAME_OVER", "the game is over"}};

    static Position start(std::uint64_t seed, std::string_view set_up, Rules rules);
    static Position parse(std::string_view text, Rules rules);

    bool operator==(const Position&) const = default;
    static std::size_t seats() { return 2; }
    Rules rules() const { return rules_; }
    int ply() const { return ply_; }
    Seat to_move() const { return ply_ % 2; }
    Moves legal_moves() const;
    std::optional<Mistake> why_illegal(Move move) const;
    void play(Move move);
    std::optional<Outcome> outcome() const;
    static std::array<int, max_seats> scores() { return {}; }
    std::uint64_t key() const;
    std::string text() const;  ///< the heaps and the ply: `3/4/5 0`
    static Move parse_move(std::string_view text);
    static Action action(Move move) { return move.code(); }
    static Move move_at(Action action) { return Move::coded(action); }
    void observe(std::uint8_t* planes_out) const;

    /// A heap is a column; its lowest stone lies in row 0.
    static std::size_t columns() { return heaps; }
    static std::size_t rows() { return largest; }
    std::optional<Occupant> at(Cell cell) const {
        return cell.y < heaps_[cell.x] ? std::optional(Occupant{}) : std::nullopt;
    }
    const std::array<std::uint8_t, heaps>& sizes() const { return heaps_; }

  private:
    std::array<std::uint8_t, heaps> heaps_{};
    std::uint8_t ply_ = 0;
    Rules rules_{};
};

}  // namespace spielleiter::nim
