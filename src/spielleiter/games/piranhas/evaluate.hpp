/// @file
/// The evaluation of Piranhas, and the position in the form that search plays on.
///
/// The estimate is what a small network sees (network.hpp), and a few numbers about the shape of
/// each side's fish: how many swarms, how close together, how far apart. All of it is kept up to
/// date move by move. Only whether a side is whole may need a look at the whole board, and the
/// number of swarms nearly always spares it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/search/node.hpp"
#include "network.hpp"
#include "position.hpp"

namespace spielleiter::piranhas {

/// What the estimate is made of; each is counted for the seat to move less the other. The names are
/// those of the fitted weights.
enum class Feature : std::uint8_t {
    network,      ///< what the network thinks
    swarms,       ///< number of swarms less the holes in them (the Euler number)
    links,        ///< pairs of neighbours
    spread,       ///< squares of the distances from the centre of gravity, in tens
    reach,        ///< root of their mean: how far from the centre a fish is
    fish,         ///< number of fish: the fewer, the sooner they are whole
    credit,       ///< the credit for the first union
    opens_round,  ///< 1 if the seat to move opens the round
    ends_round,   ///< 1 if it ends it
};
inline constexpr std::size_t features = 9;  ///< how many there are
extern const std::array<std::string_view, features> feature_names;

/// Room for all lines in whole vectors.
inline constexpr std::size_t line_words = 64;
using Lines = std::array<std::uint32_t, line_words>;  ///< one word for each line

/// In sixteenths of a unit of score, by knot.
using Weights = std::array<std::array<std::int16_t, knots>, features>;

/// The fitted weights for a season.
const Weights& fitted_weights(Rules rules);

class Node;

/// The evaluation of one thread.
class Evaluate {
  public:
    using Position = piranhas::Position;  ///< of the game
    using Node = piranhas::Node;          ///< what search plays on
    /// Weights that the constructor takes.
    static constexpr std::size_t weight_count = features * knots;

    /// With other weights than the fitted ones if any are given: `weight_count` of them, feature by
    /// feature, knot by knot.
    explicit Evaluate(std::span<const std::int16_t> weights = {});

    /// The position made for search. All nodes in use must come from one game.
    Node node(const Position& position);

    /// What the position shows, for the seat to move: one number for each weight, so that the score
    /// is their product with the weights. For fitting.
    static std::vector<float> features_of(const Position& position);
    /// Of the features, in the order of the weights.
    static std::vector<std::string_view> names();
    /// The fitted weights under the rules of a position.
    static std::vector<std::int16_t> weights_for(const Position& position);

  private:
    friend class piranhas::Node;
    void follow(Rules rules);
    int weight(Feature feature, std::size_t ply) const {
        return by_ply_[ply][static_cast<std::size_t>(feature)];
    }

    std::vector<std::int16_t> given_;
    std::array<std::array<std::int32_t, features>, last_ply + 1> by_ply_{};
    const Network* network_ = nullptr;
    Lines land_{};  ///< fields of each line without octopus
    Rules rules_;
};

/// Number of fish, and sums of their columns, rows and the squares of both, as one number: a fish
/// comes or goes by one addition.
struct CoordinateSums {
    std::uint64_t packed = 0;  ///< four numbers of 16 bits

    /// The sums of a single fish.
    static constexpr CoordinateSums of(Square square) {
        const auto x = static_cast<std::uint64_t>(column_of(square));
        const auto y = static_cast<std::uint64_t>(row_of(square));
        return {1U | x << 16U | y << 32U | (x * x + y * y) << 48U};
    }
    /// Number of fish.
    int count() const { return static_cast<int>(packed & 0xffffU); }
    /// Sum of their columns.
    int columns() const { return static_cast<int>(packed >> 16U & 0xffffU); }
    /// Sum of their rows.
    int rows() const { return static_cast<int>(packed >> 32U & 0xffffU); }
    /// Sum of the squares of columns and rows.
    int squares() const { return static_cast<int>(packed >> 48U); }
};

/// One side's fish, and what is counted of them.
struct SideState {
    Board fish{};                    ///< where they are
    std::uint64_t key = 0;           ///< its part of the position's key
    PieceSquareSums places{};        ///< piece-square values at each knot
    CoordinateSums sums{};           ///< for the centre of gravity
    std::int8_t swarms = 0;          ///< less the holes in them
    std::uint8_t links = 0;          ///< pairs of neighbours
    mutable std::int8_t whole = -1;  ///< 1, 0, or −1: not looked at yet

    /// Number of fish.
    int count() const { return sums.count(); }
    /// Squares of the distances from the centre of gravity, times the number of fish.
    int scatter() const;
};

/// A position that search plays on: lean, and judged as far as it is played.
///
/// Most children are judged and left at once, so the lines are only made when moves are asked for.
/// Until then a child made from its parent needs it: it must not live longer. Copies are complete.
class Node {
  public:
    using Move = piranhas::Move;                                ///< of the game
    using Moves = Position::Moves;                              ///< of the game
    static constexpr std::size_t slots = squares * directions;  ///< a field and a direction

    /// See above about lifetimes.
    Node(Evaluate& evaluate, const Position& position);
    Node(const Node& parent, Move move);  ///< after a move
    /// See above about lifetimes.
    Node(const Node& other);
    /// A complete copy.
    Node& operator=(const Node& other);
    ~Node() = default;

    /// Appends all legal moves.
    void list_moves(Moves& moves) const;
    /// Appends the moves that capture nothing and leave the mover in parts.
    void list_quiet_moves(Moves& moves) const;
    void list_tactical_moves(Moves& moves) const;  ///< captures, and what makes the mover whole
    /// Whether any coded move may be made here.
    bool is_legal(Move move) const;
    /// Score that a capture or a union takes; 0 for a quiet move.
    int gain(Move move) const;
    /// No move takes more.
    int most_gain() const;
    /// Where statistics of a move are kept.
    static std::size_t slot(Move move) { return Position::action(move); }
    /// The move of a slot, legal or not.
    Move move_of(std::size_t slot) const;
    /// Becomes the child.
    void play(Move move) { *this = Node(*this, move); }
    /// The turn goes over, for null-move pruning.
    void pass();
    bool may_pass() const;
    /// A side is whole in mid-round: the next move decides whether it counts.
    bool is_tense() const { return is_whole(0) || is_whole(1); }
    /// For the transposition table.
    std::uint64_t key() const;
    std::uint64_t key_after(Move move) const;
    /// The result for the seat to move, once the game is over.
    std::optional<int> end() const;
    /// The result where the seat to move cannot.
    int value_without_moves() const;
    /// The estimate for the seat to move.
    search::Score evaluate() const;
    /// Turns taken so far.
    int ply() const { return ply_; }
    /// No game lasts longer.
    int plies_left() const { return last_ply - ply_; }

  private:
    friend class Evaluate;
    template <class Wanted>
    void list(Moves& moves, Wanted&& wanted) const;
    Seat to_move() const { return ply_ & 1U; }
    int weight(std::size_t bit) const { return 1 + medium_or_large_.test(bit) + large_.test(bit); }
    void put(Square square, Seat seat, int weight);
    template <bool comes>
    void count(SideState& side_state, Square square, int weight) const;
    void capture(Square square, Seat owner);
    void move_fish(Square from, Square to, Seat owner, int weight);
    /// The lines, made when they are first asked for.
    const Lines& lines() const {
        if (parent_ != nullptr) make_lines();
        return lines_;
    }
    void make_lines() const;
    bool is_whole(Seat seat) const;
    int heaviest(Seat seat) const;
    void give_credit(Seat mover);
    bool unions_end() const;
    int judged_by_swarms() const;
    bool can_move() const;
    bool captures(Move move) const;
    bool unites(Move move) const;
    bool can_unite() const;
    void list_uniting_moves(Moves& moves, std::size_t most = Moves::capacity) const;
    template <class Visit>
    void each_move_to(Square target, Visit&& visit) const;
    std::array<int, features> feature_values() const;

    std::array<Accumulator, 2> accumulators_;  ///< as each seat sees the board
    std::array<SideState, 2> sides_;
    Board medium_or_large_{};
    Board large_{};
    Evaluate* evaluate_;
    mutable const Node* parent_ = nullptr;  ///< whose lines these will follow from, after `move_`
    Move move_{};
    std::uint8_t ply_ = 0;
    std::uint8_t credit_ = 2;             ///< seat, or 2 for nobody
    mutable std::int8_t can_unite_ = -1;  ///< 1, 0, or −1: not looked at yet
    alignas(32) mutable Lines lines_;     ///< see evaluate.cpp
};

static_assert(search::Node<Node> && search::Passes<Node> && search::Tactical<Node>);

}  // namespace spielleiter::piranhas
