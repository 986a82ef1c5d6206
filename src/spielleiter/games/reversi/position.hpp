/// @file
/// Reversi for two to four players on any map up to 15 × 15: the position behind the contract.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "board.hpp"
#include "core/game.hpp"
#include "core/random.hpp"

namespace spielleiter::reversi {

inline constexpr std::size_t largest_side = 15;

/// A stone set on one cell; x counts columns from the left, y rows from the top.
struct Move {
    std::uint8_t x = 0;
    std::uint8_t y = 0;

    static constexpr std::size_t codes = largest_side * largest_side;

    bool operator==(const Move&) const = default;
    std::uint32_t code() const { return static_cast<std::uint32_t>(y * largest_side + x); }
    static Move coded(std::uint32_t code);
    std::string text() const;  ///< `d3`: column d, third row from the top

    template <class Lattice>
    static Move on(const Board<Lattice>&, std::size_t cell) {
        return {static_cast<std::uint8_t>(cell % Lattice::stride),
                static_cast<std::uint8_t>(cell / Lattice::stride)};
    }
    template <class Lattice>
    std::size_t cell(const Board<Lattice>& board) const {
        return board.cell(x, y);
    }
};

/// What lies on a cell: a stone of a seat.
struct Occupant {
    Seat owner = 0;

    static constexpr std::size_t codes = max_seats;

    bool operator==(const Occupant&) const = default;
    std::uint32_t code() const { return owner; }
    static Occupant coded(std::uint32_t code) { return {static_cast<Seat>(code)}; }
    std::optional<Seat> seat() const { return owner; }
    char text() const { return static_cast<char>('1' + owner); }
};

enum class Mistake : std::uint8_t { off_board, hole, occupied, takes_nothing, game_over };

/// The document and the course's server judge alike; which one was asked for is only remembered.
struct Rules {
    bool by_server = false;

    bool operator==(const Rules&) const = default;
    static Rules named(std::string_view edition, std::string_view authority);
    static std::string_view edition() { return "reversi"; }
    std::string_view authority() const { return by_server ? "server" : "document"; }
};

class Position {
  public:
    using Move = reversi::Move;
    using Mistake = reversi::Mistake;
    using Occupant = reversi::Occupant;
    using Rules = reversi::Rules;
    using Moves = MoveList<Move, Move::codes>;

    static constexpr std::size_t actions = Move::codes;
    /// Own stones, those of the next three in turn, cells that do not exist, legal moves, stones of
    /// disqualified players (rules.md, "For learners").
    static constexpr std::array<std::size_t, 3> planes{7, largest_side, largest_side};
    static constexpr std::array mistakes{
        MistakeEntry<Mistake>{Mistake::off_board, "OFF_BOARD", "the cell is off the board"},
        MistakeEntry<Mistake>{Mistake::hole, "HOLE", "the cell is a hole"},
        MistakeEntry<Mistake>{Mistake::occupied, "OCCUPIED", "a stone lies on the cell"},
        MistakeEntry<Mistake>{Mistake::takes_nothing, "TAKES_NOTHING",
                              "the stone would take no other stone"},
        MistakeEntry<Mistake>{Mistake::game_over, "GAME_OVER", "the game is over"}};

    /// The set-up is a position text, as `parse` reads it; nothing is drawn by lot.
    static Position start(std::uint64_t seed, std::string_view set_up, Rules rules);
    static Position parse(std::string_view text, Rules rules);

    /// How many moves led here is no part of a position, and not of its text either.
    bool operator==(const Position& other) const {
        return board_ == other.board_ && rules_ == other.rules_;
    }
    std::size_t seats() const;
    Rules rules() const { return rules_; }
    int ply() const;         ///< moves made since the position was set up or read
    int moves_left() const;  ///< about so many, of the seat to move
    Seat to_move() const;
    Moves legal_moves() const;
    std::optional<Mistake> why_illegal(Move move) const;
    void play(Move move);
    void disqualify(Seat seat);
    bool is_over() const;
    std::optional<Outcome> outcome() const;
    std::array<int, max_seats> scores() const;
    std::uint64_t key() const;
    std::string text() const;
    static Move parse_move(std::string_view text);
    static Action action(Move move) { return move.code(); }
    static Move move_at(Action action) { return Move::coded(action); }
    void observe(std::uint8_t* planes_out) const;
    void write_mask(std::uint8_t* mask_out) const;

    std::size_t columns() const;
    std::size_t rows() const;
    bool has_cell(Cell cell) const;  ///< it is no hole
    std::optional<Occupant> at(Cell cell) const;
    bool is_disqualified(Seat seat) const;

    /// What search works on.
    const std::variant<Board<Small>, Board<Large>>& board() const { return board_; }

    std::uint64_t count_moves() const;
    std::uint64_t count_replies() const;
    std::optional<Move> random_move(Random& random) const;

    /// Perft as the published tables of Othello count it: a player who cannot move while another
    /// can passes, and that is a ply; a game that is over counts once however deep one looks.
    /// `pause` is called now and then and may throw to stop.
    std::uint64_t perft_with_passes(int depth, const std::function<void()>& pause = {}) const;

  private:
    std::variant<Board<Small>, Board<Large>> board_;
    Rules rules_;
    std::uint8_t first_stones_ = 0;  ///< on the board at ply 0; every move adds one
};

// What random games and perft call at every node stands here, to be inlined.

inline bool Position::is_over() const {
    return std::visit([](const auto& board) { return board.legal.none(); }, board_);
}

inline void Position::play(Move move) {
    std::visit([&](auto& board) { board.play(move.cell(board)); }, board_);
}

inline std::uint64_t Position::count_moves() const {
    return std::visit(
        [](const auto& board) { return static_cast<std::uint64_t>(board.legal.count()); }, board_);
}

inline std::optional<Move> Position::random_move(Random& random) const {
    return std::visit(
        [&](const auto& board) -> std::optional<Move> {
            const auto choices = static_cast<std::uint32_t>(board.legal.count());
            if (choices == 0) return std::nullopt;
            return Move::on(board, board.legal.nth(random.below(choices)));
        },
        board_);
}

}  // namespace spielleiter::reversi
