/// @file
/// The contract of every game in C++: the same few verbs as `spielleiter.game.Position` in Python.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace spielleiter {

/// Who plays, counted from 0. What lies on the board is a colour, not a seat.
using Seat = std::uint8_t;

/// Number of a move in the fixed action space of its game.
using Action = std::uint32_t;

inline constexpr std::size_t max_seats = 4;  ///< no game has more

/// A cell of the board: column and row. Which row is drawn at the top is up to the scene.
struct Cell {
    std::uint8_t x = 0;  ///< column, from the left
    std::uint8_t y = 0;  ///< row, in the game's own direction

    /// The same cell.
    bool operator==(const Cell&) const = default;
};

/// How a game ended. Ranks count from 1; equals share the better rank and the next is left out.
struct Outcome {
    std::size_t seats = 0;                ///< how many played
    std::array<int, max_seats> ranks{};   ///< one for each seat, 1 is the best
    std::array<int, max_seats> scores{};  ///< points of each seat, as the rules count them
    std::string_view reason;              ///< the rule that decided; always a literal

    /// The same in every field.
    bool operator==(const Outcome&) const = default;

    /// The only seat on rank 1, if there is just one.
    std::optional<Seat> winner() const {
        const auto end = ranks.begin() + static_cast<std::ptrdiff_t>(seats);
        const auto first = std::find(ranks.begin(), end, 1);
        if (first == end || std::find(first + 1, end, 1) != end) return std::nullopt;
        return static_cast<Seat>(first - ranks.begin());
    }
};

/// The outcome of a game of two: `winner` may be nobody (a draw).
constexpr Outcome duel(std::optional<Seat> winner, std::array<int, 2> scores,
                       std::string_view reason) {
    Outcome outcome{
        .seats = 2, .ranks = {1, 1}, .scores = {scores[0], scores[1]}, .reason = reason};
    if (winner) outcome.ranks[1U - *winner] = 2;
    return outcome;
}

/// A list of moves with room for the longest one: a value, without heap.
template <class Move, std::size_t Capacity>
class MoveList {
  public:
    using value_type = Move;                           ///< as in a container
    static constexpr std::size_t capacity = Capacity;  ///< room for so many moves

    // The storage stays uninitialised on purpose: a list is filled where it is made.
    MoveList() {}  // NOLINT(modernize-use-equals-default)

    // A copy takes over what is filled: lists may have far more room than they use.
    /// A copy takes over what is filled: lists may have far more room than they use.
    MoveList(const MoveList& other) : size_(other.size_) {
        std::copy(other.begin(), other.end(), begin());
    }
    /// The same for a list that exists.
    MoveList& operator=(const MoveList& other) {
        size_ = other.size_;
        std::copy(other.begin(), other.end(), begin());
        return *this;
    }

    /// Appends a move; there must be room.
    void push_back(Move move) { moves_[size_++] = move; }
    /// How many moves there are.
    std::size_t size() const { return size_; }
    /// Whether there is none.
    bool empty() const { return size_ == 0; }
    /// A move by its place.
    const Move& operator[](std::size_t at) const { return moves_[at]; }
    /// The first move.
    const Move* begin() const { return moves_.data(); }
    /// One past the last move.
    const Move* end() const { return moves_.data() + size_; }
    /// The first move.
    Move* begin() { return moves_.data(); }
    /// One past the last move.
    Move* end() { return moves_.data() + size_; }

  private:
    std::size_t size_ = 0;
    union {  // keeps `moves_` from being value-initialised
        std::array<Move, Capacity> moves_;
    };
};

/// A text that is no position or move: what is wrong, and at which character.
class TextError : public std::runtime_error {
  public:
    /// `at` counts bytes from the beginning of the text.
    TextError(const std::string& problem, std::size_t at) : std::runtime_error(problem), at_(at) {}
    /// Where the problem is.
    std::size_t at() const { return at_; }

  private:
    std::size_t at_;
};

/// A request that makes no sense, such as an unknown edition.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One row of a game's table of mistakes.
template <class Mistake>
struct MistakeEntry {
    Mistake mistake;               ///< what `why_illegal` returns
    std::string_view name;         ///< UPPER_CASE, as on the wire
    std::string_view explanation;  ///< one English sentence without a full stop
};

/// What the core asks of a game. `legal_moves`, `why_illegal` and `play` may trust that the game is
/// not over; whoever is not sure asks `is_over` first (the Python face does). Beyond this a
/// position may offer, and templates then use:
/// - `is_over()`: whether the game is over, quicker than to ask for the outcome;
/// - `decided()`: over by a rule other than "no legal move", so that playouts ask for a move once;
/// - `count_moves()`: number of legal moves without making the list;
/// - `count_replies()`: sum of the successors' numbers of moves, i.e. perft(2);
/// - `random_move(Random&)`: a uniformly drawn legal move without making the list;
/// - `write_mask(std::uint8_t*)`: 1 for each legal action, 0 for the others (all when over);
/// - `rewrite_mask(std::uint8_t*)`: the same where an earlier position of the game is written;
/// - `rewrite_planes(std::uint8_t*, Seat)`: as `observe`, likewise;
/// - `observe_bits(PlaneRow*, Seat)` and `rewrite_bits`: planes of nothing but 0 and 1 as bits;
/// - `observe_board(std::uint8_t*, Seat)` and `rewrite_board`: planes without cells beyond the map;
/// - `find_effect(Move, Effect&)` and `play(Move, const Effect&)`: a move in two steps;
/// - `starts_alike`: true where nothing of the start is drawn by lot;
/// - `perft_with_passes(int, pause)`: perft where a skipped turn is a ply, as tables of two players
///   count;
/// - `moves_left()`: about how many moves the seat to move has left, to divide its time;
/// - `first_row`: the number of the first row in names of cells, if it is not 1;
/// - `has_cell(Cell)`: whether a cell of the rectangle exists, on a board with holes;
/// - `disqualify(Seat)`: the game goes on without that seat.
template <class P>
concept GamePosition =
    std::regular<P> && std::regular<typename P::Move> && std::regular<typename P::Occupant> &&
    requires(P p, const P c, typename P::Move move, Action action, std::string_view text,
             typename P::Rules rules, std::uint64_t seed, std::uint8_t* planes, Cell cell,
             const typename P::Occupant occupant, Seat viewer) {
        { c.to_move() } -> std::same_as<Seat>;
        { c.seats() } -> std::convertible_to<std::size_t>;
        { c.ply() } -> std::convertible_to<int>;
        { c.legal_moves() } -> std::same_as<typename P::Moves>;
        { c.why_illegal(move) } -> std::same_as<std::optional<typename P::Mistake>>;
        {
            P::Mistake::game_over
        } -> std::convertible_to<typename P::Mistake>;  // told by the binding
        { p.play(move) } -> std::same_as<void>;  // trusts: the move is legal, the game not over
        { c.outcome() } -> std::same_as<std::optional<Outcome>>;
        { c.scores() } -> std::same_as<std::array<int, max_seats>>;
        { c.key() } -> std::same_as<std::uint64_t>;
        { c.text() } -> std::same_as<std::string>;  // parse(text(), rules()) is the same position
        { move.text() } -> std::same_as<std::string>;    // parse_move(move.text()) == move
        { move.code() } -> std::same_as<std::uint32_t>;  // dense: below P::Move::codes
        { P::Move::coded(action) } -> std::same_as<typename P::Move>;  // coded(m.code()) == m
        { P::Move::codes } -> std::convertible_to<std::size_t>;
        { c.columns() } -> std::convertible_to<std::size_t>;  // of the board, at most 32
        { c.rows() } -> std::convertible_to<std::size_t>;
        { c.at(cell) } -> std::same_as<std::optional<typename P::Occupant>>;  // what lies there
        { occupant.seat() } -> std::same_as<std::optional<Seat>>;  // nobody's: an obstacle
        { occupant.text() } -> std::same_as<char>;                 // its character in text()
        { occupant.code() } -> std::same_as<std::uint32_t>;        // dense: below Occupant::codes
        { P::Occupant::coded(action) } -> std::same_as<typename P::Occupant>;
        { P::Occupant::codes } -> std::convertible_to<std::size_t>;
        { c.rules() } -> std::convertible_to<typename P::Rules>;
        { c.parse_move(text) } -> std::same_as<typename P::Move>;
        { c.action(move) } -> std::same_as<Action>;
        { c.move_at(action) } -> std::same_as<typename P::Move>;
        { c.observe(planes, viewer) } -> std::same_as<void>;  // as that seat sees the board
        { P::parse(text, rules) } -> std::same_as<P>;
        { P::start(seed, text, rules) } -> std::same_as<P>;
        { P::Rules::named(text, text) } -> std::same_as<typename P::Rules>;
        { rules.edition() } -> std::convertible_to<std::string_view>;
        { rules.authority() } -> std::convertible_to<std::string_view>;
        { P::actions } -> std::convertible_to<std::size_t>;
        { P::planes } -> std::convertible_to<std::array<std::size_t, 3>>;
        { P::mistakes.begin()->name } -> std::convertible_to<std::string_view>;
    };

/// A row of a plane, a bit for each cell: bit x is column x.
using PlaneRow = std::uint16_t;

/// Where maps have several sizes, planes can be had without the cells beyond the map.
template <class P>
concept HasBoardPlanes = requires(const P c, std::uint8_t* planes, Seat viewer) {
    c.observe_board(planes, viewer);
    c.rewrite_board(planes, viewer);  // where an earlier position of the same game is written
    c.rows();
    c.columns();
};

/// Planes of nothing but 0 and 1 can be had as bits as well.
template <class P>
concept HasPlaneBits = requires(const P c, PlaneRow* rows, Seat viewer) {
    c.observe_bits(rows, viewer);
    c.rewrite_bits(rows, viewer);  // where an earlier position of the same game is written already
    requires P::planes[2] <= 16;
};

/// A move in two steps: what it changes, then the change. Whoever plays many moves takes the first
/// step of all of them first, so that fewer instructions of a game wait for each other.
template <class P>
concept PlaysInTwoSteps =
    requires(P p, const P c, typename P::Move move, typename P::Effect& effect) {
        c.find_effect(move, effect);
        p.play(move, std::as_const(effect));
    };

template <class P>
concept CountsMoves = requires(const P c) {
    { c.count_moves() } -> std::convertible_to<std::uint64_t>;
};

template <class P>
concept CountsReplies = requires(const P c) {
    { c.count_replies() } -> std::convertible_to<std::uint64_t>;
};

/// A game in which players are skipped may also count as published tables do: a pass is a ply.
template <class P>
concept CountsPasses = requires(const P c, int depth, void (*pause)()) {
    { c.perft_with_passes(depth, pause) } -> std::convertible_to<std::uint64_t>;
};

template <class P>
concept Disqualifies = requires(P p, Seat seat) { p.disqualify(seat); };

/// Whether a cell exists: it lies on the rectangle of the board and is no hole.
template <class P>
bool has_cell(const P& position, Cell cell) {
    if (cell.x >= position.columns() || cell.y >= position.rows()) return false;
    if constexpr (requires { position.has_cell(cell); }) return position.has_cell(cell);
    return true;
}

/// Whether no further move is made here. A position may offer a quicker `is_over()`.
template <GamePosition P>
bool is_over(const P& position) {
    if constexpr (requires { position.is_over(); }) {
        return position.is_over();
    } else {
        return position.outcome().has_value();
    }
}

}  // namespace spielleiter
