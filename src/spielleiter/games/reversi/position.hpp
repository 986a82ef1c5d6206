/// @file
/// Reversi for two to four players on any map up to 15 × 15: the position behind the contract.
#pragma once

#include <algorithm>
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
#include "observation.hpp"

namespace spielleiter::reversi {

/// A stone set on one cell; x counts columns from the left, y rows from the top.
struct Move {
    std::uint8_t x = 0;  ///< column, from the left
    std::uint8_t y = 0;  ///< row, from the top

    /// One more than the largest code.
    static constexpr std::size_t codes = largest_side * largest_side;

    /// The same move.
    bool operator==(const Move&) const = default;
    /// A dense number below `codes`.
    std::uint32_t code() const { return static_cast<std::uint32_t>(y * largest_side + x); }
    /// The inverse of `code`.
    static Move coded(std::uint32_t code);
    std::string text() const;  ///< `d3`: column d, third row from the top

    /// The move to a cell of a board.
    template <class Layout>
    static Move on(const Board<Layout>&, std::size_t cell) {
        return {static_cast<std::uint8_t>(cell % Layout::stride),
                static_cast<std::uint8_t>(cell / Layout::stride)};
    }
    /// Its bit on a board.
    template <class Layout>
    std::size_t cell(const Board<Layout>& board) const {
        return board.cell(x, y);
    }
};

/// What lies on a cell: a stone of a seat.
struct Occupant {
    Seat owner = 0;  ///< the seat, where it has one

    static constexpr std::size_t codes = max_seats;  ///< one more than the largest code

    /// The same thing.
    bool operator==(const Occupant&) const = default;
    /// A dense number below `codes`.
    std::uint32_t code() const { return owner; }
    /// The inverse of `code`.
    static Occupant coded(std::uint32_t code) { return {static_cast<Seat>(code)}; }
    /// Whose it is, if it is anybody's.
    std::optional<Seat> seat() const { return owner; }
    /// As it is written in a position.
    char text() const { return static_cast<char>('1' + owner); }
};

/// In the order of the checks.
enum class Mistake : std::uint8_t { off_board, hole, occupied, takes_nothing, game_over };

/// The document and the course's server judge alike; which one was asked for is only remembered.
struct Rules {
    bool by_server = false;  ///< by the course's server, not by the sheet

    /// The same edition by the same authority.
    bool operator==(const Rules&) const = default;
    /// Refuses names that do not exist.
    static Rules named(std::string_view edition, std::string_view authority);
    /// As `named` takes it.
    static std::string_view edition() { return "reversi"; }
    /// As `named` takes it.
    std::string_view authority() const { return by_server ? "server" : "document"; }
};

/// A moment of the game on any map.
class Position {
  public:
    using Move = reversi::Move;                 ///< as `GamePosition` asks
    using Mistake = reversi::Mistake;           ///< as `GamePosition` asks
    using Occupant = reversi::Occupant;         ///< what `at` finds on a cell
    using Rules = reversi::Rules;               ///< as `GamePosition` asks
    using Moves = MoveList<Move, Move::codes>;  ///< room for the longest list of moves

    /// Numbers of the action space; see rules.md.
    static constexpr std::size_t actions = Move::codes;
    /// Own stones, those of the next three in turn, cells that do not exist, legal moves, stones of
    /// disqualified players (rules.md, "For learners").
    static constexpr std::array<std::size_t, 3> planes{7, largest_side, largest_side};
    /// Nothing is drawn by lot.
    static constexpr bool starts_alike = true;
    /// Names and explanations, in the order of the checks.
    static constexpr std::array mistakes{
        MistakeEntry<Mistake>{Mistake::off_board, "OFF_BOARD", "the cell is off the board"},
        MistakeEntry<Mistake>{Mistake::hole, "HOLE", "the cell is a hole"},
        MistakeEntry<Mistake>{Mistake::occupied, "OCCUPIED", "a stone lies on the cell"},
        MistakeEntry<Mistake>{Mistake::takes_nothing, "TAKES_NOTHING",
                              "the stone would take no other stone"},
        MistakeEntry<Mistake>{Mistake::game_over, "GAME_OVER", "the game is over"}};

    /// The set-up is a position text, as `parse` reads it; nothing is drawn by lot.
    static Position start(std::uint64_t seed, std::string_view set_up, Rules rules);
    /// Reads what `text` writes; refuses with the place of the mistake.
    static Position parse(std::string_view text, Rules rules);

    /// How many moves led here is no part of a position, and not of its text either.
    bool operator==(const Position& other) const {
        return board_ == other.board_ && rules_ == other.rules_;
    }
    /// How many play.
    std::size_t seats() const;
    /// By which the game is judged.
    Rules rules() const { return rules_; }
    int ply() const;         ///< moves made since the position was set up or read
    int moves_left() const;  ///< about so many, of the seat to move
    /// Whose turn it is.
    Seat to_move() const;
    /// All of them, in a fixed order; the game must not be over.
    Moves legal_moves() const;
    /// The first rule that a move breaks, or nothing.
    std::optional<Mistake> why_illegal(Move move) const;
    /// Makes a legal move; nothing is checked.
    void play(Move move);
    /// The stones that a move takes, as the board has them: on a small one in the first word only,
    /// the others are never looked at.
    struct Effect {
        std::array<std::uint64_t, 4> taken;  ///< cells as bits
    };
    /// The first half of `play`.
    void find_effect(Move move, Effect& effect) const;
    /// The second half.
    void play(Move move, const Effect& effect);
    /// The game goes on without that seat.
    void disqualify(Seat seat);
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
    static Move parse_move(std::string_view text);
    /// The number of a move in the action space.
    static Action action(Move move) { return move.code(); }
    /// The inverse of `action`.
    static Move move_at(Action action) { return Move::coded(action); }
    /// Writes the planes as a seat sees them.
    void observe(std::uint8_t* planes_out, Seat viewer) const;
    /// 1 for every legal action, 0 for the others.
    void write_mask(std::uint8_t* mask_out) const;
    /// As `observe`, where an earlier position of this game is written already: holes, seats that
    /// are not there and cells beyond the board stay as they are.
    void rewrite_planes(std::uint8_t* planes_out, Seat viewer) const;
    /// As `observe`, without the cells beyond the map: planes × rows × columns of the map.
    void observe_board(std::uint8_t* planes_out, Seat viewer) const;
    /// As `observe_board`, where an earlier position of this game is written already.
    void rewrite_board(std::uint8_t* planes_out, Seat viewer) const;
    /// As `observe`, with the cells of a row as bits of a number: planes × rows.
    void observe_bits(PlaneRow* rows_out, Seat viewer) const;
    /// As `observe_bits`, where an earlier position of this game is written already.
    void rewrite_bits(PlaneRow* rows_out, Seat viewer) const;
    /// As `write_mask`, where an earlier mask of this game is written already.
    void rewrite_mask(std::uint8_t* mask_out) const;

    /// Width of the board.
    std::size_t columns() const;
    /// Height of the board.
    std::size_t rows() const;
    bool has_cell(Cell cell) const;  ///< it is no hole
    /// What lies on a cell.
    std::optional<Occupant> at(Cell cell) const;
    /// Whether a seat has been excluded.
    bool is_disqualified(Seat seat) const;

    /// What search works on.
    const std::variant<Board<Small>, Board<Large>>& board() const { return board_; }

    /// Quicker than to list them.
    std::uint64_t count_moves() const;
    /// Sum over all moves of the answers to them: perft(2).
    std::uint64_t count_replies() const;
    /// Every legal move equally likely, without a list.
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

// What random games, perft and batches call at every node stands here, to be inlined.

/// As `std::visit`, which compilers do not inline in large modules.
template <class Visitor, class Boards>
SPIELLEITER_FORCE_INLINE decltype(auto) visit_board(Visitor&& visitor, Boards& boards) {
    if (auto* small = std::get_if<Board<Small>>(&boards)) return visitor(*small);
    return visitor(*std::get_if<Board<Large>>(&boards));
}

inline Move Move::coded(std::uint32_t code) {
    return {static_cast<std::uint8_t>(code % largest_side),
            static_cast<std::uint8_t>(code / largest_side)};
}

inline std::size_t Position::seats() const {
    return visit_board([](const auto& board) { return std::size_t{board.seats}; }, board_);
}

SPIELLEITER_FORCE_INLINE Seat Position::to_move() const {
    return visit_board([](const auto& board) { return board.mover; }, board_);
}

inline std::optional<Mistake> Position::why_illegal(Move move) const {
    return visit_board(
        [&](const auto& board) -> std::optional<Mistake> {
            if (move.x >= board.width || move.y >= board.height) return Mistake::off_board;
            const std::size_t cell = move.cell(board);
            if (board.legal.test(cell)) return std::nullopt;
            if (board.occupied.test(cell)) return Mistake::occupied;
            return board.empty.test(cell) ? Mistake::takes_nothing : Mistake::hole;
        },
        board_);
}

SPIELLEITER_FORCE_INLINE void Position::rewrite_planes(std::uint8_t* planes_out,
                                                       Seat viewer) const {
    if (const auto* small = std::get_if<Board<Small>>(&board_)) {
        each_plane(*small, viewer, PlanesOfBytes{planes_out});
    } else {
        each_plane(*std::get_if<Board<Large>>(&board_), viewer, PlanesOfBytes{planes_out});
    }
}

SPIELLEITER_FORCE_INLINE void Position::rewrite_bits(PlaneRow* rows_out, Seat viewer) const {
    if (const auto* small = std::get_if<Board<Small>>(&board_)) {
        each_plane(*small, viewer, PlanesOfBits{rows_out});
    } else {
        each_plane(*std::get_if<Board<Large>>(&board_), viewer, PlanesOfBits{rows_out});
    }
}

inline std::size_t Position::columns() const {
    return visit_board([](const auto& board) { return std::size_t{board.width}; }, board_);
}

inline std::size_t Position::rows() const {
    return visit_board([](const auto& board) { return std::size_t{board.height}; }, board_);
}

SPIELLEITER_FORCE_INLINE void Position::rewrite_board(std::uint8_t* planes_out, Seat viewer) const {
    if (const auto* small = std::get_if<Board<Small>>(&board_)) {
        write_planes_of_board(*small, viewer, planes_out);
    } else {
        write_planes_of_board(*std::get_if<Board<Large>>(&board_), viewer, planes_out);
    }
}

inline void Position::rewrite_mask(std::uint8_t* mask_out) const {
    visit_board([&](const auto& board) { write_cells(board.legal, mask_out); }, board_);
}

SPIELLEITER_FORCE_INLINE bool Position::is_over() const {
    return visit_board([](const auto& board) { return board.legal.none(); }, board_);
}

SPIELLEITER_FORCE_INLINE void Position::play(Move move) {
    std::visit([&](auto& board) { board.play(move.cell(board)); }, board_);
}

SPIELLEITER_FORCE_INLINE void Position::find_effect(Move move, Effect& effect) const {
    visit_board(
        [&](const auto& board) {
            const auto taken = board.taken(move.cell(board));
            std::copy(taken.words.begin(), taken.words.end(), effect.taken.begin());
        },
        board_);
}

SPIELLEITER_FORCE_INLINE void Position::play(Move move, const Effect& effect) {
    visit_board(
        [&]<class Layout>(Board<Layout>& board) {
            typename Layout::Set taken;
            std::copy_n(effect.taken.begin(), taken.words.size(), taken.words.begin());
            board.play(move.cell(board), taken);
        },
        board_);
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
